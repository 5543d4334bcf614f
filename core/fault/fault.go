// Package fault is the one kind of error that crosses a boundary of Plateia:
// a stable code for programs, a text that is safe to show to people, whether
// trying again can help, and a cause that stays inside.
package fault

import (
	"errors"
	"fmt"
	"time"
)

// Code is stable: clients, dashboards and tests compare it. HTTP statuses and
// WebSocket close codes are looked up from it at the edge, never the other way round.
type Code string

// The codes. Each is documented in edge/openapi.yaml where it can be answered.
const (
	Invalid           Code = "INVALID"    // malformed or out-of-range input
	TooLarge          Code = "TOO_LARGE"  // the body is over the limit
	MediaType         Code = "MEDIA_TYPE" // the body is not of a type this route reads
	MethodNotAllowed  Code = "METHOD_NOT_ALLOWED"
	NotFound          Code = "NOT_FOUND"        // no such thing, or not yours to know of
	Unauthenticated   Code = "UNAUTHENTICATED"  // no, malformed, forged or expired credential
	QueueRequired     Code = "QUEUE_REQUIRED"   // a hold needs an access token; the answer says where the waiting room is
	Forbidden         Code = "FORBIDDEN"        // valid credential, not for this
	SessionReplaced   Code = "SESSION_REPLACED" // a newer session of the same account has taken over
	SeatTaken         Code = "SEAT_TAKEN"       // one or more seats are not free; Details["seats"] says which
	SeatBlocked       Code = "SEAT_BLOCKED"     // not for sale, or not through this channel
	NoSeats           Code = "NO_SEATS"         // best available found nothing
	LimitExceeded     Code = "LIMIT_EXCEEDED"   // more seats than the account may have
	OrphanSeat        Code = "ORPHAN_SEAT"      // the choice would leave a single seat alone
	PriceChanged      Code = "PRICE_CHANGED"    // Details["total"] is the new total
	HoldGone          Code = "HOLD_GONE"        // expired, released or already paid
	HoldLimit         Code = "HOLD_LIMIT"       // cannot be extended past the absolute limit
	PaymentInProgress Code = "PAYMENT_IN_PROGRESS"
	PaymentWindow     Code = "PAYMENT_WINDOW"     // too little time left to pay
	OrderState        Code = "ORDER_STATE"        // the order is not in a state that allows this
	RefundClosed      Code = "REFUND_CLOSED"      // too late to give tickets back; Details["until"]
	RefundTooMuch     Code = "REFUND_TOO_MUCH"    // more than is left of the payment; Details["left"]
	EventState        Code = "EVENT_STATE"        // not on sale: early, paused, closed or cancelled
	KeyMissing        Code = "KEY_MISSING"        // no Idempotency-Key
	KeyReused         Code = "KEY_REUSED"         // the same key with another body
	InProgress        Code = "IN_PROGRESS"        // the first request with this key is still running
	RateLimited       Code = "RATE_LIMITED"       // Details["resetAt"]
	Waiting           Code = "WAITING"            // not yet your turn; the place is kept
	ChallengeRequired Code = "CHALLENGE_REQUIRED" // prove that you are a person; Details["provider"] says how
	Busy              Code = "BUSY"               // shed; try again after RetryAfter
	OutcomeUnknown    Code = "OUTCOME_UNKNOWN"    // the database did not say; repeat with the same key
	ProviderDown      Code = "PROVIDER_DOWN"      // the payment provider cannot be reached
	Internal          Code = "INTERNAL"           // our fault; the cause is in the log
)

// Error is a fault. Text is for people; cause is for the log only.
type Error struct {
	Code       Code
	Text       string
	Retryable  bool
	RetryAfter time.Duration  // zero: no advice
	Details    map[string]any // extra members of the answer, safe to show
	cause      error
}

// New returns a fault with a formatted text. Busy, InProgress, Waiting,
// OutcomeUnknown, RateLimited and ProviderDown are retryable; nothing else is.
func New(code Code, format string, args ...any) *Error {
	return &Error{Code: code, Text: fmt.Sprintf(format, args...), Retryable: retryable(code)}
}

// Wrap is New with a cause, kept for the log and for errors.Is.
func Wrap(cause error, code Code, format string, args ...any) *Error {
	e := New(code, format, args...)
	e.cause = cause
	return e
}

// With returns a copy with one more detail.
func (e *Error) With(key string, value any) *Error {
	clone := *e
	clone.Details = make(map[string]any, len(e.Details)+1)
	for k, v := range e.Details {
		clone.Details[k] = v
	}
	clone.Details[key] = value
	return &clone
}

// After returns a copy that advises to try again after d.
func (e *Error) After(d time.Duration) *Error {
	clone := *e
	clone.RetryAfter = d
	return &clone
}

// Error includes the cause: it is for logs. Answers use Text.
func (e *Error) Error() string {
	if e.cause == nil {
		return fmt.Sprintf("%s: %s", e.Code, e.Text)
	}
	return fmt.Sprintf("%s: %s: %v", e.Code, e.Text, e.cause)
}

// Unwrap returns the cause.
func (e *Error) Unwrap() error { return e.cause }

// From returns err's fault, or an Internal fault that hides err.
func From(err error) *Error {
	var e *Error
	if errors.As(err, &e) {
		return e
	}
	return Wrap(err, Internal, "something went wrong on our side")
}

// CodeOf returns err's code; "" for nil, Internal for an error without one.
func CodeOf(err error) Code {
	if err == nil {
		return ""
	}
	return From(err).Code
}

func retryable(code Code) bool {
	switch code {
	case Busy, InProgress, Waiting, OutcomeUnknown, RateLimited, ProviderDown:
		return true
	}
	return false
}
