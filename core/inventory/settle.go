package inventory

import (
	"context"
	"errors"
	"time"

	"plateia/core/fault"
)

// settleFor is how long callers wait for the truth about a lost COMMIT answer,
// settleBehind how long it is sought after they were told that it is unknown.
const (
	settleFor    = 3 * time.Second
	settleBehind = time.Minute
)

// unsettled finds out what became of a batch whose COMMIT was not answered.
func (e *engine) unsettled(b *batch) {
	committed, err := e.settle(b, settleFor)
	switch {
	case err == nil && committed:
		e.done(b)
	case err == nil:
		// It never happened and never can: decide again.
		ctx, cancel := context.WithTimeout(e.inv.life, e.opts.Patience)
		defer cancel()
		e.try(ctx, b.calls)
	default:
		e.log.Error("the outcome of a commit is unknown", "outbox", b.changes.Delta.ID.String(), "commands", len(b.calls), "error", err)
		e.unreserve(b.calls)
		for _, c := range b.calls {
			c.answer(refused(fault.Wrap(err, fault.OutcomeUnknown, "the database did not confirm; repeat with the same key").After(time.Second)))
		}
		e.inv.background(func() { e.settleBehind(b) })
	}
}

// settle asks until there is an answer or patience ends.
func (e *engine) settle(b *batch, patience time.Duration) (committed bool, err error) {
	ctx, cancel := context.WithTimeout(e.inv.life, patience)
	defer cancel()
	for failures := 1; ; failures++ {
		committed, err = e.store.Settle(ctx, e.event, b.changes.Delta.ID)
		if err == nil {
			return committed, nil
		}
		if ctx.Err() != nil {
			return false, errors.Join(err, ctx.Err())
		}
		backOff(ctx, failures)
	}
}

// settleBehind goes on when nobody waits any more, so that the map is right soon.
func (e *engine) settleBehind(b *batch) {
	if committed, err := e.settle(b, settleBehind); err == nil && committed {
		e.view.observe(b.snapshot, b.began)
		e.inv.outlet.put(b.changes.Delta, b.changes.Payload)
		e.tell(b.changes)
	}
}
