package payment

import (
	"strconv"
	"time"

	"plateia/core/id"
	"plateia/core/money"
)

// RefundStatus is where a refund is in its life.
type RefundStatus string

const (
	RefundRequested RefundStatus = "REQUESTED" // ours, the provider has not answered yet
	RefundPending   RefundStatus = "PENDING"
	RefundDone      RefundStatus = "DONE"
	RefundFailed    RefundStatus = "FAILED"
)

// RefundKind is why money goes back.
type RefundKind string

const (
	RefundReturn RefundKind = "RETURN" // tickets were given back
	RefundUnsold RefundKind = "UNSOLD" // it bought nothing: late, twice, or not what was asked
)

// Refund is a refund row: money of one attempt on its way back.
type Refund struct {
	ID        id.ID
	Order     id.ID
	Attempt   id.ID
	Kind      RefundKind
	Status    RefundStatus
	Amount    money.Amount
	Reason    string  // in plain words, shown to the fan
	Tickets   []id.ID // that were given back
	Round     int     // how often the provider refused it for good before
	Tries     int     // of this round
	Rechecks  int     // how often it was asked about after it was done
	CreatedAt time.Time
	UpdatedAt time.Time
}

// MaxRounds is how often a refund is asked for before a person must look.
const MaxRounds = 4

// Key is the idempotency key towards the provider: one per round, because a provider repeats its
// answer to a key for ever, also when that was no.
func (r Refund) Key() string { return r.keyOf(r.Round) }

// LastKey is the key of the round before; empty in the first.
func (r Refund) LastKey() string {
	if r.Round == 0 {
		return ""
	}
	return r.keyOf(r.Round - 1)
}

func (r Refund) keyOf(round int) string {
	if round == 0 {
		return r.ID.String()
	}
	return r.ID.String() + "-" + strconv.Itoa(round)
}

// Underway reports whether money is on its way: nobody has to do anything but wait.
func (r Refund) Underway() bool { return r.Status == RefundRequested || r.Status == RefundPending }

// Answered is the refund after the provider's answer, and whether that changed it. A refusal starts another
// round, or ends the refund as FAILED when there were enough.
func (r Refund) Answered(status RefundStatus) (Refund, bool) {
	if !r.Status.Can(status) {
		return r, false
	}
	r.Status = status
	if status == RefundFailed && r.Round+1 < MaxRounds {
		r.Status, r.Round, r.Tries = RefundRequested, r.Round+1, 0 // FAILED on the way
	}
	return r, true
}

// Again starts another round of a refund that failed for good: a person has found out why, or wants to try.
func (r Refund) Again() (Refund, bool) {
	if !r.Status.Can(RefundRequested) {
		return r, false
	}
	r.Status, r.Round, r.Tries = RefundRequested, r.Round+1, 0
	return r, true
}

// RoundDelay is how long a refused refund rests before it is asked for again: a minute, ten, a hundred.
func (r Refund) RoundDelay() time.Duration {
	delay := time.Minute
	for range r.Round - 1 {
		delay *= 10
	}
	return delay
}

// recheckAfter is when a refund that is done is asked about once more: it can come back.
var recheckAfter = []time.Duration{30 * time.Second, 10 * time.Minute, 2 * time.Hour, 24 * time.Hour, 3 * 24 * time.Hour}

// NextRecheck is when to ask again about a refund that was done at the given time; zero when it was asked often enough.
func (r Refund) NextRecheck(done time.Time) time.Time {
	if r.Rechecks >= len(recheckAfter) {
		return time.Time{}
	}
	return done.Add(recheckAfter[r.Rechecks])
}
