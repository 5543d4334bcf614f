package inventory

import (
	"context"
	"slices"
	"sync"
	"time"

	"plateia/core/pick"
)

// ownAge is how old the reading may be by which seats are chosen for somebody who comes through a channel.
const ownAge = 2 * time.Second

// ownSeats are the free seats of an event's channels. Maps and the projection show them as blocked, so whoever comes
// through a channel and leaves the choice to us needs to have them read, which walks the event: at most
// once in ownAge, and never for an event in which nobody does. A bit for each seat and channel that has any.
type ownSeats struct {
	reading sync.Mutex // held while they are read
	mu      sync.Mutex
	readAt  time.Time // zero: never
	free    map[int]pick.Bitmap
}

// learn takes rows as they are after a batch.
func (o *ownSeats) learn(rows []*row[Seat], seats int) {
	o.mu.Lock()
	defer o.mu.Unlock()
	if o.readAt.IsZero() {
		return
	}
	for _, r := range rows {
		for _, free := range o.free {
			free.Remove(r.is.Ordinal)
		}
		o.add(&r.is, seats)
	}
}

func (o *ownSeats) add(seat *Seat, seats int) {
	if seat.Status != Available || seat.Channel == 0 || seat.Ordinal < 0 || int(seat.Ordinal) >= seats {
		return
	}
	if o.free[seat.Channel] == nil {
		o.free[seat.Channel] = pick.NewBitmap(seats)
	}
	o.free[seat.Channel].Add(seat.Ordinal)
}

func throughChannel(c *call) bool {
	place, places := c.command.(PlaceHold)
	return places && place.Channel != 0 && leavesChoice(c)
}

// readOwn reads the channels' free seats when the last reading is too old.
func (e *engine) readOwn(ctx context.Context) error {
	o := &e.own
	o.reading.Lock()
	defer o.reading.Unlock()
	began := e.opts.Now()
	o.mu.Lock()
	fresh := !o.readAt.IsZero() && began.Sub(o.readAt) < ownAge
	o.mu.Unlock()
	if fresh {
		return nil
	}
	next := ownSeats{free: map[int]pick.Bitmap{}}
	seats := e.chart.Seats()
	if err := e.store.ChannelSeats(ctx, e.event, func(seat Seat) { next.add(&seat, seats) }); err != nil {
		return err
	}
	o.mu.Lock()
	defer o.mu.Unlock()
	o.readAt, o.free = began, next.free
	return nil
}

// ownOf is a channel's own free seats, a copy: those read, but for what is known to have changed hands since. nil: none.
func (e *engine) ownOf(channel int) pick.Bitmap {
	e.own.mu.Lock()
	own := slices.Clone(e.own.free[channel])
	e.own.mu.Unlock()
	if own != nil {
		e.view.keepBlocked(own)
	}
	return own
}

// keepBlocked leaves in a set what is shown as blocked.
func (p *projection) keepBlocked(set pick.Bitmap) {
	p.mu.RLock()
	defer p.mu.RUnlock()
	for o := range set.All() {
		if Status(p.packed[o/4]>>(2*(o%4))&3) != Blocked {
			set.Remove(o)
		}
	}
}

// freeFor is what a command's channel may have of what looks free and is not about to be taken: the public's
// seats and its own. The caller holds picking.
func (e *engine) freeFor(channel int, public pick.Bitmap) pick.Bitmap {
	if channel == 0 {
		return public
	}
	own := e.ownOf(channel)
	if own == nil {
		return public
	}
	e.dropBusy(own)
	own.Join(public)
	return own
}
