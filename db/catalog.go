package db

import (
	"context"
	"encoding/json"
	"fmt"
	"time"

	"github.com/jackc/pgx/v5"

	"plateia/core/cache"
	"plateia/core/event"
	"plateia/core/fault"
	"plateia/core/id"
	"plateia/core/seatmap"
)

const (
	eventLife    = time.Second // how old a cached event may be
	eventEntries = 20_000
	chartSeats   = 4_000_000 // seats of all cached charts together: about 250 MB at the very most
)

// Catalog is the events and charts. Reads are cached: an event for a second, a
// chart version, which never changes, until others need its room. Safe for concurrent use.
type Catalog struct {
	d      *DB
	events *cache.Cache[id.ID, event.Event]
	shown  *cache.Cache[id.ID, event.Event] // for pages; used only where stale reads differ from others
	charts *cache.Cache[chartKey, *seatmap.Chart]
}

type chartKey struct {
	id      id.ID
	version int
}

// NewCatalog returns a catalog on d.
func NewCatalog(d *DB) *Catalog {
	return &Catalog{
		d:      d,
		events: cache.New[id.ID, event.Event](eventLife, eventEntries, func(event.Event) int { return 1 }),
		shown:  cache.New[id.ID, event.Event](eventLife, eventEntries, func(event.Event) int { return 1 }),
		charts: cache.New[chartKey, *seatmap.Chart](0, chartSeats, (*seatmap.Chart).Seats),
	}
}

const eventColumns = `e.event_id, e.title, e.venue, e.genre, e.time_zone, e.currency, e.home_region, e.starts_at, e.on_sale_at,
	e.state, e.chart_id, e.chart_version, e.capacity, e.prices, e.rules, e.epoch, e.version, coalesce(s.available, e.capacity)`

const eventTables = ` from event e left join event_stock s on s.event_id = e.event_id `

// Event returns one event; fault.NotFound. It may be a second old: the engine reads the state it decides on itself.
func (c *Catalog) Event(ctx context.Context, which id.ID) (event.Event, error) {
	return c.events.Get(ctx, which, func(ctx context.Context) (event.Event, error) { return c.loadEvent(ctx, which) })
}

func (c *Catalog) loadEvent(ctx context.Context, which id.ID) (event.Event, error) {
	return c.readEvent(ctx, which, "")
}

// Shown is Event for pages. On a multi-region database the nearest region answers, as it
// was up to five seconds ago; an event that was not there yet is looked for once more at home.
func (c *Catalog) Shown(ctx context.Context, which id.ID) (event.Event, error) {
	if c.d.stale() == "" {
		return c.Event(ctx, which)
	}
	e, err := c.shown.Get(ctx, which, func(ctx context.Context) (event.Event, error) {
		return c.readEvent(ctx, which, c.d.stale())
	})
	if fault.CodeOf(err) == fault.NotFound {
		return c.Event(ctx, which)
	}
	return e, err
}

func (c *Catalog) readEvent(ctx context.Context, which id.ID, asOf string) (event.Event, error) {
	row := c.d.pool.QueryRow(ctx, eventSQL(asOf), uid(which))
	e, err := scanEvent(row)
	return e, notFound(err, "event")
}

func eventSQL(asOf string) string {
	return "select " + eventColumns + eventTables + asOf + "where e.event_id = $1"
}

func scanEvent(row pgx.Row) (event.Event, error) {
	var e event.Event
	var venue, prices, rules []byte
	err := row.Scan(into(&e.ID), &e.Title, &venue, &e.Genre, &e.TimeZone, &e.Currency, &e.HomeRegion, &e.StartsAt, &e.OnSaleAt,
		&e.State, into(&e.ChartID), &e.ChartVersion, &e.Capacity, &prices, &rules, &e.Epoch, &e.Version, &e.Free)
	if err != nil {
		return e, err
	}
	e.StartsAt, e.OnSaleAt = e.StartsAt.UTC(), e.OnSaleAt.UTC()
	for _, part := range []struct {
		text []byte
		to   any
	}{{venue, &e.Venue}, {prices, &e.Prices}, {rules, &e.Rules}} {
		if err := json.Unmarshal(part.text, part.to); err != nil {
			return e, fmt.Errorf("event %s: %w", e.ID, err)
		}
	}
	return e, nil
}

// listedFor is how long after its start an event is still listed.
const listedFor = 12 * time.Hour

