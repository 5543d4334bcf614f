// Package pick chooses the best available seats for a party.
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

// BestUnder returns the best free seats for the query, in ascending order; false when
// there are none. prices are in minor units, by category index.
func BestUnder(c *seatmap.Chart, free Bitmap, prices []int64, q Query, rules Rules) ([]seatmap.Ordinal, bool) {
	return nil, false
}
