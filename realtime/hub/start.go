package hub

import (
	"context"
	"fmt"
	"time"

	"plateia/core/id"
	"plateia/core/inventory"
	"plateia/realtime/wire"
)

// Shelf is where gateways leave their folds for each other, as stream.Shelf implements it.
type Shelf interface {
	// Take returns the newest snapshot of an event that the log can continue; nil: there is none.
	Take(ctx context.Context, event id.ID) (*wire.Stored, error)
	// Keep writes a snapshot unless somebody else writes this event's; it reports whether it did.
	Keep(ctx context.Context, s wire.Stored) (bool, error)
	// Drop removes an event's snapshot.
	Drop(ctx context.Context, event id.ID) error
}

// Rewinder is a Log that can continue a snapshot of the shelf: start returns the
// position from which it wants every message.
type Rewinder interface {
	FollowFrom(ctx context.Context, event id.ID, start func(incarnation, base uint64) (from uint64, err error), each func(seq uint64, d inventory.Delta)) error
}

// pending is a fold that lacks messages which were published before it began.
// Viewers get it when it has them: a snapshot older than what they show would
// turn their map back.
type pending struct {
	fold    *fold
	ready   uint64 // the last message it lacks
	touched bitmap
}

// pendingMost is how long viewers wait for a pending fold: a message that cannot
// be read never comes.
const pendingMost = 2 * time.Second

// followLog begins a fold and keeps it up to date until ctx ends or the log is lost.
func (e *event) followLog(ctx context.Context) error {
	e.mu.Lock()
	e.pending = nil
	e.mu.Unlock()
	if log, ok := e.hub.log.(Rewinder); ok && e.hub.o.Shelf != nil {
		return log.FollowFrom(ctx, e.id, func(incarnation, base uint64) (uint64, error) {
			if s := e.take(ctx, incarnation); s != nil {
				e.resume(s, base)
				return s.Seen, nil
			}
			return base, e.load(ctx, incarnation, base)
		}, e.message)
	}
	return e.hub.log.Follow(ctx, e.id, func(incarnation, base uint64) error { return e.load(ctx, incarnation, base) }, e.message)
}

// take returns the shelf's snapshot if it is any use. The database is there for everything else.
func (e *event) take(ctx context.Context, incarnation uint64) *wire.Stored {
	e.mu.Lock()
	fresh := e.fresh
	e.mu.Unlock()
	if fresh {
		return nil
	}
	ctx, cancel := context.WithTimeout(ctx, shelfTimeout)
	defer cancel()
	s, err := e.hub.o.Shelf.Take(ctx, e.id)
	if err != nil {
		e.hub.count.shelfFailures.Add(1)
		e.hub.o.Logger.Warn("hub: shelf", "event", e.id, "error", err)
		return nil
	}
	if s == nil || s.Stream != incarnation || !shelved(s).valid() {
		return nil
	}
	return s
}

// shelfTimeout is short, because the database can be asked instead.
const shelfTimeout = 2 * time.Second

func shelved(s *wire.Stored) Snapshot {
	return Snapshot{Epoch: s.Epoch.Event, Statuses: s.Statuses, Versions: s.Versions, Sections: s.Sections}
}

// resume begins a fold with the shelf's snapshot; base is the last message about the event of now.
func (e *event) resume(s *wire.Stored, base uint64) {
	e.hub.count.taken.Add(1)
	e.mu.Lock()
	defer e.mu.Unlock()
	f := newFold(shelved(s), s.Stream, e.salt, s.Offset)
	if s.Seen >= base {
		e.install(f)
		return
	}
	p := &pending{fold: f, ready: base, touched: newBitmap(len(f.sections))}
	e.pending = p
	time.AfterFunc(pendingMost, func() { // does nothing when the fold was ready before
		e.mu.Lock()
		defer e.mu.Unlock()
		if e.pending == p && !e.ended {
			e.pending = nil
			e.install(f)
		}
	})
}

// catchUpTo gives a message to the pending fold, and the fold to the viewers when it was the last one it lacked.
func (e *event) catchUpTo(seq uint64, d inventory.Delta) {
	p := e.pending
	e.hub.count.changes.Add(int64(p.fold.apply(seq, d, p.touched)))
	if seq >= p.ready {
		e.pending = nil
		e.install(p.fold)
	}
}

// load begins a fold with the database.
func (e *event) load(ctx context.Context, incarnation, base uint64) error {
	e.hub.count.loads.Add(1)
	s, err := e.snapshot(ctx)
	if err != nil {
		e.hub.count.loadFailures.Add(1)
		return err
	}
	e.mu.Lock()
	defer e.mu.Unlock()
	e.fresh = false
	e.install(newFold(s, incarnation, e.salt, base))
	return nil
}

// snapshot reads the database, when its turn comes: a gateway that starts with many events, or one that is asked for
// events that nobody has heard of, must not take all the connections that sales need.
func (e *event) snapshot(ctx context.Context) (Snapshot, error) {
	select {
	case e.hub.reading <- struct{}{}:
		defer func() { <-e.hub.reading }()
	case <-ctx.Done():
		return Snapshot{}, ctx.Err()
	}
	ctx, cancel := context.WithTimeout(ctx, e.hub.o.LoadTimeout)
	defer cancel()
	s, err := e.hub.source.Snapshot(ctx, e.id)
	if err == nil && !s.valid() {
		err = fmt.Errorf("hub: snapshot of %s does not fit together: %d seats, %d versions", e.id, len(s.Statuses), len(s.Versions))
	}
	return s, err
}

// install makes a fold the event's and gives everyone its state. Called with the lock.
func (e *event) install(f *fold) {
	first := e.fold == nil
	e.fold = f
	e.touched = newBitmap(len(f.sections))
	if first {
		for v := range e.viewers {
			e.begin(v)
		}
	} else {
		e.restart()
	}
	e.schedule(time.Now())
}
