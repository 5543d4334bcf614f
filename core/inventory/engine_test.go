package inventory

import (
	"context"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"plateia/core/event"
	"plateia/core/fault"
	"plateia/core/id"
	"plateia/core/pick"
	"plateia/core/seatmap"
)

// oneEvent is a catalog of the memStore's event in a hall of rows of ten.
type oneEvent struct {
	m     *memStore
	chart *seatmap.Chart
}

func (c oneEvent) Event(_ context.Context, ev id.ID) (event.Event, error) {
	if ev != c.m.event.ID {
		return event.Event{}, fault.New(fault.NotFound, "no such event")
	}
	return c.m.event, nil
}

func (c oneEvent) Chart(context.Context, id.ID, int) (*seatmap.Chart, error) { return c.chart, nil }

func testChart(t testing.TB, seats int) *seatmap.Chart {
	t.Helper()
	section := seatmap.SectionSpec{Label: "A"}
	for r := range (seats + 9) / 10 {
		row := seatmap.RowSpec{Label: string(rune('A'+r%26)) + strings.Repeat("'", r/26)}
		for n := range min(10, seats-10*r) {
			row.Seats = append(row.Seats, seatmap.SeatSpec{Number: string(rune('0' + n)), X: float32(n), Y: float32(r)})
		}
		section.Rows = append(section.Rows, row)
	}
	chart, err := seatmap.Build(seatmap.Spec{ID: id.New(), Version: 1, Name: "Hall", Sections: []seatmap.SectionSpec{section},
		Categories: []seatmap.Category{{Key: "a", Name: "A", Color: "#aa0000"}, {Key: "b", Name: "B", Color: "#0000aa"}}})
	if err != nil {
		t.Fatal(err)
	}
	return chart
}

// engineOn runs an engine on a memStore inside a synctest bubble.
func engineOn(t *testing.T, seats int, opts Options, test func(*testing.T, *memStore, *Inventory)) {
	t.Helper()
	chart := testChart(t, seats)
	synctest.Test(t, func(t *testing.T) {
		m := newMemStore(seats)
		inv := New(m, oneEvent{m, chart}, nil, opts)
		if err := inv.Start(t.Context()); err != nil {
			t.Fatal(err)
		}
		test(t, m, inv)
		if err := inv.Stop(t.Context()); err != nil {
			t.Fatal(err)
		}
		m.check(t)
	})
}

// slow holds each batch until it is let go.
type slow struct {
	Store
	begun chan int
	let   chan struct{}
}

func (s slow) Commit(ctx context.Context, ev id.ID, n Needs, decide func(*Snapshot) *Changes) error {
	s.begun <- len(n.Accounts)
	<-s.let
	return s.Store.Commit(ctx, ev, n, decide)
}

func TestBatchingQueueLimitAndDroppedCallers(t *testing.T) {
	engineOn(t, 100, Options{Committers: 1, QueueLength: 5}, func(t *testing.T, m *memStore, inv *Inventory) {
		gate := slow{m, make(chan int, 10), make(chan struct{})}
		inv.store = gate
		codes := make([]fault.Code, 8)
		ctx, leave := context.WithCancel(t.Context())
		defer leave()
		var all sync.WaitGroup
		for i := range codes {
			who := t.Context()
			if i == 2 {
				who = ctx
			}
			all.Go(func() {
				_, err := inv.Do(who, m.event.ID, placeOf(id.New(), seatmap.Ordinal(i)))
				codes[i] = fault.CodeOf(err)
			})
			synctest.Wait() // one after the other
		}
		leave()
		synctest.Wait()
		if n := <-gate.begun; n != 1 {
			t.Fatalf("the first batch has %d commands", n)
		}
		close(gate.let)
		if n := <-gate.begun; n != 4 {
			t.Fatalf("the second batch has %d commands, want what had queued without the one that left", n)
		}
		all.Wait()
		want := []fault.Code{"", "", fault.Busy, "", "", "", fault.Busy, fault.Busy}
		if !slices.Equal(codes, want) {
			t.Fatalf("%q, want %q", codes, want)
		}
	})
}

func TestTwoFlightsAreDisjoint(t *testing.T) {
	engineOn(t, 100, Options{}, func(t *testing.T, m *memStore, inv *Inventory) {
		gate := slow{m, make(chan int, 10), make(chan struct{})}
		inv.store = gate
		fan := id.New()
		var all sync.WaitGroup
		for _, c := range []Command{placeOf(id.New(), 1), placeOf(fan, 1), placeOf(fan, 2), placeOf(id.New(), 3)} {
			all.Go(func() { _, _ = inv.Do(t.Context(), m.event.ID, c) })
			synctest.Wait()
		}
		if len(gate.begun) != 2 { // seat 1, and seat 3: the fan waits for seat 1, and their second press for the first
			t.Fatalf("%d batches in flight", len(gate.begun))
		}
		close(gate.let)
		all.Wait()
		if got := m.buyers[fan]; got.Held != 1 || m.seats[2].Owner != got.Hold {
			t.Fatalf("the fan has %+v", got)
		}
	})
}

