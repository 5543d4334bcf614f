package db

import (
	"context"
	"fmt"
	"time"

	"github.com/jackc/pgx/v5"

	"plateia/core/event"
)

const (
	directoryLife = time.Minute
	mostCities    = 1000
	mostGenres    = 100
	mostVenues    = 10_000 // those with most events; a directory is 2 MB at most
)

// Directory is what lists can be narrowed to, as it was a minute ago at most. Half a million listed events are
// counted in a third of a second, once a minute and process while somebody asks.
func (c *Catalog) Directory(ctx context.Context) (event.Directory, error) {
	return c.directory.Get(ctx, struct{}{}, c.countDirectory)
}

func (c *Catalog) countDirectory(ctx context.Context) (dir event.Directory, err error) {
	for _, part := range []struct {
		to     *[]event.Entry
		column string
		most   int
	}{{&dir.Cities, "city_key", mostCities}, {&dir.Genres, "genre_key", mostGenres}, {&dir.Venues, "venue_key", mostVenues}} {
		scan := func(row pgx.Row) (event.Entry, error) { return scanEntry(row, part.column) }
		*part.to, err = collect(ctx, c.d, scan, entriesSQL(part.column, part.most, c.d.stale()), time.Now().Add(-listedFor))
		if err != nil {
			return dir, err
		}
	}
	return dir, nil
}

// entriesSQL counts the events by a key. Names are those of an event that has it.
func entriesSQL(column string, most int, asOf string) string {
	return fmt.Sprintf(`with kept as (select %[1]s as k, count(*) as n, min(starts_at) as at from event
			where state <> 'closed' and starts_at > $1::timestamptz and %[1]s > '' group by %[1]s order by n desc, k limit %[2]d)
		select kept.k, kept.n, e.genre, e.venue from kept cross join lateral (
			select genre, venue from event where %[1]s = kept.k and starts_at = kept.at and state <> 'closed' limit 1) e `+asOf+`
		order by kept.n desc, kept.k`, column, most)
}

func scanEntry(row pgx.Row, column string) (e event.Entry, err error) {
	var genre string
	var venue event.Venue
	if err := row.Scan(&e.Key, &e.Events, &genre, &venue); err != nil {
		return e, err
	}
	switch column {
	case "city_key":
		e.Name, e.Country = venue.City, venue.Country
	case "genre_key":
		e.Name = genre
	case "venue_key":
		e.Name, e.City, e.Country = venue.Name, venue.City, venue.Country
	}
	return e, nil
}
