package room

import (
	"context"
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

// Log is an entry log that takes entries.
type Log interface {
	Entries
	Enter(ctx context.Context, key queue.Key, entry draw.Entry, onSale time.Time) (kept store.Kept, fresh bool, err error)
	Rebind(ctx context.Context, key queue.Key, kept store.Kept, keyThumb string, at time.Time) (store.Kept, error)
}

// Minter signs queue tickets.
type Minter interface {
	MintTicket(account.QueueTicket) (string, account.QueueTicket, error)
}

// Enter gives an account its place in the line of an event, bound to a key, and
// the queue ticket for it. Asking again gives the same place. Errors: NotFound,
// EventState, Forbidden (the place is another device's), Busy.
func (r *Room) Enter(ctx context.Context, eventID id.ID, who account.Session, keyThumb string) (string, account.QueueTicket, error) {
	doc, err := r.Frontier(ctx, eventID)
	if err != nil {
		return "", account.QueueTicket{}, err
	}
	if doc.Phase == frontier.SoldOut || doc.Phase == frontier.Ended {
		return "", account.QueueTicket{}, fault.New(fault.EventState, "the sale is over").With("queueStatus", account.QueueClosed).With("reason", string(doc.Phase))
	}
	e, err := r.catalog.Event(ctx, eventID)
	if err != nil {
		return "", account.QueueTicket{}, err
	}
	if e.State == event.Closed || e.State == event.Cancelled {
		return "", account.QueueTicket{}, over(e)
	}
	now, log := time.Now(), r.entries.(Log)
	key := queue.Key{Event: eventID, Epoch: doc.Epoch}
	q := e.Rules.QueuePolicy()
	entry := draw.Entry{Pseudonym: r.authority.Pseudonym(who.Account, eventID), Class: draw.ClassAt(now, doc.OnSaleAt), Tier: q.PublicTier(), EnteredAt: now.UnixMilli(), KeyThumb: keyThumb}
	kept, _, err := log.Enter(ctx, key, entry, doc.OnSaleAt)
	if err != nil {
		return "", account.QueueTicket{}, err
	}
	if kept.KeyThumb != keyThumb {
		if !who.IssuedAt.After(kept.BoundAt) {
			return "", account.QueueTicket{}, fault.New(fault.Forbidden, "your place in the line is kept for another device; sign in again with a new code to bring it to this one").
				With("reason", reasonMoved)
		}
		if kept, err = log.Rebind(ctx, key, kept, keyThumb, now); err != nil {
			return "", account.QueueTicket{}, err
		}
	}
	return r.authority.(Minter).MintTicket(account.QueueTicket{
		Event: eventID, Epoch: doc.Epoch, Pseudonym: entry.Pseudonym, Class: kept.Entry.Class, Tier: kept.Entry.Tier,
		EnteredAt: time.UnixMilli(kept.Entry.EnteredAt).UTC(), KeyThumb: kept.KeyThumb,
	})
}
