package inventory

import (
	"plateia/core/fault"
	"plateia/core/id"
)

func extendRoute(hold id.ID) string { return "extend/" + hold.String() }

func (s *Snapshot) extend(c Extend) Outcome {
	if c.Outage {
		return s.keep(c.Hold)
	}
	r, err := s.ownHold(c.Hold, c.Account)
	if err != nil {
		return refuse(err)
	}
	route := extendRoute(c.Hold)
	ref := keyRef{c.Account, route + " " + c.Key}
	if done, again := s.keys[ref]; again && c.Key != "" {
		if done.BodyHash != c.BodyHash {
			return refuse(keyReused())
		}
		return Outcome{Hold: r.is, Replayed: true}
	}
	if err := s.mayExtend(&r.is); err != nil {
		return refuse(err)
	}
	h := s.slide(r)
	if c.Key != "" {
		key := RequestKey{Account: c.Account, Route: route, Key: c.Key, BodyHash: c.BodyHash}
		s.AddKey(key)
		s.touched.keys = append(s.touched.keys, key)
	}
	return Outcome{Hold: *h}
}

func (s *Snapshot) mayExtend(h *Hold) *fault.Error {
	switch {
	case h.State == HoldPaying:
		return paymentRuns(h.ID)
	case h.State != HoldActive || dead(h, s.Now):
		return holdGone(h)
	case !h.ExpiresAt.Before(h.HardExpiresAt):
		return fault.New(fault.HoldLimit, "the seats cannot be kept any longer").With("hardExpiresAt", h.HardExpiresAt.UTC())
	}
	return s.settles()
}

// keep moves the end of a hold that nobody can pay for just now. A hold that has ended, or is at its absolute end, stays as it is.
func (s *Snapshot) keep(hold id.ID) Outcome {
	r := s.holds[hold]
	if r == nil || r.is.Event != s.Event.ID {
		return refuse(fault.New(fault.NotFound, "there is no such hold"))
	}
	if r.is.State == HoldPaying && r.is.ExpiresAt.Before(r.is.HardExpiresAt) || s.mayExtend(&r.is) == nil {
		return Outcome{Hold: *s.slide(r)}
	}
	return Outcome{Hold: r.is, Replayed: true}
}

// slide moves a hold's end to the event's hold life from now, never back and never past its absolute end.
func (s *Snapshot) slide(r *row[Hold]) *Hold {
	h := s.touchHold(r)
	h.ExpiresAt = later(h.ExpiresAt, earlier(s.Now.Add(s.Event.Rules.HoldTTL()), h.HardExpiresAt))
	return h
}
