package gateway_test

import (
	"context"
	"slices"
	"sync"
	"testing"
	"time"

	"plateia/core/inventory"
	"plateia/core/seatmap"
	"plateia/realtime/client"
	"plateia/realtime/wire"
)

// TestDrainMovesViewersWithoutALoss: viewers of a gateway that stops go on at
// another, spread over time, and none misses a change.
func TestDrainMovesViewersWithoutALoss(t *testing.T) {
	s := newSite(t, 1000, 10)
	first, a := s.gateway()
	second, b := s.gateway()
	token, _ := s.admit()
	next[wire.Snapshot](t, s.dial(b, client.Options{Token: token, View: whole}))

	const viewers = 8
	var mu sync.Mutex
	var wg sync.WaitGroup
	maps, right := make([]client.Map, viewers), make([]bool, viewers)
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	for i := range maps {
		wg.Go(func() {
			c, err := client.Dial(ctx, a, client.Options{Event: s.db.event, Token: token, View: whole})
			if err != nil {
				t.Error(err)
				return
			}
			leave := untilBye(ctx, c, &maps[i])
			select {
			case <-leave:
			case <-ctx.Done():
			}
			c.Close()
			client.Watch(ctx, b, client.Options{Event: s.db.event, Token: token, View: whole}, &maps[i], func(wire.Frame, time.Time) {
				mu.Lock()
				defer mu.Unlock()
				right[i] = len(maps[i].Statuses) >= 20 && !slices.Contains(maps[i].Statuses[:20], inventory.Available)
			})
		})
	}
	eventually(t, "all connected", func() bool { return first.Stats().Hub.Viewers == viewers })
	first.Drain(t.Context(), time.Second)
	for i := range 20 {
		s.change(inventory.Sold, seatmap.Ordinal(i))
	}
	eventually(t, "all moved", func() bool { return second.Stats().Hub.Viewers == viewers+1 })
	eventually(t, "no viewer has missed a change", func() bool {
		mu.Lock()
		defer mu.Unlock()
		return !slices.Contains(right, false)
	})
	cancel()
	wg.Wait()
	if _, _, err := s.raw(a, s.db.event, nil); err == nil {
		t.Error("a draining gateway accepted a viewer")
	}
	if reads := s.db.readings(); reads > 2 {
		t.Errorf("the database was read %d times", reads)
	}
}

// untilBye keeps the map until the gateway asks to leave, and says when to.
func untilBye(ctx context.Context, c *client.Conn, m *client.Map) <-chan time.Time {
	for {
		f, err := c.Next(ctx)
		if err != nil {
			return time.After(0)
		}
		if bye, ok := f.(wire.Bye); ok {
			return time.After(bye.Spread / 2)
		}
		m.Apply(f)
	}
}
