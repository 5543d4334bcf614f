package holdbench

import (
	"cmp"
	"context"
	"fmt"
	"sync"
	"sync/atomic"
	"time"

	"github.com/HdrHistogram/hdrhistogram-go"

	"plateia/core/id"
	"plateia/core/seatmap"
	"plateia/db"
)

// holder places one hold of two seats; the caller measures.
type holder interface {
	hold(ctx context.Context, event id.ID, seats [2]seatmap.Ordinal) error
	retries() int64
	close(ctx context.Context) error
}

// expectAtMost sizes the supply: more than any machine of today does per second.
var expectAtMost = map[string]int{Engine: 100_000, Naive: 15_000}

func measure(ctx context.Context, d *db.DB, r round, opts Options) (Result, error) {
	duration := cmp.Or(opts.Duration, 5*time.Second)
	s, err := stock(ctx, d, int(float64(expectAtMost[r.mode])*duration.Seconds()))
	if err != nil {
		return Result{}, err
	}
	h, err := newHolder(ctx, d, s, r, opts)
	if err != nil {
		return Result{}, err
	}
	if opts.Measuring != nil {
		opts.Measuring(true)
	}
	before := opts.meter.read()
	result := drive(ctx, h, s, r.clients, duration)
	result.ClientMicros, result.ServerMicros = opts.meter.since(before, result.Holds)
	if opts.Measuring != nil {
		opts.Measuring(false)
	}
	result.Mode, result.Clients, result.Retries = r.mode, r.clients, h.retries()
	if err := h.close(ctx); err != nil {
		return result, err
	}
	result.DoubleSold, err = doubleSold(ctx, d, s.events)
	return result, err
}

func newHolder(ctx context.Context, d *db.DB, s *supply, r round, opts Options) (holder, error) {
	switch r.mode {
	case Engine:
		return newEngine(ctx, d, s, opts)
	case Naive:
		return newNaive(ctx, d, r.clients)
	}
	return nil, fmt.Errorf("holdbench: unknown mode %q: it is %s or %s", r.mode, Engine, Naive)
}

// client is one caller's tally: kept apart so that callers do not meet.
type client struct {
	latency []int32 // microseconds of each hold
	errors  int64
}

// drive lets so many clients hold as fast as they are answered.
func drive(ctx context.Context, h holder, s *supply, clients int, duration time.Duration) Result {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	var over atomic.Bool
	tallies := make([]client, clients)
	var all sync.WaitGroup
	begun := time.Now()
	for i := range tallies {
		all.Go(func() { tallies[i].run(ctx, h, s, &over) })
	}
	timer := time.AfterFunc(duration, func() { over.Store(true) })
	defer timer.Stop()
	all.Wait()
	return sum(tallies, time.Since(begun))
}

func (c *client) run(ctx context.Context, h holder, s *supply, over *atomic.Bool) {
	c.latency = make([]int32, 0, 1024)
	for !over.Load() && ctx.Err() == nil {
		event, seats, ok := s.take()
		if !ok {
			return
		}
		begun := time.Now()
		if err := h.hold(ctx, event, seats); err != nil {
			c.errors++
			continue
		}
		c.latency = append(c.latency, int32(time.Since(begun).Microseconds()))
	}
}

func sum(tallies []client, elapsed time.Duration) Result {
	all := hdrhistogram.New(1, 60_000_000, 2)
	var r Result
	for i := range tallies {
		for _, took := range tallies[i].latency {
			_ = all.RecordValue(int64(took))
		}
		r.Errors += tallies[i].errors
	}
	r.Holds, r.Seconds = all.TotalCount(), elapsed.Seconds()
	r.HoldsPerSecond = float64(r.Holds) / elapsed.Seconds()
	r.P50Ms = float64(all.ValueAtQuantile(50)) / 1000
	r.P99Ms = float64(all.ValueAtQuantile(99)) / 1000
	return r
}

// doubleSold counts what must never be: a seat in two live holds, or a live hold without its seats.
func doubleSold(ctx context.Context, d *db.DB, events []id.ID) (int, error) {
	ids := make([][16]byte, len(events))
	for i, e := range events {
		ids[i] = e
	}
	var twice, lost int
	err := d.Pool().QueryRow(ctx, `select count(*) from (
			select 1 from (select event_id, unnest(ordinals) as ordinal from hold where event_id = any($1::uuid[]) and state in (1, 2)) h
			group by event_id, ordinal having count(*) > 1) doubled`, ids).Scan(&twice)
	if err != nil {
		return 0, fmt.Errorf("holdbench: count double sales: %w", err)
	}
	err = d.Pool().QueryRow(ctx, `select count(*) from (select hold_id, event_id, unnest(ordinals) as ordinal from hold
			where event_id = any($1::uuid[]) and state in (1, 2)) h
			left join seat s on s.event_id = h.event_id and s.ordinal = h.ordinal and s.status = 1 and s.owner = h.hold_id
			where s.ordinal is null`, ids).Scan(&lost)
	if err != nil {
		return 0, fmt.Errorf("holdbench: count lost seats: %w", err)
	}
	return twice + lost, nil
}
