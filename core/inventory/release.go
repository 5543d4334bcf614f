package inventory

import "plateia/core/order"

func (s *Snapshot) release(c Release) Outcome {
	r, err := s.ownHold(c.Hold, c.Account)
	if err != nil {
		return refuse(err)
	}
	switch r.is.State {
	case HoldPaying:
		return refuse(paymentRuns(r.is.ID))
	case HoldActive:
		s.endHold(r, HoldReleased, order.Cancelled, "the seats were given back")
	}
	return Outcome{Hold: r.is}
}
