package db

import (
	"context"
	"time"

	"github.com/jackc/pgx/v5"

	"plateia/core/event"
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
//
// A list that is not in order of time must be known before it is sorted: it is collected, or the
// soonest of the events that are narrowed to by one index are ranked.
const (
	nearbyEvents = 10_000
	rareEvents   = 5_000
	rankedEvents = 20_000
	allEvents    = 100_000_000
)

// Lists are read by a part of the database's connections at once: a crowd that asks for made-up words, each of them another,
// would have all of them walk, and nobody could buy.
const (
	walksShare = 4                      // one connection in so many
	walkWait   = 700 * time.Millisecond // longer than the slowest walk among half a million events
)

// List returns a page of the events to come, as they were a second ago at most: a crowd that asks for
// the same page, in whatever spelling, costs one reading of it. fault.Busy: too many read other pages.
func (c *Catalog) List(ctx context.Context, q event.Query) (event.Page, error) {
	q = q.Canonical()
	return c.pages.Get(ctx, q, func(ctx context.Context) (event.Page, error) {
		done, err := c.walks.take(ctx)
		if err != nil {
			return event.Page{}, err
		}
		defer done()
		return c.ListNow(ctx, q)
	})
}

// ListStats are how many readings of lists had to wait for others since the catalog was made, and how many of these were not done.
func (c *Catalog) ListStats() (waited, busy int64) { return c.walks.waited.Load(), c.walks.busy.Load() }

// ListNow is List from the database. It reads event and stock rows only, never seats.
func (c *Catalog) ListNow(ctx context.Context, q event.Query) (event.Page, error) {
	q = q.Canonical()
	if err := q.Check(); err != nil {
		return event.Page{}, err
	}
	var page event.Page
	for _, step := range steps(q) {
		found, matches, err := c.page(ctx, q, step)
		if err != nil || step.settles(q, found, matches) {
			return found, err
		}
		page = found
	}
	return page, nil
}

// step is one try at a page: a walk over so many events, or a collection of so many matches.
type step struct {
	collect bool
	most    int
}

// steps are tried one after the other until one settles the page; the last one does.
func steps(q event.Query) []step {
	byDate, words := q.Sort == event.ByDate, q.Text != ""
	switch {
	case byDate && !words:
		return []step{{most: allEvents}}
	case byDate && q.Near.Anywhere():
		return []step{{most: nearbyEvents}, {collect: true, most: rareEvents}, {most: allEvents}}
	case byDate:
		return []step{{collect: true, most: rareEvents}, {most: allEvents}}
	case words:
		return []step{{collect: true, most: rareEvents}, {most: rankedEvents}}
	}
	return []step{{most: rankedEvents}}
}

// settles reports whether what the step found is the page.
func (s step) settles(q event.Query, page event.Page, matches int) bool {
	switch {
	case !s.collect:
		return page.More
	case len(page.Events) == 0 && q.Sort != event.ByDate && q.After != event.Cursor{}:
		return false // how many were collected was not told
	}
	return matches <= s.most
}

// page asks for one event more than the page has, to know whether another follows. matches is how many
// events were collected, when the page has any.
func (c *Catalog) page(ctx context.Context, q event.Query, how step) (page event.Page, matches int, err error) {
	sql, args := newListing(q, time.Now()).statement(how, c.d.stale())
	var keys []int64
	page.Events, err = collect(ctx, c.d, func(row pgx.Row) (event.Event, error) {
		var key int64
		e, err := scanEvent(row, &matches, &key)
		keys = append(keys, key)
		return e, err
	}, sql, args...)
	if err != nil {
		return event.Page{}, 0, err
	}
	if len(page.Events) > q.Limit {
		page.Events, page.More = page.Events[:q.Limit], true
		page.Next = after(page.Events[q.Limit-1], q.Sort, keys[len(keys)-2])
	}
	return page, matches, nil
}

func after(last event.Event, sort event.Sort, key int64) event.Cursor {
	cursor := event.Cursor{Key: key, StartsAt: last.StartsAt.UnixMilli(), ID: last.ID}
	if sort == event.ByPrice {
		cursor.Currency = last.Currency
	}
	return cursor
}

// listedAfter is where a page begins: after the cursor, and not before what is still listed. One
// bound, because a row comparison beside another is not used to enter the index.
func listedAfter(cursor event.Cursor, first time.Time) (time.Time, [16]byte) {
	at := time.UnixMilli(cursor.StartsAt)
	if at.Before(first) {
		return first, id.ID{}
	}
	return at, cursor.ID
}
