package inventory

import (
	"context"
	"sync"
	"sync/atomic"
	"time"

	"plateia/core/fault"
	"plateia/core/id"
	"plateia/core/seatmap"
)

// call is a command that somebody waits for.
type call struct {
	command Command
	out     *Outcome          // written before done; a place in the list of its batch
	done    chan struct{}     // room for one: answering never waits
	state   atomic.Int32      // waiting until a batch takes it or its caller leaves
	picks   int               // how often best available was chosen for it
	picked  []seatmap.Ordinal // what of that is kept from others until it is answered
	flight  *flight           // that took it
	sure    bool              // nothing is guessed about it any more
}

const (
	callWaiting int32 = iota
	callTaken
	callDropped
)

// newCall takes a used one if there is any: who is answered leaves an empty channel, and nobody looks at it any more.
func (inv *Inventory) newCall(command Command) *call {
	c, used := inv.calls.Get().(*call)
	if !used {
		return &call{command: command, done: make(chan struct{}, 1)}
	}
	c.command, c.picks, c.sure = command, 0, false
	c.out = nil
	c.state.Store(callWaiting)
	return c
}

// answer is the last that a batch does with a call.
func (c *call) answer(out *Outcome) {
	c.out = out
	c.done <- struct{}{}
}

// flight is a batch on its way, with what it claims: no other flight of this
// engine touches the same seats, accounts, holds or orders. A clash that claims
// cannot see (the seats of a hold that is replaced) is found by the database.
type flight struct {
	calls []*call
	seats map[seatmap.Ordinal]struct{}
	ids   map[id.ID]struct{}
}

// queue is what waits for an engine and what is in flight.
type queue struct {
	mu      sync.Mutex
	waiting []*call
	flights []*flight
	spare   []*flight // landed ones, whose maps are used again
	workers int       // goroutines that take flights
	closed  bool
	used    time.Time
}

// claims visits what a command is known to touch.
func claims(command Command, seat func(seatmap.Ordinal), name func(id.ID)) {
	switch c := command.(type) {
	case PlaceHold:
		name(c.Account)
		each(c.Seats, seat)
	case Release:
		name(c.Account)
		name(c.Hold)
	case Extend:
		name(c.Account)
		name(c.Hold)
	case StartPayment:
		name(c.Account)
		name(c.Hold)
		name(c.Order)
	case EndAttempt:
		name(c.Order)
	case Sell:
		name(c.Order)
	case Return:
		name(c.Account)
		name(c.Order)
	case Resolve:
		name(c.Order)
	case Expire:
		name(c.Hold)
	case Block:
		each(c.Seats, seat)
	case Unblock:
		each(c.Seats, seat)
	case Allocate:
		each(c.Seats, seat)
	}
}

func each(seats []seatmap.Ordinal, visit func(seatmap.Ordinal)) {
	for _, ordinal := range seats {
		visit(ordinal)
	}
}

func (f *flight) claim(command Command) {
	claims(command,
		func(o seatmap.Ordinal) { f.seats[o] = struct{}{} },
		func(v id.ID) { f.ids[v] = struct{}{} })
}

// unclaim frees the seats that calls named, which have come to their end.
func (q *queue) unclaim(calls []*call) {
	q.mu.Lock()
	defer q.mu.Unlock()
	if len(calls) > 0 && len(calls) == len(calls[0].flight.calls) { // the whole flight, as nearly always
		clear(calls[0].flight.seats)
		return
	}
	for _, c := range calls {
		claims(c.command, func(o seatmap.Ordinal) { delete(c.flight.seats, o) }, func(id.ID) {})
	}
}

func (f *flight) clashes(command Command) bool {
	clash := false
	claims(command,
		func(o seatmap.Ordinal) { _, has := f.seats[o]; clash = clash || has },
		func(v id.ID) { _, has := f.ids[v]; clash = clash || has })
	return clash
}

// newFlight takes a spare one if there is any. The caller holds the lock.
func (q *queue) newFlight(room int) *flight {
	if len(q.spare) == 0 {
		return newFlight(room)
	}
	f := q.spare[len(q.spare)-1]
	q.spare = q.spare[:len(q.spare)-1]
	return f
}

// recycle empties a flight that has landed; nobody looks at it any more. The caller holds the lock.
func (q *queue) recycle(f *flight) {
	clear(f.calls)
	clear(f.seats)
	clear(f.ids)
	f.calls = f.calls[:0]
	q.spare = append(q.spare, f)
}

func newFlight(room int) *flight {
	return &flight{
		calls: make([]*call, 0, room),
		seats: make(map[seatmap.Ordinal]struct{}, 2*room), ids: make(map[id.ID]struct{}, room),
	}
}

// do queues a command and waits for its outcome. Not accepted means the engine
// has retired and the registry has, or will make, another one.
func (e *engine) do(ctx context.Context, command Command) (out *Outcome, accepted bool) {
	began := e.opts.Now()
	if place, places := command.(PlaceHold); places {
		err := place.sensible()
		if err == nil {
			err = e.refuseFast(&place, began)
		}
		if err != nil {
			return refused(err), true
		}
		defer func() { now := e.opts.Now(); e.pulse.note(now, now.Sub(began)) }()
	} else if err := sensible(command); err != nil {
		return refused(err), true
	}
	c := e.inv.newCall(command)
	if err, retired := e.enqueue(c, began); retired {
		return nil, false
	} else if err != nil {
		return refused(err), true
	}
	if !c.wait(ctx) {
		return e.leave(c), true // somebody may still have it
	}
	out = c.out
	e.inv.calls.Put(c)
	return out, true
}

