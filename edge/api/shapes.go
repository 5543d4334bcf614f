package api

import (
	"time"

	"plateia/core/event"
	"plateia/core/id"
	"plateia/core/inventory"
	"plateia/core/money"
	"plateia/core/order"
	"plateia/core/seatmap"
)

// The JSON shapes of v1. A pointer without omitempty is a member that is always
// there and may be null.

type venueJSON struct {
	Name    string `json:"name"`
	City    string `json:"city"`
	Country string `json:"country"`
}

// priceRangeJSON is what a seat costs with the fees that are charged for it.
type priceRangeJSON struct {
	Min money.Amount `json:"min"`
	Max money.Amount `json:"max"`
}

// eventSummary is an event in a list.
type eventSummary struct {
	EventID      id.ID              `json:"eventId"`
	Title        string             `json:"title"`
	Venue        venueJSON          `json:"venue"`
	Genre        string             `json:"genre"`
	StartsAt     time.Time          `json:"startsAt"`
	OnSaleAt     time.Time          `json:"onSaleAt"`
	TimeZone     string             `json:"timeZone"`
	Capacity     int                `json:"capacity"`
	PriceRange   *priceRangeJSON    `json:"priceRange"`
	Availability event.Availability `json:"availability"`
	State        event.State        `json:"state"`
	DistanceKm   *float64           `json:"distanceKm,omitempty"` // from the place that was asked for
}

func summaryOf(e event.Event, now time.Time) eventSummary {
	s := eventSummary{
		EventID: e.ID, Title: e.Title, Venue: venueOf(e), Genre: e.Genre, StartsAt: e.StartsAt.UTC(), OnSaleAt: e.OnSaleAt.UTC(),
		TimeZone: e.TimeZone, Capacity: e.Capacity, Availability: e.Availability(now), State: e.State,
	}
	if low, high, ok := e.PriceRange(); ok {
		s.PriceRange = &priceRangeJSON{Min: money.Amount{Minor: low, Currency: e.Currency}, Max: money.Amount{Minor: high, Currency: e.Currency}}
	}
	return s
}

func venueOf(e event.Event) venueJSON {
	return venueJSON{Name: e.Venue.Name, City: e.Venue.City, Country: e.Venue.Country}
}

type chartRefJSON struct {
	ChartID id.ID  `json:"chartId"`
	Version int    `json:"version"`
	URL     string `json:"url"`
}

type categoryJSON struct {
	Index int          `json:"index"`
	Key   string       `json:"key"`
	Name  string       `json:"name"`
	Color string       `json:"color"`
	Price money.Amount `json:"price"`
}

type rulesJSON struct {
	MaxPerAccount    int              `json:"maxPerAccount"`
	HoldSeconds      int              `json:"holdSeconds"`
	HoldMaxSeconds   int              `json:"holdMaxSeconds"`
	OrphanMode       event.OrphanMode `json:"orphanMode"`
	PressesPerMinute int              `json:"pressesPerMinute"`
	AccessibleUntil  *time.Time       `json:"accessibleReleaseAt"` // until then accessible seats are kept for those who ask; null: always
	Fees             []feeJSON        `json:"fees"`
	TaxPercent       int              `json:"taxPercent"` // hundredths of a percent, included in prices and fees
}

// feeJSON is charged beside the seats: an amount per ticket or per order, or a rate in hundredths of
// a percent of the seats' prices.
type feeJSON struct {
	Name   string        `json:"name"`
	Per    order.Per     `json:"per"`
	Amount *money.Amount `json:"amount,omitempty"`
	Rate   int           `json:"rate,omitempty"`
}

func feesOf(e event.Event) []feeJSON {
	out := make([]feeJSON, len(e.Rules.Fees))
	for i, f := range e.Rules.Fees {
		out[i] = feeJSON{Name: f.Name, Per: order.PerPercent, Rate: f.Percent}
		switch {
		case f.PerTicket > 0:
			out[i].Per, out[i].Amount = order.PerTicket, &money.Amount{Minor: f.PerTicket, Currency: e.Currency}
		case f.PerOrder > 0:
			out[i].Per, out[i].Amount = order.PerOrder, &money.Amount{Minor: f.PerOrder, Currency: e.Currency}
		}
	}
	return out
}

// sectionJSON is a block of seats, or an area whose places have no numbers and are sold by count.
type sectionJSON struct {
	Section  string `json:"section"`
	Name     string `json:"name"`
	Area     bool   `json:"area"`
	Capacity int    `json:"capacity"`
	Category string `json:"category"` // the commonest of its seats; of an area's every place
}

