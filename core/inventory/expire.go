package inventory

import (
	"plateia/core/event"
	"plateia/core/fault"
	"plateia/core/order"
)

func (s *Snapshot) expire(c Expire) Outcome {
	r := s.holds[c.Hold]
	if r == nil || r.is.Event != s.Event.ID {
		return refuse(fault.New(fault.NotFound, "there is no such hold"))
	}
	if s.over(&r.is) {
		s.endHold(r, HoldExpired, order.Expired, "the time to pay has passed")
	}
	return Outcome{Hold: r.is}
}

// over reports whether nobody may count on the hold any more. While a payment
// runs, the provider's silence is waited for, but not for ever.
func (s *Snapshot) over(h *Hold) bool {
	switch h.State {
	case HoldActive:
		return dead(h, s.Now) || s.Event.State == event.Closed || s.Event.State == event.Cancelled
	case HoldPaying:
		return s.Now.After(h.HardExpiresAt.Add(PayingGrace))
	}
	return false
}
