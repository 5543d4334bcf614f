package inventory

import (
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"plateia/core/id"
	"plateia/core/load"
	"plateia/core/seatmap"
)

func TestThePulse(t *testing.T) {
	var p pulse
	now := time.Unix(1000, 0)
	many := func(n int, took time.Duration) {
		for range n {
			p.note(now, took)
		}
	}
	check := func(what string, want time.Duration) {
		t.Helper()
		if got := p.p99(now); got != want {
			t.Errorf("%s: %v, want %v", what, got, want)
		}
	}
	many(19, time.Second)
	check("too few", 0)
	many(1, time.Second)
	check("all the same", time.Second)
	many(1980, 25*time.Millisecond)
	check("one in a hundred is slow", 20*time.Millisecond)
	many(1, time.Hour)
	check("one more", time.Second)
	now = now.Add(3 * time.Second)
	many(100, 300*time.Millisecond)
	check("most are slow", 300*time.Millisecond)
	now = now.Add(2 * time.Second)
	check("the first second is forgotten", 300*time.Millisecond)
	now = now.Add(3 * time.Second)
	check("all are", 0)
}

// Holds that the store keeps waiting show in their event's load, and so does who waits in the queue.
func TestLoadOfAnEngine(t *testing.T) {
	engineOn(t, 100, Options{Committers: 1, QueueLength: 40}, func(t *testing.T, m *memStore, inv *Inventory) {
		gate := slow{m, make(chan int, 10), make(chan struct{})}
		inv.store = gate
		var all sync.WaitGroup
		for i := range 25 {
			all.Go(func() { _, _ = inv.Do(t.Context(), m.event.ID, placeOf(id.New(), seatmap.Ordinal(i))) })
			synctest.Wait()
		}
		time.Sleep(400 * time.Millisecond)
		if got := inv.Load(); len(got) != 1 || got[0] != (load.Event{Event: m.event.ID, Queue: 24.0 / 40}) {
			t.Fatalf("while they wait: %+v", got)
		}
		close(gate.let)
		all.Wait()
		if got := inv.Load(); len(got) != 1 || got[0].HoldP99 < 400*time.Millisecond || got[0].Queue != 0 {
			t.Fatalf("when they have been answered: %+v", got)
		}
		time.Sleep(pulseSeconds * time.Second)
		if got := inv.Load(); len(got) != 0 {
			t.Fatalf("later: %+v", got)
		}
	})
}
