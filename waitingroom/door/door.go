// Package door lets people in to an event in order of arrival, up to a number
// of people inside at once.
//
// Entering gives an account one place per event and epoch and a signed queue
// ticket for it. The frontier says how far the line has been let in; the ticket
// whose place it has passed may be claimed, within a window and with a proof of
// the ticket's key, for an access token. Leaving (bought, idle, expired, left)
// makes room for the next.
//
// Invariants:
//   - One place per account and epoch; a reload, a tab and a lost answer get it back.
//   - The frontier never moves back, and two controllers never both advance it:
//     every step is guarded by the line's version.
//   - inside + called ≤ limit whenever the frontier moves; claims stop at 102 %.
//   - A claim clock never runs while the event is paused.
//   - Those who wait cost the database nothing: their answer comes from one
//     reading of the line, a quarter of a second old at most.
package door

import (
	"cmp"
	"context"
	"log/slog"
	"sync"
	"time"

	"plateia/core/account"
	"plateia/core/event"
	"plateia/core/fault"
	"plateia/core/id"
	"plateia/core/queue"
)

// Store keeps lines. Its clock is the database's.
type Store interface {
	// Enter finds each account's spot (nil: none), asks decide what to do and does
	// it, all in one transaction; decide may run more than once. It returns the
	// spots as they are then, in the order of accounts, which are distinct.
	Enter(ctx context.Context, line queue.Key, accounts []id.ID, decide func(now time.Time, i int, s *queue.Spot) queue.Step) ([]queue.Spot, error)
	// Line reads a line. window is the claim window.
	Line(ctx context.Context, line queue.Key, window time.Duration) (queue.Line, error)
	// Advance moves the frontier if the version is still the one given.
	Advance(ctx context.Context, line queue.Key, version, frontier int64) (moved bool, err error)
	// SetPaused stops (true) or restarts the claim clocks, if the version is still the one given.
	SetPaused(ctx context.Context, line queue.Key, version int64, window time.Duration, paused bool) error
	// Spot is the spot at a position; found is false when nobody stands there any more.
	Spot(ctx context.Context, line queue.Key, position int64) (s queue.Spot, found bool, err error)
	// Claim reads an account's spot (zero: none) and its line, asks decide for the
	// session, and writes admission and buyer row, in one transaction.
	Claim(ctx context.Context, line queue.Key, account id.ID, window time.Duration, decide func(queue.Spot, queue.Line) (session id.ID, err error)) error
	// Leave gives up the spot at a position, waiting or inside.
	Leave(ctx context.Context, line queue.Key, position int64) error
	// Depart marks those inside an event who are gone, and counts them.
	Depart(ctx context.Context, event id.ID, bounds queue.Departures) (int64, error)
	// Seen notes signs of life; whoever counted as gone counts as inside again.
	Seen(ctx context.Context, signs []queue.Sign) error
	// Waiting lists the lines in which somebody waits, has a claim clock running or
	// a stopped one; Inside the events with somebody inside.
	Waiting(ctx context.Context, window time.Duration) ([]queue.Key, error)
	Inside(ctx context.Context) ([]id.ID, error)
}

// Catalog knows the events.
type Catalog interface {
	Event(ctx context.Context, event id.ID) (event.Event, error)
}

// Signer mints the credentials the door hands out.
type Signer interface {
	Pseudonym(account, event id.ID) string
	MintTicket(account.QueueTicket) (string, account.QueueTicket, error)
	MintAccess(account.Access) (string, account.Access, error)
	AccessLife() time.Duration
}

// Options of a Door. Zero values mean the defaults named.
type Options struct {
	Controller bool          // move frontiers and count departures in this process
	Window     time.Duration // to claim after being called; 10 minutes
	Idle       time.Duration // without a sign of life until somebody counts as gone; 2 minutes
	Tick       time.Duration // of the controller; 250 ms
	Logger     *slog.Logger
	// Channel says through which channel of the event's rules somebody is let in, when claiming: a presale's seats are for
	// those who were admitted to it. nil: everybody comes with the public (0).
	Channel func(ctx context.Context, event, account id.ID) (int, error)
	// Closed reports that nobody new may come in to an event for now, because nobody inside could pay; nil: never.
	Closed func(event.Event) bool
}