// wait reports whether there is an answer; false when the caller's time is over first.
func (c *call) wait(ctx context.Context) bool {
	over := ctx.Done()
	if over == nil { // cheaper
		<-c.done
		return true
	}
	select {
	case <-c.done:
		return true
	case <-over:
		return false
	}
}

// leave answers a caller that waits no longer.
func (e *engine) leave(c *call) *Outcome {
	if c.state.CompareAndSwap(callWaiting, callDropped) {
		return refused(fault.New(fault.Busy, "it took too long; nothing was changed").After(time.Second))
	}
	select {
	case <-c.done:
		return c.out
	default:
		return refused(fault.New(fault.OutcomeUnknown, "it took too long; repeat with the same key").After(time.Second))
	}
}

func (e *engine) enqueue(c *call, now time.Time) (err *fault.Error, retired bool) {
	q := &e.queue
	q.mu.Lock()
	defer q.mu.Unlock()
	if q.closed {
		return nil, true
	}
	if len(q.waiting) >= e.opts.QueueLength {
		return fault.New(fault.Busy, "too many people at once; try again").After(e.backlog()), false
	}
	q.used = now
	q.waiting = append(q.waiting, c)
	e.wake()
	return nil, false
}

// backlog is when a shed caller should come back: there is no point before the queue had time to move.
func (e *engine) backlog() time.Duration { return time.Second }

// wake starts a worker if there is enough for another batch. The caller holds the lock.
//
// No timer: an idle engine begins at once. While a batch is in flight the next
// begins when it would be at least half as big, so that two committers share
// the load instead of one of them committing crumbs.
func (e *engine) wake() {
	q := &e.queue
	if q.workers >= e.opts.Committers || !q.worthwhile() {
		return
	}
	q.workers++
	e.inv.jobs.Add(1)
	go func() {
		defer e.inv.jobs.Done()
		e.work()
	}()
}

func (q *queue) worthwhile() bool {
	inFlight := 0
	for _, f := range q.flights {
		inFlight = max(inFlight, len(f.calls))
	}
	return len(q.waiting) > 0 && len(q.waiting) >= inFlight/2
}

// work flies batches until there is nothing worth one.
func (e *engine) work() {
	for {
		f := e.take()
		if f == nil {
			return
		}
		e.fly(f)
		e.land(f)
	}
}

// take cuts a batch from the queue: first come first served, except that
// whoever clashes with a batch in flight waits, and so does whoever clashes with somebody who waits.
func (e *engine) take() *flight {
	q := &e.queue
	q.mu.Lock()
	defer q.mu.Unlock()
	f := q.newFlight(min(len(q.waiting), e.opts.BatchCommands))
	if q.worthwhile() {
		q.fill(f, e.opts.BatchCommands)
	}
	if len(f.calls) == 0 {
		q.workers--
		q.spare = append(q.spare, f)
		return nil
	}
	q.flights = append(q.flights, f)
	return f
}

// batchSeats is how many seats fill a batch before its commands do: what is loaded and written must be done in seconds.
const batchSeats = 4000

func (q *queue) fill(f *flight, limit int) {
	var skipped *flight
	rest := q.waiting[:0]
	for i, c := range q.waiting {
		if len(f.calls) == limit || len(f.seats) >= batchSeats {
			rest = append(rest, q.waiting[i:]...)
			break
		}
		if q.clashes(c.command, skipped) {
			if skipped == nil {
				skipped = newFlight(0)
			}
			skipped.claim(c.command)
			rest = append(rest, c)
			continue
		}
		if c.state.CompareAndSwap(callWaiting, callTaken) {
			f.calls = append(f.calls, c)
			f.claim(c.command)
			c.flight = f
		}
	}
	clear(q.waiting[len(rest):])
	q.waiting = rest
}

func (q *queue) clashes(command Command, skipped *flight) bool {
	for _, other := range q.flights {
		if other.clashes(command) {
			return true
		}
	}
	return skipped != nil && skipped.clashes(command)
}

// land takes a flight off the list; what clashed with it may go now.
func (e *engine) land(f *flight) {
	q := &e.queue
	q.mu.Lock()
	defer q.mu.Unlock()
	for i, other := range q.flights {
		if other == f {
			q.flights = append(q.flights[:i], q.flights[i+1:]...)
			break
		}
	}
	q.recycle(f)
	q.used = e.opts.Now()
	if q.closed {
		q.turnAway()
	}
}

// again puts calls back in front: their picks were gone.
func (e *engine) again(calls []*call) {
	q := &e.queue
	q.mu.Lock()
	defer q.mu.Unlock()
	for _, c := range calls {
		c.state.Store(callWaiting)
	}
	q.waiting = append(calls[:len(calls):len(calls)], q.waiting...)
}

// close turns away whoever waits and accepts nobody any more; flights finish.
func (e *engine) close() {
	q := &e.queue
	q.mu.Lock()
	defer q.mu.Unlock()
	q.closed = true
	q.turnAway()
}

func (q *queue) turnAway() {
	for _, c := range q.waiting {
		if c.state.CompareAndSwap(callWaiting, callTaken) {
			c.answer(refused(fault.New(fault.Busy, "the service is restarting").After(time.Second)))
		}
	}
	q.waiting = nil
}

// retire closes an engine that nobody has used for so long.
func (e *engine) retire(idle time.Duration) bool {
	q := &e.queue
	q.mu.Lock()
	defer q.mu.Unlock()
	if len(q.waiting)+len(q.flights) > 0 || e.opts.Now().Sub(q.used) < idle {
		return false
	}
	q.closed = true
	return true
}
