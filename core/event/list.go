package event

import "plateia/core/id"

// Query asks for a page of the events that are listed, soonest first.
type Query struct {
	Text  string // words of the title, venue, city or genre; empty: all
	After Cursor // zero: from the start
	Limit int    // 1 to 100
}

// Cursor is the last event of the page before.
type Cursor struct {
	StartsAt int64 // Unix milliseconds
	ID       id.ID
}

// Page is one page of events, and whether there are more after its last.
type Page struct {
	Events []Event
	More   bool
}
