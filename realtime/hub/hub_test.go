package hub_test

import (
	"testing"
	"testing/synctest"
	"time"

	"go.uber.org/goleak"

	"plateia/core/fault"
	"plateia/core/id"
	"plateia/core/inventory"
	"plateia/core/seatmap"
	"plateia/realtime/hub"
	"plateia/realtime/wire"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

func TestFirstChangeGoesAtOnceThenTicks(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := newWorld(1000, 10)
		h := hub.New(w, w, hub.Options{})
		defer h.Stop()
		s := join(t, h, w, wire.View{Mode: wire.Whole})
		synctest.Wait()
		if got := kinds(s.look()); got != "Snapshot " {
			t.Fatalf("a newcomer got %s", got)
		}
		time.Sleep(5 * time.Second)
		w.publish(w.commit(inventory.Held, 3, 4))
		synctest.Wait()
		if got := s.look(); kinds(got) != "Delta " || len(got[0].(wire.Delta).Changes) != 2 {
			t.Fatalf("the first change after quiet: %+v", got)
		}
		began := time.Now()
		w.publish(w.commit(inventory.Held, 5))
		time.Sleep(10 * time.Millisecond)
		w.publish(w.commit(inventory.Sold, 3))
		synctest.Wait()
		if got := s.look(); len(got) != 0 {
			t.Fatalf("within the tick: %+v", got)
		}
		time.Sleep(100 * time.Millisecond)
		synctest.Wait()
		got := s.look()
		if kinds(got) != "Delta " || len(got[0].(wire.Delta).Changes) != 2 {
			t.Fatalf("after the tick: %+v", got)
		}
		if at := got[0].(wire.Delta).At; !at.Equal(began.Truncate(time.Millisecond)) {
			t.Errorf("commit time %v, want the oldest, %v", at, began)
		}
	})
}

func TestSignsOfLife(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := newWorld(100, 2)
		h := hub.New(w, w, hub.Options{})
		defer h.Stop()
		whole, overview := join(t, h, w, wire.View{Mode: wire.Whole}), join(t, h, w, wire.View{})
		time.Sleep(101 * time.Second)
		synctest.Wait()
		if got := kinds(whole.look()); got != "Snapshot Delta Delta Delta Delta " {
			t.Errorf("in 101 quiet seconds: %s", got)
		}
		if got := kinds(overview.look()); got != "Summary Summary Summary Summary Summary " {
			t.Errorf("in 101 quiet seconds: %s", got)
		}
	})
}

// frameOf is the first frame of a kind.
func frameOf[T any](frames []wire.Frame) (T, bool) {
	for _, f := range frames {
		if is, ok := f.(T); ok {
			return is, true
		}
	}
	var none T
	return none, false
}

func TestViewsShowTheirSeatsOnly(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := newWorld(100, 10)
		h := hub.New(w, w, hub.Options{})
		defer h.Stop()
		s := join(t, h, w, wire.View{Mode: wire.Sections, Sections: []int{1, 3}})
		twin := join(t, h, w, wire.View{Mode: wire.Sections, Sections: []int{1, 3}})
		synctest.Wait()
		first := s.look()
		if snapshot, ok := frameOf[wire.Snapshot](first); !ok || len(first) != 2 || len(snapshot.Statuses) != 20 {
			t.Fatalf("two sections of ten: %+v", first)
		}
		w.publish(w.commit(inventory.Held, 15, 25, 35))
		time.Sleep(3 * time.Second)
		synctest.Wait()
		got := s.look() // which of the two ticks comes first at one instant is nobody's business
		delta, changed := frameOf[wire.Delta](got)
		summary, counted := frameOf[wire.Summary](got)
		if len(got) != 2 || !changed || !counted || len(delta.Changes) != 2 || summary.Free[2] != 9 {
			t.Errorf("got %+v", got)
		}
		w.publish(w.commit(inventory.Held, 55))
		time.Sleep(3 * time.Second)
		synctest.Wait()
		if got := kinds(s.look()); got != "Summary " {
			t.Errorf("a change elsewhere: %s", got)
		}
		s.viewer.SetView(wire.View{Mode: wire.Whole})
		synctest.Wait()
		if got := s.look(); kinds(got) != "Snapshot " || len(got[0].(wire.Snapshot).Statuses) != 100 {
			t.Errorf("a wider view: %s", kinds(got))
		}
		twin.look()
		if st := h.Stats(); st.Groups != 3 || st.Snapshots != 2 {
			t.Errorf("two viewers of one view: %+v", st)
		}
	})
}

