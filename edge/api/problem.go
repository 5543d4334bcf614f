package api

import (
	"encoding/json"
	"errors"
	"log/slog"
	"math"
	"net/http"
	"strconv"

	"github.com/gofiber/fiber/v2"

	"plateia/core/fault"
)

// statuses is the one table from a fault's code to HTTP. A code that is not
// here is our mistake and answers 500.
var statuses = map[fault.Code]int{
	fault.Invalid:           http.StatusBadRequest,
	fault.KeyMissing:        http.StatusBadRequest,
	fault.Unauthenticated:   http.StatusUnauthorized,
	fault.QueueRequired:     http.StatusUnauthorized,
	fault.Forbidden:         http.StatusForbidden,
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

// StatusOf is the HTTP status that answers a fault code.
func StatusOf(code fault.Code) int {
	if status, ok := statuses[code]; ok {
		return status
	}
	return http.StatusInternalServerError
}

// problem renders a fault (RFC 9457). The details are members of the answer;
// they never replace one of its own.
func problem(f *fault.Error, status int, requestID string) []byte {
	body := make(map[string]any, len(f.Details)+8)
	for k, v := range f.Details {
		body[k] = v
	}
	body["type"] = "about:blank"
	body["title"] = http.StatusText(status)
	body["status"] = status
	body["code"] = f.Code
	body["detail"] = f.Text
	body["retryable"] = f.Retryable
	body["requestId"] = requestID
	if seconds := retrySeconds(f, status); seconds > 0 {
		body["retryAfterSeconds"] = seconds
	}
	out, err := json.Marshal(body)
	if err != nil { // a detail that cannot be JSON; the rest still says what matters
		plain := *f
		plain.Details = nil
		return problem(&plain, status, requestID)
	}
	return out
}

// retrySeconds is the advice to wait, in whole seconds rounded up. 503 always
// carries one: a client told nothing comes back at once.
func retrySeconds(f *fault.Error, status int) int {
	seconds := int(math.Ceil(f.RetryAfter.Seconds()))
	if seconds <= 0 && (status == http.StatusServiceUnavailable || f.Code == fault.InProgress || f.Code == fault.Waiting) {
		return 1
	}
	return max(seconds, 0)
}

// fail answers a request with err's problem, logging what is our fault.
func (a *API) fail(fc *fiber.Ctx, err error) error {
	f := fault.From(err)
	status := StatusOf(f.Code)
	id := requestID(fc)
	switch status {
	case http.StatusInternalServerError:
		a.Logger.Error("request failed", "requestId", id, "error", err)
	case http.StatusServiceUnavailable:
		a.Logger.Warn("request shed", "requestId", id, "error", err)
	}
	h := &fc.Response().Header
	if seconds := retrySeconds(f, status); seconds > 0 {
		h.Set(fiber.HeaderRetryAfter, strconv.Itoa(seconds))
	}
	if status == http.StatusUnauthorized {
		h.Set(fiber.HeaderWWWAuthenticate, `Bearer realm="plateia"`)
	}
	h.Del(fiber.HeaderETag)
	h.Set(fiber.HeaderCacheControl, "no-store")
	fc.Response().ResetBody()
	fc.Status(status)
	h.Set(fiber.HeaderContentType, "application/problem+json")
	noteCode(fc, f.Code)
	return fc.Send(problem(f, status, id))
}

// frameError answers what Fiber itself refuses: no route, wrong method, headers too large, a broken request.
func (a *API) frameError(fc *fiber.Ctx, err error) error {
	var fe *fiber.Error
	if !errors.As(err, &fe) {
		return a.fail(fc, err)
	}
	prepare(fc)
	switch fe.Code {
	case http.StatusNotFound:
		return a.fail(fc, fault.New(fault.NotFound, "no such resource"))
	case http.StatusMethodNotAllowed:
		return a.fail(fc, fault.New(fault.MethodNotAllowed, "this resource does not take %s", methodOf(fc)))
	case http.StatusRequestEntityTooLarge:
		return a.fail(fc, tooLarge(a.opts.BodyLimit))
	case http.StatusRequestHeaderFieldsTooLarge:
		return a.fail(fc, fault.New(fault.TooLarge, "the request's headers are larger than %d bytes", a.opts.HeaderLimit))
	case http.StatusRequestTimeout:
		return a.fail(fc, fault.New(fault.Invalid, "the request did not arrive in time"))
	}
	a.Logger.Log(fc.Context(), slog.LevelDebug, "broken request", "status", fe.Code, "error", err)
	return a.fail(fc, fault.New(fault.Invalid, "the request is not valid HTTP"))
}

func tooLarge(limit int) *fault.Error {
	return fault.New(fault.TooLarge, "the request's body is larger than %d bytes", limit).With("limit", limit)
}
