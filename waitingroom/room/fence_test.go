package room

import (
	"context"
	"log/slog"
	"slices"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"plateia/core/account"
	"plateia/core/event"
	"plateia/core/id"
	"plateia/core/queue"
	"plateia/db"
	"plateia/db/dbtest"
	"plateia/db/dbtest/wireproxy"
	"plateia/waitingroom/draw"
	"plateia/waitingroom/frontier"
	"plateia/waitingroom/token"
)

// watched is a store that keeps what was written by whom, and can stop a leader between reading and writing.
type watched struct {
	*db.Rooms
	book   *book
	freeze func() // nil: nothing
}

// book is the steps of all leaders.
type book struct {
	mu    sync.Mutex
	steps []queue.Row
	gone  int64 // departures that were counted by steps that were written
	came  int64
}

func (s *watched) Step(ctx context.Context, which id.ID, decide func(queue.Row, queue.Signals) (queue.Step, error)) (queue.Row, error) {
	var in queue.Signals
	row, err := s.Rooms.Step(ctx, which, func(row queue.Row, signals queue.Signals) (queue.Step, error) {
		in = signals
		if freeze := s.freeze; freeze != nil {
			freeze()
		}
		return decide(row, signals)
	})
	if err == nil {
		s.book.mu.Lock()
		defer s.book.mu.Unlock()
		s.book.steps = append(s.book.steps, row)
		s.book.gone += in.Departures
		s.book.came += int64(len(in.Arrivals)) + in.Second
	}
	return row, err
}

// check looks at the steps in the order of their versions: each version once, and no frontier ever behind the one before.
func (b *book) check(t *testing.T, p *process) {
	t.Helper()
	b.mu.Lock()
	defer b.mu.Unlock()
	steps := slices.Clone(b.steps)
	slices.SortFunc(steps, func(a, b queue.Row) int { return int(a.Version - b.Version) })
	var last *view
	for _, row := range steps {
		v, err := p.parse(row)
		if err != nil {
			t.Fatal(err)
		}
		if last != nil {
			if row.Version == last.row.Version {
				t.Errorf("version %d was written twice", row.Version)
			}
			if !v.doc.Frontiers.Later(last.doc.Frontiers).Equal(v.doc.Frontiers) {
				t.Errorf("version %d went back: %+v after %+v", row.Version, v.doc.Frontiers, last.doc.Frontiers)
			}
			if v.memory.Controller.Clock < last.memory.Controller.Clock {
				t.Errorf("the clock went back at version %d", row.Version)
			}
		}
		last = v
	}
}

// P13 and case 22: two leaders at once, as after a lease that was lost unseen. Every version is written once, no frontier goes
// back, and each arrival and departure is counted once.
func TestTwoLeadersNeverBothAdvance(t *testing.T) {
	w := newWorld(t)
	which, notes := w.show(1000, hourAgo()), &book{}
	a, b := w.processOn(&watched{Rooms: db.NewRooms(w.db), book: notes}, which), w.processOn(&watched{Rooms: db.NewRooms(w.db), book: notes}, which)
	a.opened()
	b.opened()
	var stop atomic.Bool
	var leaders sync.WaitGroup
	for _, p := range []*process{a, b} {
		leaders.Go(func() {
			for !stop.Load() {
				if _, err := p.leader.step(t.Context(), p.led); err != nil {
					t.Error(err)
				}
			}
		})
	}
	const fans = 60
	var all sync.WaitGroup
	for range fans {
		all.Go(func() {
			f := a.fan().enter()
			a.until("the turn comes", func() bool { _, err := f.claim(); return err == nil })
			if err := b.Leave(t.Context(), f.ticket); err != nil {
				t.Error(err)
			}
		})
	}
	all.Wait()
	stop.Store(true)
	leaders.Wait()
	a.step()
	a.step()
	notes.check(t, a)
	if m := a.led.view.memory; notes.gone != fans || notes.came != fans || m.Left != fans || m.Arrived != fans || m.Admitted != fans || m.Inside != 0 {
		t.Errorf("%d left and %d came by the signals; the leader remembers %+v", notes.gone, notes.came, m)
	}
}

// A leader that is frozen between reading and writing finds, when it is revived, that others went on.
func TestAFrozenLeaderStartsOver(t *testing.T) {
	w := newWorld(t)
	which, notes := w.show(1000, hourAgo()), &book{}
	old := &watched{Rooms: db.NewRooms(w.db), book: notes}
	a, b := w.processOn(old, which), w.processOn(&watched{Rooms: db.NewRooms(w.db), book: notes}, which)
	a.opened()
	b.opened()
	fans := make([]*fan, 5)
	for i := range fans {
		fans[i] = b.fan().comeIn()
	}
	b.step() // what is counted already is not marked again, so the frozen leader holds no rows that others wait for
	frozen, revive := make(chan struct{}), make(chan struct{})
	var looks atomic.Int32
	old.freeze = func() {
		if looks.Add(1) == 1 {
			close(frozen)
			<-revive
		}
	}
	done := make(chan error, 1)
	go func() { _, err := a.leader.step(t.Context(), a.led); done <- err }()
	<-frozen
	for _, f := range fans {
		if err := b.Leave(t.Context(), f.ticket); err != nil {
			t.Fatal(err)
		}
		b.step()
	}
	newest := b.doc()
	close(revive)
	if err := <-done; err != nil { // the database gave the frozen one up
		t.Log(err)
		a.step()
	}
	if looks.Load() < 2 {
		t.Error("the frozen leader wrote what it had decided before")
	}
	if d := a.doc(); d.Version != newest.Version+1 {
		t.Errorf("version %d after %d", d.Version, newest.Version)
	}
	a.step()
	notes.check(t, a)
	if m := a.led.view.memory; notes.gone != 5 || m.Left != 5 || m.Inside != 0 {
		t.Errorf("%d departures counted, remembered %+v", notes.gone, m)
	}
}

