package gateway_test

import (
	"context"
	"net/http"
	"net/netip"
	"os"
	"slices"
	"strconv"
	"sync"
	"testing"
	"time"

	"plateia/core/id"
	"plateia/core/inventory"
	"plateia/core/seatmap"
	"plateia/realtime/gateway"
	"plateia/realtime/hub"
	"plateia/realtime/wire"
)

// TestRestartIsNoHerd (case 27): two gateways with their viewers, who look at three events; one is replaced by a third. Its
// viewers return spread over time, each event is read from the database at most once more (with a shelf not at all, unless
// the machine is very slow), and nobody misses a change.
//
// The viewers live in processes of their own. `make herd` runs it with 9,000 of them at each gateway.
func TestRestartIsNoHerd(t *testing.T) {
	viewers, spread := 200, 6*time.Second
	if n, err := strconv.Atoi(os.Getenv("PLATEIA_HERD")); err == nil {
		viewers, spread = n, 20*time.Second
	}
	s := newSite(t, 1, 1)
	town := newTown(3)
	book := &arrivals{}
	settings := func(o *gateway.Options) {
		o.Source, o.Anonymous, o.Hub.SlowTick, o.ClientIP = town, gateway.AnonymousSlow, 200*time.Millisecond, book.sign
		o.Hub.Shelf, o.Hub.CompareEvery = s.stream.Shelf(), -1 // comparisons read the database in their own time
		o.MaxPerBlock, o.HelloTimeout = 4*viewers, time.Minute // all of them come from this machine, which is busy
	}
	old, first := s.gateway(settings)
	other, second := s.gateway(settings)
	atHome := func(g *gateway.Gateway) {
		t.Helper()
		eventually(t, "everybody is at home", func() bool { return g.Stats().Hub.Viewers == int64(viewers) })
	}
	herds := []*herd{startHerd(t, viewers, town, first, second)}
	atHome(old)
	eventually(t, "its folds are on the shelf", func() bool { return old.Stats().Hub.Kept >= int64(len(town.events)) })
	herds = append(herds, startHerd(t, viewers, town, second, first))
	atHome(other)
	town.sell(t, s)
	everybodyShows(t, herds, town, viewers)
	town.readAtMost(t, 2)

	replaced, third := s.gateway(settings)
	for _, h := range herds {
		h.learn(first, third)
	}
	book.clear()
	began := time.Now()
	drained := make(chan struct{})
	go func() { defer close(drained); old.Drain(t.Context(), spread) }()
	for range 8 {
		town.sell(t, s)
		time.Sleep(spread / 8)
	}
	<-drained
	eventually(t, "everybody has left by themselves", func() bool { return old.Stats().Viewers == 0 })
	eventually(t, "everybody is back", func() bool {
		return replaced.Stats().Hub.Viewers+other.Stats().Hub.Viewers == int64(2*viewers)
	})
	back := time.Since(began)
	town.sell(t, s)
	everybodyShows(t, herds, town, viewers)
	town.readAtMost(t, 3)
	if early := book.within(began, spread/4); early > viewers/2 { // a busy machine makes them later, never earlier
		t.Errorf("%d of %d came within the first quarter of the spread", early, viewers)
	}
	if replaced.Stats().Hub.Viewers == 0 {
		t.Error("nobody came to the new gateway")
	}
	for _, g := range []*gateway.Gateway{old, other, replaced} {
		if st := g.Stats(); st.Hub.Slow > 0 || st.Byes[wire.ByeUnavailable] > 0 {
			t.Errorf("viewers were sent away: %+v", st)
		}
	}
	t.Logf("%d viewers at each of two gateways, spread %v: all back after %v, most in a tenth of it %d, database reads %v",
		viewers, spread, back.Round(time.Millisecond), book.most(spread/10), town.counts())
}

func everybodyShows(t *testing.T, herds []*herd, town *town, viewers int) {
	t.Helper()
	for _, h := range herds {
		eventually(t, "everybody shows what is sold", func() bool { return h.shows(town.sold()) == viewers })
	}
}

// town has several events and counts how often each is read.
type town struct {
	events []id.ID
	halls  map[id.ID]*database
}

func newTown(events int) *town {
	town := &town{halls: map[id.ID]*database{}}
	for range events {
		d := newDatabase(1000, 10)
		town.events = append(town.events, d.event)
		town.halls[d.event] = d
	}
	return town
}

func (w *town) Snapshot(ctx context.Context, event id.ID) (hub.Snapshot, error) {
	return w.halls[event].Snapshot(ctx, event)
}

// sell sells one more seat of each event.
func (w *town) sell(t *testing.T, s *site) {
	t.Helper()
	next := seatmap.Ordinal(w.sold())
	for _, event := range w.events {
		d := w.halls[event].commit(inventory.Sold, next)
		if err := s.stream.Publish(t.Context(), d, wire.EncodeStream(d)); err != nil {
			t.Fatal(err)
		}
	}
}

func (w *town) sold() int {
	d := w.halls[w.events[len(w.events)-1]]
	d.mu.Lock()
	defer d.mu.Unlock()
	return slices.IndexFunc(d.seats, func(s inventory.Seat) bool { return s.Status != inventory.Sold })
}

func (w *town) counts() (reads []int) {
	for _, event := range w.events {
		d := w.halls[event]
		d.mu.Lock()
		reads = append(reads, d.reads)
		d.mu.Unlock()
	}
	return reads
}

func (w *town) readAtMost(t *testing.T, n int) {
	t.Helper()
	for _, reads := range w.counts() {
		if reads > n {
			t.Errorf("an event was read %d times by so many gateways: %d", reads, n)
		}
	}
}

// arrivals is when requests came.
type arrivals struct {
	mu sync.Mutex
	at []time.Time
}

func (a *arrivals) sign(*http.Request) netip.Addr {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.at = append(a.at, time.Now())
	return netip.Addr{}
}

func (a *arrivals) clear() {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.at = nil
}

// most is how many came within some window.
func (a *arrivals) most(window time.Duration) (most int) {
	a.mu.Lock()
	defer a.mu.Unlock()
	from := 0
	for i, at := range a.at {
		for at.Sub(a.at[from]) > window {
			from++
		}
		most = max(most, i-from+1)
	}
	return most
}

// within is how many came in the first part of a time.
func (a *arrivals) within(began time.Time, part time.Duration) (n int) {
	a.mu.Lock()
	defer a.mu.Unlock()
	for _, at := range a.at {
		if at.Sub(began) < part {
			n++
		}
	}
	return n
}
