package pick

import (
	"slices"

	"plateia/core/event"
	"plateia/core/seatmap"
)

// relaxedShare: below one free seat in so many of a section, orphans are nobody's fault.
const relaxedShare = 20

// Orphans returns the seats that taking the choice would leave single and that
// the mode forbids to leave so: nil when the choice is allowed. free is the set
// before the choice is taken; the choice is a set of seats of the chart.
//
// A single seat stands between taken seats, aisles or row ends. One that was
// single before is not counted. Neither are accessible and companion seats,
// which are kept for those who ask, nor general-admission places. Under lenient
// a choice that leaves one is refused only when its row has a choice of the same
// size that leaves none; side by side, if this one is.
func Orphans(c *seatmap.Chart, free Bitmap, choice []seatmap.Ordinal, mode event.OrphanMode) []seatmap.Ordinal {
	if mode != event.OrphanStrict && mode != event.OrphanLenient || len(choice) == 0 {
		return nil
	}
	choice = slices.Clone(choice)
	slices.Sort(choice)
	var orphans []seatmap.Ordinal
	for len(choice) > 0 {
		n := 1
		for n < len(choice) && c.Row(choice[n]) == c.Row(choice[0]) {
			n++
		}
		orphans = append(orphans, rowOrphans(c, free, choice[:n], mode)...)
		choice = choice[n:]
	}
	return orphans
}

// rowOrphans is Orphans for a sorted choice in one row.
func rowOrphans(c *seatmap.Chart, free Bitmap, choice []seatmap.Ordinal, mode event.OrphanMode) []seatmap.Ordinal {
	section := c.Section(choice[0])
	if c.Sections()[section].General {
		return nil
	}
	orphans := leftSingle(c, free, choice)
	if len(orphans) == 0 || relaxed(c, free, section) {
		return nil
	}
	if mode == event.OrphanLenient && !couldBeClean(c, free, choice) {
		return nil
	}
	return orphans
}

// leftSingle lists neighbours of the choice that it makes single.
func leftSingle(c *seatmap.Chart, free Bitmap, choice []seatmap.Ordinal) []seatmap.Ordinal {
	var single []seatmap.Ordinal
	taken := func(o seatmap.Ordinal, there bool) bool {
		if !there || !free.Has(o) {
			return true
		}
		_, chosen := slices.BinarySearch(choice, o)
		return chosen
	}
	check := func(o seatmap.Ordinal, there bool) {
		if taken(o, there) || !countsAsOrphan(c, o) || slices.Contains(single, o) {
			return
		}
		if taken(c.Left(o)) && taken(c.Right(o)) {
			single = append(single, o)
		}
	}
	for _, o := range choice {
		check(c.Left(o))
		check(c.Right(o))
	}
	return single
}

func countsAsOrphan(c *seatmap.Chart, o seatmap.Ordinal) bool {
	return !c.Accessible(o) && !c.Companion(o)
}

// relaxed reports whether the section is so full that every mode is off.
func relaxed(c *seatmap.Chart, free Bitmap, section int) bool {
	s := &c.Sections()[section]
	return free.CountRange(s.From, s.To)*relaxedShare < int(s.To-s.From)
}

// couldBeClean reports whether the row has a choice of the same size that leaves no single seat.
func couldBeClean(c *seatmap.Chart, free Bitmap, choice []seatmap.Ordinal) bool {
	special := slices.ContainsFunc(choice, func(o seatmap.Ordinal) bool { return !countsAsOrphan(c, o) })
	row, n := c.Row(choice[0]), seatmap.Ordinal(len(choice))
	if choice[n-1]-choice[0] == n-1 && sameRun(c, choice) {
		return rowHasClean(c, free, row, n, special)
	}
	return rowHasCleanScattered(c, free, row, n, special)
}

func sameRun(c *seatmap.Chart, choice []seatmap.Ordinal) bool {
	for _, o := range choice[:len(choice)-1] {
		if _, linked := c.Right(o); !linked {
			return false
		}
	}
	return true
}

// rowHasClean looks for n seats side by side that leave no single seat.
func rowHasClean(c *seatmap.Chart, free Bitmap, row int, n seatmap.Ordinal, special bool) bool {
	found := false
	eachSegment(c, free, row, special, func(s *search, g segment) {
		for from := g.from; from+n <= g.to && !found; from++ {
			found = s.clean(g, from, n)
		}
	})
	return found
}

// rowHasCleanScattered looks for any n seats of the row that leave no single
// seat: of a segment one can take all, or as many as leave at least two.
func rowHasCleanScattered(c *seatmap.Chart, free Bitmap, row int, n seatmap.Ordinal, special bool) bool {
	if n > 63 {
		return false
	}
	reach := uint64(1) // bit k: k seats can be taken
	eachSegment(c, free, row, special, func(s *search, g segment) {
		next := reach
		for take := seatmap.Ordinal(1); take <= min(n, g.to-g.from); take++ {
			for from := g.from; from+take <= g.to; from++ {
				if s.clean(g, from, take) {
					next |= reach << take
					break
				}
			}
		}
		reach = next
	})
	return reach>>n&1 == 1
}

// eachSegment visits what may be chosen of a row, whatever it costs.
func eachSegment(c *seatmap.Chart, free Bitmap, row int, special bool, visit func(*search, segment)) {
	s := &search{c: c, free: free, all: true, categories: ^uint64(0), special: special}
	runs := c.RunsOfRow(row)
	for i := range runs {
		for g, more := s.next(&runs[i], runs[i].From); more; g, more = s.next(&runs[i], g.to) {
			visit(s, g)
		}
	}
}
