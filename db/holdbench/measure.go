package holdbench

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"math"
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

// preparer is a holder that prepares events whose sale will begin soon.
type preparer interface {
	prepare(ctx context.Context, event id.ID) error
}

// expectAtMost sizes the supply, in holds per second: more than two cores of today
// do. A machine that does more ends its measurement early.
var expectAtMost = map[string]int{Engine: 60_000, Naive: 15_000, HTTP: 13_000}

// supplyFor is how many holds a round may need.
func supplyFor(r round, duration time.Duration) int {
	if r.offered > 0 {
		return int(math.Ceil(1.1*r.offered*duration.Seconds())) + 100 // the arrivals are random
	}
	return int(float64(expectAtMost[r.mode]) * duration.Seconds())
}

func measure(ctx context.Context, d *db.DB, r round, opts Options) (Result, error) {
	if r.contention == Hot {
		return race(ctx, d, r, opts)
	}
	s, err := stock(ctx, d, min(opts.AtMost, supplyFor(r, opts.Duration)), 1)
	if err != nil {
		return Result{}, err
	}
	if r.engines > 1 {
		return spreadOverProcesses(ctx, d, s, r, opts)
	}
	h, err := newHolder(ctx, d, s, r, opts)
	if err != nil {
		return Result{}, err
	}
	if err := warm(ctx, h, s); err != nil {
		return Result{}, errors.Join(err, h.close(ctx))
	}
	result := opts.watch(r, func() tally { return drive(ctx, h, s, r, opts.Duration, 0) })
	result.Retries = h.retries()
	if err := h.close(ctx); err != nil {
		return result, err
	}
	result.DoubleSold, err = over(ctx, d, s.events)
	return result, err
}

// warm does what the product does shortly before a sale begins, and makes one hold that is not measured: charts are
// loaded and connections made by then.
func warm(ctx context.Context, h holder, s *supply) error {
	if p, can := h.(preparer); can {
		for _, event := range s.events {
			if err := p.prepare(ctx, event); err != nil {
				return fmt.Errorf("holdbench: prepare an event: %w", err)
			}
		}
	}
	event, seats, _ := s.take()
	if err := h.hold(ctx, event, seats); err != nil {
		return fmt.Errorf("holdbench: not even the first hold succeeds: %w", err)
	}
	return nil
}

// watch measures what run does, and what it costs this process and the server.
func (o Options) watch(r round, run func() tally) Result {
	o.Measuring(true)
	before := o.meter.read()
	t := run()
	used := o.meter.read().server - before.server
	o.Measuring(false)
	result := t.result(r)
	result.ServerMicros = each(used, t.answers())
	return result
}

func newHolder(ctx context.Context, d *db.DB, s *supply, r round, opts Options) (holder, error) {
	switch r.mode {
	case Engine:
		return newEngine(ctx, d, s, opts)
	case Naive:
		return newNaive(ctx, d, r.clients)
	case HTTP:
		return newOverHTTP(ctx, d, s, r, opts)
	}
	return nil, fmt.Errorf("holdbench: unknown mode %q", r.mode)
}

// seen is one caller's own account: callers do not meet, and a list costs less beside what is measured than a histogram.
type seen struct {
	held, lost []int32 // microseconds of each hold and refusal
	outside    int64   // holds made before or after what is counted
	errors     int64
	fault      string // the first error
}

func (s *seen) note(list *[]int32, since time.Time) { s.took(list, time.Since(since)) }

func (s *seen) took(list *[]int32, d time.Duration) {
	*list = append(*list, int32(min(d.Microseconds(), math.MaxInt32))) //nolint:gosec // bounded
}

func (s *seen) fail(err error) {
	s.errors++
	s.fault = cmp.Or(s.fault, err.Error())
}

// tally is what all callers have seen.
type tally struct {
	latency *hdrhistogram.Histogram // of holds, µs
	losers  *hdrhistogram.Histogram // of refusals, µs
	outside int64                   // holds that are not in latency
	errors  int64
	fault   string // the first error
	elapsed time.Duration
	cpu     time.Duration
}

func newTally() tally {
	return tally{latency: newHistogram(), losers: newHistogram()}
}

// newHistogram has room for a minute, in microseconds, with two digits.
func newHistogram() *hdrhistogram.Histogram { return hdrhistogram.New(1, 60_000_000, 2) }

func (t *tally) add(s seen) {
	for _, took := range s.held {
		_ = t.latency.RecordValue(int64(took))
	}
	for _, took := range s.lost {
		_ = t.losers.RecordValue(int64(took))
	}
	t.outside += s.outside
	t.errors += s.errors
	t.fault = cmp.Or(t.fault, s.fault)
}

