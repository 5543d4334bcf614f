package inventory

import (
	"plateia/core/event"
	"plateia/core/fault"
	"plateia/core/id"
	"plateia/core/ledger"
	"plateia/core/money"
	"plateia/core/order"
	"plateia/core/payment"
)

func (s *Snapshot) resolve(c Resolve) Outcome {
	o := s.orders[c.Order]
	if o == nil || o.is.Event != s.Event.ID {
		return refuse(fault.New(fault.NotFound, "there is no such order"))
	}
	if o.is.Status != order.Review {
		return refuse(fault.New(fault.OrderState, "only an order in review is decided by a person").With("status", string(o.is.Status)))
	}
	if o.is.GoesBack {
		return refuse(fault.New(fault.OrderState, "the order is being refunded already").With("status", string(o.is.Status)))
	}
	if c.Confirm {
		return s.stand(o, c)
	}
	return s.sendAllBack(o, c)
}

func (s *Snapshot) audit(c Resolve, action string, o *row[order.Order]) {
	s.touched.resolved = append(s.touched.resolved, OrderAudit{
		ID: id.New(), Order: o.is.ID, Action: action, Before: order.Review, After: o.is.Status, By: c.By,
	})
}

// stand confirms an order: as it is when it has tickets, else like a sale whose money is late.
func (s *Snapshot) stand(o *row[order.Order], c Resolve) Outcome {
	if len(s.validOf(o)) > 0 {
		so := s.touchOrder(o)
		so.Status, so.Reason = order.Confirmed, ""
		if so.Returned > 0 {
			so.Status = order.PartlyRefunded
		}
		s.audit(c, "confirm", o)
		return Outcome{Order: *so, Tickets: s.tickets[so.ID], Refunds: s.surplus(o, paidMore)}
	}
	pays := s.lastCapture(o)
	switch {
	case len(s.tickets[o.is.ID]) > 0:
		return refuse(fault.New(fault.OrderState, "all tickets of the order have been given back").With("status", string(o.is.Status)))
	case pays.row == nil || pays.left < o.is.Total:
		return refuse(fault.New(fault.OrderState, "no payment covers the order").With("status", string(o.is.Status)))
	case s.Event.State == event.Cancelled:
		return refuse(s.notNow())
	}
	hold := s.holds[o.is.Hold]
	if hold == nil {
		return refuse(fault.New(fault.Internal, "order %s has no hold", o.is.ID))
	}
	if err := s.seatsFor(hold); err != nil {
		return refuse(err)
	}
	out := s.confirm(o, pays.row, hold)
	out.Refunds = s.surplus(o, paidMore)
	s.audit(c, "confirm", o)
	return out
}

// unsold asks for money back that bought nothing.
func (s *Snapshot) unsold(o *row[order.Order], a *row[AttemptRow], minor int64, reason string) payment.Refund {
	r := payment.Refund{
		ID: id.New(), Order: o.is.ID, Attempt: a.is.ID, Kind: payment.RefundUnsold, Status: payment.RefundRequested,
		Amount: money.Amount{Minor: minor, Currency: a.is.Captured.Currency}, Reason: reason, CreatedAt: s.Now,
	}
	s.addRefund(r)
	s.post(ledger.SendBack(r))
	return r
}

// What fans are told.
const (
	sentBack = "we have looked into your payment and send the money back"
	paidMore = "you paid more than the order costs; the rest is refunded"
)

// surplus asks for everything back that came in and is not what the order is worth: its total less what was given back
// when it has, or had, tickets, else nothing.
func (s *Snapshot) surplus(o *row[order.Order], reason string) (refunds []payment.Refund) {
	worth := int64(0)
	if len(s.tickets[o.is.ID]) > 0 {
		worth = o.is.Total - o.is.Returned
	}
	bought := s.lastCapture(o).row
	for _, paid := range s.captures(o) {
		if paid.row == bought {
			paid.left -= worth
		}
		if paid.left > 0 {
			refunds = append(refunds, s.unsold(o, paid.row, paid.left, reason))
		}
	}
	return refunds
}

// sendAllBack ends an order: nothing stays sold, and of its money only fees that had been kept before. It is REFUNDED when
// the money is back, at once when none is on its way.
func (s *Snapshot) sendAllBack(o *row[order.Order], c Resolve) Outcome {
	if hold := s.holds[o.is.Hold]; hold != nil && hold.is.State.Live() {
		s.endHold(hold, HoldReleased, order.Cancelled, sentBack)
	}
	refunds, err := s.unsell(o)
	if err != nil {
		return refuse(err)
	}
	refunds = append(refunds, s.surplus(o, sentBack)...)
	for _, paid := range s.captures(o) {
		refunds = append(refunds, s.retry(paid.row)...)
	}
	so := s.touchOrder(o)
	so.Reason, so.GoesBack = sentBack, s.waits(o)
	if !so.GoesBack {
		so.Status, so.Reason = order.Refunded, "we have looked into your payment; nothing is left to refund"
	}
	s.audit(c, "refund", o)
	return Outcome{Order: *so, Tickets: s.tickets[so.ID], Refunds: refunds}
}

// unsell takes all tickets back that are valid, with their fees.
func (s *Snapshot) unsell(o *row[order.Order]) ([]payment.Refund, *fault.Error) {
	back := s.validOf(o)
	if len(back) == 0 {
		return nil, nil
	}
	parts, ok := order.PartsOf(o.is.Lines, ticketSeats(back), false)
	from := s.lastCapture(o)
	if !ok || from.row == nil || from.left < parts.Total() {
		return nil, s.tooMuch(o, "the order's payment does not cover its tickets")
	}
	r := payment.Refund{
		ID: id.New(), Order: o.is.ID, Attempt: from.row.is.ID, Kind: payment.RefundReturn, Status: payment.RefundRequested,
		Amount: money.Amount{Minor: parts.Total(), Currency: o.is.Currency}, Reason: sentBack, Tickets: idsOf(back), CreatedAt: s.Now,
	}
	s.voidTickets(o, back)
	so := s.touchOrder(o)
	so.Returned += parts.Total()
	s.addRefund(r)
	s.post(ledger.Return(r, parts))
	return []payment.Refund{r}, nil
}

// retry starts another round of the refunds of a payment that failed for good.
func (s *Snapshot) retry(a *row[AttemptRow]) (again []payment.Refund) {
	list := s.refunds[a.is.ID]
	for i := range list {
		if next, can := list[i].Again(); can {
			list[i] = next
			s.touched.retried = append(s.touched.retried, next)
			again = append(again, next)
		}
	}
	return again
}
