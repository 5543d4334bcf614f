package mint

import (
	"cmp"
	"context"
	"log/slog"
	"time"

	"plateia/core/account"
	"plateia/core/event"
	"plateia/core/fault"
	"plateia/core/id"
	"plateia/core/queue"
	"plateia/waitingroom/draw"
	"plateia/waitingroom/frontier"
	"plateia/waitingroom/store"
)

// Catalog knows the events.
type Catalog interface {
	Event(ctx context.Context, event id.ID) (event.Event, error)
}

// Lines knows the newest frontier document of each event. NotFound: there is no line.
type Lines interface {
	Frontier(ctx context.Context, event id.ID) (*frontier.Document, error)
}

// Log is the log of entries.
type Log interface {
	Find(ctx context.Context, key queue.Key, pseudonym string) (store.Kept, bool, error)
	Enter(ctx context.Context, key queue.Key, entry draw.Entry, onSale time.Time) (kept store.Kept, fresh bool, err error)
	Rebind(ctx context.Context, key queue.Key, kept store.Kept, keyThumb string, at time.Time) (store.Kept, error)
	UseCode(ctx context.Context, event id.ID, code draw.Digest, pseudonym string) (bool, error)
}

// Signer signs queue tickets.
type Signer interface {
	Pseudonym(account, event id.ID) string
	MintTicket(account.QueueTicket) (string, account.QueueTicket, error)
}

// Challenge tells people from programs, more or less. Errors: ChallengeRequired, Busy.
type Challenge interface {
	Check(ctx context.Context, response, remoteIP string) error
}

// Options of a Minter. Zero values mean the defaults named.
type Options struct {
	Challenge Challenge // nil: none is asked
	Codes     *Codes    // nil: there are no presale codes
	Logger    *slog.Logger
	Now       func() time.Time
}

const (
	freshSession = 15 * time.Minute // a sign-in code this new stands for a challenge
	coolDown     = time.Minute      // between two moves of a place to another device
)

// Minter gives places. Safe for concurrent use.
type Minter struct {
	catalog Catalog
	lines   Lines
	entries Log
	signer  Signer
	opts    Options
	log     *slog.Logger
}

// New returns a minter.
func New(catalog Catalog, lines Lines, entries Log, signer Signer, opts Options) *Minter {
	if opts.Now == nil {
		opts.Now = time.Now
	}
	return &Minter{catalog, lines, entries, signer, opts, cmp.Or(opts.Logger, slog.New(slog.DiscardHandler))}
}

// Enter gives an account its place in the line of an event, bound to a key, and the queue ticket for it. Asking
// again gives the same place. Errors: NotFound, EventState (over, or not open yet), ChallengeRequired, Invalid (the code),
// Forbidden and RateLimited (the place is another device's), Busy.
func (m *Minter) Enter(ctx context.Context, eventID id.ID, who account.Session, keyThumb string, asked queue.Asked) (string, account.QueueTicket, error) {
	doc, err := m.lines.Frontier(ctx, eventID)
	if err != nil {
		return "", account.QueueTicket{}, err
	}
	e, err := m.catalog.Event(ctx, eventID)
	if err != nil {
		return "", account.QueueTicket{}, err
	}
	policy := e.Rules.QueuePolicy()
	if err := open(e, doc, policy, m.opts.Now()); err != nil {
		return "", account.QueueTicket{}, err
	}
	a := ask{doc: doc, policy: policy, key: queue.Key{Event: eventID, Epoch: doc.Epoch}, who: who, keyThumb: keyThumb, asked: asked}
	a.pseudonym = m.signer.Pseudonym(who.Account, eventID)
	kept, found, err := m.entries.Find(ctx, a.key, a.pseudonym)
	if err == nil && !found {
		kept, err = m.admit(ctx, a)
	}
	if err == nil && kept.KeyThumb != keyThumb {
		kept, err = m.move(ctx, a, kept)
	}
	if err != nil {
		return "", account.QueueTicket{}, err
	}
	return m.signer.MintTicket(account.QueueTicket{
		Event: eventID, Epoch: doc.Epoch, Pseudonym: a.pseudonym, Class: kept.Entry.Class, Tier: kept.Entry.Tier,
		EnteredAt: time.UnixMilli(kept.Entry.EnteredAt).UTC(), KeyThumb: kept.KeyThumb,
	})
}

