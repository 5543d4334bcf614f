package inventory

import (
	"context"
	"errors"
	"testing"
	"testing/synctest"
	"time"

	"plateia/core/event"
	"plateia/core/fault"
	"plateia/core/id"
	"plateia/core/order"
	"plateia/core/seatmap"
)

// spyStore counts the seats that batches load.
type spyStore struct {
	Store
	loaded, known int
	asked         int   // accounts
	read          int   // times that free seats were read
	fails         error // such a reading
	prepared      int
}

func (s *spyStore) Prepare(ctx context.Context, event id.ID) error {
	s.prepared++
	return s.Store.Prepare(ctx, event)
}

func (s *spyStore) FreeSeats(ctx context.Context, event id.ID, visit func(Seat)) error {
	s.read++
	if s.fails != nil {
		return s.fails
	}
	return s.Store.FreeSeats(ctx, event, visit)
}

func (s *spyStore) Commit(ctx context.Context, event id.ID, needs Needs, decide func(*Snapshot) *Changes) error {
	s.loaded, s.known = s.loaded+len(needs.Seats), s.known+len(needs.Known)
	s.asked += len(needs.Accounts)
	return s.Store.Commit(ctx, event, needs, decide)
}

// inRush runs an engine that has read its seats.
func inRush(t *testing.T, test func(*testing.T, *memStore, *Inventory, *spyStore)) {
	t.Helper()
	engineOn(t, 100, Options{NoFastRefusal: true}, func(t *testing.T, m *memStore, inv *Inventory) {
		spy := &spyStore{Store: m}
		inv.store = spy
		e, err := inv.engine(t.Context(), m.event.ID)
		if err != nil {
			t.Fatal(err)
		}
		if err := e.readFree(t.Context()); err != nil {
			t.Fatal(err)
		}
		test(t, m, inv, spy)
	})
}

func TestRememberedSeatsAreNotLoaded(t *testing.T) {
	inRush(t, func(t *testing.T, m *memStore, inv *Inventory, spy *spyStore) {
		out, err := inv.Do(t.Context(), m.event.ID, placeOf(id.New(), 3, 4))
		if err != nil || spy.loaded != 0 || spy.known != 2 {
			t.Fatalf("%v, %d loaded, %d known", err, spy.loaded, spy.known)
		}
		if order.Total(out.Hold.Lines(&event.Rules{})) != 1500 { // both categories: remembered, too
			t.Errorf("total %d", order.Total(out.Hold.Lines(&event.Rules{})))
		}
		if _, err := inv.Do(t.Context(), m.event.ID, placeOf(id.New(), 3)); fault.CodeOf(err) != fault.SeatTaken || spy.loaded != 1 {
			t.Errorf("a taken seat: %v, %d loaded: no refusal may rest on memory", err, spy.loaded)
		}
	})
}

// Another process sells a seat that is remembered as free: one conflict, then the truth, and nobody else is hurt.
func TestAnAgedMemoryCostsOneMoreTry(t *testing.T) {
	inRush(t, func(t *testing.T, m *memStore, inv *Inventory, spy *spyStore) {
		m.one(t, placeOf(id.New(), 7))
		tries := m.commit
		_, err := inv.Do(t.Context(), m.event.ID, placeOf(id.New(), 7, 8))
		if fault.CodeOf(err) != fault.SeatTaken || m.commit != tries+2 {
			t.Fatalf("%v after %d tries", err, m.commit-tries)
		}
		if _, err := inv.Do(t.Context(), m.event.ID, placeOf(id.New(), 8)); err != nil {
			t.Fatal(err)
		}
	})
}

func TestNewsFromElsewhereReplaceMemory(t *testing.T) {
	inRush(t, func(t *testing.T, m *memStore, inv *Inventory, spy *spyStore) {
		m.one(t, placeOf(id.New(), 7))
		inv.Apply(Delta{Event: m.event.ID, Changes: []Change{{Ordinal: 7, Status: Held, Version: 2}}})
		tries := m.commit
		_, err := inv.Do(t.Context(), m.event.ID, placeOf(id.New(), 7))
		if fault.CodeOf(err) != fault.SeatTaken || m.commit != tries+1 || spy.loaded != 1 {
			t.Fatalf("%v after %d tries, %d loaded", err, m.commit-tries, spy.loaded)
		}
	})
}

// What memory does not take: rows that are old news, not free, of a channel, or that do not fit.
func TestWhatIsNotRemembered(t *testing.T) {
	p := newProjection(4)
	p.memory = make(memory, 4)
	p.fold(0, Available, 5)
	for _, seat := range []Seat{
		{Ordinal: 0, Version: 4, Place: 1},                    // older than what is known
		{Ordinal: 1, Version: 1, Place: 1, Status: Held},      // taken
		{Ordinal: 1, Version: 2, Place: 1, Channel: 3},        // not everybody's
		{Ordinal: 2, Version: 1},                              // nowhere
		{Ordinal: 2, Version: 1, Place: mostPlaces + 1},       // too far
		{Ordinal: 2, Version: 1, Place: 1, Category: 1 << 20}, // too many
		{Ordinal: 3, Version: 1<<32 + 1, Place: 1},            // too often
		{Ordinal: seatmap.Ordinal(4), Version: 1, Place: 1},   // not of this event
	} {
		p.remember(seat)
		needs := Needs{Seats: []seatmap.Ordinal{seat.Ordinal}}
		if p.recall(&needs); len(needs.Known) != 0 || len(needs.Seats) != 1 {
			t.Errorf("%+v was remembered", seat)
		}
	}
}

