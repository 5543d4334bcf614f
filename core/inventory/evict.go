package inventory

import (
	"slices"
	"time"

	"plateia/core/id"
)

// An engine is only a cache and a queue: what it decides on is read in each
// batch, so one without calls can be dropped at any moment and loses nothing.

// dropIdle forgets engines that nobody uses: half a million events may be listed, few are hot.
func (inv *Inventory) dropIdle() {
	ticker := time.NewTicker(inv.opts.IdleAfter / 4)
	defer ticker.Stop()
	for {
		select {
		case <-inv.stop:
			return
		case <-ticker.C:
		}
		inv.mu.Lock()
		for eventID := range inv.engines {
			inv.drop(eventID, inv.opts.IdleAfter)
		}
		inv.mu.Unlock()
	}
}

// drop forgets an engine if nobody has used it for so long. The caller holds the lock.
func (inv *Inventory) drop(eventID id.ID, idle time.Duration) {
	if e := inv.engines[eventID]; e.retire(idle) {
		delete(inv.engines, eventID)
		inv.seats -= e.chart.Seats()
	}
}

// makeRoom drops the least recently used engines when they, or their seats and those of the new one,
// are too many, a few at once so that looking for them is paid once for many. Engines at work
// stay, so there may be as many more as have calls at the same time. The caller holds the lock.
func (inv *Inventory) makeRoom(seats int) {
	events, most := inv.opts.WarmEvents, inv.opts.WarmSeats
	if len(inv.engines) < events && inv.seats+seats <= most {
		return
	}
	type candidate struct {
		event id.ID
		used  time.Time
	}
	oldest := make([]candidate, 0, len(inv.engines))
	for eventID, e := range inv.engines {
		oldest = append(oldest, candidate{eventID, e.lastUsed()})
	}
	slices.SortFunc(oldest, func(a, b candidate) int { return a.used.Compare(b.used) })
	events, most = events-1-events/32, most-most/32
	for _, c := range oldest {
		if len(inv.engines) <= events && inv.seats+seats <= most {
			return
		}
		inv.drop(c.event, 0)
	}
}

func (e *engine) lastUsed() time.Time {
	e.queue.mu.Lock()
	defer e.queue.mu.Unlock()
	return e.queue.used
}

// Warm is how many events have an engine now, and their seats together.
func (inv *Inventory) Warm() (events, seats int) {
	inv.mu.Lock()
	defer inv.mu.Unlock()
	return len(inv.engines), inv.seats
}
