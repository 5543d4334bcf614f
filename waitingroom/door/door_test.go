package door

import (
	"context"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"
	"go.uber.org/goleak"

	"plateia/core/account"
	"plateia/core/event"
	"plateia/core/fault"
	"plateia/core/id"
	"plateia/core/queue"
	"plateia/db"
	"plateia/db/dbtest"
	"plateia/waitingroom/token"
)

func TestMain(m *testing.M) {
	goleak.VerifyTestMain(m, goleak.IgnoreAnyFunction("github.com/jackc/pgx/v5/pgxpool.(*Pool).backgroundHealthCheck"))
}

// oneEvent is a catalog of one event whose state the test changes.
type oneEvent struct {
	mu sync.Mutex
	e  event.Event
}

func (o *oneEvent) Event(_ context.Context, which id.ID) (event.Event, error) {
	o.mu.Lock()
	defer o.mu.Unlock()
	if which != o.e.ID {
		return event.Event{}, fault.New(fault.NotFound, "no such event")
	}
	return o.e, nil
}

func (o *oneEvent) change(f func(*event.Event)) {
	o.mu.Lock()
	defer o.mu.Unlock()
	f(&o.e)
}

// room is a door on a real database, whose frontier moves when the test says so.
type room struct {
	*Door
	t    *testing.T
	db   *db.DB
	show *oneEvent
	auth *token.Authority
	line queue.Key
}

func openRoom(t *testing.T, inside int) *room {
	t.Helper()
	d := dbtest.New(t)
	auth, err := token.New(token.Options{Current: make([]byte, 32), PseudonymKey: make([]byte, 32)})
	if err != nil {
		t.Fatal(err)
	}
	rules := event.DefaultRules()
	rules.Inside = inside
	show := &oneEvent{e: event.Event{ID: id.New(), State: event.OnSale, Epoch: 1, Rules: rules}}
	r := &room{t: t, db: d, show: show, auth: auth, line: queue.Key{Event: show.e.ID, Epoch: 1}}
	r.Door = r.another()
	return r
}

// another is a second process at the same door.
func (r *room) another() *Door {
	d := New(db.NewDoors(r.db), r.show, r.auth, Options{})
	if err := d.Start(r.t.Context()); err != nil {
		r.t.Fatal(err)
	}
	r.t.Cleanup(func() {
		ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
		defer cancel()
		if err := d.Stop(ctx); err != nil {
			r.t.Error(err)
		}
	})
	return d
}

func (r *room) exec(sql string, args ...any) {
	r.t.Helper()
	err := r.db.Tx(r.t.Context(), func(t pgx.Tx) error {
		_, err := t.Exec(r.t.Context(), sql, args...)
		return err
	})
	if err != nil {
		r.t.Fatal(err)
	}
}

// tick is one round of the controller.
func (r *room) tick() {
	r.t.Helper()
	r.views.forget(r.line)
	if err := r.step(r.t.Context(), r.line); err != nil {
		r.t.Fatal(err)
	}
	r.views.forget(r.line)
}

// fan is a person with a device.
type fan struct {
	r      *room
	who    account.Session
	key    string
	token  string
	ticket account.QueueTicket
}

func (r *room) fan() *fan {
	return &fan{r: r, who: account.Session{Account: id.New(), IssuedAt: time.Now().Add(-time.Hour)}, key: id.New().String()}
}

func (f *fan) enter() account.Place {
	f.r.t.Helper()
	text, place, err := f.r.Enter(f.r.t.Context(), f.r.show.e.ID, f.who, f.key)
	if err != nil {
		f.r.t.Fatal(err)
	}
	f.token = text
	if f.ticket, err = f.r.auth.Ticket(text); err != nil {
		f.r.t.Fatal(err)
	}
	return place
}

func (f *fan) status() account.Place {
	f.r.t.Helper()
	f.r.views.forget(f.r.line)
	p, err := f.r.Status(f.r.t.Context(), f.ticket)
	if err != nil {
		f.r.t.Fatal(err)
	}
	return p
}

