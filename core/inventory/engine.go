package inventory

import (
	"context"
	"errors"
	"log/slog"
	"math/rand/v2"
	"sync"
	"sync/atomic"
	"time"

	"plateia/core/event"
	"plateia/core/fault"
	"plateia/core/id"
	"plateia/core/pick"
	"plateia/core/seatmap"
)

// engine runs all of this process's commands for one event.
type engine struct {
	inv   *Inventory
	opts  *Options
	store Store
	log   *slog.Logger
	event id.ID
	chart *seatmap.Chart
	queue queue
	view  *projection

	picking  sync.Mutex // best-available choices are made one at a time
	reserved map[seatmap.Ordinal]int
	facts    event.Event // as last loaded: for picks, which are checked again
	clock    clock       // the database's: for picks as well

	refreshing atomic.Bool
	rush       rush
	trust      trust
	own        ownSeats
	pulse      pulse
}

func newEngine(inv *Inventory, ev event.Event, chart *seatmap.Chart) *engine {
	return &engine{
		inv: inv, opts: &inv.opts, store: inv.store, event: ev.ID, chart: chart,
		log: inv.opts.Logger.With("event", ev.ID.String()), facts: ev,
		view: newProjection(chart.Seats()), reserved: map[seatmap.Ordinal]int{},
		queue: queue{used: inv.opts.Now()}, rush: rush{enough: inv.opts.RushCommands, seats: chart.Seats()},
	}
}

// maxSeats is the longest list that is looked at; rules are stricter.
const maxSeats = 100

// sensible refuses what no rule could allow, before it costs anything.
func sensible(command Command) *fault.Error {
	if seats, with := organized(command); with != nil {
		return organizerLimit(len(seats))
	}
	return nil
}

func (c *PlaceHold) sensible() *fault.Error {
	switch {
	case c.size() > maxSeats || len(c.Areas) > maxSeats:
		return fault.New(fault.LimitExceeded, "too many seats in one request").With("limit", maxSeats)
	case c.Best != nil && len(c.Seats)+len(c.Areas) > 0:
		return fault.New(fault.Invalid, "either seats or best available, not both")
	case c.Best != nil && (c.Best.Quantity < 1 || c.Best.Quantity > 10):
		return fault.New(fault.Invalid, "best available is for 1 to 10 seats")
	case c.Hold.IsZero() || c.Account.IsZero():
		return fault.New(fault.Invalid, "a hold needs an id and an account")
	}
	return nil
}

// fly takes a batch to its end: every call is answered, or queued again.
func (e *engine) fly(f *flight) {
	calls := e.pickFor(f)
	if len(calls) == 0 {
		return
	}
	ctx, cancel := context.WithTimeout(e.inv.life, e.opts.Patience)
	defer cancel()
	e.try(ctx, calls)
}

// Limits of one try. Conflicts are rare and independent, so after a few in a row
// somebody in the batch is the cause: halves find it in a few more.
const (
	conflictsBeforeSplit = 3
	conflictsOfOne       = 12
)

// try commits the calls, again after conflicts, in halves after several.
func (e *engine) try(ctx context.Context, calls []*call) {
	for failures := 1; ; failures++ {
		b := e.commit(ctx, calls)
		switch {
		case b.err == nil:
			e.done(b)
			return
		case errors.Is(b.err, ErrUnknown):
			e.unsettled(b)
			return
		case ctx.Err() != nil:
			e.giveUp(calls, b.err)
			return
		case !errors.Is(b.err, ErrConflict) && !errors.Is(b.err, ErrUnavailable):
			e.isolate(ctx, calls, b.err)
			return
		case errors.Is(b.err, ErrConflict) && len(calls) > 1 && failures >= conflictsBeforeSplit:
			e.halve(ctx, calls)
			return
		case len(calls) == 1 && failures >= conflictsOfOne:
			e.giveUp(calls, b.err)
			return
		}
		backOff(ctx, failures)
	}
}

func (e *engine) halve(ctx context.Context, calls []*call) {
	half := len(calls) / 2
	e.try(ctx, calls[:half])
	e.try(ctx, calls[half:])
}

// isolate deals with an error that trying again does not help: it is ours, and one call's at most.
func (e *engine) isolate(ctx context.Context, calls []*call, cause error) {
	if len(calls) > 1 {
		e.halve(ctx, calls)
		return
	}
	err := fault.From(cause)
	if err.Code == fault.Internal {
		e.log.Error("a command failed", "command", name(calls[0].command), "error", cause)
	}
	e.unreserve(calls)
	calls[0].answer(refused(err))
}

