package pick

import (
	"cmp"
	"slices"

	"plateia/core/seatmap"
)

// accessible looks for the party's seats around an accessible seat: side by side,
// else in its section with its companions first. It prefers choices that keep
// the other accessible seats and their companions together, then those that
// use few accessible seats, then near ones.
func (s *search) accessible() ([]seatmap.Ordinal, bool) {
	var best rated
	runs := s.c.Runs()
	for i := range runs {
		run := &runs[i]
		if !run.Special || !s.wants(run) {
			continue
		}
		for g, more := s.next(run, run.From); more; g, more = s.next(run, g.to) {
			for from := g.from; from+s.n <= g.to; from++ {
				if r, fine := s.rate(run, g, from); fine && best.beatenBy(r) {
					best = r
				}
			}
		}
	}
	if best.n > 0 {
		return s.seats(best.window), true
	}
	return s.around()
}

// rated is a window with what speaks against it.
type rated struct {
	window
	split      int // companions left without their accessible seat
	accessible int
}

func (r *rated) beatenBy(other rated) bool {
	return r.n == 0 || cmp.Or(
		cmp.Compare(other.split, r.split), cmp.Compare(other.accessible, r.accessible),
		cmp.Compare(other.cost, r.cost), cmp.Compare(other.from, r.from)) < 0
}

// rate refuses a window without an accessible seat, with a companion seat that is not
// chosen together with its own, or that the orphan rule forbids.
func (s *search) rate(run *seatmap.Run, g segment, from seatmap.Ordinal) (rated, bool) {
	r := rated{window: window{from: from, n: s.n}}
	in := func(o seatmap.Ordinal) bool { return o >= from && o < from+s.n }
	for o := from; o < from+s.n; o++ {
		switch {
		case s.c.Accessible(o):
			r.accessible++
			for _, companion := range s.c.Partners(o) {
				if !in(companion) && s.free.Has(companion) {
					r.split++
				}
			}
		case s.c.Companion(o) && !slices.ContainsFunc(s.c.Partners(o), in):
			return r, false
		}
	}
	if r.accessible == 0 || !s.clean(g, from, s.n) && !s.tolerated(run, s.n) {
		return r, false
	}
	r.cost = s.cost(from, s.n)
	return r, true
}

// around takes the nearest accessible seat whose section has enough: its companions,
// then seats for anybody, then other accessible seats with theirs.
func (s *search) around() ([]seatmap.Ordinal, bool) {
	var anchors []seatmap.Ordinal
	runs := s.c.Runs()
	for i := range runs {
		if !runs[i].Special || !s.wants(&runs[i]) {
			continue
		}
		for o := runs[i].From; o < runs[i].To; o++ {
			if s.c.Accessible(o) && s.mayTake(o) {
				anchors = append(anchors, o)
			}
		}
	}
	slices.SortFunc(anchors, func(a, b seatmap.Ordinal) int {
		return cmp.Or(cmp.Compare(s.c.Distance(a), s.c.Distance(b)), cmp.Compare(a, b))
	})
	tried := map[int]bool{}
	for _, anchor := range anchors {
		if section := s.c.Section(anchor); !tried[section] {
			tried[section] = true // another anchor of the section has the same seats around it
			seats := s.party(anchor)
			if len(seats) == int(s.n) && Orphans(s.c, s.free, seats, s.rules.Orphans) == nil {
				return seats, true
			}
		}
	}
	return nil, false
}

func (s *search) mayTake(o seatmap.Ordinal) bool { return s.free.Has(o) && s.eligible(o) }

// party collects up to n seats of the anchor's section, those nearest the anchor first.
func (s *search) party(anchor seatmap.Ordinal) []seatmap.Ordinal {
	section := s.c.Sections()[s.c.Section(anchor)]
	var order []seatmap.Ordinal
	for o := section.From; o < section.To; o++ {
		if o != anchor && s.mayTake(o) && !s.c.Companion(o) {
			order = append(order, o)
		}
	}
	slices.SortStableFunc(order, func(a, b seatmap.Ordinal) int {
		if s.c.Accessible(a) != s.c.Accessible(b) {
			if s.c.Accessible(b) {
				return -1
			}
			return 1
		}
		return cmp.Compare(s.between(anchor, a), s.between(anchor, b))
	})
	seats := s.withCompanions(nil, anchor)
	for _, o := range order {
		if len(seats) == int(s.n) {
			break
		}
		seats = s.withCompanions(seats, o)
	}
	slices.Sort(seats)
	return seats
}

// withCompanions adds a seat and as many of its free companions as the party has room for.
func (s *search) withCompanions(seats []seatmap.Ordinal, o seatmap.Ordinal) []seatmap.Ordinal {
	seats = append(seats, o)
	if !s.c.Accessible(o) {
		return seats
	}
	for _, companion := range s.c.Partners(o) {
		if len(seats) < int(s.n) && s.mayTake(companion) && !slices.Contains(seats, companion) {
			seats = append(seats, companion)
		}
	}
	return seats
}

func (s *search) between(a, b seatmap.Ordinal) float32 {
	p, q := s.c.At(a), s.c.At(b)
	return (p.X-q.X)*(p.X-q.X) + (p.Y-q.Y)*(p.Y-q.Y)
}
