package holdbench

import (
	"context"
	"fmt"
	"math/rand/v2"
	"sync/atomic"
	"time"

	"plateia/core/event"
	"plateia/core/id"
	"plateia/core/seatmap"
	"plateia/db"
)

// supply is pairs of neighbouring seats in random order, event after event, so
// that a measurement is about holds and never about running out.
type supply struct {
	catalog *db.Catalog
	events  []id.ID
	fans    []int             // holds to come, by event
	pairs   []seatmap.Ordinal // first seats; the same order in every event
	next    atomic.Int64
}

const (
	benchRows     = 1000 // of a full event
	benchRowSeats = 100
	pairsPerEvent = benchRows * benchRowSeats / 2
)

// rowsFor is how many rows an event needs for so many holds: a short run is spared a stadium.
func rowsFor(holds int) int { return min(benchRows, max(1, (2*holds+benchRowSeats-1)/benchRowSeats)) }

// stock makes enough events for so many holds, at least so many.
func stock(ctx context.Context, d *db.DB, holds, atLeast int) (*supply, error) {
	s := &supply{catalog: db.NewCatalog(d)}
	rows := rowsFor((holds + atLeast - 1) / atLeast)
	first, err := s.firstEvent(ctx, rows)
	if err != nil {
		return nil, err
	}
	s.events = []id.ID{first}
	for len(s.events) < atLeast || len(s.events)*pairsPerEvent < holds {
		another, err := copyEvent(ctx, d, first)
		if err != nil {
			return nil, err
		}
		s.events = append(s.events, another)
	}
	for range s.events {
		s.fans = append(s.fans, min(holds, pairsPerEvent))
		holds -= min(holds, pairsPerEvent)
	}
	s.pairs = shuffledPairs(rows*benchRowSeats/2, 0, 1)
	for _, statement := range []string{"vacuum analyze", "checkpoint"} {
		if _, err := d.Pool().Exec(ctx, statement); err != nil && d.Dialect == db.Postgres {
			return nil, fmt.Errorf("holdbench: %s: %w", statement, err)
		}
	}
	return s, nil
}

// shuffledPairs are the pairs of one of so many shares of an event, in random order.
func shuffledPairs(all, share, of int) []seatmap.Ordinal {
	pairs := make([]seatmap.Ordinal, 0, all/of+1)
	for i := share; i < all; i += of {
		pairs = append(pairs, seatmap.Ordinal(2*i))
	}
	rand.Shuffle(len(pairs), func(i, j int) { pairs[i], pairs[j] = pairs[j], pairs[i] })
	return pairs
}

func (s *supply) firstEvent(ctx context.Context, rows int) (id.ID, error) {
	section := seatmap.SectionSpec{Label: "A"}
	for r := range rows {
		row := seatmap.RowSpec{Label: fmt.Sprint(r + 1)}
		for n := range benchRowSeats {
			row.Seats = append(row.Seats, seatmap.SeatSpec{Number: fmt.Sprint(n + 1), X: float32(n), Y: float32(r)})
		}
		section.Rows = append(section.Rows, row)
	}
	chart, err := seatmap.Build(seatmap.Spec{
		ID: id.New(), Version: 1, Name: "Bench", Sections: []seatmap.SectionSpec{section},
		Categories: []seatmap.Category{{Key: "all", Name: "All", Color: "#888888"}},
	})
	if err != nil {
		return id.ID{}, err
	}
	if err := s.catalog.PutChart(ctx, chart); err != nil {
		return id.ID{}, err
	}
	e, err := s.catalog.CreateEvent(ctx, event.Event{
		ID: id.New(), Title: "Bench", Venue: event.Venue{Name: "Bench", City: "Bench", Country: "BR"}, Genre: "bench",
		TimeZone: "UTC", Currency: "BRL", HomeRegion: "local", StartsAt: time.Now().Add(24 * time.Hour), OnSaleAt: time.Now(),
		State: event.OnSale, ChartID: chart.ID(), ChartVersion: 1, Prices: []int64{10000}, Rules: event.DefaultRules(),
	})
	return e.ID, err
}

// copyEvent makes another event like the first, inside the database.
func copyEvent(ctx context.Context, d *db.DB, first id.ID) (id.ID, error) {
	fresh := id.New()
	for _, statement := range []string{
		`insert into event (event_id, title, venue, genre, time_zone, currency, home_region, starts_at, on_sale_at, state,
			chart_id, chart_version, capacity, prices, rules, search)
			select $1, title, venue, genre, time_zone, currency, home_region, starts_at, on_sale_at, state,
			chart_id, chart_version, capacity, prices, rules, search from event where event_id = $2`,
		`insert into seat (event_id, ordinal, category) select $1, ordinal, category from seat where event_id = $2`,
	} {
		if _, err := d.Pool().Exec(ctx, statement, [16]byte(fresh), [16]byte(first)); err != nil {
			return fresh, fmt.Errorf("holdbench: copy the event: %w", err)
		}
	}
	return fresh, nil
}

// another leaves what is left of an event that has begun, if there is one more.
func (s *supply) another() {
	perEvent := int64(len(s.pairs))
	if next := (s.next.Load() + perEvent - 1) / perEvent; next < int64(len(s.events)) {
		s.next.Store(next * perEvent)
	}
}

// take hands out the next pair; false when everything is gone.
func (s *supply) take() (eventID id.ID, seats [2]seatmap.Ordinal, ok bool) {
	n := s.next.Add(1) - 1
	perEvent := int64(len(s.pairs))
	which := int(n / perEvent)
	if which >= len(s.events) {
		return eventID, seats, false
	}
	pair := s.pairs[n%perEvent]
	return s.events[which], [2]seatmap.Ordinal{pair, pair + 1}, true
}
