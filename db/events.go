package db

import (
	"context"
	"encoding/json"
	"time"

	"github.com/jackc/pgx/v5"

	"plateia/core/event"
	"plateia/core/fault"
	"plateia/core/id"
	"plateia/core/money"
	"plateia/core/seatmap"
)

// chunk is the most rows one statement writes, or looks up for a batch.
const chunk = 1000

// CreateEvent puts an event and a row for each seat of its chart in the
// database; the chart version must be stored. Capacity and versions are filled in.
// Creating the same id again is fault.Invalid. Seats come first and the event last,
// so that nobody sees an event that is half there, and a killed creation can be repeated.
func (c *Catalog) CreateEvent(ctx context.Context, e event.Event) (event.Event, error) {
	chart, err := c.Chart(ctx, e.ChartID, e.ChartVersion)
	if err != nil {
		return e, err
	}
	if err := checkEvent(e, chart); err != nil {
		return e, err
	}
	if _, err := c.loadEvent(ctx, e.ID); fault.CodeOf(err) != fault.NotFound {
		if err == nil {
			err = fault.New(fault.Invalid, "the event exists already")
		}
		return e, err
	}
	e.Capacity, e.Free, e.Epoch, e.Version = chart.Seats(), chart.Seats(), 1, 1
	e.StartsAt = e.StartsAt.UTC().Truncate(time.Millisecond) // what a cursor can say
	e.OnSaleAt = e.OnSaleAt.UTC().Truncate(time.Millisecond)
	if err := c.fillSeats(ctx, e.ID, chart); err != nil {
		return e, err
	}
	if err := tx(ctx, c.d, func(t pgx.Tx) error { return insertEvent(ctx, t, e) }); err != nil {
		return e, err
	}
	c.forget(e.ID)
	if err := c.d.rehome(ctx, c.d.regions, e.ID, e.HomeRegion); err != nil { // the rows were made where we are
		c.d.log.Warn("an event's rows are not in its home region yet; migrate up --regions moves them", "event", e.ID.String(), "error", err)
	}
	// Without statistics the planner takes a full table for one with a row, and reads it all.
	_, err = c.d.pool.Exec(ctx, "analyze seat")
	return e, translate(err)
}

func checkEvent(e event.Event, chart *seatmap.Chart) error {
	_, knownCurrency := money.Exponent(e.Currency)
	_, zoneErr := time.LoadLocation(e.TimeZone)
	switch {
	case e.ID.IsZero():
		return fault.New(fault.Invalid, "an event needs an id")
	case e.Title == "" || len(e.Title) > 200:
		return fault.New(fault.Invalid, "a title has 1 to 200 bytes")
	case !knownCurrency:
		return fault.New(fault.Invalid, "currency %q is not sold in", e.Currency)
	case e.TimeZone == "" || zoneErr != nil:
		return fault.New(fault.Invalid, "time zone %q is not known", e.TimeZone)
	case len(e.Prices) != len(chart.Categories()):
		return fault.New(fault.Invalid, "the chart has %d categories, the event %d prices", len(chart.Categories()), len(e.Prices))
	case e.State != event.Scheduled && e.State != event.OnSale:
		return fault.New(fault.Invalid, "a new event is scheduled or on sale, not %q", e.State)
	}
	for _, price := range e.Prices {
		if price < 0 || price > money.Most {
			return fault.New(fault.Invalid, "a price is 0 to %d minor units", int64(money.Most))
		}
	}
	if err := e.Rules.CheckQueue(); err != nil {
		return err
	}
	return e.Rules.CheckPricing()
}

// fillSeats writes each chunk in a transaction of its own; rows that are there stay as they are.
func (c *Catalog) fillSeats(ctx context.Context, event id.ID, chart *seatmap.Chart) error {
	for from := 0; from < chart.Seats(); from += chunk {
		categories := make([]int64, 0, chunk)
		for o := from; o < min(from+chunk, chart.Seats()); o++ {
			categories = append(categories, int64(chart.Category(seatmap.Ordinal(o))))
		}
		_, err := c.d.pool.Exec(ctx, `insert into seat (event_id, ordinal, category)
			select $1::uuid, $2::int8 + n - 1, category from unnest($3::int8[]) with ordinality as t (category, n)
			on conflict (event_id, ordinal) do nothing`, uid(event), from, categories)
		if err != nil {
			return translate(err)
		}
	}
	return nil
}

func insertEvent(ctx context.Context, t pgx.Tx, e event.Event) error {
	parts := make([]string, 3)
	for i, part := range []any{e.Venue, e.Prices, e.Rules} {
		text, err := json.Marshal(part)
		if err != nil {
			return err
		}
		parts[i] = string(text)
	}
	_, err := t.Exec(ctx, `insert into event (event_id, title, venue, genre, time_zone, currency, home_region, starts_at, on_sale_at,
		state, chart_id, chart_version, capacity, prices, rules, search, city_key, genre_key, venue_key, latitude, longitude, cell, local_day, low_price)
		values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15, $16, $17, $18, $19, $20, $21, $22, $23, $24)`,
		append([]any{uid(e.ID), e.Title, parts[0], e.Genre, e.TimeZone, e.Currency, e.HomeRegion, e.StartsAt, e.OnSaleAt,
			string(e.State), uid(e.ChartID), e.ChartVersion, e.Capacity, parts[1], parts[2]}, Filing(e)...)...)
	if violates(err) {
		return fault.Wrap(err, fault.Invalid, "the event exists already")
	}
	if err != nil {
		return err
	}
	_, err = t.Exec(ctx, `insert into event_stock (event_id, available, held, sold, blocked, counted_at)
		values ($1, $2, 0, 0, 0, now())`, uid(e.ID), e.Capacity)
	return err
}
