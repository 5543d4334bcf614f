package hub

import (
	"context"
	"math/rand/v2"
	"slices"
	"time"

	"plateia/core/id"
	"plateia/core/inventory"
	"plateia/realtime/wire"
)

// Journal is the database's list of committed batches, as db.Outbox implements it.
type Journal interface {
	// Recent returns batches committed less than age ago, by the database's clock, oldest first and after the
	// record that was last seen (zero: from the beginning), at most limit.
	Recent(ctx context.Context, age time.Duration, after inventory.OutboxRecord, limit int) ([]inventory.OutboxRecord, error)
}

// flow is a Log that knows whether what is published reaches those who follow.
type flow interface{ Flows() bool }

const (
	detourAge    = 30 * time.Second // how far the first reading reaches back: the log may have stood still before it was noticed
	detourMargin = 3 * time.Second  // how far others reach behind the one before: batches become visible out of order
	detourAfter  = 10 * time.Second // readings go on for so long when the log flows again: relays have to repeat what it missed
	detourPage   = 500              // batches
	detourTime   = 10 * time.Second // for a reading
)

// detour reads what was committed from the database while the log does not flow: message servers that are away, or back
// and still electing who leads, must not make a map late. A process asks once a second for all events that it shows.
// What is heard like this comes again by the log, whose order and positions stay what resuming rests on.
type detour struct {
	hub   *Hub
	flow  flow
	until time.Time // of the readings
	last  time.Time // when the last began that succeeded; zero: none did since the log flowed
}

func (d *detour) run(ctx context.Context) {
	ticker := time.NewTicker(d.hub.o.DetourEvery)
	defer ticker.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case now := <-ticker.C:
			d.look(ctx, now)
		}
	}
}

func (d *detour) look(ctx context.Context, now time.Time) {
	if !d.flow.Flows() {
		d.until = now.Add(detourAfter)
	}
	if now.After(d.until) || !d.hub.shows() {
		d.last = time.Time{}
		return
	}
	age := detourAge
	if !d.last.IsZero() {
		age = now.Sub(d.last) + detourMargin
	} else {
		d.hub.o.Logger.Warn("hub: changes come from the database, the stream is away")
	}
	if err := d.read(ctx, age); err == nil {
		d.last = now
	} else if ctx.Err() == nil {
		d.hub.o.Logger.Warn("hub: journal", "error", err)
	}
}

// read gives the events what was committed less than age ago.
func (d *detour) read(ctx context.Context, age time.Duration) error {
	d.hub.count.journal.Add(1)
	ctx, cancel := context.WithTimeout(ctx, detourTime)
	defer cancel()
	var last inventory.OutboxRecord
	for {
		records, err := d.hub.o.Journal.Recent(ctx, age, last, detourPage)
		if err != nil || len(records) == 0 {
			return err
		}
		d.give(records)
		last = records[len(records)-1]
	}
}

func (d *detour) give(records []inventory.OutboxRecord) {
	batches := map[id.ID][]inventory.Delta{}
	for _, r := range records {
		if d.hub.running(r.Event) == nil {
			continue
		}
		delta, err := wire.DecodeStream(r.Payload)
		if err != nil {
			d.hub.o.Logger.Error("hub: unreadable batch", "event", r.Event, "batch", r.ID, "error", err)
			continue
		}
		batches[r.Event] = append(batches[r.Event], delta)
	}
	for which, deltas := range batches {
		if e := d.hub.running(which); e != nil {
			e.early(deltas)
		}
	}
}

// shows reports whether anybody looks at anything.
func (h *Hub) shows() bool {
	h.mu.Lock()
	defer h.mu.Unlock()
	return len(h.events) > 0
}

// early folds what was committed and has not come by the log.
func (e *event) early(deltas []inventory.Delta) {
	e.mu.Lock()
	defer e.mu.Unlock()
	if e.fold == nil || e.ended {
		return
	}
	if e.pending != nil {
		e.hub.count.early.Add(int64(e.pending.fold.early(deltas, e.pending.touched)))
		return
	}
	clear(e.touched)
	news := e.fold.early(deltas, e.touched)
	if news == 0 {
		return
	}
	e.hub.count.early.Add(int64(news))
	oldest := slices.MinFunc(deltas, func(a, b inventory.Delta) int { return a.At.Compare(b.At) }).At
	for _, g := range e.groups {
		g.touch(e.touched, true, oldest)
	}
	e.flush(time.Now())
}

// early writes down what is news, one step further. When no step is left before the next message, which would take
// hours of changes, the fold stays as it is.
func (f *fold) early(deltas []inventory.Delta, touched bitmap) (news int) {
	if f.at%steps == steps-1 {
		return 0
	}
	for _, d := range deltas {
		fresh := slices.DeleteFunc(d.Changes, func(c inventory.Change) bool {
			return c.Ordinal < 0 || int(c.Ordinal) >= len(f.versions) || c.Version <= f.versions[c.Ordinal]
		})
		news += f.note(f.at+1, fresh, touched)
	}
	if news > 0 {
		f.at++
	}
	return news
}

// stepsAhead is how many steps further a viewer may have been elsewhere for the fold to go on behind it.
const stepsAhead = 64

// heard is what a viewer at a position has heard for sure: the steps that it took there may have been another gateway's,
// and said something else. The fold goes on behind them, because nobody takes a delta that ends where it is.
func (f *fold) heard(at uint64) uint64 {
	if at%steps > 0 && at/steps == f.seq() && at >= f.at && at < f.at+stepsAhead && at%steps < steps-1 {
		f.at = at + 1
	}
	return at - at%steps
}

// begun gives an event that has no fold one of the database alone, when the log does not flow: people who come while the
// message servers are away see a map, and what changes on it. It makes way for a proper one, of another epoch.
func (e *event) begun() {
	e.mu.Lock()
	idle := e.fold == nil
	e.mu.Unlock()
	if !idle || e.hub.o.Journal == nil || e.hub.flows() {
		return
	}
	s, err := e.snapshot(e.ctx)
	if err != nil {
		e.hub.o.Logger.Warn("hub: load without the stream", "event", e.id, "error", err)
		return
	}
	e.hub.count.loads.Add(1)
	e.mu.Lock()
	defer e.mu.Unlock()
	f := newFold(s, 0, rand.Uint64()&wire.MaxNumber, 0) //nolint:gosec // only another one than others
	f.lone = true
	e.install(f)
}
