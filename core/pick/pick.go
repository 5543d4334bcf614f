// Package pick chooses the best available seats for a party.
//
// What is best, in this order: seats side by side that leave no single seat
// behind; seats side by side; two groups of at least two in neighbouring rows of
// a section; any seats of a section; any seats of one price. Among equals the
// nearest to the focal point wins, then the smallest ordinal.
//
// Choosing only suggests: who sells checks the seats again.
package pick

import (
	"plateia/core/event"
	"plateia/core/seatmap"
)

// MaxParty is the largest party that best available serves.
const MaxParty = 10

// Query is what a fan asks of "best available".
type Query struct {
	Quantity   int      // 1 to 10
	Sections   []string // section labels; empty: any
	Categories []string // keys of price categories; empty: any
	MaxPrice   *int64   // minor units per seat; nil: any
	Accessible bool     // wants accessible seats (and their companions)
}

// Rules are the event's, as far as choosing goes. The zero value is orphans
// off and accessible seats kept for those who ask.
type Rules struct {
	Orphans            event.OrphanMode
	AccessibleReleased bool // accessible and companion seats may go to anyone
}

// Best is BestUnder the zero Rules.
func Best(c *seatmap.Chart, free Bitmap, prices []int64, q Query) ([]seatmap.Ordinal, bool) {
	return BestUnder(c, free, prices, q, Rules{})
}

// BestUnder returns the best free seats for the query, in ascending order; false
// when there are none. free has room for every seat of the chart; prices are in
// minor units, by category index, and a category without one is not for sale.
// Asked for accessible seats it returns at least one, and companion seats only
// with theirs. What it returns passes Orphans under the same rules.
func BestUnder(c *seatmap.Chart, free Bitmap, prices []int64, q Query, rules Rules) ([]seatmap.Ordinal, bool) {
	s, possible := newSearch(c, free, prices, q, rules)
	if !possible {
		return nil, false
	}
	if q.Accessible {
		return s.accessible()
	}
	if s.standing || free.hasWindow(c.Links(), q.Quantity) {
		if w, found := s.sideBySide(); found {
			return s.seats(w), true
		}
	}
	s.pairs = free.hasWindow(c.Links(), 2)
	if a, b, found := s.twoRows(); found {
		return s.seats(a, b), true
	}
	if seats, found := s.gather(bySection); found {
		return seats, true
	}
	return s.gather(byPrice)
}
