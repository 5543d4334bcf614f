package inventory

import (
	"context"
	"slices"
	"time"

	"plateia/core/id"
)

// Availability is an event as the projection knows it: right within a second,
// never a promise.
type Availability struct {
	Epoch    int64
	Offset   uint64 // always 0: the stream's position is the gateway's business
	Changed  uint64 // differs whenever Statuses may differ, within one process: for ETags
	Statuses []byte // two bits per seat, ordinal i at bits 2*(i%4) of byte i/4
	Free     []int  // seats available, by the chart's section
}

// Availability answers from memory; the first call for an event reads the database.
func (inv *Inventory) Availability(ctx context.Context, eventID id.ID) (Availability, error) {
	e, err := inv.engine(ctx, eventID)
	if err != nil {
		return Availability{}, err
	}
	if err := e.warm(ctx); err != nil {
		return Availability{}, err
	}
	e.refreshBehind()
	e.queue.touch()
	return e.availability(), nil
}

func (e *engine) availability() Availability {
	epoch := e.lastFacts().Epoch
	e.view.mu.RLock()
	defer e.view.mu.RUnlock()
	sections := e.chart.Sections()
	a := Availability{
		Epoch: epoch, Changed: e.view.changed,
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
	stale := time.Since(e.view.warmAt) > e.opts.StaleAfter
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

func (q *queue) touch() {
	q.mu.Lock()
	q.used = time.Now()
	q.mu.Unlock()
}