func TestSlowViewerStartsOverAndOthersDoNotNotice(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := newWorld(100, 1)
		h := hub.New(w, w, hub.Options{QueueFrames: 4})
		defer h.Stop()
		slow, quick := join(t, h, w, wire.View{Mode: wire.Whole}), join(t, h, w, wire.View{Mode: wire.Whole})
		synctest.Wait()
		for i := range 20 {
			w.publish(w.commit(inventory.Held, seatmap.Ordinal(i)))
			time.Sleep(time.Second)
			synctest.Wait()
			quick.look()
		}
		slow.look()
		if slow.bye == nil || slow.bye.Code != wire.ByeResync || len(slow.frames) != 0 {
			t.Errorf("a viewer 20 frames behind: %+v with %d frames", slow.bye, len(slow.frames))
		}
		if quick.bye != nil || quick.Statuses[19] != inventory.Held {
			t.Errorf("the other viewer: %+v", quick.bye)
		}
		if h.Stats().Slow != 1 {
			t.Errorf("%+v", h.Stats())
		}
	})
}

func TestResumeByPosition(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := newWorld(1000, 10)
		first := hub.New(w, w, hub.Options{})
		s := join(t, first, w, wire.View{Mode: wire.Whole})
		keeper := hub.New(w, w, hub.Options{})
		defer keeper.Stop()
		join(t, keeper, w, wire.View{Mode: wire.Whole})
		w.publish(w.commit(inventory.Held, 1))
		synctest.Wait()
		s.look()
		s.viewer.Leave()
		first.Stop()
		w.publish(w.commit(inventory.Held, 2))
		synctest.Wait()

		s.join(keeper, w.event, id.ID{}, wire.View{Mode: wire.Whole})
		if got := s.look(); kinds(got) != "Delta " || len(got[0].(wire.Delta).Changes) != 1 {
			t.Errorf("resumed at another gateway with %+v", got)
		}
		s.viewer.Leave()

		fresh := hub.New(w, w, hub.Options{})
		defer fresh.Stop()
		w.publish(w.commit(inventory.Held, 3))
		s.join(fresh, w.event, id.ID{}, wire.View{Mode: wire.Whole})
		synctest.Wait()
		if got := kinds(s.look()); got != "Snapshot " {
			t.Errorf("a gateway that began after the viewer's position gave %s", got)
		}
		s.viewer.Leave()
		w.lose()
		time.Sleep(time.Second)
		s.join(keeper, w.event, id.ID{}, wire.View{Mode: wire.Whole})
		synctest.Wait()
		if got := kinds(s.look()); got != "Snapshot " {
			t.Errorf("after the log was lost: %s", got)
		}
	})
}

// TestResumeSeesWhatTheOtherFoldKnewAlready: the change was in this gateway's first
// snapshot, its message came later, and a viewer of another gateway has not seen it.
func TestResumeSeesWhatTheOtherFoldKnewAlready(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := newWorld(10, 1)
		h := hub.New(w, w, hub.Options{})
		defer h.Stop()
		late := w.commit(inventory.Held, 7)
		join(t, h, w, wire.View{Mode: wire.Whole})
		synctest.Wait()
		w.publish(late)
		synctest.Wait()
		s := &screen{t: t}
		s.Statuses = make([]inventory.Status, 10)
		s.Position = &wire.Position{Epoch: wire.Epoch{Event: 1, Stream: 77}, Offset: 0}
		s.join(h, w.event, id.ID{}, wire.View{Mode: wire.Whole})
		s.look()
		if s.Statuses[7] != inventory.Held {
			t.Error("the resumed viewer missed a change")
		}
	})
}

