package db

import (
	"context"
	"fmt"
	"strings"
	"time"

	"github.com/jackc/pgx/v5"

	"plateia/core/event"
	"plateia/core/fault"
	"plateia/core/id"
)

// listedFor is how long after its start an event is still listed.
const listedFor = 12 * time.Hour

// How a search finds its page. Half a million events are listed, and no single plan is quick for every word:
//
//   - walk the next events in order, in an index that has the search text in it, until
//     the page is full. A word in every five-hundredth event or more is found here.
//   - collect the word's events by the trigram index and sort them. All of them must be
//     read, so this gives up when there are too many: then the word is common, only not soon.
//   - walk to the end of the list. It takes half a second at the worst.
const (
	nearbyEvents = 10_000
	rareEvents   = 5_000
	allEvents    = 100_000_000
)

// List returns a page of the events to come, soonest first, as they were a second
// ago at most: a crowd that asks for the same page costs one reading of it.
func (c *Catalog) List(ctx context.Context, q event.Query) (event.Page, error) {
	q.Text = strings.Join(event.Words(q.Text), " ")
	return c.pages.Get(ctx, q, func(ctx context.Context) (event.Page, error) { return c.ListNow(ctx, q) })
}

// ListNow is List from the database. It reads event and stock rows only, never seats.
func (c *Catalog) ListNow(ctx context.Context, q event.Query) (event.Page, error) {
	if q.Limit < 1 || q.Limit > 100 {
		return event.Page{}, fault.New(fault.Invalid, "a page has 1 to 100 events, not %d", q.Limit)
	}
	patterns := event.Patterns(q.Text)
	if len(patterns) == 0 {
		page, _, err := c.page(ctx, q, walked, allEvents, nil)
		return page, err
	}
	page, _, err := c.page(ctx, q, walked, nearbyEvents, patterns)
	if err != nil || page.More {
		return page, err
	}
	page, matches, err := c.page(ctx, q, collected, rareEvents, patterns)
	if err != nil || matches <= rareEvents {
		return page, err
	}
	page, _, err = c.page(ctx, q, walked, allEvents, patterns)
	return page, err
}

// The two statements. $1 and $2 are the cursor; %[1]s the conditions on the search text, %[2]d how many events
// are looked at. The limit inside keeps the planner from another way than along the index, whatever it thinks of a
// word. The events of a page are looked up by id afterwards, one by one because they are few.
const (
	listed  = `state <> 'closed' and (starts_at, event_id) > ($1::timestamptz, $2::uuid)`
	inOrder = ` order by starts_at, event_id `
	walked  = `with near as (select starts_at, event_id, search from event where ` + listed + inOrder + `limit %[2]d),
		hit as (select starts_at, event_id, 0 as matches from near where true%[1]s` + inOrder + `limit $3)`
	collected = `with found as materialized (select starts_at, event_id from event where ` + listed + `%[1]s limit %[2]d + 1),
		hit as (select starts_at, event_id, (select count(*) from found) as matches from found` + inOrder + `limit $3)`
)

// page asks for one event more than the page has, to know whether another follows. matches is how many
// events were collected, when the page has any.
func (c *Catalog) page(ctx context.Context, q event.Query, way string, limit int, patterns []string) (page event.Page, matches int, err error) {
	from, after := listedAfter(q.After, time.Now())
	sql, args := pageSQL(way, c.d.stale(), limit, patterns)
	args = append([]any{from, after, q.Limit + 1}, args...)
	page.Events, err = collect(ctx, c.d, func(row pgx.Row) (event.Event, error) { return scanEvent(row, &matches) }, sql, args...)
	if err != nil {
		return event.Page{}, 0, err
	}
	if len(page.Events) > q.Limit {
		page.Events, page.More = page.Events[:q.Limit], true
	}
	return page, matches, nil
}

// pageSQL is the statement of a way, and its arguments from $4 on. asOf is DB.stale's.
func pageSQL(way, asOf string, limit int, patterns []string) (sql string, args []any) {
	var where strings.Builder
	for i, pattern := range patterns {
		fmt.Fprintf(&where, " and search like $%d", 4+i)
		args = append(args, pattern)
	}
	return fmt.Sprintf(way, where.String(), limit) + " select " + eventColumns + `, hit.matches from hit
		join event e on e.event_id = hit.event_id left join event_stock s on s.event_id = e.event_id ` + asOf + `
		order by hit.starts_at, hit.event_id`, args
}

// listedAfter is where a page begins: after the cursor, and not before what is still listed. One
// bound, because a row comparison beside another is not used to enter the index.
func listedAfter(cursor event.Cursor, now time.Time) (time.Time, [16]byte) {
	at, first := time.UnixMilli(cursor.StartsAt), now.Add(-listedFor)
	if at.Before(first) {
		return first, id.ID{}
	}
	return at, cursor.ID
}
