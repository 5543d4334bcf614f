package inventory

import (
	"context"
	"errors"
	"time"

	"plateia/core/id"
	"plateia/core/seatmap"
)

// ErrConflict means somebody else changed a row that the decision relied on, or
// the database asked for a retry. Nothing was kept: load and decide again.
var ErrConflict = errors.New("inventory: the rows changed meanwhile")

// ErrUnknown means COMMIT was sent and its answer was lost: only Settle can tell.
var ErrUnknown = errors.New("inventory: the outcome of the commit is unknown")

// ErrUnavailable means the database could not be reached before COMMIT: nothing was kept.
var ErrUnavailable = errors.New("inventory: the database cannot be reached")

// Store keeps the inventory. One implementation serves both databases; several
// processes may use it for the same event at the same time.
type Store interface {
	// Commit is one transaction: load what needs asks for (and what that turns out to need, see
	// Snapshot.Missing) in one snapshot, hand it to decide, store what it changed, commit. When decide
	// returns nil there is nothing to store. The errors above say what happened; any other error kept nothing.
	Commit(ctx context.Context, event id.ID, needs Needs, decide func(*Snapshot) *Changes) error
	// Settle finds out whether the batch with this outbox id was committed, and if it was not, makes sure that it never will be.
	Settle(ctx context.Context, event, outbox id.ID) (committed bool, err error)
	// Seats reads the status of every seat of an event as shown (Seat.Shown), for the projection, and the database's clock.
	Seats(ctx context.Context, event id.ID, visit func(ordinal seatmap.Ordinal, status Status, version int64)) (now time.Time, err error)
	// Prepare has done before a rush on the event's seats what the first to hold them would wait for. It changes nothing.
	Prepare(ctx context.Context, event id.ID) error
	// FreeSeats reads the rows of all seats that are available and public, with their places. A database
	// whose rows have no places has nothing to tell: errors.ErrUnsupported.
	FreeSeats(ctx context.Context, event id.ID, visit func(Seat)) error
	// ChannelSeats reads the rows of all seats that are available to a channel only.
	ChannelSeats(ctx context.Context, event id.ID, visit func(Seat)) error
	// Hold reads one hold; fault.NotFound.
	Hold(ctx context.Context, hold id.ID) (Hold, error)
	// LiveHold reads the live hold of an account; fault.NotFound when there is none.
	LiveHold(ctx context.Context, event, account id.ID) (Hold, error)
	// DueHolds lists active holds whose time has passed, or whose event has ended its sale, at most limit. more says that
	// there may be others, also when those that it found have ended otherwise and due is empty.
	DueHolds(ctx context.Context, limit int) (due []DueHold, more bool, err error)
	// DueReleases lists channels whose seats are the public's by now, with at most so many of their free seats each.
	DueReleases(ctx context.Context, seats int) ([]DueRelease, error)
}

// DueHold names a hold that the sweeper should end.
type DueHold struct{ Event, Hold id.ID }

// DueRelease names a channel that has been released, and free seats that the map still keeps for it.
type DueRelease struct {
	Event   id.ID
	Channel int
	Seats   []seatmap.Ordinal
}

// ExpiryGrace is how long after its end a hold still counts as alive, by the
// database's clock: the owner's last request may be on its way.
const ExpiryGrace = time.Second

// InheritWindow is how long after a hold's end the same account's new hold of
// the same seats inherits its absolute end.
const InheritWindow = 10 * time.Minute

// PayingGrace is how long past its absolute end a hold may stay PAYING when the
// provider confirms nothing.
const PayingGrace = 10 * time.Minute
