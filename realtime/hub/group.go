package hub

import (
	"time"

	"plateia/realtime/wire"
)

// group is the viewers who look at the same thing at the same pace. All fields
// are under the event's lock.
type group struct {
	key      string
	view     wire.View // Overview: a group of summaries
	pace     Pace
	sections bitmap // what it looks at; nil: everything
	viewers  []*Viewer
	slot     int // which of a viewer's groups this is

	at     uint64        // everything up to here has been sent
	dirty  bool          // something in view was spoken of after at
	oldest time.Time     // commit of the oldest such change; zero when none was news
	tick   time.Duration // between frames, widens with load
	next   time.Time     // not before
	sent   time.Time     // last frame

	start   []byte // cached first frame of a newcomer
	packed  []byte // the same deflated, made when the first who inflates comes
	startAt uint64 // its position; good while startAt >= at
}

const (
	seatSlot    = 0
	summarySlot = 1
)

func (g *group) add(v *Viewer) {
	v.groups[g.slot], v.places[g.slot] = g, len(g.viewers)
	g.viewers = append(g.viewers, v)
}

func (g *group) remove(v *Viewer) {
	i, last := v.places[g.slot], len(g.viewers)-1
	moved := g.viewers[last]
	g.viewers[i], moved.places[g.slot] = moved, i
	g.viewers[last] = nil
	g.viewers = g.viewers[:last]
	v.groups[g.slot] = nil
}

// touch notes a message; touched is nil when it concerned everybody.
func (g *group) touch(touched bitmap, news bool, commit time.Time) {
	if g.sections != nil && !g.sections.meets(touched) {
		return
	}
	g.dirty = true
	if news && (g.oldest.IsZero() || commit.Before(g.oldest)) {
		g.oldest = commit
	}
}

// first is what a newcomer gets: valid for everyone who joins until the group's next frame. It is encoded once, and
// deflated once.
func (g *group) first(e *event, v *Viewer) []byte {
	frame := g.plain(e)
	if !v.inflates || g.slot == summarySlot {
		return frame
	}
	if g.packed == nil {
		g.packed = e.hub.deflate(frame)
	}
	if len(g.packed) < len(frame) {
		e.hub.count.deflated.Add(1)
	}
	return g.packed
}

func (g *group) plain(e *event) []byte {
	if g.start != nil && g.startAt >= g.at && (g.slot == seatSlot || g.startAt == e.fold.at) {
		return g.start
	}
	g.startAt, g.packed = e.fold.at, nil
	if g.slot == summarySlot {
		g.start = e.fold.summary(time.Time{})
		e.hub.count.summaries.Add(1)
	} else {
		g.start = e.fold.snapshot(g.view)
		e.hub.count.snapshots.Add(1)
	}
	return g.start
}

// encode returns the frame that brings the group from its position to the fold's.
func (g *group) encode(e *event) []byte {
	if g.slot == summarySlot {
		e.hub.count.summaries.Add(1)
		return e.fold.summary(g.oldest)
	}
	e.hub.count.deltas.Add(1)
	e.scratch = e.fold.since(g.at, g.view, e.scratch[:0])
	return encodeDelta(e.fold, g.at, g.oldest, e.scratch)
}

func encodeDelta(f *fold, from uint64, oldest time.Time, changes []wire.SeatStatus) []byte {
	d := wire.Delta{Mark: f.epoch.Mark(), From: from, To: max(from, f.at), At: oldest, Changes: changes}
	return wire.AppendDelta(make([]byte, 0, 40+3*len(changes)), d)
}

// flush sends what has happened, or a sign of life.
func (g *group) flush(e *event, now time.Time) {
	frame := g.encode(e)
	g.at, g.dirty, g.oldest = e.fold.at, false, time.Time{}
	behind := 0
	for _, v := range g.viewers {
		if e.give(v, frame) {
			behind++
		}
	}
	g.pacing(&e.hub.o, behind)
	g.sent, g.next = now, now.Add(g.tick)
}

// end sends its viewers away; the group goes when they have left.
func (g *group) end(bye wire.Bye) {
	for _, v := range g.viewers {
		v.end(bye)
	}
}

// pacing fits the tick to the load. Load is how long a round of frames takes to be written: the tick is at least twice
// that, so that frames of one round are gone long before the next and half of the time is left for others; four times for
// summaries, which are most of what a crowd reads and the least urgent. Where nobody says how long it takes, and for viewers
// that are slow themselves, it widens when more than an eighth have not even been sent the frame before. It widens at once
// and narrows by a quarter a tick.
func (g *group) pacing(o *Options, behind int) {
	low, high, share := o.MinTick, o.MaxTick, time.Duration(2)
	switch {
	case g.slot == summarySlot:
		low, high, share = o.SummaryTick, 2*o.SummaryTick, 4
	case g.pace == Slow:
		low, high = o.SlowTick, 2*o.SlowTick
	}
	if behind > len(g.viewers)/8 {
		g.tick = g.tick * 3 / 2
	} else {
		g.tick = g.tick * 3 / 4
	}
	if o.Lag != nil {
		low = max(low, share*o.Lag())
	}
	g.tick = min(max(g.tick, low), high)
}
