package inventory

import (
	"context"
	"sync"
	"sync/atomic"
	"testing"

	"plateia/core/event"
	"plateia/core/id"
	"plateia/core/seatmap"
)

// quickStore commits at once and keeps nothing: what is measured on it is the engine.
type quickStore struct {
	*memStore
	seats int
}

func (q *quickStore) Commit(_ context.Context, _ id.ID, needs Needs, decide func(*Snapshot) *Changes) error {
	s := NewSnapshot(needs)
	s.Now, s.Event = q.now, q.event
	for _, o := range needs.Seats {
		s.AddSeat(Seat{Ordinal: o, Version: 1})
	}
	decide(s)
	return nil
}

func (q *quickStore) Prepare(context.Context, id.ID) error { return nil }

func (q *quickStore) FreeSeats(_ context.Context, _ id.ID, visit func(Seat)) error {
	for o := range q.seats {
		visit(Seat{Ordinal: seatmap.Ordinal(o), Version: 1, Place: Place(o + 1)})
	}
	return nil
}

// BenchmarkRush is a hold of two seats by one of a thousand callers, without what the database takes.
func BenchmarkRush(b *testing.B) {
	chart, err := seatmap.Build(seatmap.Stadium())
	if err != nil {
		b.Fatal(err)
	}
	q := &quickStore{memStore: newMemStore(0), seats: chart.Seats()}
	q.event.Rules.OrphanMode = event.OrphanOff
	inv := New(q, oneEvent{q.memStore, chart}, nil, Options{NoFastRefusal: true, Encode: func(Delta) []byte { return nil }})
	defer func() { _ = inv.Stop(context.Background()) }()
	if err := inv.Prepare(b.Context(), q.event.ID); err != nil {
		b.Fatal(err)
	}
	var next atomic.Int64
	var all sync.WaitGroup
	b.ReportAllocs()
	b.ResetTimer()
	for range 1000 {
		all.Go(func() {
			for n := next.Add(1); n <= int64(b.N); n = next.Add(1) {
				first := seatmap.Ordinal(2 * n % int64(q.seats-1))
				hold := id.NewIn(q.event.ID)
				_, _ = inv.Do(context.Background(), q.event.ID, PlaceHold{
					Hold: hold, Account: id.New(), Seats: []seatmap.Ordinal{first, first + 1}, Idempotency: Idempotency{Key: hold.String(), Fresh: true},
				})
			}
		})
	}
	all.Wait()
}