func TestStopAnswersEverybody(t *testing.T) {
	engineOn(t, 100, Options{Committers: 1}, func(t *testing.T, m *memStore, inv *Inventory) {
		gate := slow{m, make(chan int, 10), make(chan struct{})}
		inv.store = gate
		codes := make([]fault.Code, 4)
		var all sync.WaitGroup
		for i := range codes {
			all.Go(func() {
				_, err := inv.Do(t.Context(), m.event.ID, placeOf(id.New(), seatmap.Ordinal(i)))
				codes[i] = fault.CodeOf(err)
			})
			synctest.Wait()
		}
		stopped := make(chan error)
		go func() { stopped <- inv.Stop(t.Context()) }()
		synctest.Wait()
		close(gate.let)
		if err := <-stopped; err != nil {
			t.Fatal(err)
		}
		all.Wait()
		if want := []fault.Code{"", fault.Busy, fault.Busy, fault.Busy}; !slices.Equal(codes, want) {
			t.Fatalf("%q, want %q", codes, want)
		}
		if _, err := inv.Do(t.Context(), m.event.ID, placeOf(id.New(), 9)); fault.CodeOf(err) != fault.Busy {
			t.Fatalf("after Stop: %v", err)
		}
	})
}

func TestBestAvailableChoosesAgain(t *testing.T) {
	chart := testChart(t, 20)
	if _, found := pick.Best(chart, pick.FullBitmap(20), []int64{1, 1}, pick.Query{Quantity: 2}); !found {
		t.Skip("core/pick does not choose yet")
	}
	engineOn(t, 20, Options{}, func(t *testing.T, m *memStore, inv *Inventory) {
		best := func() Command { return PlaceHold{Hold: id.New(), Account: id.New(), Best: &pick.Query{Quantity: 2}} }
		if _, err := inv.Do(t.Context(), m.event.ID, best()); err != nil {
			t.Fatal(err)
		}
		for o := range seatmap.Ordinal(14) { // another process sells nearly everything; we do not hear of it
			if m.seats[o].Status == Available {
				m.one(t, placeOf(id.New(), o))
			}
		}
		for range 20 {
			_, err := inv.Do(t.Context(), m.event.ID, best())
			if err != nil && fault.CodeOf(err) != fault.NoSeats {
				t.Fatal(err)
			}
		}
		a, err := inv.Availability(t.Context(), m.event.ID)
		if err != nil || a.Free[0] > 1 {
			t.Fatalf("%d seats left over, %v", a.Free[0], err)
		}
	})
}

func TestIdleEnginesAreDropped(t *testing.T) {
	engineOn(t, 10, Options{}, func(t *testing.T, m *memStore, inv *Inventory) {
		if _, err := inv.Do(t.Context(), m.event.ID, placeOf(id.New(), 1)); err != nil {
			t.Fatal(err)
		}
		if engines(inv) != 1 {
			t.Fatal("no engine")
		}
		time.Sleep(15 * time.Minute)
		synctest.Wait()
		if engines(inv) != 0 {
			t.Fatal("an idle engine stays")
		}
		if _, err := inv.Do(t.Context(), m.event.ID, placeOf(id.New(), 2)); err != nil {
			t.Fatal(err)
		}
	})
}

func engines(inv *Inventory) int {
	inv.mu.Lock()
	defer inv.mu.Unlock()
	return len(inv.engines)
}

func TestPublishedAfterCommitOnly(t *testing.T) {
	m := newMemStore(10)
	var deltas collector
	inv := New(m, oneEvent{m, testChart(t, 10)}, &deltas, Options{})
	if err := inv.Start(t.Context()); err != nil {
		t.Fatal(err)
	}
	for range 3 {
		_, _ = inv.Do(t.Context(), m.event.ID, placeOf(id.New(), 1, 2))
	}
	if err := inv.Stop(t.Context()); err != nil {
		t.Fatal(err)
	}
	if len(deltas.got) != 1 || len(deltas.got[0].Changes) != 2 || !m.outbox[deltas.got[0].ID] {
		t.Fatalf("published %+v", deltas.got)
	}
}

type collector struct {
	mu  sync.Mutex
	got []Delta
}

func (c *collector) Publish(_ context.Context, d Delta, _ []byte) error {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.got = append(c.got, d)
	return nil
}

// slowCatalog never answers in time.
type slowCatalog struct{ oneEvent }

func (slowCatalog) Event(ctx context.Context, _ id.ID) (event.Event, error) {
	<-ctx.Done()
	return event.Event{}, ctx.Err()
}

func TestCallerWhoLeavesBeforeTheEventIsKnownChangedNothing(t *testing.T) {
	inv := New(newMemStore(1), slowCatalog{}, nil, Options{})
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := inv.Do(ctx, id.New(), Release{}); fault.CodeOf(err) != fault.Busy {
		t.Errorf("%v, want BUSY", err)
	}
}
