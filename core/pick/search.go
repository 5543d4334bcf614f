package pick

import (
	"slices"

	"plateia/core/event"
	"plateia/core/seatmap"
)

// search is one question: what may be chosen, and what has been found.
type search struct {
	c          *seatmap.Chart
	free       Bitmap
	n          seatmap.Ordinal // party size
	rules      Rules
	all        bool                             // every section is wanted
	sections   [seatmap.MaxSections / 64]uint64 // wanted, unless all
	categories uint64                           // for sale, wanted and cheap enough
	special    bool                             // accessible and companion seats may be chosen
	prices     []int64
	standing   bool // the chart has general admission
	pairs      bool // two free seats are neighbours
	live       []int32
}

// window is n seats side by side, or n free places of a general-admission run.
type window struct {
	from    seatmap.Ordinal
	n       seatmap.Ordinal
	general bool
	to      seatmap.Ordinal // end of the run, for general admission
	cost    int64           // sum of the distances
}

// segment is a stretch of seats that may be chosen, within a stretch of free seats.
type segment struct {
	from, to         seatmap.Ordinal
	freeFrom, freeTo seatmap.Ordinal
}

func newSearch(c *seatmap.Chart, free Bitmap, prices []int64, q Query, rules Rules) (s search, possible bool) {
	if q.Quantity < 1 || q.Quantity > MaxParty || free.Count() < q.Quantity {
		return s, false
	}
	s = search{
		c: c, free: free, n: seatmap.Ordinal(q.Quantity), rules: rules, prices: prices,
		all: len(q.Sections) == 0, special: rules.AccessibleReleased || q.Accessible,
	}
	s.standing = slices.ContainsFunc(c.Sections(), func(x seatmap.Section) bool { return x.General })
	for i := range min(len(prices), len(c.Categories())) {
		if (q.MaxPrice == nil || prices[i] <= *q.MaxPrice) && (len(q.Categories) == 0 || slices.Contains(q.Categories, c.Categories()[i].Key)) {
			s.categories |= 1 << i
		}
	}
	possible = s.all
	if !s.all {
		for i, section := range c.Sections() {
			if slices.Contains(q.Sections, section.Label) {
				s.sections[i>>6] |= 1 << (i & 63)
				possible = true
			}
		}
	}
	return s, possible && s.categories != 0
}

// wants reports whether the run may have something.
func (s *search) wants(run *seatmap.Run) bool {
	return (s.all || s.sections[run.Section>>6]>>(run.Section&63)&1 == 1) &&
		(run.Category < 0 || s.categories>>run.Category&1 == 1)
}

// liveRuns are the indexes of wanted runs that have a free seat, nearest first; the
// later levels go through them several times.
func (s *search) liveRuns() []int32 {
	if s.live == nil {
		s.live = make([]int32, 0, 64)
		runs := s.c.Runs()
		for _, i := range s.c.RunsByDistance() {
			if run := &runs[i]; s.free.seek(run.From, run.To, 0) < run.To && s.wants(run) {
				s.live = append(s.live, i)
			}
		}
	}
	return s.live
}

// eligible reports whether seat o of a wanted section may be chosen when it is free.
func (s *search) eligible(o seatmap.Ordinal) bool {
	return s.categories>>s.c.Category(o)&1 == 1 && (s.special || !s.c.Accessible(o) && !s.c.Companion(o))
}

// next is the next segment of the run from o on; false for none.
func (s *search) next(run *seatmap.Run, o seatmap.Ordinal) (g segment, found bool) {
	plain := run.Category >= 0 && (s.special || !run.Special)
	for o < run.To {
		g.freeFrom, g.freeTo = s.free.next(o, run.To)
		if g.freeFrom == run.To {
			return g, false
		}
		if plain {
			g.from, g.to = g.freeFrom, g.freeTo
			return g, true
		}
		for g.from = g.freeFrom; g.from < g.freeTo && !s.eligible(g.from); g.from++ {
		}
		for g.to = g.from; g.to < g.freeTo && s.eligible(g.to); g.to++ {
		}
		if g.from < g.to {
			for g.freeFrom > run.From && s.free.Has(g.freeFrom-1) { // o was inside a free stretch
				g.freeFrom--
			}
			return g, true
		}
		o = g.freeTo
	}
	return g, false
}

