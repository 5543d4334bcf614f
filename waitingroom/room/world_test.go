package room

import (
	"context"
	"errors"
	"sync"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/nats-io/nats.go/jetstream"
	"go.uber.org/goleak"

	"plateia/core/account"
	"plateia/core/event"
	"plateia/core/fault"
	"plateia/core/id"
	"plateia/core/queue"
	"plateia/db"
	"plateia/db/dbtest"
	"plateia/realtime/natsd"
	"plateia/waitingroom/draw"
	"plateia/waitingroom/frontier"
	"plateia/waitingroom/store"
	"plateia/waitingroom/token"
)

func TestMain(m *testing.M) {
	goleak.VerifyTestMain(m, goleak.IgnoreAnyFunction("github.com/jackc/pgx/v5/pgxpool.(*Pool).backgroundHealthCheck"))
}

// shows is a catalog whose events the test changes.
type shows struct {
	mu  sync.Mutex
	all map[id.ID]event.Event
}

func (s *shows) Event(_ context.Context, which id.ID) (event.Event, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	e, known := s.all[which]
	if !known {
		return e, fault.New(fault.NotFound, "no such event")
	}
	return e, nil
}

func (s *shows) change(which id.ID, f func(*event.Event)) {
	s.mu.Lock()
	defer s.mu.Unlock()
	e := s.all[which]
	f(&e)
	s.all[which] = e
}

// lots is a ceremony that draws at once, in each epoch with another seed.
type lots struct{ seed draw.Digest }

func (l lots) Arm(context.Context, event.Event) (draw.Digest, error) { return draw.Digest{1}, nil }

func (l lots) CutOff(context.Context, event.Event, []draw.ShardRoot, int64) (draw.Digest, error) {
	return draw.Digest{2}, nil
}

func (l lots) Reveal(_ context.Context, e event.Event) (draw.Digest, bool, bool, error) {
	l.seed[1] = byte(e.Epoch)
	return l.seed, true, true, nil
}

func (l lots) Reset(context.Context, event.Event, string) error { return nil }

func (l lots) Ended(context.Context, event.Event) (reason string, at time.Time, ended bool, err error) {
	return "", at, false, nil
}

// world is a database, a log of entries and events, which several processes share.
type world struct {
	t     *testing.T
	db    *db.DB
	shows *shows
	auth  *token.Authority
	log   *store.Entries
}

func newWorld(t *testing.T) *world {
	t.Helper()
	w := &world{t: t, db: dbtest.New(t), shows: &shows{all: map[id.ID]event.Event{}}}
	var err error
	if w.auth, err = token.New(token.Options{Current: make([]byte, 32), PseudonymKey: make([]byte, 32)}); err != nil {
		t.Fatal(err)
	}
	w.log = newLog(t)
	return w
}

func newLog(t *testing.T) *store.Entries {
	t.Helper()
	server, err := natsd.Start(t.Context(), natsd.Options{Dir: t.TempDir()})
	if err != nil {
		t.Fatal(err)
	}
	var js jetstream.JetStream
	js, closing, err := store.Dial(server)
	if err != nil {
		t.Fatal(err)
	}
	log := store.New(js, store.Options{})
	err = log.Start(t.Context())
	t.Cleanup(func() {
		if err := errors.Join(err, log.Stop(context.Background())); err != nil {
			t.Error(err)
		}
		closing()
		if err := server.Stop(context.Background()); err != nil {
			t.Error(err)
		}
	})
	return log
}

// show puts an event on sale, or up for it, with room for so many.
func (w *world) show(inside int, onSale time.Time) id.ID {
	rules := event.DefaultRules()
	rules.Inside = inside
	e := event.Event{ID: id.New(), State: event.OnSale, Epoch: 1, Rules: rules, OnSaleAt: onSale.UTC().Truncate(time.Millisecond)}
	w.shows.mu.Lock()
	defer w.shows.mu.Unlock()
	w.shows.all[e.ID] = e
	return e.ID
}

// process is one process's room, whose leader steps when the test says so.
type process struct {
	*Room
	w      *world
	leader *leader
	which  id.ID
	led    *led
}

func (w *world) process(which id.ID) *process { return w.processOn(db.NewRooms(w.db), which) }

func (w *world) processOn(s Store, which id.ID) *process {
	r := New(s, w.shows, w.auth, w.log, lots{draw.Digest{7}}, Options{})
	p := &process{Room: r, w: w, which: which, leader: &leader{Room: r, rooms: map[id.ID]*led{}, slots: make(chan struct{}, maxSteps)}, led: &led{which: which}}
	if err := r.Start(w.t.Context()); err != nil {
		w.t.Fatal(err)
	}
	w.t.Cleanup(func() {
		p.led.forgetLog()
		ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
		defer cancel()
		if err := r.Stop(ctx); err != nil {
			w.t.Error(err)
		}
	})
	return p
}

// step is one step of the leader.
func (p *process) step() *frontier.Document {
	p.w.t.Helper()
	if _, err := p.Frontier(p.w.t.Context(), p.which); err != nil { // arms
		p.w.t.Fatal(err)
	}
	if _, err := p.leader.step(p.w.t.Context(), p.led); err != nil {
		p.w.t.Fatal(err)
	}
	return p.doc()
}

// opened steps until the line is open and the log is known.
func (p *process) opened() *process {
	p.w.t.Helper()
	p.until("the line opens", func() bool {
		d := p.step()
		return d.Phase == frontier.Open && p.led.log.Caught()
	})
	return p
}

