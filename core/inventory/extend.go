package inventory

import (
	"plateia/core/fault"
	"plateia/core/id"
)

func extendRoute(hold id.ID) string { return "extend/" + hold.String() }

func (s *Snapshot) extend(c Extend) Outcome {
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
	h := s.touchHold(r)
	h.ExpiresAt = later(h.ExpiresAt, earlier(s.Now.Add(s.Event.Rules.HoldTTL()), h.HardExpiresAt))
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
