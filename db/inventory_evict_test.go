package db_test

import (
	"context"
	"math/rand/v2"
	"sync"
	"testing"
	"time"

	"plateia/core/event"
	"plateia/core/fault"
	"plateia/core/id"
	"plateia/core/inventory"
	"plateia/core/seatmap"
	"plateia/db"
	"plateia/db/dbtest"
)

// Engines come and go while commands run, and nothing is lost: every answer is true in
// the database, every map is right, and no more engines stay than were asked for.
func TestEvictionLosesNothing(t *testing.T) {
	d := dbtest.New(t)
	catalog := db.NewCatalog(d)
	var events []event.Event
	for range 12 {
		events = append(events, onSale(t, catalog, 2, 20))
	}
	store, err := db.OpenInventory(t.Context(), d, 4)
	if err != nil {
		t.Fatal(err)
	}
	defer store.Close()
	inv := inventory.New(store, catalog, nil, inventory.Options{WarmEvents: 3, Patience: time.Minute})
	if err := inv.Start(t.Context()); err != nil {
		t.Fatal(err)
	}
	var mu sync.Mutex
	held := map[id.ID]map[seatmap.Ordinal]bool{}
	for _, e := range events {
		held[e.ID] = map[seatmap.Ordinal]bool{}
	}
	var fans sync.WaitGroup
	for f := range 8 {
		fans.Go(func() {
			rng := rand.New(rand.NewPCG(7, uint64(f)))
			for range 15 {
				e := events[rng.IntN(len(events))]
				seats := holdSome(t, inv, e.ID, rng)
				if _, err := inv.Availability(context.Background(), events[rng.IntN(len(events))].ID); err != nil {
					t.Error(err)
				}
				mu.Lock()
				for _, o := range seats {
					if held[e.ID][o] {
						t.Errorf("seat %d was given twice", o)
					}
					held[e.ID][o] = true
				}
				mu.Unlock()
			}
		})
	}
	fans.Wait()
	for _, e := range events {
		now, err := inv.Availability(t.Context(), e.ID)
		if err != nil {
			t.Fatal(err)
		}
		if now.Free[0] != 40-len(held[e.ID]) {
			t.Errorf("%d seats are free, %d of 40 were given away", now.Free[0], len(held[e.ID]))
		}
		if counts, warm := inv.Counts(e.ID); !warm || counts[inventory.Available] != int64(now.Free[0]) || counts[inventory.Held] != int64(len(held[e.ID])) {
			t.Errorf("counted %v, %v; %d are held", counts, warm, len(held[e.ID]))
		}
	}
	if warm, seats := inv.Warm(); warm > 3 || seats != 40*warm {
		t.Errorf("%d events with %d seats are warm", warm, seats)
	}
	if err := inv.Stop(t.Context()); err != nil {
		t.Fatal(err)
	}
}

// holdSome asks for two seats of an event; half of the time it gives them back.
func holdSome(t *testing.T, inv *inventory.Inventory, event id.ID, rng *rand.Rand) []seatmap.Ordinal {
	t.Helper()
	first := seatmap.Ordinal(rng.IntN(39))
	fan := id.New()
	out, err := inv.Do(context.Background(), event, place(fan, first, first+1))
	if code := fault.CodeOf(err); err != nil && code != fault.SeatTaken {
		t.Errorf("hold: %v", err)
	}
	if err != nil {
		return nil
	}
	if rng.IntN(2) == 0 {
		return []seatmap.Ordinal{first, first + 1}
	}
	time.Sleep(time.Duration(rng.IntN(5)) * time.Millisecond) // so that the engine may go meanwhile
	if _, err := inv.Do(context.Background(), event, inventory.Release{Hold: out.Hold.ID, Account: fan}); err != nil {
		t.Errorf("release: %v", err)
	}
	return nil
}
