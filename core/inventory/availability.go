package inventory

import (
	"context"
	"slices"
	"time"

	"plateia/core/id"
	"plateia/core/seatmap"
)

// Availability is an event as the projection knows it: right within a second,
// never a promise. It is shared by everybody who asks: nobody may change it.
type Availability struct {
	Chart    *seatmap.Chart
	Epoch    int64
	Offset   uint64 // how many seat changes it contains; the same state has the same number in every process, and after a restart
	Stamp    uint64 // another one for every other state, growing, within one process: for caches
	Statuses []byte // two bits per seat, ordinal i at bits 2*(i%4) of byte i/4
	Free     []int  // seats available, by the chart's section
}

// Availability answers from memory; the first call for an event reads the database.
// Callers share one copy for as long as nothing changes.
func (inv *Inventory) Availability(ctx context.Context, eventID id.ID) (*Availability, error) {
	ev, err := inv.catalog.Event(ctx, eventID)
	if err != nil {
		return nil, err
	}
	e, err := inv.engine(ctx, eventID)
	if err != nil {
		return nil, err
	}
	if err := e.warm(ctx); err != nil {
		return nil, err
	}
	e.refreshBehind()
	e.queue.touch(e.opts.Now())
	return e.availability(max(ev.Epoch, e.lastFacts().Epoch)), nil
}

// Counts is how many of an event's seats have each status, by Status, from memory; false when the event is not warm.
func (inv *Inventory) Counts(eventID id.ID) (counts [4]int64, warm bool) {
	inv.mu.Lock()
	e := inv.engines[eventID]
	inv.mu.Unlock()
	if e == nil {
		return counts, false
	}
	e.view.mu.RLock()
	defer e.view.mu.RUnlock()
	if e.view.warmAt.IsZero() {
		return counts, false
	}
	for o := range e.view.versions {
		counts[e.view.packed[o/4]>>(2*(o%4))&3]++
	}
	return counts, true
}

func (e *engine) availability(epoch int64) *Availability {
	p := e.view
	p.mu.RLock()
	shot, current := p.shot, p.isCurrent(epoch)
	p.mu.RUnlock()
	if current {
		return shot
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.isCurrent(epoch) { // somebody else has just taken it
		return p.shot
	}
	p.shot, p.shotAt = e.shoot(epoch), p.changed
	return p.shot
}

// isCurrent reports whether the last shot still says everything. The caller holds the lock.
func (p *projection) isCurrent(epoch int64) bool {
	return p.shot != nil && p.shotAt == p.changed && p.shot.Epoch >= epoch
}

// shoot copies the projection. The caller holds the lock.
func (e *engine) shoot(epoch int64) *Availability {
	sections := e.chart.Sections()
	a := &Availability{
		Chart: e.chart, Epoch: epoch, Offset: e.view.changes, Stamp: e.inv.stamps.Add(1),
		Statuses: slices.Clone(e.view.packed), Free: make([]int, len(sections)),
	}
	for i, section := range sections {
		a.Free[i] = e.view.open.CountRange(section.From, section.To)
	}
	return a
}

// refreshBehind reads the database again when the last reading is old: the
// safety net under a stream that lost something.
func (e *engine) refreshBehind() {
	e.view.mu.RLock()
	stale := e.opts.Now().Sub(e.view.warmAt) > e.opts.StaleAfter
	e.view.mu.RUnlock()
	if !stale || !e.refreshing.CompareAndSwap(false, true) {
		return
	}
	started := e.inv.background(func() {
		defer e.refreshing.Store(false)
		ctx, cancel := context.WithTimeout(e.inv.life, e.opts.Patience)
		defer cancel()
		if err := e.reread(ctx); err != nil {
			e.log.Warn("availability could not be read again", "error", err)
		}
	})
	if !started {
		e.refreshing.Store(false)
	}
}

func (q *queue) touch(now time.Time) {
	q.mu.Lock()
	q.used = now
	q.mu.Unlock()
}