func (p *process) until(what string, is func() bool) {
	p.w.t.Helper()
	for deadline := time.Now().Add(time.Minute); !is(); time.Sleep(5 * time.Millisecond) {
		if time.Now().After(deadline) {
			p.w.t.Fatalf("not within a minute: %s", what)
		}
	}
}

func (p *process) doc() *frontier.Document {
	p.w.t.Helper()
	v, err := p.latest(p.w.t.Context(), p.which)
	if err != nil {
		p.w.t.Fatal(err)
	}
	return v.doc
}

func (w *world) exec(sql string, args ...any) {
	w.t.Helper()
	err := w.db.Tx(w.t.Context(), func(t pgx.Tx) error {
		_, err := t.Exec(w.t.Context(), sql, args...)
		return err
	})
	if err != nil {
		w.t.Fatal(err)
	}
}

// count asks the database for a number.
func (w *world) count(sql string, args ...any) (n int) {
	w.t.Helper()
	err := w.db.Tx(w.t.Context(), func(t pgx.Tx) error { return t.QueryRow(w.t.Context(), sql, args...).Scan(&n) })
	if err != nil {
		w.t.Fatal(err)
	}
	return n
}

// fan is a person with a device.
type fan struct {
	p      *process
	who    account.Session
	key    string
	ticket account.QueueTicket
}

func (p *process) fan() *fan {
	return &fan{p: p, who: account.Session{Account: id.New(), IssuedAt: time.Now().Add(-time.Hour)}, key: id.New().String()}
}

// enter writes the fan's entry, as a mint does, and again while it is told to.
func (f *fan) enter() *fan {
	f.p.w.t.Helper()
	ctx, now := f.p.w.t.Context(), time.Now()
	doc, err := f.p.Frontier(ctx, f.p.which)
	if err != nil {
		f.p.w.t.Fatal(err)
	}
	entry := draw.Entry{Pseudonym: f.p.w.auth.Pseudonym(f.who.Account, f.p.which), Class: draw.ClassAt(now, doc.OnSaleAt), EnteredAt: now.UnixMilli(), KeyThumb: f.key}
	kept, _, err := f.p.w.log.Enter(ctx, queue.Key{Event: f.p.which, Epoch: doc.Epoch}, entry, doc.OnSaleAt)
	for tries := 0; fault.CodeOf(err) == fault.Busy && tries < 20; tries++ {
		kept, _, err = f.p.w.log.Enter(ctx, queue.Key{Event: f.p.which, Epoch: doc.Epoch}, entry, doc.OnSaleAt)
	}
	if err != nil {
		f.p.w.t.Fatal(err)
	}
	f.ticket = account.QueueTicket{
		Event: f.p.which, Epoch: doc.Epoch, Pseudonym: entry.Pseudonym, Class: kept.Entry.Class,
		EnteredAt: time.UnixMilli(kept.Entry.EnteredAt).UTC().Truncate(time.Second), KeyThumb: kept.KeyThumb,
	}
	return f
}

func (f *fan) status() account.Place {
	f.p.w.t.Helper()
	return Describe(f.p.doc(), f.ticket, time.Now())
}

// claim asks to come in, and again while it is told to, as a page does.
func (f *fan) claim() (account.Access, error) {
	text, x, err := f.p.Claim(f.p.w.t.Context(), f.who, f.ticket, f.key)
	for tries := 0; fault.CodeOf(err) == fault.Busy && tries < 20; tries++ {
		text, x, err = f.p.Claim(f.p.w.t.Context(), f.who, f.ticket, f.key)
	}
	if err == nil {
		_, err = f.p.w.auth.Access(text)
	}
	return x, err
}

func (f *fan) mustClaim() account.Access {
	f.p.w.t.Helper()
	x, err := f.claim()
	if err != nil {
		f.p.w.t.Fatalf("%v: %+v", err, fault.From(err).Details)
	}
	return x
}

// comeIn enters and claims as soon as the turn comes.
func (f *fan) comeIn() *fan {
	f.p.w.t.Helper()
	f.enter()
	f.p.until("the turn comes", func() bool {
		_, err := f.claim()
		if err != nil {
			f.p.step()
		}
		return err == nil
	})
	return f
}

// refused checks a refusal's code and reason.
func refused(t *testing.T, err error, code fault.Code, reason string) {
	t.Helper()
	if f := fault.From(err); err == nil || f.Code != code || f.Details["reason"] != reason && reason != "" {
		t.Errorf("refused with %v (%+v), want %s, %q", err, fault.From(err).Details, code, reason)
	}
}

// age makes a document, and so every window in it, older.
func (p *process) age(by time.Duration) {
	p.w.t.Helper()
	p.amend(by, func(*memory) {})
}

// amend ages a document and changes what the leader remembers.
func (p *process) amend(by time.Duration, change func(*memory)) {
	p.w.t.Helper()
	_, err := p.store.Step(p.w.t.Context(), p.which, func(row queue.Row, _ queue.Signals) (queue.Step, error) {
		v, err := p.parse(row)
		if err != nil {
			return queue.Step{}, err
		}
		d := *v.doc
		d.Version++
		d.Time -= by.Milliseconds()
		if d.PausedSince > 0 {
			d.PausedSince -= by.Milliseconds()
		}
		d.History = nil
		for _, point := range v.doc.History {
			point.Time -= by.Milliseconds()
			d.History = append(d.History, point)
		}
		v.memory.Controller.Last = v.memory.Controller.Last.Add(-by)
		change(&v.memory)
		step := queue.Step{Row: row}
		return step, p.seal(&step.Row, &d, v.memory, v.setting)
	})
	if err != nil {
		p.w.t.Fatal(err)
	}
	p.held.Forget(p.which)
}
