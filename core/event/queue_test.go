package event

import (
	"testing"
	"time"

	"plateia/core/fault"
)

func TestQueuePolicy(t *testing.T) {
	r := Rules{}
	q := r.QueuePolicy()
	if q.ClaimWindow() != 10*time.Minute || len(q.Tiers) != 1 || q.PublicTier() != 0 || r.CheckQueue() != nil {
		t.Errorf("%+v", q)
	}
	r.Channels = []Channel{{ID: 3, Name: "club"}}
	r.Queue = &Queue{ClaimSeconds: 300, Tiers: []Tier{{Name: "club", Channel: 3}, {Name: "all"}}}
	q = r.QueuePolicy()
	if at, ok := q.TierNamed("all"); !ok || at != 1 || q.PublicTier() != 1 || q.ClaimWindow() != 5*time.Minute || r.CheckQueue() != nil {
		t.Errorf("%+v", q)
	}
	if _, ok := q.TierNamed("nobody"); ok {
		t.Error("a tier that is not there")
	}
}

func TestQueuesThatAreRefused(t *testing.T) {
	for name, q := range map[string]Queue{
		"a window of a second":  {ClaimSeconds: 1},
		"a window of a week":    {ClaimSeconds: 7 * 86400},
		"nine tiers":            {Tiers: make([]Tier, 9)},
		"a tier without a name": {Tiers: []Tier{{}}},
		"two of one name":       {Tiers: []Tier{{Name: "a"}, {Name: "a"}}},
		"an unknown channel":    {Tiers: []Tier{{Name: "a", Channel: 4}}},
	} {
		r := Rules{Queue: &q}
		if err := r.CheckQueue(); fault.CodeOf(err) != fault.Invalid {
			t.Errorf("%s: %v", name, err)
		}
	}
}
