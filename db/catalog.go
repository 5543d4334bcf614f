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
	eventLife    = time.Second // how old a cached event or page may be
	pageEvents   = 10_000      // events on all cached pages together: about 15 MB
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
	pages  *cache.Cache[event.Query, event.Page]

	directory *cache.Cache[struct{}, event.Directory]
	walks     *turns // readings of lists

	tell func(event id.ID, state event.State)
}

type chartKey struct {
	id      id.ID
	version int
}

// NewCatalog returns a catalog on d.
func NewCatalog(d *DB) *Catalog {
	return &Catalog{
		d:      d,
		tell:   func(id.ID, event.State) {},
		events: cache.New[id.ID, event.Event](eventLife, eventEntries, func(event.Event) int { return 1 }),
		shown:  cache.New[id.ID, event.Event](eventLife, eventEntries, func(event.Event) int { return 1 }),
		charts: cache.New[chartKey, *seatmap.Chart](0, chartSeats, (*seatmap.Chart).Seats),
		pages:  cache.New[event.Query](eventLife, pageEvents, func(p event.Page) int { return len(p.Events) + 1 }),

		directory: cache.New[struct{}](directoryLife, 1, func(event.Directory) int { return 1 }),
		walks:     newTurns(int(d.pool.Config().MaxConns)/walksShare, walkWait),
	}
}

// Announce has tell called with every state that this catalog moves an event to, after the commit. It must not wait.
// To be called before the catalog is used.
func (c *Catalog) Announce(tell func(which id.ID, state event.State)) { c.tell = tell }

const eventColumns = `e.event_id, e.title, e.venue, e.genre, e.time_zone, e.currency, e.home_region, e.starts_at, e.on_sale_at,
	e.state, e.chart_id, e.chart_version, e.capacity, e.prices, e.rules, e.epoch, e.version, coalesce(s.available, e.capacity)`

const eventTables = ` from event e left join event_stock s on s.event_id = e.event_id `

// Event returns one event; fault.NotFound. It may be a second old: the engine reads the state it decides on itself.
func (c *Catalog) Event(ctx context.Context, which id.ID) (event.Event, error) {
	return c.events.Get(ctx, which, func(ctx context.Context) (event.Event, error) { return c.loadEvent(ctx, which) })
}

// forget drops what is cached of an event that has changed.
func (c *Catalog) forget(which id.ID) {
	c.events.Forget(which)
	c.shown.Forget(which)
	c.pages.Clear()
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

// scanEvent reads eventColumns and what is selected after them.
func scanEvent(row pgx.Row, more ...any) (event.Event, error) {
	var e event.Event
	var venue, prices, rules []byte
	to := append([]any{into(&e.ID), &e.Title, &venue, &e.Genre, &e.TimeZone, &e.Currency, &e.HomeRegion, &e.StartsAt, &e.OnSaleAt,
		&e.State, into(&e.ChartID), &e.ChartVersion, &e.Capacity, &prices, &rules, &e.Epoch, &e.Version, &e.Free}, more...)
	if err := row.Scan(to...); err != nil {
		return e, err
	}
	e.StartsAt, e.OnSaleAt = e.StartsAt.UTC(), e.OnSaleAt.UTC()
	return e, readParts(&e, venue, prices, rules)
}

// readParts reads the columns that are JSON.
func readParts(e *event.Event, venue, prices, rules []byte) error {
	for _, part := range []struct {
		text []byte
		to   any
	}{{venue, &e.Venue}, {prices, &e.Prices}, {rules, &e.Rules}} {
		if err := json.Unmarshal(part.text, part.to); err != nil {
			return fmt.Errorf("event %s: %w", e.ID, err)
		}
	}
	return nil
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
	defer c.forget(which)
	tag, err := c.d.pool.Exec(ctx, `update event set state = $2, version = version + 1
		where event_id = $1 and state = any($3::text[])`, uid(which), string(to), from)
	if err != nil {
		return translate(err)
	}
	if tag.RowsAffected() == 1 {
		c.tell(which, to)
		return nil
	}
	now, err := c.loadEvent(ctx, which)
	if err != nil || now.State == to {
		return err
	}
	return fault.New(fault.EventState, "an event that is %s cannot become %s", now.State, to)
}

// Opening lists the events that go on sale within so long by the database's clock, soonest first, at most limit.
func (c *Catalog) Opening(ctx context.Context, within time.Duration, limit int) ([]id.ID, error) {
	rows, err := c.d.pool.Query(ctx, `select event_id from event
		where state = 'scheduled' and on_sale_at <= now() + $1 * interval '1 second' order by on_sale_at limit $2`, int64(within/time.Second), limit)
	if err != nil {
		return nil, translate(err)
	}
	var which id.ID
	var soon []id.ID
	_, err = pgx.ForEachRow(rows, []any{into(&which)}, func() error {
		soon = append(soon, which)
		return nil
	})
	return soon, translate(err)
}

// OpenDue puts on sale what is scheduled and whose on-sale instant has come, by
// the database's clock, and returns which events those were. Any number of processes may do it.
func (c *Catalog) OpenDue(ctx context.Context) ([]id.ID, error) {
	rows, err := c.d.pool.Query(ctx, `update event set state = 'on_sale', version = version + 1
		where state = 'scheduled' and on_sale_at <= now() returning event_id`)
	if err != nil {
		return nil, translate(err)
	}
	var which id.ID
	var opened []id.ID
	_, err = pgx.ForEachRow(rows, []any{into(&which)}, func() error {
		opened = append(opened, which)
		return nil
	})
	if err != nil {
		return nil, translate(err)
	}
	for _, which := range opened {
		c.forget(which)
		c.tell(which, event.OnSale)
	}
	return opened, nil
}
