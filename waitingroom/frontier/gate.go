package frontier

import (
	"time"

	"plateia/core/id"
	"plateia/waitingroom/draw"
)

// Ticket is what the gate looks at of a verified queue ticket. Rank needs the seed; Second is the
// Unix second of the entry.
type Ticket struct {
	Event  id.ID
	Epoch  int64
	Class  draw.Class
	Tier   int
	Second int64
	Rank   draw.Rank
}

// State is what a ticket means now.
type State string

// The states.
const (
	Waiting   State = "waiting"   // not yet
	MayClaim  State = "mayClaim"  // until the deadline
	Missed    State = "missed"    // the window is over; the second-chance lane comes by
	Stopped   State = "paused"    // nobody claims now; what was open stays open
	Restarted State = "restarted" // the ticket is of an epoch that was reset
	Closed    State = "closed"    // sold out, or ended
	Foreign   State = "foreign"   // of another event: no credential here
	Unknown   State = "unknown"   // of an epoch that this document does not know yet: ask again
)

// Verdict is the gate's answer.
type Verdict struct {
	State    State
	Lap      int           // of the second-chance lane that the deadline comes from; 0: from the ticket's own turn
	Own      bool          // the window of the ticket's own turn is open
	Left     time.Duration // MayClaim and Stopped: of the window, without pauses
	Deadline time.Time     // MayClaim: if there is no pause
}

// Gate decides about a ticket at an instant. It keeps nothing, and everybody who holds the
// same document decides alike.
func (d *Document) Gate(t Ticket, now time.Time) Verdict {
	switch {
	case t.Event != d.Event:
		return Verdict{State: Foreign}
	case t.Epoch < d.Epoch:
		return Verdict{State: Restarted}
	case t.Epoch > d.Epoch:
		return Verdict{State: Unknown}
	case d.Phase == SoldOut || d.Phase == Ended:
		return Verdict{State: Closed}
	case d.Seed == nil || d.Phase == Before || d.Phase == Drawing || !d.Frontiers.Reaches(t):
		return Verdict{State: Waiting}
	}
	left, lap, own := d.windowLeft(t, now)
	switch {
	case left <= 0:
		return Verdict{State: Missed}
	case d.Phase == Paused:
		return Verdict{State: Stopped, Lap: lap, Own: own, Left: left}
	}
	return Verdict{State: MayClaim, Lap: lap, Own: own, Left: left, Deadline: now.Add(left)}
}

// windowLeft is what is left of the window that the ticket's own turn, or a lap of the second-chance
// lane, has opened.
func (d *Document) windowLeft(t Ticket, now time.Time) (left time.Duration, lap int, own bool) {
	until := d.passed(func(f Frontiers) bool { return f.Reaches(t) })
	own = until+d.ClaimWindow*1000 > d.active(now)
	first := d.Frontiers.Second.Lap
	if len(d.History) > 0 {
		first = d.History[0].Frontiers.Second.Lap
	}
	for l := max(first, 1); l <= d.Frontiers.Second.Lap; l++ {
		if !d.Frontiers.Second.reaches(l, t.Rank) {
			continue
		}
		if at := d.passed(func(f Frontiers) bool { return f.Second.reaches(l, t.Rank) }); at > until {
			until, lap = at, l
		}
	}
	ends := until + d.ClaimWindow*1000
	return time.Duration(ends-d.active(now)) * time.Millisecond, lap, own
}

// passed is the time without pauses at the first point that the frontiers have reached. The
// points are rare, so it may be later than it was; never earlier.
func (d *Document) passed(reached func(Frontiers) bool) int64 {
	for _, p := range d.History {
		if reached(p.Frontiers) {
			return p.Active()
		}
	}
	return d.Point().Active()
}
