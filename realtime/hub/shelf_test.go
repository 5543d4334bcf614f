package hub_test

import (
	"context"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"plateia/core/id"
	"plateia/core/inventory"
	"plateia/core/seatmap"
	"plateia/realtime/hub"
	"plateia/realtime/wire"
)

// rewindable is a world whose log can be continued from an earlier position.
type rewindable struct {
	*world
	away bool
}

func (r *rewindable) Flows() bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	return !r.away
}

func (r *rewindable) FollowFrom(ctx context.Context, event id.ID, start func(uint64, uint64) (uint64, error), each func(uint64, inventory.Delta)) error {
	from := uint64(0)
	return r.Follow(ctx, event, func(life, base uint64) (err error) {
		from, err = start(life, base)
		r.mu.Lock()
		earlier := r.log[min(int(from), len(r.log)):min(int(base), len(r.log))]
		r.mu.Unlock()
		for i, d := range earlier {
			each(from+uint64(i)+1, d)
		}
		return err
	}, each)
}

// shelf behaves like the bucket: one value an event, written by whoever wrote it last.
type shelf struct {
	mu     sync.Mutex
	values map[id.ID]wire.Stored
	writer map[id.ID]*shelfSide
}

type shelfSide struct {
	*shelf
	kept, refused int
}

func newShelf() *shelf {
	return &shelf{values: map[id.ID]wire.Stored{}, writer: map[id.ID]*shelfSide{}}
}

func (s *shelf) side() *shelfSide { return &shelfSide{shelf: s} }

func (s *shelfSide) Take(_ context.Context, event id.ID) (*wire.Stored, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	v, ok := s.values[event]
	if !ok {
		return nil, nil
	}
	again, err := wire.DecodeStored(wire.EncodeStored(v))
	return &again, err
}

func (s *shelfSide) Keep(_ context.Context, v wire.Stored) (bool, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if w := s.writer[v.Event]; w != nil && w != s {
		s.refused++
		return false, nil
	}
	s.kept++
	s.values[v.Event], s.writer[v.Event] = v, s
	return true, nil
}

func (s *shelfSide) Drop(_ context.Context, event id.ID) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	delete(s.values, event)
	delete(s.writer, event)
	return nil
}

var whole = wire.View{Mode: wire.Whole}

// rest lets time pass for somebody who reads what comes.
func rest(s *screen, d time.Duration) {
	for ; d > 0; d -= 5 * time.Second {
		time.Sleep(min(d, 5*time.Second))
		synctest.Wait()
		s.look()
	}
}

// converged compares a screen with the database, a tick later.
func converged(t *testing.T, w *world, s *screen) {
	t.Helper()
	rest(s, time.Second)
	w.mu.Lock()
	defer w.mu.Unlock()
	for o, status := range w.statuses {
		if s.Statuses[o] != status {
			t.Fatalf("seat %d is shown as %d, is %d", o, s.Statuses[o], status)
		}
	}
}

func TestAGatewayThatStartsAsksTheShelfAndNotTheDatabase(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w, kept := &rewindable{world: newWorld(1000, 10)}, newShelf()
		first := kept.side()
		a := hub.New(w, w, hub.Options{Shelf: first, CompareEvery: -1})
		defer a.Stop()
		one := join(t, a, w.world, whole)
		synctest.Wait()
		for i := range 50 { // five seconds of sale
			w.publish(w.commit(inventory.Held, seatmap.Ordinal(i)))
			rest(one, 100*time.Millisecond)
		}
		synctest.Wait()
		if n := first.kept; n < 3 || n > 7 {
			t.Errorf("written %d times in five seconds, want about once a second", n)
		}
		w.publish(w.commit(inventory.Held, 100)) // too new to be on the shelf
		time.Sleep(200 * time.Millisecond)
		synctest.Wait()
		one.look()

		// Another gateway, the database away: newcomers are served, and whoever comes from the first goes on where they were.
		w.down = context.DeadlineExceeded
		second := kept.side()
		b := hub.New(w, w, hub.Options{Shelf: second, CompareEvery: -1})
		defer b.Stop()
		two := join(t, b, w.world, whole)
		synctest.Wait()
		converged(t, w.world, two)
		one.viewer.Leave()
		one.join(b, w.event, id.ID{}, whole)
		synctest.Wait()
		if got := kinds(one.look()); got != "Delta " {
			t.Errorf("a viewer of the other gateway got %s", got)
		}
		converged(t, w.world, one)
		if s := b.Stats(); s.Taken != 1 || s.Loads != 0 || w.snapshots != 1 {
			t.Errorf("%d from the shelf, %d from the database, which was read %d times", s.Taken, s.Loads, w.snapshots)
		}
		for range 40 {
			w.publish(w.commit(inventory.Sold, 3))
			rest(one, time.Second)
			two.look()
		}
		if second.kept > 0 || second.refused > 5 {
			t.Errorf("beside a gateway that writes, another wrote %d times and tried %d times", second.kept, second.refused)
		}
	})
}

// A snapshot from the shelf is older than what people see: they get none before it has caught up.
func TestAnOldSnapshotTurnsNoMapBack(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w, kept := &rewindable{world: newWorld(100, 1)}, newShelf()
		a := hub.New(w, w, hub.Options{Shelf: kept.side(), CompareEvery: -1})
		join(t, a, w.world, whole)
		time.Sleep(2 * time.Second)
		a.Stop()
		for i := range 20 {
			w.publish(w.commit(inventory.Sold, seatmap.Ordinal(i)))
		}
		b := hub.New(w, w, hub.Options{Shelf: kept.side(), CompareEvery: -1})
		defer b.Stop()
		s := join(t, b, w.world, whole)
		synctest.Wait()
		if got := s.look(); kinds(got) != "Snapshot " || s.Statuses[19] != inventory.Sold {
			t.Fatalf("got %s, and seat 19 is shown as %d", kinds(got), s.Statuses[19])
		}
		converged(t, w.world, s)
		if b.Stats().Taken != 1 {
			t.Error("not from the shelf")
		}
	})
}
