package gateway_test

import (
	"context"
	"errors"
	"net"
	"slices"
	"sync"
	"testing"
	"time"

	"go.uber.org/goleak"

	"plateia/core/account"
	"plateia/core/fault"
	"plateia/core/id"
	"plateia/core/inventory"
	"plateia/core/seatmap"
	"plateia/realtime/client"
	"plateia/realtime/gateway"
	"plateia/realtime/hub"
	"plateia/realtime/natsd"
	"plateia/realtime/stream"
	"plateia/realtime/wire"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// database behaves like the seat table of one event.
type database struct {
	mu       sync.Mutex
	event    id.ID
	seats    []inventory.Seat
	sections []wire.Range
	reads    int
}

func newDatabase(seats, sections int) *database {
	d := &database{event: id.New(), seats: make([]inventory.Seat, seats)}
	for i := range d.seats {
		d.seats[i].Version = 1
	}
	for i := range sections {
		d.sections = append(d.sections, wire.Range{From: seatmap.Ordinal(i * seats / sections), To: seatmap.Ordinal((i + 1) * seats / sections)})
	}
	return d
}

func (d *database) readings() int {
	d.mu.Lock()
	defer d.mu.Unlock()
	return d.reads
}

func (d *database) Snapshot(_ context.Context, event id.ID) (hub.Snapshot, error) {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.reads++
	if event != d.event {
		return hub.Snapshot{}, fault.New(fault.NotFound, "no such event")
	}
	s := hub.Snapshot{Epoch: 1, Sections: d.sections}
	for _, seat := range d.seats {
		s.Statuses = append(s.Statuses, seat.Status)
		s.Versions = append(s.Versions, seat.Version)
	}
	return s, nil
}

func (d *database) commit(status inventory.Status, ordinals ...seatmap.Ordinal) inventory.Delta {
	d.mu.Lock()
	defer d.mu.Unlock()
	delta := inventory.Delta{ID: id.New(), Event: d.event, At: time.Now().UTC().Truncate(time.Microsecond)}
	for _, o := range ordinals {
		d.seats[o].Status = status
		d.seats[o].Version++
		delta.Changes = append(delta.Changes, inventory.Change{Ordinal: o, Status: status, Version: d.seats[o].Version})
	}
	return delta
}

// site is a database, a JetStream server and gateways on loopback.
type site struct {
	t      testing.TB
	db     *database
	stream *stream.Client
	tokens sync.Map // token → account.Access
}

func newSite(t testing.TB, seats, sections int) *site {
	t.Helper()
	server, err := natsd.Start(t.Context(), natsd.Options{Dir: t.TempDir()})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { server.Stop(context.Background()) })
	c, err := stream.Connect(t.Context(), stream.Options{InProcess: server})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(c.Close)
	return &site{t: t, db: newDatabase(seats, sections), stream: c}
}

func (s *site) verify(token string) (account.Access, error) {
	a, ok := s.tokens.Load(token)
	if !ok {
		return account.Access{}, fault.New(fault.Unauthenticated, "unknown token")
	}
	return a.(account.Access), nil
}

// admit makes a token of a new account.
func (s *site) admit(change ...func(*account.Access)) (string, id.ID) {
	a := account.Access{Event: s.db.event, Account: id.New(), ExpiresAt: time.Now().Add(time.Hour)}
	for _, c := range change {
		c(&a)
	}
	token := "token-" + a.Account.String()
	s.tokens.Store(token, a)
	return token, a.Account
}

// gateway starts one and returns its address. What it does is a matter of what was said and done, not of when: the machine
// may be busy with others for seconds. Signs of life, comparisons with the database and impatience are for those who ask.
func (s *site) gateway(change ...func(*gateway.Options)) (*gateway.Gateway, string) {
	s.t.Helper()
	o := gateway.Options{
		Verify: s.verify, Log: s.stream, Source: s.db, HelloTimeout: time.Hour, WriteTimeout: time.Hour,
		Hub: hub.Options{Notices: s.stream, Alive: time.Hour, CompareEvery: -1},
	}
	for _, c := range change {
		c(&o)
	}
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		s.t.Fatal(err)
	}
	return s.serve(gateway.New(o), l), "http://" + l.Addr().String()
}

// serve serves at l until the test ends.
func (s *site) serve(g *gateway.Gateway, l net.Listener) *gateway.Gateway {
	served := make(chan error, 1)
	go func() { served <- g.Serve(l) }()
	s.t.Cleanup(func() {
		if err := g.Stop(context.Background()); err != nil {
			s.t.Error(err)
		}
		if err := <-served; err != nil {
			s.t.Error(err)
		}
	})
	return g
}

func (s *site) change(status inventory.Status, ordinals ...seatmap.Ordinal) {
	s.t.Helper()
	d := s.db.commit(status, ordinals...)
	if err := s.stream.Publish(s.t.Context(), d, wire.EncodeStream(d)); err != nil {
		s.t.Fatal(err)
	}
}

func (s *site) dial(base string, o client.Options) *client.Conn {
	s.t.Helper()
	if o.Event.IsZero() {
		o.Event = s.db.event
	}
	c, err := client.Dial(s.t.Context(), base, o)
	if err != nil {
		s.t.Fatal(err)
	}
	s.t.Cleanup(c.Close)
	return c
}

func next[F wire.Frame](t testing.TB, c *client.Conn) F {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	f, err := c.Next(ctx)
	if err != nil {
		t.Fatal(err)
	}
	got, ok := f.(F)
	if !ok {
		t.Fatalf("got %T %+v, want %T", f, f, got)
	}
	return got
}

