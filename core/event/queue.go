package event

import (
	"cmp"
	"slices"
	"time"

	"plateia/core/fault"
)

// Queue is how the line in front of an event works. It is committed to before the line opens.
type Queue struct {
	ClaimSeconds int        `json:"claimSeconds"`          // to claim after the turn has come, without pauses
	EntriesFrom  *time.Time `json:"entriesFrom,omitempty"` // when the line opens; nil: when the event is listed
	Tiers        []Tier     `json:"tiers,omitempty"`       // in the order in which they are served; empty: everybody is in the one tier of the public
}

// Tier is a part of the lottery that is served before the next: fan club, partner, public. All but the last
// are entered with a code; the last is everybody's.
type Tier struct {
	Name    string `json:"name"`
	Channel int    `json:"channel,omitempty"` // of the event's rules, whose seats its members may buy; 0: the public
}

// Bounds of a line's rules.
const (
	MaxTiers       = 8
	minClaim       = 60           // seconds
	maxClaim       = 24 * 60 * 60 // seconds
	defaultClaim   = 10 * 60      // seconds
	maxTierName    = 60           // bytes
	publicTierName = "public"
)

// QueuePolicy is the line's rules with nothing left out: there is at least one tier.
func (r *Rules) QueuePolicy() Queue {
	q := Queue{}
	if r.Queue != nil {
		q = *r.Queue
	}
	q.ClaimSeconds = cmp.Or(q.ClaimSeconds, defaultClaim)
	if len(q.Tiers) == 0 {
		q.Tiers = []Tier{{Name: publicTierName}}
	}
	return q
}

// ClaimWindow is the time to claim after the turn has come, without pauses.
func (q Queue) ClaimWindow() time.Duration { return time.Duration(q.ClaimSeconds) * time.Second }

// PublicTier is the number of the tier that needs no code: the last.
func (q Queue) PublicTier() int { return max(len(q.Tiers)-1, 0) }

// TierNamed finds a tier's number.
func (q Queue) TierNamed(name string) (int, bool) {
	at := slices.IndexFunc(q.Tiers, func(t Tier) bool { return t.Name == name })
	return at, at >= 0
}

// CheckQueue refuses rules of a line that are out of bounds or name a channel that is not there.
func (r *Rules) CheckQueue() error {
	q := r.QueuePolicy()
	if q.ClaimSeconds < minClaim || q.ClaimSeconds > maxClaim {
		return fault.New(fault.Invalid, "the time to claim a place is from one minute to a day").With("field", "queue.claimSeconds")
	}
	if len(q.Tiers) > MaxTiers {
		return fault.New(fault.Invalid, "a line has at most %d tiers", MaxTiers).With("field", "queue.tiers")
	}
	seen := make(map[string]bool, len(q.Tiers))
	for _, t := range q.Tiers {
		_, known := r.Channel(t.Channel)
		switch {
		case t.Name == "" || len(t.Name) > maxTierName || seen[t.Name]:
			return fault.New(fault.Invalid, "each tier of a line has a name of its own").With("field", "queue.tiers")
		case t.Channel != 0 && !known:
			return fault.New(fault.Invalid, "the tier %s names a channel that the event does not have", t.Name).With("field", "queue.tiers")
		}
		seen[t.Name] = true
	}
	return nil
}
