package door

import (
	"context"
	"errors"
	"time"

	"plateia/core/event"
	"plateia/core/id"
	"plateia/core/queue"
)

const sweepEvery = 2 * time.Second // departures

// kick asks for a line to be looked at now instead of at the next tick.
func (d *Door) kick(line queue.Key) {
	if !d.opts.Controller {
		return
	}
	select {
	case d.kicks <- line:
	default: // the tick will see it
	}
}

// control moves frontiers. Any number of processes may do this: a step counts
// only under the version it was decided on.
func (d *Door) control(ctx context.Context) {
	tick := time.NewTicker(d.opts.Tick)
	defer tick.Stop()
	sweep := time.NewTicker(sweepEvery)
	defer sweep.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case line := <-d.kicks:
			d.advance(ctx, line)
		case <-tick.C:
			d.advanceAll(ctx)
		case <-sweep.C:
			d.depart(ctx)
		}
	}
}

func (d *Door) advanceAll(ctx context.Context) {
	lines, err := d.store.Waiting(ctx, d.opts.Window)
	if err != nil {
		d.complain(ctx, "list lines", err)
		return
	}
	for _, line := range lines {
		d.advance(ctx, line)
	}
}

// advance lets in whoever there is room for.
func (d *Door) advance(ctx context.Context, line queue.Key) {
	ctx, cancel := context.WithTimeout(ctx, 2*time.Second)
	defer cancel()
	if err := d.step(ctx, line); err != nil {
		d.complain(ctx, "advance a line", err)
	}
}

func (d *Door) step(ctx context.Context, key queue.Key) error {
	e, err := d.catalog.Event(ctx, key.Event)
	if err != nil {
		return err
	}
	if e.Epoch != key.Epoch {
		return nil // an old epoch's line stands still for ever
	}
	l, err := d.store.Line(ctx, key, d.opts.Window)
	if err != nil {
		return err
	}
	if paused := e.State != event.OnSale || d.opts.Closed(e); paused != !l.PausedAt.IsZero() {
		return d.store.SetPaused(ctx, key, l.Version, d.opts.Window, paused) // the next tick sees the new version
	} else if paused {
		return nil
	}
	to := next(l, e.Rules.Inside)
	if to == l.Frontier {
		return nil
	}
	moved, err := d.store.Advance(ctx, key, l.Version, to)
	if moved {
		d.views.forget(key)
		d.log.Debug("line advanced", "event", key.Event, "from", l.Frontier, "to", to, "inside", l.Inside)
	}
	return err
}

// depart marks those who are gone, so that others can come in.
func (d *Door) depart(ctx context.Context) {
	ctx, cancel := context.WithTimeout(ctx, 10*time.Second)
	defer cancel()
	events, err := d.store.Inside(ctx)
	if err != nil {
		d.complain(ctx, "list events with people inside", err)
		return
	}
	bounds := queue.Departures{Idle: d.opts.Idle, Life: d.signer.AccessLife()}
	for _, e := range events {
		if err := d.departFrom(ctx, e, bounds); err != nil {
			d.complain(ctx, "count departures", err)
		}
	}
}

func (d *Door) departFrom(ctx context.Context, event id.ID, bounds queue.Departures) error {
	gone, err := d.store.Depart(ctx, event, bounds)
	if gone > 0 {
		d.log.Debug("people left", "event", event, "count", gone)
	}
	return err
}

// complain logs a failed round. The next one tries again.
func (d *Door) complain(ctx context.Context, what string, err error) {
	if !errors.Is(context.Cause(ctx), context.Canceled) {
		d.log.Warn("waiting room: could not "+what, "error", err)
	}
}
