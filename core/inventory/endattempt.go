package inventory

import (
	"plateia/core/fault"
	"plateia/core/id"
	"plateia/core/ledger"
	"plateia/core/order"
	"plateia/core/payment"
)

func (s *Snapshot) endAttempt(c EndAttempt) Outcome {
	o, a, err := s.orderAttempt(c.Order, c.Attempt)
	if err != nil {
		return refuse(err)
	}
	if err := c.valid(); err != nil {
		return refuse(err)
	}
	closed := a.is.Status.Final() || a.is.Status == c.Status
	if !closed {
		sa := s.touchAttempt(a)
		sa.Status, sa.Reason = c.Status, c.Reason
		if c.Status == payment.Captured {
			sa.Captured = sa.Amount
			s.post(ledger.Capture(sa.Attempt, sa.Captured))
		}
	}
	hold := s.holds[o.is.Hold]
	ended := s.afterAttempt(c, o, a, hold)
	out := Outcome{Order: o.is, Attempt: a.is.Attempt, Replayed: closed && !ended}
	if hold != nil {
		out.Hold = hold.is
	}
	return out
}

func (c EndAttempt) valid() *fault.Error {
	switch c.Status {
	case payment.Declined, payment.Cancelled:
		return nil
	case payment.Unknown, payment.Captured:
		if c.FreeSeats {
			return nil
		}
	}
	return fault.New(fault.Invalid, "an attempt cannot end as %s", c.Status)
}

func (s *Snapshot) orderAttempt(orderID, attempt id.ID) (*row[order.Order], *row[AttemptRow], *fault.Error) {
	o, a := s.orders[orderID], s.attempts[attempt]
	if o == nil || a == nil || a.is.Order != orderID || o.is.Event != s.Event.ID {
		return nil, nil, fault.New(fault.NotFound, "there is no such payment")
	}
	return o, a, nil
}

// afterAttempt moves the order and its hold on, unless another attempt may still
// bring money: seats are freed last. It reports whether anything moved.
func (s *Snapshot) afterAttempt(c EndAttempt, o *row[order.Order], a *row[AttemptRow], hold *row[Hold]) bool {
	if !o.is.Status.Open() || s.hopes(o.is.ID, a) {
		return false
	}
	if c.FreeSeats || hold == nil || !s.backToFan(hold) {
		s.endOrder(c, o, hold)
		return true
	}
	if o.is.Status == order.Failed {
		return false
	}
	so := s.touchOrder(o)
	so.Status, so.Reason = order.Failed, c.Reason
	return true
}

// hopes reports whether another attempt of the order can still bring money.
func (s *Snapshot) hopes(of id.ID, but *row[AttemptRow]) bool {
	for _, a := range s.attemptsOf[of] {
		if a != but && !a.is.Status.Final() {
			return true
		}
	}
	return false
}

// backToFan makes the hold ACTIVE again, with time for another card; false when its time is over.
func (s *Snapshot) backToFan(r *row[Hold]) bool {
	if r.is.State == HoldActive {
		return !dead(&r.is, s.Now)
	}
	if r.is.State != HoldPaying || !s.Now.Before(r.is.HardExpiresAt) {
		return false
	}
	h := s.touchHold(r)
	h.State = HoldActive
	h.ExpiresAt = later(h.ExpiresAt, earlier(s.Now.Add(s.Event.Rules.HoldTTL()), h.HardExpiresAt))
	return true
}

func (s *Snapshot) endOrder(c EndAttempt, o *row[order.Order], hold *row[Hold]) {
	state, status := HoldExpired, order.Expired
	if c.CancelOrder {
		state, status = HoldReleased, order.Cancelled
	}
	if hold != nil && hold.is.State.Live() {
		s.endHold(hold, state, status, c.Reason)
	}
	if o.is.Status.Open() {
		so := s.touchOrder(o)
		so.Status, so.Reason = status, c.Reason
	}
}
