package hub_test

import (
	"fmt"
	"slices"
	"testing"
	"testing/synctest"
	"time"

	"pgregory.net/rapid"

	"plateia/core/id"
	"plateia/core/inventory"
	"plateia/core/seatmap"
	"plateia/realtime/hub"
	"plateia/realtime/wire"
)

// A viewer who changes views faster than they can be answered gets the answer of the last one, is never too slow for
// that, however little room there is, and loses nothing that was said beside the map.
func TestViewsAloneMakeNobodyTooSlow(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := newWorld(1000, 10)
		h := hub.New(w, w, hub.Options{QueueFrames: 4, QueueBytes: 100})
		defer h.Stop()
		s, me := &screen{t: t}, id.New()
		s.join(h, w.event, me, wire.View{Mode: wire.Whole})
		synctest.Wait()
		for n := range 100 {
			s.viewer.SetView(wire.View{Mode: wire.Sections, Sections: []int{n % 10}})
			if n == 30 || n == 60 {
				s.viewer.Tell(wire.AppendNotice(nil, wire.Notice{Kind: wire.NoticeHold, Body: fmt.Appendf(nil, `{"version":%d}`, n)}))
				s.viewer.SetView(wire.View{})
			}
		}
		got := s.look()
		if s.bye != nil || h.Stats().Slow != 0 {
			t.Fatalf("sent away: %+v, %+v", s.bye, h.Stats())
		}
		if kinds(got) != "Notice Notice Snapshot Summary " {
			t.Fatalf("got %s", kinds(got))
		}
		first, second := got[0].(wire.Notice), got[1].(wire.Notice)
		if string(first.Body) != `{"version":30}` || string(second.Body) != `{"version":60}` {
			t.Errorf("notices %s, %s", first.Body, second.Body)
		}
		if want := []wire.Range{{From: 900, To: 1000}}; !slices.Equal(s.Ranges, want) {
			t.Errorf("the map of %v, want the last view's, %v", s.Ranges, want)
		}
	})
}

// What is told beside the map stays bounded, and so does a map that nobody reads.
func TestWhoReadsNothingIsStillTooSlow(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := newWorld(100, 2)
		h := hub.New(w, w, hub.Options{QueueFrames: 8})
		defer h.Stop()
		deaf := join(t, h, w, wire.View{Mode: wire.Whole})
		synctest.Wait()
		for n := range 9 {
			h.NotifyAll(w.event, wire.Notice{Kind: wire.NoticeEvent, Body: []byte(`{}`)})
			deaf.viewer.SetView(wire.View{Mode: wire.Sections, Sections: []int{n % 2}})
		}
		if deaf.look(); deaf.bye == nil || deaf.bye.Code != wire.ByeResync || len(deaf.frames) != 0 {
			t.Errorf("nine notices in a queue of eight: %+v and %d frames", deaf.bye, len(deaf.frames))
		}
	})
}

// Someone walks through the views of a sale and reads now and then: whatever was left out, what is shown in the end is
// the database's.
func TestWalkThroughViews(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		bubble(t, func() {
			w := newWorld(24, 4)
			h := hub.New(w, w, hub.Options{QueueFrames: 4})
			defer h.Stop()
			s := join(t, h, w, wire.View{Mode: wire.Whole})
			others := []*screen{join(t, h, w, wire.View{Mode: wire.Sections, Sections: []int{0}}), join(t, h, w, wire.View{Mode: wire.Whole})}
			want := wire.Range{From: 0, To: 24}
			for range rapid.IntRange(1, 30).Draw(rt, "steps") {
				switch rapid.IntRange(0, 3).Draw(rt, "what") {
				case 0:
					w.publish(w.commit(inventory.Status(rapid.IntRange(0, 3).Draw(rt, "status")), seatmap.Ordinal(rapid.IntRange(0, 23).Draw(rt, "seat"))))
				case 1:
					time.Sleep(time.Duration(rapid.IntRange(0, 1500).Draw(rt, "ms")) * time.Millisecond)
				case 2:
					i := rapid.IntRange(0, 3).Draw(rt, "section")
					s.viewer.SetView(wire.View{Mode: wire.Sections, Sections: []int{i}})
					want = w.sections[i]
				case 3:
					synctest.Wait()
					s.answered()
				}
				for _, o := range others {
					o.look()
				}
			}
			time.Sleep(3 * time.Second)
			synctest.Wait()
			if s.answered(); s.bye != nil {
				return // it slept for too long: it starts over with an empty map
			}
			if !slices.Equal(s.Ranges, []wire.Range{want}) {
				rt.Fatalf("the map is of %v, the view of %v", s.Ranges, want)
			}
			if got, truth := s.Statuses[want.From:want.To], w.statuses[want.From:want.To]; !slices.Equal(got, truth) {
				rt.Fatalf("%v: the map says %v, the database %v", want, got, truth)
			}
		})
	})
}

// answered is look for someone whose snapshots all answer a view: each counts, whatever its position.
func (s *screen) answered() {
	s.t.Helper()
	raw, bye := s.viewer.Take(nil)
	s.bye = bye
	for _, b := range raw {
		f, err := wire.Decode(b)
		if err != nil {
			s.t.Fatal(err)
		}
		if _, ok := f.(wire.Snapshot); ok {
			s.Reset()
		}
		if _, gap := s.Apply(f); gap {
			s.t.Fatalf("a gap on a connection without losses: %+v at %+v", f, s.Position)
		}
	}
}