// bye reads until the end and returns what the gateway said.
func bye(t *testing.T, c *client.Conn) wire.Bye {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	for {
		if _, err := c.Next(ctx); err != nil {
			var closed *client.Closed
			if !errors.As(err, &closed) {
				t.Fatal(err)
			}
			return closed.Bye
		}
	}
}

// sees reads until a seat has changed.
func sees(t testing.TB, c *client.Conn, o seatmap.Ordinal) {
	t.Helper()
	is := func(s wire.SeatStatus) bool { return s.Ordinal == o }
	for d := next[wire.Delta](t, c); !slices.ContainsFunc(d.Changes, is); d = next[wire.Delta](t, c) { //nolint:revive // reading is all there is to do
	}
}

func eventually(t testing.TB, what string, ok func() bool) {
	t.Helper()
	for deadline := time.Now().Add(time.Minute); !ok(); time.Sleep(5 * time.Millisecond) {
		if time.Now().After(deadline) {
			t.Fatal("not in a minute: " + what)
		}
	}
}

var whole = wire.View{Mode: wire.Whole}

func TestFromCommitToScreen(t *testing.T) {
	s := newSite(t, 60_000, 100)
	_, url := s.gateway()
	token, _ := s.admit()
	c := s.dial(url, client.Options{Token: token, View: whole})
	if snap := next[wire.Snapshot](t, c); len(snap.Statuses) != 60_000 {
		t.Fatalf("%d seats", len(snap.Statuses))
	}
	s.change(inventory.Held, 7, 59_999)
	d := next[wire.Delta](t, c)
	if len(d.Changes) != 2 || d.Changes[1] != (wire.SeatStatus{Ordinal: 59_999, Status: inventory.Held}) {
		t.Errorf("got %+v", d)
	}
	lag := time.Since(d.At)
	for again := seatmap.Ordinal(0); lag > time.Second && again < 5; again++ { // the machine may be busy: the best of some counts
		s.change([]inventory.Status{inventory.Sold, inventory.Held}[again%2], 7)
		lag = min(lag, time.Since(next[wire.Delta](t, c).At))
	}
	if lag < 0 || lag > time.Second {
		t.Errorf("commit to screen: %v", lag)
	}
	if err := c.SetView(t.Context(), wire.View{Mode: wire.Sections, Sections: []int{99}}); err != nil {
		t.Fatal(err)
	}
	if snap := next[wire.Snapshot](t, c); len(snap.Statuses) != 600 || snap.Statuses[599] != inventory.Held {
		t.Errorf("a section has %d seats", len(snap.Statuses))
	}
	if sum := next[wire.Summary](t, c); sum.Free[0] != 599 || sum.Free[1] != 600 {
		t.Errorf("summary %v", sum.Free)
	}
}

func TestResumeAtAnotherGateway(t *testing.T) {
	s := newSite(t, 1000, 10)
	_, first := s.gateway()
	_, second := s.gateway()
	token, _ := s.admit()
	keeper := s.dial(second, client.Options{Token: token, View: whole})
	next[wire.Snapshot](t, keeper)
	c := s.dial(first, client.Options{Token: token, View: whole})
	var m client.Map
	m.Apply(next[wire.Snapshot](t, c))
	s.change(inventory.Held, 1)
	m.Apply(next[wire.Delta](t, c))
	c.Close()
	s.change(inventory.Held, 2)
	sees(t, keeper, 2)
	c = s.dial(second, client.Options{Token: token, View: whole, Resume: m.Position})
	if set, gap := m.Apply(next[wire.Delta](t, c)); gap || len(set) != 1 || set[0].Ordinal != 2 {
		t.Errorf("resumed with %+v, gap %v", set, gap)
	}
}

func TestSignedOut(t *testing.T) {
	s := newSite(t, 1000, 10)
	_, overview := s.gateway()
	_, slow := s.gateway(func(o *gateway.Options) { o.Anonymous = gateway.AnonymousSlow })
	_, none := s.gateway(func(o *gateway.Options) { o.Anonymous = gateway.AnonymousNone })
	if sum := next[wire.Summary](t, s.dial(overview, client.Options{View: whole})); len(sum.Free) != 10 {
		t.Errorf("%+v", sum)
	}
	next[wire.Snapshot](t, s.dial(slow, client.Options{View: whole}))
	if b := bye(t, s.dial(none, client.Options{View: whole})); b.Code != wire.ByeNotAllowed || !b.Code.Final() {
		t.Errorf("%+v", b)
	}
}

func TestDatabaseIsReadOncePerEvent(t *testing.T) {
	s := newSite(t, 60_000, 100)
	g, url := s.gateway()
	token, _ := s.admit()
	var wg sync.WaitGroup
	for range 10 {
		wg.Go(func() {
			c, err := client.Dial(t.Context(), url, client.Options{Event: s.db.event, Token: token, View: whole})
			if err != nil {
				t.Error(err)
				return
			}
			defer c.Close()
			if _, err := c.Next(t.Context()); err != nil {
				t.Error(err)
			}
		})
	}
	wg.Wait()
	if reads := s.db.readings(); reads != 1 || g.Stats().Hub.Snapshots != 1 {
		t.Errorf("%d reads, %d snapshots encoded", reads, g.Stats().Hub.Snapshots)
	}
	eventually(t, "all gone", func() bool { return g.Stats().Viewers == 0 })
}
