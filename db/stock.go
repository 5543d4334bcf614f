package db

import (
	"context"
	"errors"
	"log/slog"
	"sync"
	"time"

	"github.com/jackc/pgx/v5"

	"plateia/core/id"
)

// Counts are an event's seats by status: available, held, sold, blocked.
type Counts [4]int64

// Counter counts an event's seats. ok is false when it would have to read them.
type Counter func(event id.ID) (counts Counts, ok bool)

// Stock keeps event_stock, the counts behind the word a list shows. Nothing
// that sells touches it: whoever hears of changes calls Touch, and every tick the touched
// events are counted: from memory where somebody has them there, else from their seats, on a
// snapshot. So its cost grows with the events that change, not with those that are listed,
// and counting seats takes at most a tenth of the time. A count that is lost is made up at the
// next change, or at the next start.
type Stock struct {
	d      *DB
	memory Counter // may be nil
	tick   time.Duration
	log    *slog.Logger

	mu      sync.Mutex
	touched map[id.ID]struct{}
}

const (
	stockTick  = 2 * time.Second
	maxTouched = 10_000 // events remembered between two ticks
	maxPerTick = 1000   // events counted in one tick
	restFactor = 9      // how much longer than counting from seats took the next such counting waits
	missedRows = 10_000 // changed events that a starting process counts
)

// NewStock returns a Stock; Run makes it count. memory may be nil.
func NewStock(d *DB, memory Counter, log *slog.Logger) *Stock {
	return &Stock{d: d, memory: memory, tick: stockTick, log: log, touched: map[id.ID]struct{}{}}
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
	if err := s.touchMissed(ctx); err != nil {
		s.log.Warn("stock: what changed before the start is not counted", "error", err)
	}
	wait := s.tick
	for pause(ctx, wait) == nil {
		reading, err := s.round(ctx)
		if err != nil && ctx.Err() == nil {
			s.log.Warn("stock: a round failed", "error", err)
		}
		wait = max(s.tick, restFactor*reading)
	}
	return nil
}

// round counts what was touched and returns how long reading seats took.
func (s *Stock) round(ctx context.Context) (reading time.Duration, err error) {
	var counted []stockRow
	touched := s.take(maxPerTick)
	for i, event := range touched {
		row := stockRow{event: event}
		ok := false
		if s.memory != nil {
			row.counts, ok = s.memory(event)
		}
		if !ok {
			if reading > s.tick { // the others are as hot, and would wait for this one's seats
				s.touchAll(touched[i:])
				break
			}
			began := time.Now()
			if row, err = s.read(ctx, event); err != nil {
				s.touchAll(touched[i:])
				break
			}
			reading += time.Since(began)
		}
		counted = append(counted, row)
	}
	return reading, errors.Join(err, s.write(ctx, counted))
}

func (s *Stock) touchAll(events []id.ID) {
	for _, event := range events {
		s.Touch(event)
	}
}

func (s *Stock) take(limit int) []id.ID {
	s.mu.Lock()
	defer s.mu.Unlock()
	var out []id.ID
	for event := range s.touched {
		if len(out) == limit {
			break
		}
		out = append(out, event)
		delete(s.touched, event)
	}
	return out
}

// touchMissed touches the events that changed after they were last counted: their outbox rows are there
// for an hour at least, and longer when nobody runs this.
func (s *Stock) touchMissed(ctx context.Context) error {
	rows, err := s.d.pool.Query(ctx, `select distinct o.event_id from outbox o left join event_stock s on s.event_id = o.event_id
		where s.counted_at is null or o.created_at > s.counted_at - interval '10 seconds' limit $1`, missedRows)
	if err != nil {
		return err
	}
	var event id.ID
	_, err = pgx.ForEachRow(rows, []any{into(&event)}, func() error { s.Touch(event); return nil })
	return err
}

// Count counts one event now, from its seats.
func (s *Stock) Count(ctx context.Context, event id.ID) error {
	row, err := s.read(ctx, event)
	if err != nil {
		return err
	}
	return s.write(ctx, []stockRow{row})
}

// stockRow is a count; at is zero when it was made from memory just now.
type stockRow struct {
	event  id.ID
	at     time.Time
	counts Counts
}

func (s *Stock) read(ctx context.Context, event id.ID) (stockRow, error) {
	row := stockRow{event: event}
	err := snapshot(ctx, s.d, func(t pgx.Tx) error {
		row.counts = Counts{}
		if err := t.QueryRow(ctx, "select now()").Scan(&row.at); err != nil {
			return err
		}
		rows, err := t.Query(ctx, "select "+sqlShown+", count(*) from seat where event_id = $1 group by 1", uid(event))
		if err != nil {
			return err
		}
		var status, n int64
		_, err = pgx.ForEachRow(rows, []any{&status, &n}, func() error { row.counts[status&3] = n; return nil })
		return err
	})
	return row, err
}

// write records counts that are newer than the recorded ones, all in one statement. What has not changed is not written.
func (s *Stock) write(ctx context.Context, rows []stockRow) error {
	if len(rows) == 0 {
		return nil
	}
	events, ats, counts := make([]id.ID, len(rows)), make([]*time.Time, len(rows)), [4][]int64{}
	for i, row := range rows {
		events[i] = row.event
		if !row.at.IsZero() {
			ats[i] = &row.at
		}
		for status, n := range row.counts {
			counts[status] = append(counts[status], n)
		}
	}
	_, err := s.d.pool.Exec(ctx, `insert into event_stock (event_id, available, held, sold, blocked, counted_at)
		select event_id, available, held, sold, blocked, coalesce(counted_at, now())
		from unnest($1::uuid[], $2::int8[], $3::int8[], $4::int8[], $5::int8[], $6::timestamptz[]) as t (event_id, available, held, sold, blocked, counted_at)
		on conflict (event_id) do update set available = excluded.available, held = excluded.held,
			sold = excluded.sold, blocked = excluded.blocked, counted_at = excluded.counted_at
		where event_stock.counted_at < excluded.counted_at`,
		uids(events), counts[0], counts[1], counts[2], counts[3], ats)
	return translate(err)
}
