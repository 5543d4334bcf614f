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
		for eventID, e := range inv.engines {
			if e.retire(inv.opts.IdleAfter) {
				delete(inv.engines, eventID)
			}
		}
		inv.mu.Unlock()
	}
}

// makeRoom drops the least recently used engines when there are too many, a
// few at once so that looking for them is paid once for many. Engines at work
// stay, so there may be as many more as have calls at the same time. The caller holds the lock.
func (inv *Inventory) makeRoom() {
	limit := inv.opts.WarmEvents
	if len(inv.engines) < limit {
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
	target := limit - 1 - limit/32
	for _, c := range oldest {
		if len(inv.engines) <= target {
			return
		}
		if inv.engines[c.event].retire(0) {
			delete(inv.engines, c.event)
		}
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
	for _, e := range inv.engines {
		seats += e.chart.Seats()
	}
	return len(inv.engines), seats
}
