// Package room is the waiting room's server: one fence row per event with the signed frontier document, a leader that
// moves it, claims that turn tickets into access tokens, and the session table that says who is inside.
//
// Invariants:
//   - The frontier moves only by replacing the fence row from the version that was read. A second leader, or one that was
//     frozen and came back, finds another version. A lease merely keeps the others from trying.
//   - What the leader counts (arrivals, departures) is marked in the transaction that replaces the row: once, or not at all.
//   - A document is public: it is signed, and holds nothing about anybody.
//   - Nobody who waits has state here. The first row about a person is written when their claim comes with their turn.
//   - Claims of an event take turns, so inside + 1 ≤ 102 % of the target whenever somebody is let in.
//   - Claiming twice is claiming once: the same device gets the same session, another one ends it.
package room

import (
	"cmp"
	"context"
	"log/slog"
	"sync"
	"time"

	"plateia/core/account"
	"plateia/core/cache"
	"plateia/core/event"
	"plateia/core/id"
	"plateia/core/load"
	"plateia/core/queue"
	"plateia/waitingroom/draw"
	"plateia/waitingroom/frontier"
	"plateia/waitingroom/store"
	"plateia/waitingroom/token"
)

// Store keeps fence rows and the session table. Its clock is the database's.
type Store interface {
	// Room is an event's fence row; fault.NotFound while nobody has armed it.
	Room(ctx context.Context, event id.ID) (queue.Row, error)
	// Arm makes the first row; false when somebody else has.
	Arm(ctx context.Context, first queue.Row) (made bool, err error)
	// Open lists rooms whose event is not over; Unarmed events that go on sale soon and have none, Selling those that sell already.
	Open(ctx context.Context) ([]id.ID, error)
	Unarmed(ctx context.Context, within time.Duration, limit int) ([]id.ID, error)
	Selling(ctx context.Context, since time.Duration, limit int) ([]id.ID, error)
	// Now is the store's clock.
	Now(ctx context.Context) (time.Time, error)
	// Step replaces a row by what decide makes of it and of what has happened since, all in one transaction. decide may run
	// more than once.
	Step(ctx context.Context, event id.ID, decide func(queue.Row, queue.Signals) (queue.Step, error)) (queue.Row, error)
	// Claims shows decide the visits of distinct accounts and writes what it makes of them, in one transaction that all
	// claims of the event wait for; open is false when the room is of another epoch.
	Claims(ctx context.Context, key queue.Key, accounts []id.ID, decide func(h *queue.Hall, i int, v queue.Visit) (queue.Visit, bool)) (open bool, err error)
	// Leave gives up a place inside. Depart marks who is gone. Seen notes signs of life.
	Leave(ctx context.Context, key queue.Key, pseudonym, keyThumb string) error
	Depart(ctx context.Context, event id.ID, bounds queue.Departures) (int64, error)
	Seen(ctx context.Context, signs []queue.Sign) error
}

// Catalog knows the events.
type Catalog interface {
	Event(ctx context.Context, event id.ID) (event.Event, error)
}

// Authority signs documents and access tokens.
type Authority interface {
	Pseudonym(account, event id.ID) string
	MintAccess(account.Access) (string, account.Access, error)
	AccessLife() time.Duration
	Seal(typ string, payload []byte) token.Statement
	Keys() token.Keys
	JWKS() []byte
	SelfTest(published []byte) error
}

// Entries is the entry log.
type Entries interface {
	Find(ctx context.Context, key queue.Key, pseudonym string) (store.Kept, bool, error)
	Follow(ctx context.Context, key queue.Key) (*store.Tally, error)
}

// Ceremony makes the public statements of an event's draws. Every step that was made already is read, not repeated.
type Ceremony interface {
	Arm(ctx context.Context, e event.Event) (commitment draw.Digest, err error)
	CutOff(ctx context.Context, e event.Event, roots []draw.ShardRoot, lottery int64) (cutOff draw.Digest, err error)
	// Reveal draws; done is false while a beacon round is waited for.
	Reveal(ctx context.Context, e event.Event) (seed draw.Digest, verifiable, done bool, err error)
	// Reset ends an epoch.
	Reset(ctx context.Context, e event.Event, reason string) error
	// Ended says whether a statement has ended an epoch, why and when.
	Ended(ctx context.Context, e event.Event) (reason string, at time.Time, ended bool, err error)
}

