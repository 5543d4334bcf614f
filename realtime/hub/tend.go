package hub

import (
	"context"
	"math/rand/v2"
	"slices"
	"time"

	"plateia/realtime/wire"
)

// refreshEvery is how often the snapshot of a quiet event is written again: the
// message it is known by must still be in the stream when somebody takes it.
const refreshEvery = 10 * time.Minute

// tend writes the fold to the shelf and compares it with the database until the event ends.
func (e *event) tend() {
	t := tender{event: e}
	keep, compare := time.NewTimer(rand.N(e.hub.o.KeepEvery/4+1)), time.NewTimer(e.compareIn(true)) //nolint:gosec // jitter
	defer keep.Stop()
	defer compare.Stop()
	if e.hub.o.Shelf == nil {
		keep.Stop()
		t.mine = true
	}
	if e.hub.o.CompareEvery < 0 {
		compare.Stop()
	}
	for {
		select {
		case <-e.ctx.Done():
			return
		case <-keep.C:
			keep.Reset(t.keep())
		case <-compare.C:
			compare.Reset(t.compare())
		}
	}
}

// compareIn is the time until a comparison, somewhere around the middle: many
// gateways that started together must not come together. Who writes an event's
// snapshot compares it often; the others, who follow the same stream, seldom.
func (e *event) compareIn(mine bool) time.Duration {
	every := e.hub.o.CompareEvery
	if !mine {
		every *= 10
	}
	if every <= 0 {
		return time.Hour
	}
	return every/2 + rand.N(every) //nolint:gosec // jitter
}

// tender remembers what was written and compared. Only tend's goroutine uses it.
type tender struct {
	event *event
	mine  bool // the shelf's snapshot is this process's, or there is no shelf

	fold *fold     // last written, or left to another
	at   uint64    // its position then
	when time.Time // then

	late []late // seats that the database had newer at the last comparison
}

// keep writes the fold down if there is anything new and returns when to look again.
func (t *tender) keep() time.Duration {
	every := t.event.hub.o.KeepEvery
	stored := t.writeDown()
	if stored == nil {
		return every
	}
	ctx, cancel := context.WithTimeout(t.event.ctx, shelfTimeout)
	defer cancel()
	kept, err := t.event.hub.o.Shelf.Keep(ctx, *stored)
	t.mine = kept
	switch {
	case t.event.ctx.Err() != nil:
		return every
	case err != nil:
		t.fold = nil
		t.event.hub.count.shelfFailures.Add(1)
		t.event.hub.o.Logger.Warn("hub: shelf", "event", t.event.id, "error", err)
		return 5*every + rand.N(5*every) //nolint:gosec // jitter
	case !kept: // another gateway does it; should it stop, one of the others will
		return 10*every + rand.N(10*every) //nolint:gosec // jitter
	}
	t.event.hub.count.kept.Add(1)
	return every
}

// writeDown copies the fold; nil when it was written, or left to another, as it is.
func (t *tender) writeDown() *wire.Stored {
	e, now := t.event, time.Now()
	e.mu.Lock()
	defer e.mu.Unlock()
	f := e.fold
	if f == nil || f.lone || e.pending != nil || e.ended || e.fresh {
		return nil
	}
	same := t.fold == f && t.at == f.at
	if same && now.Sub(t.when) < refreshEvery {
		return nil
	}
	t.fold, t.at, t.when = f, f.at, now
	s := &wire.Stored{
		Event: e.id, Position: wire.Position{Epoch: wire.Epoch{Event: f.epoch.Event, Stream: f.life}, Offset: f.seq()}, Seen: f.seq(), Last: f.last,
		Statuses: slices.Clone(f.statuses), Versions: slices.Clone(f.versions),
	}
	if same {
		s.Last = [16]byte{} // it has been quiet: known by a newer message of others
	}
	for i := range f.sections {
		s.Sections = append(s.Sections, f.sections[i].Range)
	}
	return s
}
