package event

import (
	"math"
	"strings"
	"time"

	"plateia/core/fault"
	"plateia/core/id"
)

// Sort is the order of a list.
type Sort string

// Whichever comes first, the sooner event breaks a tie. Prices of different currencies are not compared: they
// are grouped by currency.
const (
	ByDate     Sort = "date"
	ByPrice    Sort = "price"    // the lowest with fees, cheapest first
	ByDistance Sort = "distance" // needs Near
)

// Query asks for a page of the events that are listed. Names are compared by Key.
type Query struct {
	Text     string // words of the title, venue, city or genre; empty: all
	City     string // empty: any; Genre and Venue likewise
	Genre    string
	Venue    string
	Near     Area
	From, To Day // days at the event's place, both included; 0: open
	Sort     Sort
	After    Cursor // zero: from the start
	Limit    int    // 1 to MaxLimit
}

// MaxLimit is how many events a page has at most.
const MaxLimit = 100

// Cursor is where the page before ended.
type Cursor struct {
	Key      int64  // what the list is sorted by, of the last event; 0 when by date
	Currency string // when by price
	StartsAt int64  // Unix milliseconds
	ID       id.ID
}

// Page is one page of events, and where the next one begins.
type Page struct {
	Events []Event
	More   bool
	Next   Cursor // when there is More
}

// Canonical is the same question in the only way it is asked: whoever asks the same gets the same page.
func (q Query) Canonical() Query {
	q.Text = strings.Join(Words(q.Text), " ")
	q.City, q.Genre, q.Venue = Key(q.City), Key(q.Genre), Key(q.Venue)
	if q.Sort == "" {
		q.Sort = ByDate
	}
	if !q.Near.Anywhere() {
		q.Near.Latitude, q.Near.Longitude = hundredth(q.Near.Latitude), hundredth(q.Near.Longitude)
	}
	return q
}

// hundredth of a degree: a kilometre, nearer than anybody asks.
func hundredth(degrees float64) float64 { return math.Round(degrees*100)/100 + 0 } // + 0: not -0

// Check refuses what cannot be asked: fault.Invalid with the field's name in Details.
func (q Query) Check() error {
	switch {
	case q.Limit < 1 || q.Limit > MaxLimit:
		return fault.New(fault.Invalid, "a page has 1 to %d events, not %d", MaxLimit, q.Limit).With("field", "limit")
	case q.Sort != ByDate && q.Sort != ByPrice && q.Sort != ByDistance && q.Sort != "":
		return fault.New(fault.Invalid, "events are sorted by date, price or distance").With("field", "sort")
	case q.Sort == ByDistance && q.Near.Anywhere():
		return fault.New(fault.Invalid, "sorting by distance needs a place: near").With("field", "sort")
	case q.From > 0 && q.To > 0 && q.From > q.To:
		return fault.New(fault.Invalid, "from is after to").With("field", "from")
	}
	return q.Near.check()
}

func (a Area) check() error {
	switch {
	case a.Anywhere():
		return nil
	case !(math.Abs(a.Latitude) <= 90) || !(math.Abs(a.Longitude) <= 180): // NaN is neither
		return fault.New(fault.Invalid, "near is a latitude from -90 to 90 and a longitude from -180 to 180").With("field", "near")
	case a.Km < 1 || a.Km > MaxKm:
		return fault.New(fault.Invalid, "km is a number from 1 to %d", MaxKm).With("field", "km")
	}
	return nil
}

// Bounds are the instants between which what is asked for starts: after the first, before the last; a zero
// time is open. Days are those of places, so these are wider than the days by half a day at each end.
func (q Query) Bounds() (after, before time.Time) {
	if q.From > 0 {
		after = q.From.Begins()
	}
	if q.To > 0 {
		before = q.To.Ends()
	}
	return after, before
}
