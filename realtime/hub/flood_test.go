package hub_test

import (
	"context"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"plateia/core/id"
	"plateia/realtime/hub"
	"plateia/realtime/wire"
)

// slowSource takes a second for a snapshot and knows how many were asked for at once.
type slowSource struct {
	*world
	now, most atomic.Int64
}

func (s *slowSource) Snapshot(ctx context.Context, event id.ID) (hub.Snapshot, error) {
	s.most.Store(max(s.most.Load(), s.now.Add(1)))
	defer s.now.Add(-1)
	time.Sleep(time.Second)
	return s.world.Snapshot(ctx, event)
}

// Whoever asks for a hundred events that are none does not take the database away from sales, and who looks at one that
// there is gets its map in turn.
func TestUnknownEventsDoNotFloodTheDatabase(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := newWorld(10, 1)
		source := &slowSource{world: w}
		h := hub.New(w, source, hub.Options{})
		defer h.Stop()
		var strangers []*screen
		for range 100 {
			s := &screen{t: t}
			s.join(h, id.New(), id.ID{}, wire.View{Mode: wire.Whole})
			strangers = append(strangers, s)
		}
		fan := join(t, h, w, wire.View{Mode: wire.Whole})
		time.Sleep(time.Minute)
		synctest.Wait()
		if most := source.most.Load(); most > 4 {
			t.Errorf("%d reads at once", most)
		}
		for _, s := range strangers {
			if s.look(); s.bye == nil || s.bye.Code != wire.ByeUnknownEvent {
				t.Fatalf("an event that is none: %+v", s.bye)
			}
		}
		if fan.look(); fan.Position == nil {
			t.Error("no map")
		}
	})
}
