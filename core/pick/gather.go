package pick

import (
	"plateia/core/event"
	"plateia/core/seatmap"
)

// grouping says which seats may be gathered into one choice.
type grouping int

const (
	bySection grouping = iota
	byPrice
)

// way of gathering, from the kindest to the last resort.
type way struct {
	least seatmap.Ordinal // seats side by side
	clean bool            // leave no single seat
}

var ways = []way{{2, true}, {1, true}, {2, false}, {1, false}}

// gather takes stretches of seats from the nearest run on, until some section, or
// some price, has enough. Greedy: under a strict orphan rule it may miss a
// choice that a search of all combinations would find.
func (s *search) gather(by grouping) ([]seatmap.Ordinal, bool) {
	g := newGathering(s, by)
	for _, way := range ways {
		if way.least > 1 && (s.n == 1 || !s.pairs && !s.standing) || s.rules.Orphans == event.OrphanStrict && !way.clean {
			continue
		}
		seats, found := g.try(way)
		if found && Orphans(s.c, s.free, seats, s.rules.Orphans) == nil {
			return seats, true
		}
	}
	return nil, false
}

// gathering is what each section or price has so far. Its windows form a list per
// key: at most MaxParty long, from the last one taken backwards.
type gathering struct {
	s       *search
	by      grouping
	keys    []int // by category, for byPrice: the first category of the same price
	missing []seatmap.Ordinal
	last    []int32 // index into taken; -1: none
	taken   []link
}

type link struct {
	window
	before int32
}

func newGathering(s *search, by grouping) *gathering {
	g := &gathering{s: s, by: by}
	size := len(s.c.Sections())
	if by == byPrice {
		size = min(len(s.prices), len(s.c.Categories()))
		g.keys = make([]int, size)
		for i := range g.keys {
			for s.prices[g.keys[i]] != s.prices[i] {
				g.keys[i]++
			}
		}
	}
	g.missing, g.last = make([]seatmap.Ordinal, size), make([]int32, size)
	return g
}

func (g *gathering) try(way way) ([]seatmap.Ordinal, bool) {
	g.taken = g.taken[:0]
	for i := range g.missing {
		g.missing[i], g.last[i] = g.s.n, -1
	}
	runs := g.s.c.Runs()
	for _, i := range g.s.liveRuns() {
		run := &runs[i]
		if key, done := g.visit(run, way); done {
			return g.seats(key), true
		}
	}
	return nil, false
}

// visit takes what it can of a run and reports the key that is complete.
func (g *gathering) visit(run *seatmap.Run, way way) (key int, done bool) {
	if run.General {
		key = g.key(run, run.From)
		n := min(g.missing[key], seatmap.Ordinal(g.s.free.CountRange(run.From, run.To)))
		if n > 0 {
			g.take(key, window{from: run.From, to: run.To, n: n, general: true})
		}
		return key, g.missing[key] == 0
	}
	for seg, more := g.s.next(run, run.From); more; seg, more = g.s.next(run, seg.to) {
		for from := seg.from; from < seg.to; {
			part := g.part(run, seg, from)
			from = part.to
			key = g.key(run, part.from)
			if w, fits := g.s.fit(part, g.missing[key], way); fits {
				g.take(key, w)
				if g.missing[key] == 0 {
					return key, true
				}
			}
		}
	}
	return 0, false
}

// part is the piece of the segment from a seat on that has one key.
func (g *gathering) part(run *seatmap.Run, seg segment, from seatmap.Ordinal) segment {
	seg.from = from
	if g.by == bySection || run.Category >= 0 {
		return seg
	}
	key := g.key(run, from)
	for to := from + 1; to < seg.to; to++ {
		if g.key(run, to) != key {
			seg.to = to
			break
		}
	}
	return seg
}

func (g *gathering) key(run *seatmap.Run, o seatmap.Ordinal) int {
	if g.by == bySection {
		return run.Section
	}
	return g.keys[g.s.c.Category(o)]
}

func (g *gathering) take(key int, w window) {
	g.taken = append(g.taken, link{w, g.last[key]})
	g.last[key] = int32(len(g.taken) - 1)
	g.missing[key] -= w.n
}

func (g *gathering) seats(key int) []seatmap.Ordinal {
	windows := make([]window, 0, MaxParty)
	for i := g.last[key]; i >= 0; i = g.taken[i].before {
		windows = append(windows, g.taken[i].window)
	}
	return g.s.seats(windows...)
}

// fit is the longest, then nearest window of the segment that the way allows
// when so many seats are missing. It never leaves one seat missing when no
// seat may be alone.
func (s *search) fit(seg segment, missing seatmap.Ordinal, way way) (window, bool) {
	for n := min(missing, seg.to-seg.from); n >= way.least; n-- {
		if missing-n != 0 && missing-n < way.least {
			continue
		}
		var best window
		for from := seg.from; from+n <= seg.to; from++ {
			w := window{from: from, n: n, cost: s.cost(from, n)}
			if best.beatenBy(w) && (!way.clean || s.clean(seg, from, n) || relaxed(s.c, s.free, s.c.Section(from))) {
				best = w
			}
		}
		if best.n > 0 {
			return best, true
		}
	}
	return window{}, false
}