func (f *fan) claim() (account.Access, error) {
	f.r.t.Helper()
	text, x, err := f.r.Claim(f.r.t.Context(), f.who, f.ticket, f.key)
	if err == nil {
		if _, err := f.r.auth.Access(text); err != nil {
			f.r.t.Fatal(err)
		}
	}
	return x, err
}

func (f *fan) mustClaim() account.Access {
	f.r.t.Helper()
	x, err := f.claim()
	if err != nil {
		f.r.t.Fatal(err)
	}
	return x
}

func refused(t *testing.T, err error, code fault.Code) {
	t.Helper()
	if fault.CodeOf(err) != code {
		t.Fatalf("%v, want %s", err, code)
	}
}

func TestFirstComeFirstServed(t *testing.T) {
	r := openRoom(t, 2)
	a, b, c := r.fan(), r.fan(), r.fan()
	for i, f := range []*fan{a, b, c} {
		if p := f.enter(); p.Position != int64(i+1) || p.Status != account.QueueWaiting || p.Ahead != int64(i) {
			t.Fatalf("%+v", p)
		}
	}
	_, err := a.claim()
	refused(t, err, fault.Waiting)
	r.tick()
	if p := b.status(); p.Status != account.QueueAdmitted || time.Until(p.ClaimBy) < 9*time.Minute {
		t.Fatalf("%+v", p)
	}
	if p := c.status(); p.Status != account.QueueWaiting || p.Ahead != 0 {
		t.Fatalf("%+v", p)
	}
	x := a.mustClaim()
	if x.Account != a.who.Account || x.Event != r.show.e.ID || x.KeyThumb != a.key {
		t.Fatalf("%+v", x)
	}
	r.tick()
	_, err = c.claim()
	refused(t, err, fault.Waiting)
	if err := r.Leave(t.Context(), b.ticket); err != nil { // called, gives up
		t.Fatal(err)
	}
	r.tick()
	c.mustClaim()
	if p := b.status(); p.Status != account.QueueExpired {
		t.Errorf("a place given up: %+v", p)
	}
}

// Case 14 and property P6: reload, tab, lost answer.
func TestEnteringAgainGivesTheSamePlace(t *testing.T) {
	r := openRoom(t, 1)
	a, b := r.fan(), r.fan()
	a.enter()
	b.enter()
	for range 3 {
		if p := b.enter(); p.Position != 2 {
			t.Fatalf("%+v", p)
		}
	}
	other := r.another()
	_, p, err := other.Enter(t.Context(), r.show.e.ID, b.who, b.key)
	if err != nil || p.Position != 2 {
		t.Fatalf("through another process: %+v %v", p, err)
	}
	r.tick()
	first, again := a.mustClaim(), a.mustClaim()
	if first.Session != again.Session {
		t.Error("a repeated claim of one device is the same session")
	}
	if p := a.enter(); p.Position != 1 || p.Status != account.QueueAdmitted {
		t.Errorf("inside, reloaded: %+v", p)
	}
}

// Case 18: an id seen in a screenshot does not redeem the place.
func TestOnlyTheTicketsKeyAndAccountClaim(t *testing.T) {
	r := openRoom(t, 5)
	a, thief := r.fan(), r.fan()
	a.enter()
	r.tick()
	_, _, err := r.Claim(t.Context(), a.who, a.ticket, thief.key)
	refused(t, err, fault.Unauthenticated)
	_, _, err = r.Claim(t.Context(), thief.who, a.ticket, a.key)
	refused(t, err, fault.Unauthenticated)
	a.mustClaim()
}