// eventDetail is one event with everything its page needs.
type eventDetail struct {
	EventID      id.ID              `json:"eventId"`
	Title        string             `json:"title"`
	Venue        venueJSON          `json:"venue"`
	Genre        string             `json:"genre"`
	TimeZone     string             `json:"timeZone"`
	Currency     string             `json:"currency"`
	StartsAt     time.Time          `json:"startsAt"`
	OnSaleAt     time.Time          `json:"onSaleAt"`
	State        event.State        `json:"state"`
	Availability event.Availability `json:"availability"`
	Capacity     int                `json:"capacity"`
	Epoch        int64              `json:"epoch"`
	Chart        chartRefJSON       `json:"chart"`
	Categories   []categoryJSON     `json:"categories"`
	Sections     []sectionJSON      `json:"sections"`
	Rules        rulesJSON          `json:"rules"`
}

func detailOf(e event.Event, chart *seatmap.Chart, now time.Time) eventDetail {
	d := eventDetail{
		EventID: e.ID, Title: e.Title, Venue: venueOf(e), Genre: e.Genre, TimeZone: e.TimeZone, Currency: e.Currency,
		StartsAt: e.StartsAt.UTC(), OnSaleAt: e.OnSaleAt.UTC(), State: e.State, Availability: e.Availability(now),
		Capacity: e.Capacity, Epoch: e.Epoch,
		Chart:      chartRefJSON{ChartID: e.ChartID, Version: e.ChartVersion, URL: chartURL(e.ChartID, e.ChartVersion)},
		Categories: []categoryJSON{},
		Rules: rulesJSON{
			MaxPerAccount: e.Rules.MaxPerAccount, HoldSeconds: e.Rules.HoldSeconds, HoldMaxSeconds: e.Rules.HoldMaxSeconds,
			OrphanMode: e.Rules.OrphanMode, PressesPerMinute: e.Rules.PressesPerMinute, AccessibleUntil: inUTC(e.Rules.AccessibleRelease),
			Fees: feesOf(e), TaxPercent: e.Rules.TaxPercent,
		},
		Sections: sectionsOf(chart),
	}
	for i, c := range chart.Categories() {
		if i < len(e.Prices) {
			d.Categories = append(d.Categories, categoryJSON{Index: i, Key: c.Key, Name: c.Name, Color: c.Color, Price: money.Amount{Minor: e.Prices[i], Currency: e.Currency}})
		}
	}
	return d
}

func inUTC(t *time.Time) *time.Time {
	if t == nil {
		return nil
	}
	utc := t.UTC()
	return &utc
}

func sectionsOf(chart *seatmap.Chart) []sectionJSON {
	out := make([]sectionJSON, len(chart.Sections()))
	for i, s := range chart.Sections() {
		out[i] = sectionJSON{
			Section: s.Label, Name: s.Name, Area: s.General, Capacity: int(s.To - s.From), Category: chart.Categories()[s.Category].Key,
		}
	}
	return out
}

// seatJSON is a seat somebody holds. Section, row and seat are what is printed on it.
type seatJSON struct {
	SeatID   string          `json:"seatId"`
	Ordinal  seatmap.Ordinal `json:"ordinal"`
	Section  string          `json:"section"`
	Row      string          `json:"row"`
	Seat     string          `json:"seat"`
	Category string          `json:"category"`
	Price    money.Amount    `json:"price"`
	Area     bool            `json:"area,omitempty"` // a place of an area: people see how many, not which
}

func seatOf(chart *seatmap.Chart, s inventory.HeldSeat, currency string) seatJSON {
	seat := chart.Seat(s.Ordinal)
	return seatJSON{
		SeatID: chart.Label(s.Ordinal), Ordinal: s.Ordinal, Section: chart.Sections()[seat.Section].Label,
		Row: chart.Rows()[seat.Row].Label, Seat: seat.Number, Category: chart.Categories()[seat.Category].Key,
		Price: money.Amount{Minor: s.Price, Currency: currency}, Area: chart.Sections()[seat.Section].General,
	}
}

type holdJSON struct {
	HoldID        id.ID      `json:"holdId"`
	EventID       id.ID      `json:"eventId"`
	State         string     `json:"state"`
	Seats         []seatJSON `json:"seats"`
	ExpiresAt     time.Time  `json:"expiresAt"`
	HardExpiresAt time.Time  `json:"hardExpiresAt"`
	sumJSON                  // as its order will say
	ServerTime    time.Time  `json:"serverTime"`        // for countdowns on a phone whose clock is wrong
	OrderID       *id.ID     `json:"orderId,omitempty"` // while it is being paid for
}

func holdOf(h inventory.Hold, e event.Event, chart *seatmap.Chart, now time.Time) holdJSON {
	out := holdJSON{
		HoldID: h.ID, EventID: h.Event, State: h.State.String(), Seats: make([]seatJSON, len(h.Seats)),
		ExpiresAt: h.ExpiresAt.UTC(), HardExpiresAt: h.HardExpiresAt.UTC(),
		sumJSON: sumOf(chart, h.Lines(&e.Rules), e.Currency), ServerTime: now.UTC(),
	}
	for i, s := range h.Seats {
		out.Seats[i] = seatOf(chart, s, e.Currency)
	}
	return out
}