func TestLingerAndLoadOnce(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := newWorld(10, 1)
		h := hub.New(w, w, hub.Options{})
		defer h.Stop()
		for range 100 {
			join(t, h, w, wire.View{Mode: wire.Whole}).viewer.Leave()
		}
		synctest.Wait()
		if w.snapshots != 1 || h.Stats().Events != 1 || h.Stats().Viewers != 0 {
			t.Errorf("%d snapshots, %+v", w.snapshots, h.Stats())
		}
		time.Sleep(31 * time.Second)
		synctest.Wait()
		if h.Stats().Events != 0 {
			t.Error("an event without viewers is still folded")
		}
		s := join(t, h, w, wire.View{Mode: wire.Whole})
		synctest.Wait()
		if s.look(); w.snapshots != 2 || s.Position == nil {
			t.Error("a viewer after the end of the linger got nothing")
		}
	})
}

func TestByes(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := newWorld(10, 2)
		h := hub.New(w, w, hub.Options{})
		unknown := &screen{t: t}
		unknown.join(h, id.New(), id.ID{}, wire.View{Mode: wire.Whole})
		nowhere := join(t, h, w, wire.View{Mode: wire.Sections, Sections: []int{2}})
		synctest.Wait()
		for s, want := range map[*screen]wire.ByeCode{unknown: wire.ByeUnknownEvent, nowhere: wire.ByeNoSection} {
			if s.look(); s.bye == nil || s.bye.Code != want {
				t.Errorf("got %+v, want code %d", s.bye, want)
			}
		}
		w.mu.Lock()
		w.down = fault.New(fault.Busy, "the database is away")
		w.mu.Unlock()
		other := hub.New(w, w, hub.Options{})
		away := join(t, other, w, wire.View{Mode: wire.Whole})
		time.Sleep(5 * time.Second) // it may ask the database once more
		synctest.Wait()
		if away.look(); away.bye == nil || away.bye.Code != wire.ByeUnavailable {
			t.Errorf("without a database: %+v", away.bye)
		}
		other.Stop()
		h.Stop()
		if v, bye := h.Join(w.event, hub.Arrival{}, func() {}); v != nil || bye.Code != wire.ByeDrain {
			t.Errorf("joining a stopped hub: %+v", bye)
		}
	})
}

func TestNoticesReachTheirOwnerOnly(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := newWorld(10, 1)
		h := hub.New(w, w, hub.Options{})
		defer h.Stop()
		ana, bob, anybody := &screen{t: t}, &screen{t: t}, &screen{t: t}
		account := id.New()
		ana.join(h, w.event, account, wire.View{})
		bob.join(h, w.event, id.New(), wire.View{})
		anybody.join(h, w.event, id.ID{}, wire.View{})
		synctest.Wait()
		h.Notify(w.event, account, wire.Notice{Kind: wire.NoticeHold, Body: []byte(`{}`)})
		h.Notify(w.event, id.ID{}, wire.Notice{Kind: wire.NoticeHold, Body: []byte(`{}`)})
		h.Notify(id.New(), account, wire.Notice{Kind: wire.NoticeHold, Body: []byte(`{}`)})
		if got := kinds(ana.look()); got != "Summary Notice " {
			t.Errorf("the owner got %s", got)
		}
		for _, s := range []*screen{bob, anybody} {
			if got := kinds(s.look()); got != "Summary " {
				t.Errorf("a stranger got %s", got)
			}
		}
		h.NotifyAll(w.event, wire.Notice{Kind: wire.NoticeEvent, Body: []byte(`{"state":"paused"}`)})
		if got := kinds(bob.look()); got != "Notice " {
			t.Errorf("everybody: %s", got)
		}
	})
}

func TestReloadChangesTheEpoch(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := newWorld(10, 1)
		h := hub.New(w, w, hub.Options{})
		defer h.Stop()
		s := join(t, h, w, wire.View{Mode: wire.Whole})
		synctest.Wait()
		s.look()
		w.mu.Lock()
		w.epoch, w.statuses[4] = 2, inventory.Blocked
		w.mu.Unlock()
		h.Reload(w.event)
		synctest.Wait()
		if s.look(); s.Position.Event != 2 || s.Statuses[4] != inventory.Blocked {
			t.Errorf("%+v", s.Position)
		}
	})
}