// Door is the waiting room of this process. Start it, and Stop it once.
type Door struct {
	store   Store
	catalog Catalog
	signer  Signer
	opts    Options
	log     *slog.Logger
	asks    chan *ask
	kicks   chan queue.Key
	views   views
	signs   signs
	cancel  context.CancelFunc
	running sync.WaitGroup
}

// New returns a door that is not yet running.
func New(store Store, catalog Catalog, signer Signer, opts Options) *Door {
	opts.Window = cmp.Or(opts.Window, 10*time.Minute)
	opts.Idle = cmp.Or(opts.Idle, 2*time.Minute)
	opts.Tick = cmp.Or(opts.Tick, 250*time.Millisecond)
	if opts.Closed == nil {
		opts.Closed = func(event.Event) bool { return false }
	}
	d := &Door{store: store, catalog: catalog, signer: signer, opts: opts, log: cmp.Or(opts.Logger, slog.New(slog.DiscardHandler))}
	d.asks = make(chan *ask, maxAsks)
	d.kicks = make(chan queue.Key, 64)
	d.views.load = func(ctx context.Context, l queue.Key) (queue.Line, error) { return store.Line(ctx, l, d.opts.Window) }
	return d
}

// Start begins to take people in. It does not wait for anything.
func (d *Door) Start(context.Context) error {
	ctx, cancel := context.WithCancel(context.Background())
	d.cancel = cancel
	d.running.Go(func() { d.mint(ctx) })
	d.running.Go(func() { d.passSigns(ctx) })
	if d.opts.Controller {
		d.running.Go(func() { d.control(ctx) })
	}
	return nil
}

