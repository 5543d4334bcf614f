package inventory

import (
	"crypto/sha256"
	"encoding/binary"

	"plateia/core/event"
	"plateia/core/fault"
	"plateia/core/id"
	"plateia/core/ledger"
	"plateia/core/order"
	"plateia/core/payment"
	"plateia/core/seatmap"
	"plateia/core/ticket"
)

func (s *Snapshot) sell(c Sell) Outcome {
	o, a, err := s.orderAttempt(c.Order, c.Attempt)
	if err != nil {
		return refuse(err)
	}
	if a.is.Status == payment.Captured {
		return s.soldBefore(o, a)
	}
	switch o.is.Status {
	case order.PendingPayment, order.Failed, order.Expired:
	default:
		return refuse(orderState(o))
	}
	if c.Captured != a.is.Amount {
		return s.review(o, a, c)
	}
	if s.Event.State == event.Cancelled {
		return refuse(s.notNow())
	}
	hold := s.holds[o.is.Hold]
	if hold == nil {
		return refuse(fault.New(fault.Internal, "order %s has no hold", o.is.ID))
	}
	if err := s.seatsFor(hold); err != nil {
		return refuse(err)
	}
	a.is.Captured = c.Captured
	s.post(ledger.Capture(a.is.Attempt, c.Captured))
	return s.confirm(o, a, hold)
}

func orderState(o *row[order.Order]) *fault.Error {
	return fault.New(fault.OrderState, "the order cannot be paid now").With("status", string(o.is.Status))
}

// soldBefore repeats the first outcome of an attempt whose money is in already.
func (s *Snapshot) soldBefore(o *row[order.Order], a *row[AttemptRow]) Outcome {
	out := Outcome{Order: o.is, Attempt: a.is.Attempt, Tickets: s.tickets[o.is.ID], Replayed: true}
	if h := s.holds[o.is.Hold]; h != nil {
		out.Hold = h.is
	}
	if o.is.Status != order.Confirmed {
		out.Err = orderState(o)
	}
	return out
}

// review parks an order whose money does not match: a person decides.
func (s *Snapshot) review(o *row[order.Order], a *row[AttemptRow], c Sell) Outcome {
	reason := "the amount paid does not match the order"
	sa, so := s.touchAttempt(a), s.touchOrder(o)
	sa.Status, sa.Reason, sa.Captured = payment.Captured, "captured "+c.Captured.String(), c.Captured
	so.Status, so.Reason = order.Review, reason
	s.post(ledger.Capture(sa.Attempt, c.Captured)) // it waits in the order's deposits
	out := Outcome{Order: *so, Attempt: sa.Attempt}
	out.Err = fault.New(fault.OrderState, "%s", reason).With("status", string(order.Review))
	return out
}

// seatsFor makes sure the hold's seats can be sold. When the hold is dead the money
// is late: the same seats are taken if they are free, and the rules of a new hold apply.
func (s *Snapshot) seatsFor(r *row[Hold]) *fault.Error {
	h := &r.is
	if h.State.Live() {
		return nil
	}
	late := &placing{}
	for _, held := range h.Seats {
		seat := s.seats[held.Ordinal]
		if seat == nil || !s.sellsTo(0, seat.is.Channel) || !s.free(&seat.is, late) {
			return holdGone(h)
		}
	}
	b := s.buyer(h.Account).is
	if s.Event.State != event.OnSale || b.Sold+b.Held+len(h.Seats) > s.Event.Rules.MaxPerAccount {
		return holdGone(h)
	}
	for _, victim := range late.dead {
		s.endHold(victim, HoldExpired, order.Expired, "the time to pay has passed")
	}
	return nil
}

func (s *Snapshot) confirm(o *row[order.Order], a *row[AttemptRow], hold *row[Hold]) Outcome {
	h := &hold.is
	if h.State.Live() {
		s.closeHold(hold, HoldConverted)
	}
	for _, held := range h.Seats {
		s.giveSeat(s.seats[held.Ordinal], Sold, o.is.ID)
		t := ticket.Ticket{
			ID: ticketID(o.is.ID, held.Ordinal), Order: o.is.ID, Event: s.Event.ID, Account: o.is.Account,
			Ordinal: held.Ordinal, State: ticket.Valid, IssuedAt: s.Now,
		}
		s.AddTicket(t)
		s.touched.tickets = append(s.touched.tickets, t)
	}
	buyer := s.touchBuyer(s.buyer(h.Account))
	buyer.Sold += len(h.Seats)
	sa, so := s.touchAttempt(a), s.touchOrder(o)
	sa.Status, sa.Reason = payment.Captured, ""
	so.Status, so.Reason = order.Confirmed, ""
	s.post(ledger.Sale(*so))
	return Outcome{Hold: *h, Order: *so, Attempt: sa.Attempt, Tickets: s.tickets[so.ID]}
}

// ticketID is the same however often the sale is decided, and as hard to guess as the order's.
func ticketID(of id.ID, ordinal seatmap.Ordinal) id.ID {
	var in [24]byte
	copy(in[:], of[:])
	binary.BigEndian.PutUint64(in[16:], uint64(ordinal))
	sum := sha256.Sum256(in[:])
	out := id.ID(sum[:16])
	out[6] = out[6]&0x0f | 0x80 // RFC 9562, version 8
	out[8] = out[8]&0x3f | 0x80
	return out
}
