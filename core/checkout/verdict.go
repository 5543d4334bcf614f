package checkout

import (
	"cmp"
	"fmt"
	"time"

	"plateia/core/money"
	"plateia/core/order"
	"plateia/core/payment"
)

// step is what is to be done about what a provider said.
type step int

const (
	nothing step = iota
	opened       // record the intent: the fan can pay
	sell         // captured: tickets, or the money back
	end          // no money will come
	review       // it does not match: a person decides
)

// verdict is a step and its particulars.
type verdict struct {
	step      step
	status    payment.Status // of the attempt, for end
	reason    string         // safe to show
	freeSeats bool           // for end
	captured  money.Amount   // for review: what came in, if anything
}

// judge compares an intent with our order and attempt. It is pure: the same
// report gives the same verdict however often and in whatever order it comes.
func judge(o order.Order, a payment.Attempt, in payment.Intent, now time.Time) verdict {
	moneyless := in.Status == payment.Declined || in.Status == payment.Cancelled
	if why := mismatch(o, a, in); why != "" && (!moneyless || o.Status != order.Review) {
		return verdict{step: review, reason: why, captured: cameIn(in)}
	}
	stop := !o.CancelAskedAt.IsZero()
	switch in.Status {
	case payment.Captured:
		return verdict{step: sell}
	case payment.Declined:
		return verdict{step: end, status: payment.Declined, reason: cmp.Or(in.Reason, "the payment was declined"), freeSeats: stop}
	case payment.Cancelled:
		return ended(a, stop, now)
	}
	if a.Reference == "" || a.Status == payment.Created || a.Status == payment.Unknown {
		return verdict{step: opened}
	}
	return verdict{}
}

// cameIn is what a provider took from the fan.
func cameIn(in payment.Intent) money.Amount {
	if in.Status != payment.Captured {
		return money.Amount{}
	}
	return in.Amount
}

// ended is an intent that the provider stopped: because the fan asked, because
// its time was over, or of the provider's own accord, which leaves the fan the seats.
func ended(a payment.Attempt, stop bool, now time.Time) verdict {
	v := verdict{step: end, status: payment.Cancelled, freeSeats: true}
	switch {
	case stop:
		v.reason = "cancelled at your request"
	case !now.Before(a.ExpiresAt):
		v.reason = "the time to pay has passed"
	default:
		v.reason, v.freeSeats = "the payment was cancelled at the payment provider", false
	}
	return v
}

// mismatch says how an intent differs from what we asked for; "" when it does not.
func mismatch(o order.Order, a payment.Attempt, in payment.Intent) string {
	switch {
	case in.Order != o.ID:
		return "the payment belongs to another order"
	case a.Reference != "" && in.Reference != a.Reference:
		return "the payment has another reference"
	case in.Amount != a.Amount:
		return fmt.Sprintf("the payment is over %s instead of %s", in.Amount, a.Amount)
	}
	return ""
}

// unwanted reports whether an intent that can still take money should be stopped:
// the fan asked, its time is over, or the order needs no money any more.
func unwanted(o order.Order, a payment.Attempt, now time.Time) bool {
	return !o.CancelAskedAt.IsZero() || !now.Before(a.ExpiresAt) || !o.Status.Open()
}
