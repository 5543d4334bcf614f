package db

import (
	"context"

	"github.com/jackc/pgx/v5"

	"plateia/core/event"
)

// FilingColumns are those that Filing fills.
func FilingColumns() []string {
	return []string{"search", "city_key", "genre_key", "venue_key", "latitude", "longitude", "cell", "local_day", "low_price"}
}

// Filing is what lists find an event by, beside its start, in the order of FilingColumns.
func Filing(e event.Event) []any {
	var latitude, longitude, cell, lowest any // NULL where nobody knows
	if e.Venue.Located() {
		latitude, longitude, cell = e.Venue.Latitude, e.Venue.Longitude, event.Cell(e.Venue.Latitude, e.Venue.Longitude)
	}
	if low, _, ok := e.PriceRange(); ok {
		lowest = low
	}
	return []any{e.SearchText(), event.Key(e.Venue.City), event.Key(e.Genre), event.Key(e.Venue.Name), latitude, longitude, cell, int64(e.Day()), lowest}
}

const filedAtOnce = 500

// FileEvents works out what lists find events by for those that have none of it, because an older program or
// somebody's own statement made them, and returns how many they were. Until then no list that is narrowed has them.
func (d *DB) FileEvents(ctx context.Context) (filed int, err error) {
	for {
		n, err := d.fileSome(ctx)
		filed += n
		if err != nil || n < filedAtOnce {
			return filed, err
		}
	}
}

func (d *DB) fileSome(ctx context.Context) (filed int, err error) {
	err = tx(ctx, d, func(t pgx.Tx) error {
		events, err := unfiled(ctx, t)
		if err != nil || len(events) == 0 {
			return err
		}
		var updates pgx.Batch
		for _, e := range events {
			updates.Queue(`update event set search = $2, city_key = $3, genre_key = $4, venue_key = $5,
				latitude = $6, longitude = $7, cell = $8, local_day = $9, low_price = $10 where event_id = $1`, append([]any{uid(e.ID)}, Filing(e)...)...)
		}
		filed = len(events)
		return t.SendBatch(ctx, &updates).Close()
	})
	return filed, err
}

func unfiled(ctx context.Context, t pgx.Tx) ([]event.Event, error) {
	rows, err := t.Query(ctx, `select event_id, title, venue, genre, time_zone, starts_at, prices, rules
		from event where local_day is null limit $1`, filedAtOnce)
	if err != nil {
		return nil, err
	}
	return pgx.CollectRows(rows, func(row pgx.CollectableRow) (e event.Event, err error) {
		var venue, prices, rules []byte
		if err := row.Scan(into(&e.ID), &e.Title, &venue, &e.Genre, &e.TimeZone, &e.StartsAt, &prices, &rules); err != nil {
			return e, err
		}
		return e, readParts(&e, venue, prices, rules)
	})
}