// List returns a page of the events to come, soonest first. It reads event and
// stock rows only, never seats.
func (c *Catalog) List(ctx context.Context, q event.Query) (event.Page, error) {
	if q.Limit < 1 || q.Limit > 100 {
		return event.Page{}, fault.New(fault.Invalid, "a page has 1 to 100 events, not %d", q.Limit)
	}
	words := event.Words(q.Text)
	if len(words) == 0 {
		return c.page(ctx, q, upcoming, nil)
	}
	// A common word fills the page from the next events; only a rare one is worth the search index, whose
	// matches must all be read and sorted (tried on 500,000 events: a word in every fourth, 1,475 ms by the index).
	page, err := c.page(ctx, q, nextEvents, words)
	if err != nil || page.More {
		return page, err
	}
	return c.page(ctx, q, upcoming, words)
}

// What a list is picked from: all that is to come, or the next of it. $1 and $2 are
// the cursor, $3 the start before which events are no longer listed.
const (
	upcoming = `(select * from event where state <> 'closed' and starts_at > now() - $3::interval
		and (starts_at, event_id) > ($1::timestamptz, $2::uuid)) e`
	nextEvents = `(select * from event where state <> 'closed' and starts_at > now() - $3::interval
		and (starts_at, event_id) > ($1::timestamptz, $2::uuid) order by starts_at, event_id limit 2000) e`
)

// page asks for one event more than the page has, to know whether another follows.
func (c *Catalog) page(ctx context.Context, q event.Query, from string, words []string) (event.Page, error) {
	args := []any{time.UnixMilli(q.After.StartsAt), [16]byte(q.After.ID), listedFor, q.Limit + 1}
	for _, word := range words { // folded: no % or _ is left in them
		args = append(args, "%"+word+"%")
	}
	events, err := collect(ctx, c.d, scanEvent, pageSQL(from, c.d.stale(), len(words)), args...)
	if err != nil {
		return event.Page{}, err
	}
	if len(events) > q.Limit {
		return event.Page{Events: events[:q.Limit], More: true}, nil
	}
	return event.Page{Events: events}, nil
}

func pageSQL(from, asOf string, words int) string {
	sql := "select " + eventColumns + " from " + from + " left join event_stock s on s.event_id = e.event_id " + asOf + "where true"
	for n := range words {
		sql += fmt.Sprintf(" and e.search like $%d", 5+n)
	}
	return sql + " order by e.starts_at, e.event_id limit $4"
}

// transitions of an event's state that an operator may make.
var transitions = map[event.State][]event.State{
	event.Scheduled: {event.OnSale, event.Cancelled, event.Closed},
	event.OnSale:    {event.Paused, event.Closed, event.Cancelled},
	event.Paused:    {event.OnSale, event.Closed, event.Cancelled},
	event.Closed:    {event.Cancelled},
}

// SetState moves an event to a state. It waits for the batches in flight, which
// share a lock on the event's row, and every later one sees it. fault.EventState when the state does not lead there.
func (c *Catalog) SetState(ctx context.Context, which id.ID, to event.State) error {
	var from []string
	for state, next := range transitions {
		for _, s := range next {
			if s == to {
				from = append(from, string(state))
			}
		}
	}
	defer c.events.Forget(which)
	tag, err := c.d.pool.Exec(ctx, `update event set state = $2, version = version + 1
		where event_id = $1 and state = any($3::text[])`, uid(which), string(to), from)
	if err != nil || tag.RowsAffected() == 1 {
		return translate(err)
	}
	now, err := c.loadEvent(ctx, which)
	if err != nil || now.State == to {
		return err
	}
	return fault.New(fault.EventState, "an event that is %s cannot become %s", now.State, to)
}

// OpenDue puts on sale what is scheduled and whose on-sale instant has come, by
// the database's clock, and returns how many events that were. Any number of processes may do it.
func (c *Catalog) OpenDue(ctx context.Context) (int, error) {
	rows, err := c.d.pool.Query(ctx, `update event set state = 'on_sale', version = version + 1
		where state = 'scheduled' and on_sale_at <= now() returning event_id`)
	if err != nil {
		return 0, translate(err)
	}
	var which id.ID
	opened := 0
	_, err = pgx.ForEachRow(rows, []any{into(&which)}, func() error {
		c.events.Forget(which)
		opened++
		return nil
	})
	return opened, translate(err)
}
