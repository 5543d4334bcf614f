package hub_test

import (
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"plateia/core/inventory"
	"plateia/core/seatmap"
	"plateia/realtime/hub"
	"plateia/realtime/wire"
)

// The time between frames is twice what a round takes to be written, from 100 to 500 ms: it widens with the next frame, and
// narrows again within a second.
func TestTickFollowsTheLoad(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := newWorld(1000, 10)
		var lag atomic.Int64
		h := hub.New(w, w, hub.Options{Lag: func() time.Duration { return time.Duration(lag.Load()) }})
		defer h.Stop()
		s := join(t, h, w, wire.View{Mode: wire.Whole})
		synctest.Wait()
		s.look()
		// pace lets seats change every 10 ms for a while and returns the longest time between two frames of its second half.
		pace := func(long time.Duration) (longest time.Duration) {
			began, last := time.Now(), time.Time{}
			for n := seatmap.Ordinal(0); time.Since(began) < long; n++ {
				w.publish(w.commit(inventory.Held, n%1000))
				time.Sleep(10 * time.Millisecond)
				synctest.Wait()
				if len(s.look()) == 0 {
					continue
				}
				if !last.IsZero() && time.Since(began) > long/2 {
					longest = max(longest, time.Since(last))
				}
				last = time.Now()
			}
			return longest
		}
		for _, c := range []struct{ lag, tick time.Duration }{
			{0, 100 * time.Millisecond}, {40 * time.Millisecond, 100 * time.Millisecond}, {120 * time.Millisecond, 240 * time.Millisecond},
			{3 * time.Second, 500 * time.Millisecond}, {0, 100 * time.Millisecond},
		} {
			lag.Store(int64(c.lag))
			if got := pace(3 * time.Second); got < c.tick || got > c.tick+10*time.Millisecond {
				t.Errorf("a round takes %v: %v between frames, want %v", c.lag, got, c.tick)
			}
			if st := h.Stats(); st.SlowestTickNow != c.tick {
				t.Errorf("a round takes %v: the tick is %v, want %v", c.lag, st.SlowestTickNow, c.tick)
			}
		}
	})
}

// Summaries make room for seats: their time is four times a round, from 1 to 2 s.
func TestSummariesWidenSooner(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := newWorld(1000, 10)
		var lag atomic.Int64
		h := hub.New(w, w, hub.Options{Lag: func() time.Duration { return time.Duration(lag.Load()) }})
		defer h.Stop()
		s := join(t, h, w, wire.View{Mode: wire.Overview})
		for n, c := range []struct{ lag, tick time.Duration }{
			{200 * time.Millisecond, time.Second}, {400 * time.Millisecond, 1600 * time.Millisecond}, {3 * time.Second, 2 * time.Second}, {0, time.Second},
		} {
			lag.Store(int64(c.lag))
			for m := range 80 {
				w.publish(w.commit(inventory.Held, seatmap.Ordinal(80*n+m)))
				time.Sleep(100 * time.Millisecond)
				synctest.Wait()
				s.look()
			}
			if st := h.Stats(); st.SlowestTickNow != c.tick {
				t.Errorf("a round takes %v: the tick is %v, want %v", c.lag, st.SlowestTickNow, c.tick)
			}
		}
	})
}
