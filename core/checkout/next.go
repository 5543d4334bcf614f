package checkout

import (
	"time"

	"plateia/core/event"
	"plateia/core/id"
	"plateia/core/money"
	"plateia/core/order"
	"plateia/core/payment"
	"plateia/core/seatmap"
	"plateia/core/ticket"
)

// Refundable is what a fan may give back now, all of it.
type Refundable struct {
	Until     time.Time // zero: as long as there are tickets
	Amount    money.Amount
	KeepsFees bool
	Tickets   []id.ID
	Parts     []TicketBack // of Tickets, in their order; they sum to Amount
}

// TicketBack is what one ticket's return brings. The two are what was paid for it, in minor units of the order's
// currency: tickets may be given back in any order and number.
type TicketBack struct {
	Amount int64 // goes back
	Kept   int64 // does not: fees, where the event keeps them
}

// RefundableOf says what of an order can be given back; nil for nothing. The engine decides by the database's
// clock when it is asked to; this is for the page.
func RefundableOf(d Details, e event.Event, now time.Time) *Refundable {
	off := e.State == event.Cancelled
	until := e.RefundUntil()
	if d.Order.Status != order.Confirmed && d.Order.Status != order.PartlyRefunded || !off && !now.Before(until) {
		return nil
	}
	out := &Refundable{Until: until.UTC(), KeepsFees: e.Rules.RefundPolicy().KeepsFees && !off}
	if off {
		out.Until = time.Time{}
	}
	backs := ticketBacks(d.Order.Lines, out.KeepsFees)
	out.Amount.Currency = d.Order.Currency
	for _, t := range d.Tickets {
		if t.State == ticket.Valid {
			back := backs[t.Ordinal]
			out.Tickets, out.Parts = append(out.Tickets, t.ID), append(out.Parts, back)
			out.Amount.Minor += back.Amount
		}
	}
	if len(out.Tickets) == 0 {
		return nil
	}
	return out
}

func ticketBacks(lines []order.Line, keepsFees bool) map[seatmap.Ordinal]TicketBack {
	out := map[seatmap.Ordinal]TicketBack{}
	for _, s := range order.Shares(lines) {
		back := TicketBack{Amount: s.Price + s.Fees}
		if keepsFees {
			back = TicketBack{Amount: s.Price, Kept: s.Fees}
		}
		out[s.Ordinal] = back
	}
	return out
}

// Step is something that the fan can do about an order.
type Step string

// The steps, as they are told to pages.
const (
	StepPay    Step = "pay"
	StepCancel Step = "cancel"
	StepRefund Step = "refund"
	StepWait   Step = "wait" // something goes on that needs nobody
)

// Next lists what the fan can do about an order now, the likeliest first.
func Next(d Details, refundable bool, now time.Time) []Step {
	steps := []Step{}
	switch o := d.Order; {
	case o.Status.Open() && !o.CancelAskedAt.IsZero():
		return append(steps, StepWait)
	case o.Status == order.Failed && d.Hold.State.Live():
		return append(steps, StepPay, StepCancel)
	case o.Status == order.PendingPayment:
		return append(steps, whilePaying(d.Attempt, now)...)
	case o.Status == order.Review:
		return append(steps, StepWait)
	}
	if refundable {
		steps = append(steps, StepRefund)
	}
	for _, r := range d.Refunds {
		if r.Underway() {
			return append(steps, StepWait)
		}
	}
	return steps
}

// whilePaying: a payment that is open can be made, one whose fate is unknown may be made anew, and
// one that is just being opened or closed is waited for.
func whilePaying(a *payment.Attempt, now time.Time) []Step {
	switch {
	case a != nil && a.Status == payment.Pending && now.Before(a.ExpiresAt), a != nil && a.Status == payment.Unknown:
		return []Step{StepPay, StepCancel}
	case a != nil && a.Status == payment.Created:
		return []Step{StepWait, StepCancel}
	}
	return []Step{StepWait}
}