func TestARushBeginsAndEnds(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		const rushCommands = 1000
		r := rush{enough: rushCommands, seats: 5000}
		if read, _ := r.count(rushCommands-1, 9000, time.Now()); read {
			t.Error("read before it was worth it")
		}
		if read, _ := r.count(1, 0, time.Now()); !read {
			t.Error("not read in a rush")
		}
		if read, _ := r.count(5*rushCommands, 999, time.Now()); read {
			t.Error("read twice")
		}
		time.Sleep(rushReread + time.Second)
		if read, drop := r.count(2*rushCommands, 0, time.Now()); read || drop {
			t.Errorf("read=%v drop=%v in a rush in which hardly a seat has come back", read, drop)
		}
		if read, drop := r.count(2*rushCommands, 1, time.Now()); !read || drop {
			t.Errorf("read=%v drop=%v in a long rush", read, drop)
		}
		if read, _ := r.count(2*rushCommands, 999, time.Now()); read {
			t.Error("read twice")
		}
		time.Sleep(rushReread + time.Second)
		r.count(1, 0, time.Now())
		time.Sleep(2 * rushWindow)
		if read, drop := r.count(1, 0, time.Now()); read || !drop {
			t.Errorf("read=%v drop=%v when it is over", read, drop)
		}
	})
}

// What was prepared is kept until the sale begins, read once however often it is asked for, and counts as read in the rush.
func TestAnExpectedRushFindsItsSeats(t *testing.T) {
	engineOn(t, 100, Options{NoFastRefusal: true, RushCommands: 1}, func(t *testing.T, m *memStore, inv *Inventory) {
		spy := &spyStore{Store: m}
		inv.store = spy
		e, err := inv.engine(t.Context(), m.event.ID)
		if err != nil {
			t.Fatal(err)
		}
		for range 3 {
			if err := inv.Prepare(t.Context(), m.event.ID); err != nil {
				t.Fatal(err)
			}
		}
		time.Sleep(2 * rushReread)
		if _, err := inv.Do(t.Context(), m.event.ID, placeOf(id.New(), 3, 4)); err != nil || spy.loaded != 0 || spy.known != 2 {
			t.Errorf("%v, %d loaded, %d known", err, spy.loaded, spy.known)
		}
		if spy.read != 1 || spy.prepared != 1 {
			t.Errorf("the free seats were read %d times, the store was prepared %d times", spy.read, spy.prepared)
		}
		time.Sleep(rushExpected)
		e.rush.enough = 1000
		e.memorise(&batch{began: time.Now()})
		if e.view.memory != nil {
			t.Error("kept although nobody came")
		}
	})
}

// A preparation that failed is tried again.
func TestPreparingAgainAfterAFailure(t *testing.T) {
	engineOn(t, 100, Options{}, func(t *testing.T, m *memStore, inv *Inventory) {
		spy := &spyStore{Store: m, fails: errors.New("down")}
		inv.store = spy
		if err := inv.Prepare(t.Context(), m.event.ID); !errors.Is(err, spy.fails) {
			t.Fatal(err)
		}
		spy.fails = nil
		if err := inv.Prepare(t.Context(), m.event.ID); err != nil || spy.read != 2 {
			t.Errorf("%v after %d readings", err, spy.read)
		}
		if err := inv.Prepare(t.Context(), id.New()); fault.CodeOf(err) != fault.NotFound {
			t.Errorf("no such event: %v", err)
		}
	})
}

// A database whose rows have no places is asked once, and no memory is kept for what it cannot tell.
func TestSeatsWithoutPlacesAreNotAskedForAgain(t *testing.T) {
	engineOn(t, 100, Options{NoFastRefusal: true, RushCommands: 1}, func(t *testing.T, m *memStore, inv *Inventory) {
		spy := &spyStore{Store: m, fails: errors.ErrUnsupported}
		inv.store = spy
		if err := inv.Prepare(t.Context(), m.event.ID); err != nil {
			t.Fatal(err)
		}
		for seat := range seatmap.Ordinal(5) {
			if _, err := inv.Do(t.Context(), m.event.ID, placeOf(id.New(), seat)); err != nil {
				t.Fatal(err)
			}
			time.Sleep(2 * rushReread)
			synctest.Wait()
		}
		e, err := inv.engine(t.Context(), m.event.ID)
		if err != nil || spy.read != 1 || e.view.memory != nil {
			t.Errorf("%v, asked %d times, memory of %d seats", err, spy.read, len(e.view.memory))
		}
	})
}
