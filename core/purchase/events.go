package purchase

import (
	"plateia/core/money"
	"plateia/core/order"
	"plateia/core/payment"
	"plateia/core/seatmap"
)

// Event is something that happened, or that somebody has heard of: hearing it twice, or late, changes nothing more.
type Event interface{ apply(p *Purchase) bool }

// The events. Payment and Refund are numbers, in the order in which they were made.
type (
	// Reported is what a provider says of a payment, told by a webhook or found by asking.
	Reported struct {
		Payment int
		Status  payment.Status
		Amount  int64 // captured
	}
	// Unanswered is a provider that does not say.
	Unanswered struct{ Payment int }
	// PaidAgain is another card: a new payment, if the order can have one.
	PaidAgain struct{}
	// CancelAsked is the fan's wish to cancel an unpaid order.
	CancelAsked struct{}
	// HoldEnded frees the seats of an order that was not paid in time; SeatsTaken gives them to somebody else.
	HoldEnded  struct{}
	SeatsTaken struct{}
	// Returned gives tickets of these seats back; none: all that are valid.
	Returned struct{ Seats []seatmap.Ordinal }
	// RefundAnswered is what a provider says of a refund's round.
	RefundAnswered struct {
		Refund, Round int
		Status        payment.RefundStatus
	}
	// Decided is a person's decision about an order in REVIEW.
	Decided struct{ Confirm bool }
)

// Apply applies an event and reports whether it changed anything.
func (p *Purchase) Apply(e Event) bool { return e.apply(p) }

func (e Reported) apply(p *Purchase) bool {
	if e.Payment >= len(p.Payments) || !p.Payments[e.Payment].Status.Can(e.Status) {
		return false
	}
	if e.Status == payment.Captured {
		return p.captured(e.Payment, e.Amount)
	}
	p.Payments[e.Payment].Status = e.Status
	if e.Status.Final() {
		p.unpaid()
	}
	return true
}

// captured money is sold for, or sent back, or waits for a person; never dropped.
func (p *Purchase) captured(n int, amount int64) bool {
	a := &p.Payments[n]
	a.Status, a.Captured = payment.Captured, amount
	late := p.Order.Status == order.Expired && p.Seats != Free
	switch {
	case p.Order.Status == order.Review && p.Order.GoesBack:
		p.sendBack(n, amount)
	case p.Order.Status == order.Review:
	case amount != p.Order.Total:
		p.move(order.Review)
	case p.Order.Status.Can(order.Confirmed) && !late:
		p.sell()
	default:
		p.sendBack(n, amount)
	}
	return true
}

func (p *Purchase) sell() {
	p.move(order.Confirmed)
	for _, l := range p.Order.Lines {
		if l.Kind == order.SeatLine {
			p.Valid[l.Ordinal] = true
		}
	}
}

func (p *Purchase) sendBack(n int, minor int64) {
	p.Refunds = append(p.Refunds, Refund{Payment: n, Refund: payment.Refund{
		Kind: payment.RefundUnsold, Status: payment.RefundRequested, Amount: money.Amount{Minor: minor},
	}})
}

// unpaid moves an order on when its last hope for money is gone: seats are freed last.
func (p *Purchase) unpaid() {
	for _, a := range p.Payments {
		if !a.Status.Final() {
			return
		}
	}
	switch {
	case !p.Order.Status.Open():
	case p.CancelAsk:
		p.move(order.Cancelled)
		p.free()
	case p.Seats != Held:
		p.move(order.Expired)
	default:
		p.move(order.Failed)
	}
}

func (p *Purchase) free() {
	if p.Seats == Held {
		p.Seats = Free
	}
}

func (e Unanswered) apply(p *Purchase) bool {
	if e.Payment >= len(p.Payments) || !p.Payments[e.Payment].Status.Can(payment.Unknown) {
		return false
	}
	p.Payments[e.Payment].Status = payment.Unknown
	return true
}

func (PaidAgain) apply(p *Purchase) bool {
	for _, a := range p.Payments {
		if a.Status.Open() {
			return false
		}
	}
	if !p.Order.Status.Open() || p.Seats != Held || p.CancelAsk {
		return false
	}
	p.Order.Status = order.PendingPayment
	p.Payments = append(p.Payments, Payment{Status: payment.Pending})
	return true
}

func (CancelAsked) apply(p *Purchase) bool {
	if !p.Order.Status.Open() || p.CancelAsk {
		return false
	}
	p.CancelAsk = true
	p.unpaid()
	return true
}

