// Package pick chooses the best available seats for a party.
package pick

// Query is what a fan asks of "best available".
type Query struct {
	Quantity   int      // 1 to 10
	Sections   []string // section labels; empty: any
	MaxPrice   *int64   // minor units per seat; nil: any
	Accessible bool     // wants accessible seats (and their companions)
}