func (t *tally) merge(other tally) {
	t.latency.Merge(other.latency)
	t.losers.Merge(other.losers)
	t.outside += other.outside
	t.errors += other.errors
	t.fault = cmp.Or(t.fault, other.fault)
	t.elapsed = max(t.elapsed, other.elapsed)
	t.cpu += other.cpu
}

// drive lets the round's clients hold, as fast as they are answered or at the pace offered. With a time to settle, they come
// one by one in its first half, and what is answered before it has passed, or after duration, is made and not counted.
func drive(ctx context.Context, h holder, s *supply, r round, duration, settle time.Duration) tally {
	var pace *pacer
	if r.offered > 0 {
		pace = newPacer(r.offered, duration)
	}
	var over atomic.Bool
	timer := time.AfterFunc(duration, func() { over.Store(true) })
	defer timer.Stop()
	own := context.WithoutCancel(ctx) // a channel that all callers select on is a lock that they share
	from := time.Now().Add(settle)
	to := from.Add(duration - settle)
	var came atomic.Int64
	sum := together(r.clients, func(mine *seen) {
		if pace == nil {
			time.Sleep(settle / 2 * time.Duration(came.Add(1)) / time.Duration(r.clients))
		}
		for ctx.Err() == nil {
			asked := time.Now()
			if pace != nil {
				var more bool
				if asked, more = pace.wait(); !more {
					return
				}
			} else if over.Load() {
				return
			}
			event, seats, ok := s.take()
			if !ok {
				return
			}
			if err := h.hold(own, event, seats); err != nil {
				mine.fail(err)
				continue
			}
			if done := time.Now(); settle > 0 && (done.Before(from) || done.After(to)) {
				mine.outside++
			} else {
				mine.took(&mine.held, done.Sub(asked))
			}
		}
	})
	if settle > 0 {
		sum.elapsed = max(min(sum.elapsed, duration)-settle, time.Millisecond)
	}
	return sum
}

// together runs so many callers at once and adds up what they have seen.
func together(callers int, call func(mine *seen)) tally {
	accounts := make([]seen, callers)
	for i := range accounts {
		accounts[i].held = make([]int32, 0, 1024)
	}
	var all sync.WaitGroup
	begun, before := time.Now(), meter{}.read()
	for i := range accounts {
		all.Go(func() { call(&accounts[i]) })
	}
	all.Wait()
	sum := newTally()
	sum.elapsed, sum.cpu = time.Since(begun), meter{}.read().client-before.client
	for _, account := range accounts {
		sum.add(account)
	}
	return sum
}

// answers are holds and refusals.
func (t tally) answers() int64 { return t.latency.TotalCount() + t.losers.TotalCount() + t.outside }

// rate is holds per second, of those counted.
func (t tally) rate() float64 { return float64(t.latency.TotalCount()) / t.elapsed.Seconds() }

func (t tally) result(r round) Result {
	out := Result{
		Mode: r.mode, Contention: r.contention, Clients: r.clients, Engines: r.engines, Offered: math.Round(r.offered),
		Holds: t.latency.TotalCount(), Errors: t.errors, FirstError: t.fault, Seconds: t.elapsed.Seconds(),
		P50Ms: milliseconds(t.latency, 50), P99Ms: milliseconds(t.latency, 99),
	}
	out.HoldsPerSecond = t.rate()
	out.ClientMicros = each(t.cpu, t.answers())
	if r.contention == Hot {
		out.Race = &Race{Refused: t.losers.TotalCount(), LoserP50Ms: milliseconds(t.losers, 50), LoserP99Ms: milliseconds(t.losers, 99)}
	}
	if r.mode != Engine {
		out.Engines = 0
	}
	if r.mode == HTTP {
		out.Connections = r.clients
	}
	return out
}

func milliseconds(h *hdrhistogram.Histogram, quantile float64) float64 {
	return float64(h.ValueAtQuantile(quantile)) / 1000
}

// over ends the sale of events that were measured and returns doubleSold of them. A site opened for a later round warms the map of
// every event on sale: thirty stadiums took half a core out of its first seven seconds.
func over(ctx context.Context, d *db.DB, events []id.ID) (int, error) {
	if _, err := d.Pool().Exec(ctx, "update event set state = 'closed', version = version + 1 where event_id = any($1::uuid[])", uuids(events)); err != nil {
		return 0, fmt.Errorf("holdbench: end a sale: %w", err)
	}
	return doubleSold(ctx, d, events)
}

// doubleSold counts what must never be: a seat in two live holds, or a live hold without its seats.
func doubleSold(ctx context.Context, d *db.DB, events []id.ID) (int, error) {
	ids := uuids(events)
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

func uuids(ids []id.ID) [][16]byte {
	out := make([][16]byte, len(ids))
	for i, v := range ids {
		out[i] = v
	}
	return out
}