func TestMovingToAnotherDevice(t *testing.T) {
	r := openRoom(t, 5)
	a := r.fan()
	a.enter()
	r.tick()
	old := a.mustClaim()
	phone := &fan{r: r, who: a.who, key: "phone"}
	_, _, err := r.Enter(t.Context(), r.show.e.ID, phone.who, phone.key)
	refused(t, err, fault.Forbidden)
	phone.who.IssuedAt = time.Now().Add(time.Minute) // signed in afresh
	if p := phone.enter(); p.Position != 1 || p.Status != account.QueueAdmitted {
		t.Fatalf("%+v", p)
	}
	x := phone.mustClaim()
	if x.Session == old.Session {
		t.Error("the new device has its own session")
	}
	_, err = a.claim()
	refused(t, err, fault.Forbidden)
	if p := a.status(); p.Status != account.QueueExpired || p.Reason != "moved" {
		t.Errorf("%+v", p)
	}
	var live id.ID
	err = r.db.Tx(t.Context(), func(tx pgx.Tx) error {
		return tx.QueryRow(t.Context(), "select session_id from buyer where account_id = $1", [16]byte(a.who.Account)).Scan((*[16]byte)(&live))
	})
	if err != nil || live != x.Session {
		t.Errorf("the buyer row has session %v, want %v (%v)", live, x.Session, err)
	}
}

// Case 22 and P13: two controllers, one advance; many people at once, dense places.
func TestManyProcessesAtOneDoor(t *testing.T) {
	r := openRoom(t, 40)
	doors := []*Door{r.Door, r.another(), r.another()}
	const people = 150
	var wg sync.WaitGroup
	var mu sync.Mutex
	seen := map[int64]bool{}
	for i := range people {
		wg.Go(func() {
			f := r.fan()
			for _, d := range []*Door{doors[i%3], doors[(i+1)%3]} { // twice, through two processes
				_, p, err := d.Enter(t.Context(), r.show.e.ID, f.who, f.key)
				if err != nil {
					t.Error(err)
					return
				}
				mu.Lock()
				if d == doors[i%3] && seen[p.Position] {
					t.Errorf("place %d was given twice", p.Position)
				}
				seen[p.Position] = true
				mu.Unlock()
			}
		})
	}
	wg.Wait()
	if len(seen) != people {
		t.Errorf("%d places for %d people", len(seen), people)
	}
	l, err := r.store.Line(t.Context(), r.line, window)
	if err != nil || l.Entered != people {
		t.Fatalf("%+v %v", l, err)
	}
	var moved atomic.Int32
	for range 8 {
		wg.Go(func() {
			if ok, err := r.store.Advance(t.Context(), r.line, l.Version, next(l, 40)); err != nil {
				t.Error(err)
			} else if ok {
				moved.Add(1)
			}
		})
	}
	wg.Wait()
	if moved.Load() != 1 {
		t.Errorf("%d controllers advanced", moved.Load())
	}
}

func TestControllerAdmitsWithoutHelp(t *testing.T) {
	r := openRoom(t, 3)
	d := New(db.NewDoors(r.db), r.show, r.auth, Options{Controller: true, Tick: 20 * time.Millisecond})
	if err := d.Start(t.Context()); err != nil {
		t.Fatal(err)
	}
	defer func() { _ = d.Stop(context.Background()) }()
	f := r.fan()
	f.enter() // through the other process: only the tick can see it
	deadline := time.Now().Add(time.Minute)
	for f.status().Status != account.QueueAdmitted {
		if time.Now().After(deadline) {
			t.Fatal("not admitted in a minute")
		}
		time.Sleep(10 * time.Millisecond)
	}
	f.mustClaim()
}

func TestStopBeforeStartAndTwice(t *testing.T) {
	d := New(nil, nil, nil, Options{})
	for range 2 {
		if err := d.Stop(t.Context()); err != nil {
			t.Fatal(err)
		}
	}
}

func TestSigns(t *testing.T) {
	var s signs
	a := queue.Sign{Event: id.New(), Account: id.New()}
	s.note(a, noon)
	s.note(a, noon)
	if got := s.take(noon); len(got) != 1 {
		t.Fatalf("%v", got)
	}
	s.note(a, noon.Add(signQuiet-time.Second))
	if got := s.take(noon); len(got) != 0 {
		t.Errorf("written twice in %v", signQuiet)
	}
	s.note(a, noon.Add(signQuiet))
	if got := s.take(noon); len(got) != 1 {
		t.Errorf("%v", got)
	}
}
