package hub_test

import (
	"testing"
	"testing/synctest"
	"time"

	"plateia/core/inventory"
	"plateia/core/seatmap"
	"plateia/realtime/hub"
	"plateia/realtime/wire"
)

// Whatever made a map wrong, the database wins, and every viewer gets it in a new epoch.
func TestTheDatabaseWins(t *testing.T) {
	cases := map[string]struct {
		spoil      func(w *rewindable)
		mismatches int64
	}{
		"a change that was never published": {func(w *rewindable) { w.commit(inventory.Sold, 7) }, 1},
		"a change that never was":           {func(w *rewindable) { d := w.commit(inventory.Sold, 8); w.publish(d); w.undo(8) }, 1},
		"another status of the same version": {func(w *rewindable) {
			d := w.commit(inventory.Sold, 9, 10)
			d.Changes[0].Status, d.Changes[1].Status = inventory.Held, inventory.Blocked
			w.publish(d)
		}, 2},
		"another epoch of the event": {func(w *rewindable) { w.mu.Lock(); w.epoch++; w.mu.Unlock() }, 0},
	}
	for name, c := range cases {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				w, kept := &rewindable{world: newWorld(100, 4)}, newShelf()
				h := hub.New(w, w, hub.Options{Shelf: kept.side()})
				defer h.Stop()
				s := join(t, h, w.world, whole)
				time.Sleep(5 * time.Second)
				s.look()
				before := s.Position.Epoch
				c.spoil(w)
				rest(s, 3*time.Minute)
				converged(t, w.world, s)
				if s.Position.Epoch == before {
					t.Error("the epoch stayed: a viewer that comes from here would keep what is wrong")
				}
				if st := h.Stats(); st.Mismatches != c.mismatches || st.Repairs != 1 {
					t.Errorf("%d mismatches, %d repairs; want %d and 1", st.Mismatches, st.Repairs, c.mismatches)
				}
				other := hub.New(w, w, hub.Options{Shelf: kept.side()})
				defer other.Stop()
				two := join(t, other, w.world, whole)
				synctest.Wait()
				converged(t, w.world, two)
			})
		})
	}
}

// undo takes a seat back to the version before, as a restored backup would.
func (w *world) undo(o seatmap.Ordinal) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.statuses[o], w.versions[o] = inventory.Available, w.versions[o]-1
}

// A wrong snapshot on the shelf spoils the maps of those who begin with it only until they compare.
func TestAWrongSnapshotOnTheShelfIsFound(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w, kept := &rewindable{world: newWorld(100, 4)}, newShelf()
		side := kept.side()
		statuses := make([]inventory.Status, 100)
		statuses[5] = inventory.Sold
		side.Keep(t.Context(), wire.Stored{Event: w.event, Position: wire.Position{Epoch: wire.Epoch{Event: 1, Stream: 77}},
			Sections: w.sections, Statuses: statuses, Versions: append([]int64{}, w.versions...)})
		h := hub.New(w, w, hub.Options{Shelf: side})
		defer h.Stop()
		s := join(t, h, w.world, whole)
		synctest.Wait()
		s.look()
		if s.Statuses[5] != inventory.Sold {
			t.Fatal("the shelf was not asked")
		}
		rest(s, 20*time.Minute)
		converged(t, w.world, s)
		if v, _ := side.Take(t.Context(), w.event); v == nil || v.Statuses[5] != inventory.Available {
			t.Error("the shelf still has it")
		}
	})
}

// What is on its way is late, not wrong: a sale at full speed, messages seconds
// behind, and an outage of the log cost no viewer its map.
func TestLateIsNotWrong(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := &rewindable{world: newWorld(1000, 4)}
		h := hub.New(w, w, hub.Options{})
		defer h.Stop()
		s := join(t, h, w.world, whole)
		for i := range 1800 { // half an hour; each message comes 8 s after its commit
			d := w.commit(inventory.Status(i%3), seatmap.Ordinal(i%1000))
			time.AfterFunc(8*time.Second, func() { w.publish(d) })
			rest(s, time.Second)
		}
		compared := h.Stats().Compared
		w.mu.Lock()
		w.away = true
		w.mu.Unlock()
		d := w.commit(inventory.Held, 3)
		rest(s, 10*time.Minute)
		w.publish(d)
		w.mu.Lock()
		w.away = false
		w.mu.Unlock()
		rest(s, 10*time.Minute)
		converged(t, w.world, s)
		if st := h.Stats(); compared < 15 || st.Mismatches != 0 || st.Repairs != 0 {
			t.Errorf("compared %d times, %d mismatches, %d repairs", compared, st.Mismatches, st.Repairs)
		}
	})
}