func (HoldEnded) apply(p *Purchase) bool {
	if p.Seats != Held || len(p.Valid) > 0 {
		return false
	}
	p.Seats = Free
	if p.Order.Status.Open() {
		to := order.Expired
		if p.CancelAsk && p.Order.Status == order.Failed {
			to = order.Cancelled
		}
		p.move(to)
	}
	return true
}

func (SeatsTaken) apply(p *Purchase) bool {
	if p.Seats != Free || p.Tickets() > 0 {
		return false
	}
	p.Seats = Taken
	return true
}

func (e Returned) apply(p *Purchase) bool {
	seats := e.Seats
	if len(seats) == 0 {
		for _, s := range order.Shares(p.Order.Lines) {
			if p.Valid[s.Ordinal] {
				seats = append(seats, s.Ordinal)
			}
		}
	}
	for _, s := range seats {
		if !p.Valid[s] {
			return false
		}
	}
	if len(seats) == 0 || !p.Order.Status.Stands() {
		return false
	}
	p.giveBack(seats, p.KeepsFees)
	p.Order.Status = p.Order.AfterReturn(p.money())
	return true
}

func (p *Purchase) giveBack(seats []seatmap.Ordinal, keepsFees bool) {
	parts, _ := order.PartsOf(p.Order.Lines, seats, keepsFees)
	for _, s := range seats {
		p.Valid[s] = false
	}
	p.Order.Returned += parts.Total()
	if parts.Total() > 0 {
		p.Refunds = append(p.Refunds, Refund{Payment: p.bought(), Refund: payment.Refund{
			Kind: payment.RefundReturn, Status: payment.RefundRequested, Amount: money.Amount{Minor: parts.Total()},
		}})
	}
}

// left is what of a payment is not on its way back.
func (p *Purchase) left(n int) int64 {
	left := p.Payments[n].Captured
	for _, r := range p.Refunds {
		if r.Payment == n {
			left -= r.Amount.Minor
		}
	}
	return left
}

// bought is the payment that the tickets were bought with: the one of which most is left.
func (p *Purchase) bought() (most int) {
	for n := range p.Payments {
		if p.left(n) > p.left(most) {
			most = n
		}
	}
	return most
}

func (e RefundAnswered) apply(p *Purchase) bool {
	if e.Refund >= len(p.Refunds) || p.Refunds[e.Refund].Round != e.Round {
		return false
	}
	r := &p.Refunds[e.Refund]
	next, changed := r.Answered(e.Status)
	if !changed {
		return false
	}
	switch {
	case e.Status == payment.RefundDone:
		p.Payments[r.Payment].Refunded += r.Amount.Minor
	case r.Status == payment.RefundDone:
		p.Payments[r.Payment].Refunded -= r.Amount.Minor
	}
	r.Refund = next
	m := p.money()
	m.Failed = next.Status == payment.RefundFailed
	p.Order.Status = p.Order.AfterRefund(m)
	p.Order.GoesBack = p.Order.GoesBack && p.Order.Status == order.Review && !m.Failed
	return true
}

func (e Decided) apply(p *Purchase) bool {
	if p.Order.Status != order.Review || p.Order.GoesBack {
		return false
	}
	if e.Confirm {
		return p.stand()
	}
	p.sendAllBack()
	return true
}

// stand confirms: an order that has its tickets, or one that a payment covers and whose seats can be had. What came
// in beside goes back.
func (p *Purchase) stand() bool {
	switch {
	case p.Tickets() > 0 && p.Order.Returned > 0:
		p.move(order.PartlyRefunded)
	case p.Tickets() > 0:
		p.move(order.Confirmed)
	case len(p.Valid) > 0 || p.Seats == Taken || p.left(p.bought()) < p.Order.Total:
		return false
	default:
		p.sell()
	}
	p.sendSurplusBack()
	return true
}

func (p *Purchase) sendSurplusBack() {
	bought := p.bought()
	for n := range p.Payments {
		left := p.left(n)
		if n == bought {
			left -= p.Worth()
		}
		if left > 0 {
			p.sendBack(n, left)
		}
	}
}

func (p *Purchase) sendAllBack() {
	p.free()
	var back []seatmap.Ordinal
	for s, valid := range p.Valid {
		if valid {
			back = append(back, s)
		}
	}
	if len(back) > 0 {
		p.giveBack(back, false)
	}
	p.sendSurplusBack()
	for i := range p.Refunds {
		if again, can := p.Refunds[i].Again(); can {
			p.Refunds[i].Refund = again
		}
	}
	if p.Order.GoesBack = p.underway(); !p.Order.GoesBack {
		p.move(order.Refunded)
	}
}
