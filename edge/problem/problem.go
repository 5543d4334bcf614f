// Package problem renders refusals as problem documents (RFC 9457): the one table from a fault's code to an HTTP status,
// and the one shape, whoever answers.
package problem

import (
	"encoding/json"
	"maps"
	"math"
	"net/http"
	"slices"

	"plateia/core/fault"
)

// Type is the media type.
const Type = "application/problem+json"

// statuses is the one table from a fault's code to HTTP. A code that is not
// here is our mistake and answers 500.
var statuses = map[fault.Code]int{
	fault.Invalid:           http.StatusBadRequest,
	fault.KeyMissing:        http.StatusBadRequest,
	fault.Unauthenticated:   http.StatusUnauthorized,
	fault.QueueRequired:     http.StatusUnauthorized,
	fault.Forbidden:         http.StatusForbidden,
	fault.ChallengeRequired: http.StatusForbidden,
	fault.NotFound:          http.StatusNotFound,
	fault.MethodNotAllowed:  http.StatusMethodNotAllowed,
	fault.SessionReplaced:   http.StatusConflict,
	fault.SeatTaken:         http.StatusConflict,
	fault.SeatBlocked:       http.StatusConflict,
	fault.NoSeats:           http.StatusConflict,
	fault.LimitExceeded:     http.StatusConflict,
	fault.OrphanSeat:        http.StatusConflict,
	fault.PriceChanged:      http.StatusConflict,
	fault.HoldLimit:         http.StatusConflict,
	fault.PaymentInProgress: http.StatusConflict,
	fault.PaymentWindow:     http.StatusConflict,
	fault.OrderState:        http.StatusConflict,
	fault.EventState:        http.StatusConflict,
	fault.RefundClosed:      http.StatusConflict,
	fault.RefundTooMuch:     http.StatusConflict,
	fault.InProgress:        http.StatusConflict,
	fault.Waiting:           http.StatusConflict,
	fault.HoldGone:          http.StatusConflict,
	fault.TooLarge:          http.StatusRequestEntityTooLarge,
	fault.MediaType:         http.StatusUnsupportedMediaType,
	fault.KeyReused:         http.StatusUnprocessableEntity,
	fault.RateLimited:       http.StatusTooManyRequests,
	fault.Busy:              http.StatusServiceUnavailable,
	fault.OutcomeUnknown:    http.StatusServiceUnavailable,
	fault.ProviderDown:      http.StatusServiceUnavailable,
	fault.Internal:          http.StatusInternalServerError,
}

// Status is the HTTP status that answers a fault code.
func Status(code fault.Code) int {
	if status, ok := statuses[code]; ok {
		return status
	}
	return http.StatusInternalServerError
}

// Codes are all codes that have a status.
func Codes() []fault.Code { return slices.Sorted(maps.Keys(statuses)) }

// Render is a fault as a problem document. The fault's details are members of it; they never replace one of its own.
func Render(f *fault.Error, requestID string) []byte {
	status := Status(f.Code)
	body := make(map[string]any, len(f.Details)+8)
	maps.Copy(body, f.Details)
	body["type"] = "about:blank"
	body["title"] = http.StatusText(status)
	body["status"] = status
	body["code"] = f.Code
	body["detail"] = f.Text
	body["retryable"] = f.Retryable
	body["requestId"] = requestID
	if seconds := RetrySeconds(f); seconds > 0 {
		body["retryAfterSeconds"] = seconds
	}
	out, err := json.Marshal(body)
	if err != nil { // a detail that cannot be JSON; the rest still says what matters
		plain := *f
		plain.Details = nil
		return Render(&plain, requestID)
	}
	return out
}

// RetrySeconds is the advice to wait, in whole seconds rounded up; 0: none. 503 always
// carries one: a client told nothing comes back at once.
func RetrySeconds(f *fault.Error) int {
	seconds := int(math.Ceil(f.RetryAfter.Seconds()))
	if seconds <= 0 && (Status(f.Code) == http.StatusServiceUnavailable || f.Code == fault.InProgress || f.Code == fault.Waiting) {
		return 1
	}
	return max(seconds, 0)
}