// Options of a Room. Zero values mean the defaults named.
type Options struct {
	// Lead runs work while this process is the leader, until ctx ends; nil: this process never leads.
	Lead   func(ctx context.Context, work func(context.Context) error)
	Idle   time.Duration // without a sign of life until somebody counts as gone; 2 minutes
	Tick   time.Duration // of the leader; 250 ms
	Logger *slog.Logger
	// Closed reports that nobody inside could pay just now, so nobody new comes in and no claim clock runs; nil: never.
	Closed func(event.Event) bool
	// Load is the worst that any process tells of its engine of an event; nil: nothing is told.
	Load func(event id.ID) load.Event
}

// Room is the waiting rooms of this process. Start it, and Stop it once.
type Room struct {
	store     Store
	catalog   Catalog
	authority Authority
	entries   Entries
	ceremony  Ceremony
	opts      Options
	log       *slog.Logger

	held    *cache.Cache[id.ID, *view]
	queues  queues
	signs   signs
	cancel  context.CancelFunc
	ctx     context.Context // ends with Stop
	running sync.WaitGroup
}

// New returns a room that is not yet running.
func New(store Store, catalog Catalog, authority Authority, entries Entries, ceremony Ceremony, opts Options) *Room {
	opts.Idle = cmp.Or(opts.Idle, 2*time.Minute)
	opts.Tick = cmp.Or(opts.Tick, 250*time.Millisecond)
	if opts.Closed == nil {
		opts.Closed = func(event.Event) bool { return false }
	}
	if opts.Load == nil {
		opts.Load = func(which id.ID) load.Event { return load.Event{Event: which} }
	}
	r := &Room{store: store, catalog: catalog, authority: authority, entries: entries, ceremony: ceremony, opts: opts}
	r.log = cmp.Or(opts.Logger, slog.New(slog.DiscardHandler))
	r.held = cache.New[id.ID](viewAge, maxViews, func(*view) int { return 1 })
	r.ctx, r.cancel = context.WithCancel(context.Background())
	return r
}

// Start begins to write signs of life, and to lead where this process may. It does not wait for anything.
func (r *Room) Start(context.Context) error {
	r.running.Go(func() { r.passSigns(r.ctx) })
	if r.opts.Lead != nil {
		r.running.Go(func() { r.opts.Lead(r.ctx, r.lead) })
	}
	return nil
}

// Stop ends the work in hand and waits for it, or for ctx. Stopping twice or before Start is fine.
func (r *Room) Stop(ctx context.Context) error {
	r.cancel()
	done := make(chan struct{})
	go func() { r.running.Wait(); close(done) }()
	select {
	case <-done:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

// Document is an event's signed frontier document as JSON, a quarter of a second old at most. The first question about an
// event that sells, or will, arms its room. Errors: NotFound, EventState.
func (r *Room) Document(ctx context.Context, event id.ID) ([]byte, error) {
	v, err := r.look(ctx, event)
	if err != nil {
		return nil, err
	}
	return v.row.Document, nil
}

// Frontier is the document that Document is the signed form of. It is shared: read it only.
func (r *Room) Frontier(ctx context.Context, event id.ID) (*frontier.Document, error) {
	v, err := r.look(ctx, event)
	if err != nil {
		return nil, err
	}
	return v.doc, nil
}

// Status is what a ticket means now. It costs no query of its own: everybody's answer comes from the one document.
func (r *Room) Status(ctx context.Context, t account.QueueTicket) (account.Place, error) {
	v, err := r.look(ctx, t.Event)
	if err != nil {
		return account.Place{}, err
	}
	return Describe(v.doc, t, time.Now()), nil
}

// Leave gives a place inside up, for the next. Leaving twice is fine; whoever only waits leaves nothing behind.
// The ticket of a device from which the place has moved ends nobody's visit.
func (r *Room) Leave(ctx context.Context, t account.QueueTicket) error {
	return r.store.Leave(ctx, queue.Key{Event: t.Event, Epoch: t.Epoch}, t.Pseudonym, t.KeyThumb)
}