// clean reports whether taking seats from..from+n-1 of the segment leaves no single seat.
func (s *search) clean(g segment, from, n seatmap.Ordinal) bool {
	to := from + n
	before := from-g.freeFrom == 1 && countsAsOrphan(s.c, from-1)
	behind := g.freeTo-to == 1 && countsAsOrphan(s.c, to)
	return !before && !behind
}

// sideBySide looks at runs from the nearest on, until none can be better.
func (s *search) sideBySide() (window, bool) {
	var clean, other window
	runs := s.c.Runs()
	for _, i := range s.c.RunsByDistance() {
		run := &runs[i]
		if clean.n > 0 && int64(run.Nearest)*int64(s.n) > clean.cost {
			break
		}
		if !s.wants(run) || run.To-run.From < s.n {
			continue
		}
		if run.General {
			s.general(run, &clean)
			continue
		}
		for g, more := s.next(run, run.From); more; g, more = s.next(run, g.to) {
			s.slide(run, g, &clean, &other)
		}
	}
	if clean.n > 0 {
		return clean, true
	}
	return other, other.n > 0
}

func (s *search) general(run *seatmap.Run, best *window) {
	if s.free.CountRange(run.From, run.To) < int(s.n) {
		return
	}
	w := window{from: run.From, to: run.To, n: s.n, general: true, cost: int64(run.Nearest) * int64(s.n)}
	best.better(w)
}

// slide tries every window of the segment.
func (s *search) slide(run *seatmap.Run, g segment, clean, other *window) {
	if g.to-g.from < s.n {
		return
	}
	cost := s.cost(g.from, s.n)
	for from := g.from; ; from++ {
		w := window{from: from, n: s.n, cost: cost}
		if clean.beatenBy(w) && s.clean(g, from, s.n) {
			*clean = w
		} else if clean.n == 0 && other.beatenBy(w) && s.tolerated(run, s.n) {
			*other = w
		}
		if from+s.n == g.to {
			return
		}
		cost += int64(s.c.Distance(from+s.n)) - int64(s.c.Distance(from))
	}
}

// tolerated reports whether the mode allows a window that leaves a single seat.
func (s *search) tolerated(run *seatmap.Run, n seatmap.Ordinal) bool {
	switch s.rules.Orphans {
	case event.OrphanStrict:
		return relaxed(s.c, s.free, run.Section)
	case event.OrphanLenient:
		return relaxed(s.c, s.free, run.Section) || !rowHasClean(s.c, s.free, run.Row, n, s.special)
	}
	return true
}

func (s *search) cost(from, n seatmap.Ordinal) int64 {
	sum := int64(0)
	for o := from; o < from+n; o++ {
		sum += int64(s.c.Distance(o))
	}
	return sum
}

// beatenBy is true for a cheaper window, or an equally cheap one with smaller ordinals.
func (w *window) beatenBy(other window) bool {
	return w.n == 0 || other.cost < w.cost || other.cost == w.cost && other.from < w.from
}

func (w *window) better(other window) {
	if w.beatenBy(other) {
		*w = other
	}
}

// seats lists what the windows stand for, ascending.
func (s *search) seats(windows ...window) []seatmap.Ordinal {
	seats := make([]seatmap.Ordinal, 0, s.n)
	for _, w := range windows {
		if !w.general {
			for o := w.from; o < w.from+w.n; o++ {
				seats = append(seats, o)
			}
			continue
		}
		for o, left := w.from, w.n; left > 0; o, left = o+1, left-1 {
			o = s.free.seek(o, w.to, 0)
			seats = append(seats, o)
		}
	}
	slices.Sort(seats)
	return seats
}