// Stop ends the work in hand and waits for it, or for ctx. Stopping twice or before Start is fine.
func (d *Door) Stop(ctx context.Context) error {
	if d.cancel == nil {
		return nil
	}
	d.cancel()
	done := make(chan struct{})
	go func() { d.running.Wait(); close(done) }()
	select {
	case <-done:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

// Enter gives an account its place in the line of an event, bound to a key, and
// the queue ticket for it. Asking again gives the same place. Errors: NotFound,
// EventState, Forbidden (the place is another device's), Busy.
func (d *Door) Enter(ctx context.Context, eventID id.ID, who account.Session, keyThumb string) (string, account.Place, error) {
	e, err := d.catalog.Event(ctx, eventID)
	if err != nil {
		return "", account.Place{}, err
	}
	if err := openTo(e, time.Now()); err != nil {
		return "", account.Place{}, err
	}
	line := queue.Key{Event: e.ID, Epoch: e.Epoch}
	spot, err := d.place(ctx, line, who, keyThumb)
	if err != nil {
		return "", account.Place{}, err
	}
	ticket := account.QueueTicket{
		Event: e.ID, Epoch: e.Epoch, Pseudonym: d.signer.Pseudonym(who.Account, e.ID),
		Position: spot.Position, Class: account.Fifo, EnteredAt: spot.EnteredAt, KeyThumb: spot.KeyThumb,
	}
	token, _, err := d.signer.MintTicket(ticket)
	if err != nil {
		return "", account.Place{}, err
	}
	view, err := d.views.line(ctx, line)
	if err != nil {
		return "", account.Place{}, err
	}
	return token, d.describe(e, view, spot), nil
}

// Status is what a ticket means now. While the holder waits it costs no query.
func (d *Door) Status(ctx context.Context, t account.QueueTicket) (account.Place, error) {
	e, err := d.catalog.Event(ctx, t.Event)
	if err != nil {
		return account.Place{}, err
	}
	place := account.Place{Event: t.Event, Position: t.Position, Status: account.QueueClosed}
	if e.Epoch != t.Epoch {
		place.Reason = "restarted"
		return place, nil
	}
	if openTo(e, time.Now()) != nil {
		place.Reason = string(e.State)
		return place, nil //nolint:nilerr // a closed event is the answer here
	}
	line := queue.Key{Event: e.ID, Epoch: e.Epoch}
	view, err := d.views.line(ctx, line)
	if err != nil {
		return account.Place{}, err
	}
	if t.Position > view.Frontier {
		return d.describe(e, view, queue.Spot{Position: t.Position}), nil
	}
	spot, found, err := d.store.Spot(ctx, line, t.Position)
	if err != nil {
		return account.Place{}, err
	}
	if !found || spot.KeyThumb != t.KeyThumb {
		place.Status, place.Reason = account.QueueExpired, "moved"
		return place, nil
	}
	return d.describe(e, view, spot), nil
}

// reasonPayments is why the line stands still while no payment provider answers.
const reasonPayments = "payments"

// describe puts a spot into words for its owner.
func (d *Door) describe(e event.Event, l queue.Line, s queue.Spot) account.Place {
	p := account.Place{Event: e.ID, Position: s.Position, Status: meaning(s, clock(l), d.opts.Window)}
	switch {
	case e.State == event.Paused:
		p.Reason = "paused"
	case s.ClaimedAt.IsZero() && d.opts.Closed(e):
		p.Reason = reasonPayments
	}
	switch p.Status {
	case account.QueueWaiting:
		p.Ahead = max(s.Position-l.Frontier-1, 0)
		p.Wait = wait(l, p.Ahead)
	case account.QueueAdmitted:
		p.Wait = &account.Wait{}
		if s.ClaimedAt.IsZero() {
			p.ClaimBy = s.CalledAt.Add(d.opts.Window + l.Now.Sub(clock(l)))
		}
	}
	return p
}

// Claim turns a ticket whose turn has come into an access token. keyThumb is of
// the key that proved itself with this request. Claiming again on the same
// device renews the token of the same session. Errors: Unauthenticated (not
// this account's ticket, or not its key), Waiting, Forbidden (spent), EventState.
func (d *Door) Claim(ctx context.Context, who account.Session, t account.QueueTicket, keyThumb string) (string, account.Access, error) {
	e, err := d.catalog.Event(ctx, t.Event)
	if err != nil {
		return "", account.Access{}, err
	}
	if t.Pseudonym != d.signer.Pseudonym(who.Account, t.Event) || t.KeyThumb != keyThumb {
		return "", account.Access{}, fault.New(fault.Unauthenticated, "the credential is missing, not valid or has expired")
	}
	if e.Epoch != t.Epoch {
		return "", account.Access{}, closed(e, "the sale was started over; enter the line again").With("status", account.QueueClosed)
	}
	if err := openTo(e, time.Now()); err != nil {
		return "", account.Access{}, err
	}
	channel := 0
	if d.opts.Channel != nil {
		if channel, err = d.opts.Channel(ctx, e.ID, who.Account); err != nil {
			return "", account.Access{}, err
		}
	}
	var session id.ID
	line := queue.Key{Event: e.ID, Epoch: e.Epoch}
	err = d.store.Claim(ctx, line, who.Account, d.opts.Window, func(s queue.Spot, l queue.Line) (id.ID, error) {
		var err error
		session, err = claiming(s, l, e.Rules.Inside, d.opts.Window, t)
		if err == nil && s.ClaimedAt.IsZero() && d.opts.Closed(e) {
			return id.ID{}, fault.New(fault.Waiting, "payments are delayed just now, so nobody new is let in; your place is kept").
				With("reason", reasonPayments).After(2 * time.Second)
		}
		return session, err
	})
	if err != nil {
		return "", account.Access{}, err
	}
	return d.signer.MintAccess(account.Access{Event: e.ID, Account: who.Account, Session: session, Channel: channel, KeyThumb: keyThumb})
}

// Leave gives a ticket's place up, in the line or inside. Leaving twice is fine.
func (d *Door) Leave(ctx context.Context, t account.QueueTicket) error {
	line := queue.Key{Event: t.Event, Epoch: t.Epoch}
	err := d.store.Leave(ctx, line, t.Position)
	d.kick(line)
	return err
}
