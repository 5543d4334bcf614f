package db

import (
	"context"
	"log/slog"
	"sync"
	"time"

	"github.com/jackc/pgx/v5"

	"plateia/core/id"
)

// Stock keeps event_stock, the counts behind the word a list shows. Nothing
// that sells touches it: whoever hears of changes calls Touch, and every tick the
// touched events are counted on a snapshot, each at most once per tick in all processes.
// A count that is lost is made up at the next change, or at the next start.
type Stock struct {
	d    *DB
	tick time.Duration
	log  *slog.Logger

	mu      sync.Mutex
	touched map[id.ID]struct{}
}

const (
	stockTick   = 2 * time.Second
	maxTouched  = 10_000 // events remembered between two ticks
	maxPerTick  = 200    // events counted in one tick
	startupList = 1_000  // events on sale that are counted when a process starts
)

// NewStock returns a Stock; Run makes it count.
func NewStock(d *DB, log *slog.Logger) *Stock {
	return &Stock{d: d, tick: stockTick, log: log, touched: map[id.ID]struct{}{}}
}

// Touch says that seats of an event changed. It never waits.
func (s *Stock) Touch(event id.ID) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if len(s.touched) < maxTouched {
		s.touched[event] = struct{}{}
	}
}

// Run counts until ctx ends.
func (s *Stock) Run(ctx context.Context) error {
	if err := s.touchOnSale(ctx); err != nil {
		s.log.Warn("stock: events on sale are not counted at the start", "error", err)
	}
	for pause(ctx, s.tick) == nil {
		for _, event := range s.take() {
			if err := s.Count(ctx, event); err != nil && ctx.Err() == nil {
				s.log.Warn("stock: count", "event", event.String(), "error", err)
				s.Touch(event)
			}
		}
	}
	return nil
}

func (s *Stock) take() []id.ID {
	s.mu.Lock()
	defer s.mu.Unlock()
	var out []id.ID
	for event := range s.touched {
		if len(out) == maxPerTick {
			break
		}
		out = append(out, event)
		delete(s.touched, event)
	}
	return out
}

func (s *Stock) touchOnSale(ctx context.Context) error {
	rows, err := s.d.pool.Query(ctx, "select event_id from event where state in ('on_sale', 'paused') order by starts_at limit $1", startupList)
	if err != nil {
		return err
	}
	var event id.ID
	_, err = pgx.ForEachRow(rows, []any{into(&event)}, func() error { s.Touch(event); return nil })
	return err
}

// Count counts an event's seats and records the result, unless somebody has just done so. An event whose count
// is younger than half a tick stays touched, so that its last change is counted too.
func (s *Stock) Count(ctx context.Context, event id.ID) error {
	var young bool
	err := s.d.pool.QueryRow(ctx, `select coalesce(max(counted_at) > now() - $2::interval, false)
		from event_stock where event_id = $1`, uid(event), s.tick/2).Scan(&young)
	if err != nil {
		return translate(err)
	}
	if young {
		s.Touch(event)
		return nil
	}
	at, counts, err := s.read(ctx, event)
	if err != nil {
		return err
	}
	_, err = s.d.pool.Exec(ctx, `insert into event_stock (event_id, available, held, sold, blocked, counted_at)
		values ($1, $2, $3, $4, $5, $6)
		on conflict (event_id) do update set available = excluded.available, held = excluded.held,
			sold = excluded.sold, blocked = excluded.blocked, counted_at = excluded.counted_at
		where event_stock.counted_at < excluded.counted_at`,
		uid(event), counts[0], counts[1], counts[2], counts[3], at)
	return translate(err)
}

func (s *Stock) read(ctx context.Context, event id.ID) (at time.Time, counts [4]int64, err error) {
	err = snapshot(ctx, s.d, func(t pgx.Tx) error {
		counts = [4]int64{}
		if err := t.QueryRow(ctx, "select now()").Scan(&at); err != nil {
			return err
		}
		rows, err := t.Query(ctx, "select "+sqlShown+", count(*) from seat where event_id = $1 group by 1", uid(event))
		if err != nil {
			return err
		}
		var status, n int64
		_, err = pgx.ForEachRow(rows, []any{&status, &n}, func() error { counts[status&3] = n; return nil })
		return err
	})
	return at, counts, err
}
