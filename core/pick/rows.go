package pick

import (
	"math"

	"plateia/core/seatmap"
)

// twoRows looks for two groups, none of a single seat, in neighbouring rows of a
// section. The cost of a pair is the sum of its distances and, for every second
// seat, the way between the groups' middles. Runs come nearest first and each
// is paired with runs that are not nearer, so it can stop as sideBySide does.
func (s *search) twoRows() (a, b window, found bool) {
	if s.n < 4 || !s.free.hasWindow(s.c.Links(), int(s.n+1)/2) { // the larger group
		return a, b, false
	}
	runs := s.c.Runs()
	best := int64(math.MaxInt64)
	for _, i := range s.c.RunsByDistance() {
		run := &runs[i]
		if int64(run.Nearest)*int64(s.n) > best {
			break
		}
		if run.General || !s.wants(run) {
			continue
		}
		longest := s.longest(run)
		if longest < 2 {
			continue
		}
		for j := int(i) - 1; j >= 0 && s.near(run, &runs[j]); j-- {
			s.pair(run, &runs[j], longest, &best, &a, &b)
		}
		for j := int(i) + 1; j < len(runs) && s.near(run, &runs[j]); j++ {
			s.pair(run, &runs[j], longest, &best, &a, &b)
		}
	}
	return a, b, best < math.MaxInt64
}

// near reports whether a walk from run has not yet left its section and the rows beside its own.
func (s *search) near(run, other *seatmap.Run) bool {
	return run.Section == other.Section && max(run.Row-other.Row, other.Row-run.Row) <= 1
}

// longest is the most seats side by side that can be chosen.
func (s *search) longest(run *seatmap.Run) seatmap.Ordinal {
	longest := seatmap.Ordinal(0)
	for g, more := s.next(run, run.From); more; g, more = s.next(run, g.to) {
		longest = max(longest, g.to-g.from)
	}
	return longest
}

func (s *search) pair(run, other *seatmap.Run, longest seatmap.Ordinal, best *int64, a, b *window) {
	if run.Row == other.Row || !s.wants(other) || other.Nearest < run.Nearest {
		return
	}
	theirs := s.longest(other)
	for n := max(2, s.n-theirs); n <= min(s.n-2, longest); n++ {
		s.each(run, n, func(mine window) {
			if mine.cost+int64(other.Nearest)*int64(s.n-n) > *best {
				return
			}
			s.each(other, s.n-n, func(theirs window) {
				cost := mine.cost + theirs.cost
				if cost > *best {
					return
				}
				cost += s.apart(mine, theirs) * int64(s.n) / 2
				first, second := mine, theirs
				if second.from < first.from {
					first, second = second, first
				}
				if cost < *best || cost == *best && (first.from < a.from || first.from == a.from && second.from < b.from) {
					*best, *a, *b = cost, first, second
				}
			})
		})
	}
}

// each calls visit for every allowed window of n seats of the run.
func (s *search) each(run *seatmap.Run, n seatmap.Ordinal, visit func(window)) {
	for g, more := s.next(run, run.From); more; g, more = s.next(run, g.to) {
		for from := g.from; from+n <= g.to; from++ {
			if s.clean(g, from, n) || s.tolerated(run, n) {
				visit(window{from: from, n: n, cost: s.cost(from, n)})
			}
		}
	}
}

// apart is the way between the middles of two windows, in hundredths of a pitch.
func (s *search) apart(a, b window) int64 {
	ax, ay := s.middle(a)
	bx, by := s.middle(b)
	return int64(math.Hypot(ax-bx, ay-by) / float64(s.c.Pitch()) * 100)
}

func (s *search) middle(w window) (x, y float64) {
	p, q := s.c.At(w.from), s.c.At(w.from+w.n-1)
	return float64(p.X+q.X) / 2, float64(p.Y+q.Y) / 2
}