func (e *engine) giveUp(calls []*call, cause error) {
	e.log.Warn("gave up on a batch", "commands", len(calls), "error", cause)
	e.unreserve(calls)
	for _, c := range calls {
		c.answer(refused(fault.Wrap(cause, fault.Busy, "too much is going on at once; try again").After(time.Second)))
	}
}

// backOff waits a little longer after each failure, never in step with anybody else.
func backOff(ctx context.Context, failures int) {
	most := min(time.Millisecond<<min(failures, 8), 200*time.Millisecond)
	timer := time.NewTimer(rand.N(most)) //nolint:gosec // jitter is no secret
	defer timer.Stop()
	select {
	case <-ctx.Done():
	case <-timer.C:
	}
}

// batch is one decided transaction.
type batch struct {
	calls    []*call
	outcomes []Outcome
	changes  *Changes
	snapshot *Snapshot
	began    time.Time
	missing  int // seats given that had to be loaded
	err      error
}

func (e *engine) commit(ctx context.Context, calls []*call) *batch {
	commands := make([]Command, len(calls))
	for i, c := range calls {
		commands[i] = c.command
	}
	if e.lastFacts().Rules.OrphanMode != event.OrphanOff {
		_ = e.warm(ctx) // the rule is best effort: without a map it does not speak
	}
	b := &batch{calls: calls, began: e.opts.Now()}
	hall := Hall{Chart: e.chart, Free: e.freeSeats, Own: e.ownOf}
	needs := NeedsOf(commands)
	needs.spare, _ = e.inv.snapshots.Get().(*Snapshot)
	e.view.recall(&needs)
	e.guess(&needs, calls)
	b.err = e.store.Commit(ctx, e.event, needs, func(s *Snapshot) *Changes {
		b.snapshot = s
		b.outcomes, b.changes = Decide(hall, s, commands)
		if b.changes != nil {
			b.changes.Payload = e.opts.Encode(b.changes.Delta)
		}
		return b.changes
	})
	if errors.Is(b.err, ErrConflict) {
		e.view.forget(needs.Known)
	}
	e.learned(b, len(needs.guesses))
	if b.err == nil {
		b.missing = b.snapshot.given(len(needs.Known))
	}
	e.memorise(b)
	return b
}

// done spreads the news of a committed batch: the projection first, so that
// whoever got an answer finds it in Availability, then callers, then the stream.
func (e *engine) done(b *batch) {
	e.view.observe(b.snapshot, b.began)
	e.own.learn(b.snapshot.loaded, e.chart.Seats())
	e.learn(b.snapshot.Event)
	e.clock.learn(b.snapshot.Now, b.began)
	e.unreserve(b.calls)
	var missed []*call
	for i, c := range b.calls {
		if out := &b.outcomes[i]; e.repick(c, out) {
			missed = append(missed, c)
		} else {
			c.answer(out)
		}
	}
	if len(missed) > 0 {
		e.again(missed)
	}
	if b.changes != nil && len(b.changes.Delta.Changes) > 0 {
		e.inv.outlet.put(b.changes.Delta, b.changes.Payload)
	}
	e.tell(b.changes)
	e.inv.snapshots.Put(b.snapshot.recycled())
}

func name(command Command) string {
	switch command.(type) {
	case PlaceHold:
		return "PlaceHold"
	case Release:
		return "Release"
	case Extend:
		return "Extend"
	case StartPayment:
		return "StartPayment"
	case EndAttempt:
		return "EndAttempt"
	case Sell:
		return "Sell"
	case Return:
		return "Return"
	case Resolve:
		return "Resolve"
	case Expire:
		return "Expire"
	case Block:
		return "Block"
	case Unblock:
		return "Unblock"
	case Allocate:
		return "Allocate"
	}
	return "unknown"
}

// freeSeats is the projection's free set, a copy, nil while it is cold.
func (e *engine) freeSeats() pick.Bitmap { return e.view.free() }

func (e *engine) learn(ev event.Event) {
	e.picking.Lock()
	defer e.picking.Unlock()
	e.facts = ev
}

func (e *engine) lastFacts() event.Event {
	e.picking.Lock()
	defer e.picking.Unlock()
	return e.facts
}