// The network between a leader and the database falls silent: another one takes over and goes on from what is stored. When the
// network is back the first one does nothing that counts.
func TestACutOffLeaderIsReplaced(t *testing.T) {
	if testing.Short() {
		t.Skip("waits for leases")
	}
	url := dbtest.URL(t)
	cable, err := wireproxy.TCP(url)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(cable.Close)
	near := dbtest.Open(t, url, db.Options{})
	// it may go silent with a row of the line locked: the product's time-outs free that for the others, not the tests' longer ones
	far := dbtest.Open(t, cable.URL(), db.Options{Session: map[string]string{}})
	w := &world{t: t, db: near, shows: &shows{all: map[id.ID]event.Event{}}, log: newLog(t)}
	if w.auth, err = token.New(token.Options{Current: make([]byte, 32), PseudonymKey: make([]byte, 32)}); err != nil {
		t.Fatal(err)
	}
	which, notes := w.show(100, hourAgo()), &book{}
	var leading [2]atomic.Int64
	lead := func(n int, d *db.DB) {
		store := &watched{Rooms: db.NewRooms(d), book: notes}
		r := New(store, w.shows, w.auth, w.log, lots{draw.Digest{7}}, Options{Tick: 50 * time.Millisecond, Lead: func(ctx context.Context, work func(context.Context) error) {
			d.Lead(ctx, "admitter", 3*time.Second, slog.New(slog.DiscardHandler), func(ctx context.Context, _ db.Lease) error {
				leading[n].Add(1)
				return work(ctx)
			})
		}})
		if err := r.Start(t.Context()); err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { _ = r.Stop(context.Background()) })
	}
	p := w.process(which)
	lead(0, far)
	p.until("the first leads", func() bool { return leading[0].Load() == 1 })
	lead(1, near)
	p.until("the line opens", func() bool { return p.doc().Phase == frontier.Open })
	first := p.fan().enter()
	p.until("somebody is let in", func() bool { _, err := first.claim(); return err == nil })

	cable.Plan(func(wireproxy.Statement) *wireproxy.Fault { return &wireproxy.Fault{Deed: wireproxy.Silence} })
	if err := p.Leave(t.Context(), first.ticket); err != nil {
		t.Fatal(err)
	}
	p.until("the second leads", func() bool { return leading[1].Load() > 0 })
	at := p.doc().Version
	p.until("the frontier moves on", func() bool { return p.doc().Version > at+5 })
	second := p.fan().enter()
	p.until("somebody is let in again", func() bool { _, err := second.claim(); return err == nil })

	cable.Plan(nil)
	cable.CutAll()
	if err := p.Leave(t.Context(), second.ticket); err != nil {
		t.Fatal(err)
	}
	at = p.doc().Version
	p.until("the line goes on", func() bool { return p.doc().Version > at+20 })
	notes.check(t, p)
	v, err := p.latest(t.Context(), which)
	if err != nil || v.memory.Left != 2 || v.memory.Arrived != 2 {
		t.Errorf("%+v %v", v.memory, err)
	}
	if leading[1].Load() != 1 {
		t.Errorf("the second one began to lead %d times", leading[1].Load())
	}
}

// A new leader goes on from what the last one stored: clock, cohorts, counts and frontiers.
func TestANewLeaderGoesOn(t *testing.T) {
	w := newWorld(t)
	which := w.show(50, hourAgo())
	a := w.process(which).opened()
	inside, called := a.fan().comeIn(), a.fan().enter()
	a.until("the turn comes", func() bool { a.step(); return called.status().Status == account.QueueAdmitted })
	before := a.led.view
	b := w.process(which)
	b.step()
	after := b.led.view
	if after.memory.Controller.Clock < before.memory.Controller.Clock || after.memory.Admitted != before.memory.Admitted ||
		len(after.memory.Controller.Cohorts) < len(before.memory.Controller.Cohorts) {
		t.Errorf("%+v\nafter %+v", after.memory, before.memory)
	}
	if !after.doc.Frontiers.Later(before.doc.Frontiers).Equal(after.doc.Frontiers) {
		t.Errorf("%+v after %+v", after.doc.Frontiers, before.doc.Frontiers)
	}
	called.mustClaim()
	inside.mustClaim()
	b.step()
	came := 0.0
	for _, c := range b.led.view.memory.Controller.Cohorts {
		came += c.Came
	}
	if m := b.led.view.memory; m.Arrived != 2 || came != 2 {
		t.Errorf("%v came by the cohorts, %+v", came, m)
	}
}
