package hub_test

import (
	"context"
	"errors"
	"slices"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"plateia/core/id"
	"plateia/core/inventory"
	"plateia/realtime/hub"
	"plateia/realtime/wire"
)

// detoured is a gateway whose log can be held, and a viewer of the whole chart.
func detoured(t *testing.T) (*world, *tap, *hub.Hub, *screen) {
	w := newWorld(1000, 10)
	log := newTap(w)
	h := hub.New(log, w, hub.Options{Journal: w, CompareEvery: time.Minute})
	s := join(t, h, w, wire.View{Mode: wire.Whole})
	settle(0)
	s.look()
	return w, log, h, s
}

func settle(d time.Duration) {
	time.Sleep(d)
	synctest.Wait()
}

// The message servers are away, or electing: the map follows the database, by deltas, and goes on by the log when that
// flows again, in the same epoch and with the positions that it would have had.
func TestMapsFollowTheDatabaseWhileTheLogStands(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w, log, h, s := detoured(t)
		defer h.Stop()
		w.publish(w.commit(inventory.Held, 3))
		settle(5 * time.Second)
		s.look()
		if st := h.Stats(); st.Journal != 0 {
			t.Fatalf("%d readings of the journal while the log flows", st.Journal)
		}
		before := *s.Position

		log.hold(true)
		late := []inventory.Delta{w.commit(inventory.Held, 4, 5), w.commit(inventory.Sold, 5)}
		settle(1100 * time.Millisecond)
		if got := s.look(); kinds(got) != "Delta " {
			t.Fatalf("while the log stands: %s", kinds(got))
		}
		if s.Statuses[4] != inventory.Held || s.Statuses[5] != inventory.Sold {
			t.Errorf("seats 4 and 5 are shown as %v", s.Statuses[4:6])
		}
		settle(4 * time.Second)
		if got := s.look(); len(got) > 0 {
			t.Errorf("nothing happened, and the viewer got %s", kinds(got))
		}
		late = append(late, w.commit(inventory.Available, 4))
		settle(1100 * time.Millisecond)
		s.look()
		if s.Statuses[4] != inventory.Available || s.Position.Epoch != before.Epoch {
			t.Errorf("seat 4 is shown as %d in epoch %v", s.Statuses[4], s.Position.Epoch)
		}

		log.hold(false)
		for _, d := range late {
			w.publish(d)
		}
		settle(20 * time.Second)
		if got := s.look(); kinds(got) == "" || slices.ContainsFunc(got, func(f wire.Frame) bool { _, delta := f.(wire.Delta); return !delta }) {
			t.Errorf("when the log flows again: %s", kinds(got))
		}
		if !slices.Equal(s.Statuses, w.statuses) {
			t.Error("the map is not the database")
		}
		if each := before.Offset; s.Position.Offset != 4*each { // one message, now four
			t.Errorf("position %d after four messages, %d after one", s.Position.Offset, each)
		}
		asked := h.Stats().Journal
		settle(time.Minute)
		if st := h.Stats(); st.Journal != asked || st.Mismatches != 0 || st.Early != 4 {
			t.Errorf("%+v, after %d readings", st, asked)
		}
	})
}

// Who resumes at another gateway is told what only that one has heard early, although both are as many steps further.
func TestResumeAcrossADetour(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w, log, h, s := detoured(t)
		defer h.Stop()
		settle(500 * time.Millisecond)
		other := newTap(w)
		h2 := hub.New(other, w, hub.Options{Journal: w})
		defer h2.Stop()
		join(t, h2, w, wire.View{Mode: wire.Whole})
		for _, tap := range []*tap{log, other} {
			tap.hold(true)
		}
		settle(400 * time.Millisecond)
		w.commit(inventory.Held, 6)
		settle(200 * time.Millisecond) // one has heard of it
		s.look()
		w.commit(inventory.Held, 7)
		settle(450 * time.Millisecond) // the other of both
		s.viewer.Leave()
		s.join(h2, w.event, id.ID{}, wire.View{Mode: wire.Whole})
		synctest.Wait()
		if s.look(); s.bye != nil || !slices.Equal(s.Statuses, w.statuses) {
			t.Errorf("seats 6 and 7 are shown as %v", s.Statuses[6:8])
		}
	})
}

// absent is a log that cannot be followed at times.
type absent struct {
	*tap
	away atomic.Bool
}

func (a *absent) Flows() bool { return !a.away.Load() }

func (a *absent) FollowFrom(ctx context.Context, event id.ID, start func(uint64, uint64) (uint64, error), each func(uint64, inventory.Delta)) error {
	if a.away.Load() {
		return errors.New("away")
	}
	return a.tap.FollowFrom(ctx, event, start, each)
}

// A gateway that starts while the message servers are away shows the database's map, and what changes on it.
func TestAMapWithoutALog(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := newWorld(1000, 10)
		log := &absent{tap: newTap(w)}
		log.away.Store(true)
		h := hub.New(log, w, hub.Options{Journal: w, Shelf: newShelf().side()})
		defer h.Stop()
		w.commit(inventory.Sold, 1)
		s := join(t, h, w, wire.View{Mode: wire.Whole})
		settle(time.Second)
		s.look()
		if s.bye != nil || s.Position == nil || s.Statuses[1] != inventory.Sold {
			t.Fatalf("a newcomer got %s, bye %v", kinds(s.frames), s.bye)
		}
		lone := s.Position.Epoch
		late := w.commit(inventory.Held, 2)
		settle(1100 * time.Millisecond)
		if s.look(); s.Statuses[2] != inventory.Held {
			t.Error("what changed is not shown")
		}
		settle(5 * time.Second)
		if st := h.Stats(); st.Kept != 0 || st.Loads != 1 {
			t.Errorf("nobody can go on from it: %+v", st)
		}
		log.away.Store(false)
		settle(10 * time.Second)
		w.publish(late)
		w.publish(w.commit(inventory.Held, 3))
		settle(time.Second)
		if s.look(); !slices.Equal(s.Statuses, w.statuses) || s.Position.Epoch == lone {
			t.Errorf("with a log again: %s, epoch %v", kinds(s.frames), s.Position.Epoch)
		}
	})
}