// open refuses an event whose line takes nobody now.
func open(e event.Event, doc *frontier.Document, policy event.Queue, now time.Time) error {
	over := fault.New(fault.EventState, "the sale is over").With("queueStatus", account.QueueClosed)
	switch {
	case doc.Phase == frontier.SoldOut || doc.Phase == frontier.Ended:
		return over.With("reason", string(doc.Phase))
	case e.State == event.Closed || e.State == event.Cancelled:
		return over.With("reason", string(e.State))
	case policy.EntriesFrom != nil && now.Before(*policy.EntriesFrom) && now.Before(doc.OnSaleAt):
		return fault.New(fault.EventState, "the line is not open yet").With("queueStatus", account.QueueClosed).With("reason", "early").
			With("entriesFrom", policy.EntriesFrom.UTC().Format(time.RFC3339)).After(policy.EntriesFrom.Sub(now))
	}
	return nil
}

// ask is somebody asking for a place.
type ask struct {
	doc       *frontier.Document
	policy    event.Queue
	key       queue.Key
	who       account.Session
	keyThumb  string
	asked     queue.Asked
	pseudonym string
}

// admit checks an account that has no entry, and enters it.
func (m *Minter) admit(ctx context.Context, a ask) (store.Kept, error) {
	if err := m.challenge(ctx, a); err != nil {
		return store.Kept{}, err
	}
	tier, err := m.tier(ctx, a)
	if err != nil {
		return store.Kept{}, err
	}
	now := m.opts.Now()
	entry := draw.Entry{
		Pseudonym: a.pseudonym, Class: draw.ClassAt(now, a.doc.OnSaleAt), Tier: tier, EnteredAt: now.UnixMilli(), KeyThumb: a.keyThumb,
	}
	kept, _, err := m.entries.Enter(ctx, a.key, entry, a.doc.OnSaleAt)
	return kept, err
}

// challenge asks for one, unless a mailbox was proved a moment ago: that is the other way for those whose browser fails at it.
func (m *Minter) challenge(ctx context.Context, a ask) error {
	if m.opts.Challenge == nil || m.opts.Now().Sub(a.who.IssuedAt) < freshSession {
		return nil
	}
	return m.opts.Challenge.Check(ctx, a.asked.Challenge, a.asked.RemoteIP)
}

// tier is the one that the code opens; without a code it is the public's.
func (m *Minter) tier(ctx context.Context, a ask) (int, error) {
	if a.asked.Code == "" {
		return a.policy.PublicTier(), nil
	}
	wrong := fault.New(fault.Invalid, "this code is not one of this event's; look at it again, or enter without it").With("field", "code")
	if m.opts.Codes == nil {
		return 0, wrong.With("reason", "unknown")
	}
	tier, name, ok := m.opts.Codes.Read(a.key.Event, a.asked.Code)
	if !ok || tier >= len(a.policy.Tiers) {
		return 0, wrong.With("reason", "unknown")
	}
	mine, err := m.entries.UseCode(ctx, a.key.Event, name, a.pseudonym)
	if err == nil && !mine {
		err = fault.New(fault.Invalid, "this code was used by another account").With("field", "code").With("reason", "used")
	}
	return tier, err
}

// reasonMoved is why a device may not use a place.
const reasonMoved = "moved"

// move binds a place to the key of another device.
func (m *Minter) move(ctx context.Context, a ask, kept store.Kept) (store.Kept, error) {
	now := m.opts.Now()
	if !a.who.IssuedAt.After(kept.BoundAt) {
		return kept, fault.New(fault.Forbidden, "your place in the line is kept for another device; sign in again with a new code to bring it to this one").
			With("reason", reasonMoved)
	}
	if free := kept.BoundAt.Add(coolDown); kept.Moved() && now.Before(free) {
		return kept, fault.New(fault.RateLimited, "your place has just moved to another device; wait a minute before moving it again").
			With("reason", reasonMoved).With("resetAt", free.UTC().Format(time.RFC3339)).After(free.Sub(now))
	}
	kept, err := m.entries.Rebind(ctx, a.key, kept, a.keyThumb, now)
	if err == nil {
		m.log.Info("a place in the line moved to another device", "event", a.key.Event, "epoch", a.key.Epoch)
	}
	return kept, err
}
