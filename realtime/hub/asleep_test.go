package hub_test

import (
	"slices"
	"testing"
	"testing/synctest"
	"time"

	"plateia/core/id"
	"plateia/core/inventory"
	"plateia/core/seatmap"
	"plateia/realtime/hub"
	"plateia/realtime/wire"
)

// TestAsleepForTenMinutes (case 24): a phone sleeps while two seats a second change hands, and other things happen to
// its gateway. It wakes up with the position it had, and soon shows what is true.
func TestAsleepForTenMinutes(t *testing.T) {
	cases := map[string]struct {
		connected bool // the connection outlives the sleep, unread
		meanwhile func(w *world, h **hub.Hub)
		resumes   bool // by a delta
	}{
		"its connection open":    {connected: true, meanwhile: func(*world, **hub.Hub) {}},
		"its connection lost":    {meanwhile: func(*world, **hub.Hub) {}, resumes: true},
		"the log begun anew":     {meanwhile: func(w *world, _ **hub.Hub) { w.lose() }},
		"a new epoch":            {meanwhile: newEpoch},
		"its gateway restarted":  {meanwhile: restarted},
		"open, and a new epoch":  {connected: true, meanwhile: newEpoch},
		"open, the log is a new": {connected: true, meanwhile: func(w *world, _ **hub.Hub) { w.lose() }},
	}
	for name, c := range cases {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				w := newWorld(1000, 10)
				h := hub.New(w, w, hub.Options{})
				awake := join(t, h, w, wire.View{Mode: wire.Whole})
				s := join(t, h, w, wire.View{Mode: wire.Whole})
				synctest.Wait()
				s.look()
				if !c.connected {
					s.viewer.Leave()
				}
				for i := range 1200 {
					if i == 700 {
						c.meanwhile(w, &h)
					}
					w.publish(w.commit(inventory.Status(i%3), seatmap.Ordinal(i%60)))
					time.Sleep(500 * time.Millisecond)
					awake.viewer.Take(nil)
				}
				synctest.Wait()
				s.wakeUp(t, h, w, c.connected, c.resumes)
				h.Stop()
			})
		})
	}
}

func newEpoch(w *world, h **hub.Hub) {
	w.mu.Lock()
	w.epoch++
	w.mu.Unlock()
	(*h).Reload(w.event)
}

func restarted(w *world, h **hub.Hub) {
	(*h).Stop()
	*h = hub.New(w, w, hub.Options{})
	(*h).Join(w.event, hub.Arrival{View: wire.View{Mode: wire.Whole}}, func() {})
}

// wakeUp hears what is left of the old connection, opens a new one and compares.
func (s *screen) wakeUp(t *testing.T, h *hub.Hub, w *world, connected, resumes bool) {
	t.Helper()
	if connected {
		if s.look(); s.bye == nil || s.bye.Code != wire.ByeResync {
			t.Errorf("a viewer that did not read for ten minutes: %+v", s.bye)
		}
		s.Reset()
		s.viewer.Leave()
	}
	s.join(h, w.event, id.ID{}, wire.View{Mode: wire.Whole})
	synctest.Wait()
	got := s.look()
	if _, delta := frameOf[wire.Delta](got); delta != resumes {
		t.Errorf("it got %s", kinds(got))
	}
	if !slices.Equal(s.Statuses, w.statuses) {
		t.Errorf("the map says %v, the database %v", s.Statuses[:60], w.statuses[:60])
	}
	s.viewer.Leave()
}
