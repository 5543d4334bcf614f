package hub

import (
	"context"
	"errors"
	"math/rand/v2"
	"sync"
	"time"

	"plateia/core/fault"
	"plateia/core/id"
	"plateia/core/inventory"
	"plateia/realtime/wire"
)

// errReload ends a Follow whose fold is to be built anew.
var errReload = errors.New("hub: reload")

// event is one event that is being looked at.
type event struct {
	hub    *Hub
	id     id.ID
	ctx    context.Context // ends with the event
	cancel context.CancelFunc

	mu      sync.Mutex
	ended   bool
	again   context.CancelCauseFunc // ends the running Follow
	fold    *fold                   // nil until the first snapshot
	pending *pending                // the next fold while it is brought up to date
	fresh   bool                    // the next fold begins with the database, whatever the shelf has
	salt    uint64                  // makes the epoch another one after a repair
	viewers map[*Viewer]struct{}
	owners  map[id.ID]*Viewer // by account, the others of it behind the first
	groups  map[string]*group
	touched bitmap
	timer   *time.Timer // next flush or sign of life
	linger  *time.Timer // end when nobody comes
	scratch []wire.SeatStatus
}

func newEvent(h *Hub, eventID id.ID) *event {
	e := &event{hub: h, id: eventID, viewers: map[*Viewer]struct{}{}, owners: map[id.ID]*Viewer{}, groups: map[string]*group{}}
	e.ctx, e.cancel = context.WithCancel(h.ctx)
	return e
}

// run keeps the fold going until the event ends.
func (e *event) run() {
	defer e.listen()()
	var tending sync.WaitGroup
	tending.Go(e.tend)
	defer tending.Wait()
	failures := 0
	for e.ctx.Err() == nil {
		err := e.follow()
		switch {
		case e.ctx.Err() != nil:
			return
		case fault.CodeOf(err) == fault.NotFound:
			e.endAll(wire.Bye{Code: wire.ByeUnknownEvent, Text: "no such event"})
			return
		case errors.Is(err, errReload):
			failures = 0
			continue
		}
		if e.failed(err, failures > 0) {
			failures++
		} else {
			failures = 0
		}
		e.pause(failures)
	}
}

func (e *event) follow() error {
	ctx, again := context.WithCancelCause(e.ctx)
	defer again(nil)
	e.mu.Lock()
	e.again = again
	e.mu.Unlock()
	err := e.followLog(ctx)
	if cause := context.Cause(ctx); cause != nil {
		return cause
	}
	return err
}

// failed deals with a Follow that ended. Without a fold the viewers are sent
// away to come back, when it is not the first time: that is soon tried again,
// and a moment in which a process or a server stood still is no reason to leave.
// With one they keep what they have.
func (e *event) failed(err error, again bool) (empty bool) {
	e.hub.o.Logger.Warn("hub: following ended", "event", e.id, "error", err)
	e.begun()
	e.mu.Lock()
	defer e.mu.Unlock()
	if e.fold != nil {
		return e.fold.lone
	}
	if !again {
		return true
	}
	for v := range e.viewers {
		v.end(wire.Bye{Code: wire.ByeUnavailable, After: time.Second, Spread: 4 * time.Second, Text: "the map cannot be loaded"})
	}
	return true
}

func (e *event) pause(failures int) {
	most := min(5*time.Second, 200*time.Millisecond<<min(failures, 5))
	select {
	case <-e.ctx.Done():
	case <-time.After(most/2 + rand.N(most/2)): //nolint:gosec // jitter
	}
}

// restart gives every group a snapshot of the new fold.
func (e *event) restart() {
	now := time.Now()
	for _, g := range e.groups {
		if !e.shows(g.view) {
			g.end(wire.Bye{Code: wire.ByeResync, Text: "the chart changed"})
			continue
		}
		g.start, g.at, g.dirty, g.oldest = nil, e.fold.at, false, time.Time{}
		for _, v := range g.viewers {
			e.give(v, g.first(e, v))
		}
		g.sent, g.next = now, now.Add(g.tick)
	}
}

// message folds one message and sends what may be sent at once.
func (e *event) message(seq uint64, d inventory.Delta) {
	e.mu.Lock()
	defer e.mu.Unlock()
	e.hub.count.messages.Add(1)
	if e.pending != nil {
		e.catchUpTo(seq, d)
		return
	}
	clear(e.touched)
	news := e.fold.apply(seq, d, e.touched)
	e.hub.count.changes.Add(int64(news))
	for _, g := range e.groups {
		g.touch(e.touched, news > 0, d.At)
	}
	e.flush(time.Now())
}

// flush sends to every group whose time has come, and sets the timer for the others.
func (e *event) flush(now time.Time) {
	if e.fold == nil || e.ended {
		return
	}
	for _, g := range e.groups {
		if (g.dirty && !now.Before(g.next)) || now.Sub(g.sent) >= e.hub.o.Alive {
			g.flush(e, now)
		}
	}
	e.schedule(now)
}

func (e *event) schedule(now time.Time) {
	if len(e.groups) == 0 || e.ended {
		return
	}
	next := now.Add(e.hub.o.Alive)
	for _, g := range e.groups {
		due := g.sent.Add(e.hub.o.Alive)
		if g.dirty {
			due = g.next
		}
		if due.Before(next) {
			next = due
		}
	}
	if e.timer != nil {
		e.timer.Stop()
	}
	e.timer = time.AfterFunc(max(0, next.Sub(now)), e.ticked)
}

func (e *event) ticked() {
	e.mu.Lock()
	defer e.mu.Unlock()
	e.flush(time.Now())
}

// give queues a frame for a viewer and reports whether it is behind.
func (e *event) give(v *Viewer, frame []byte) bool {
	behind, dropped := v.push(frame)
	if dropped {
		e.hub.count.slow.Add(1)
		return true
	}
	e.queued(frame)
	return behind
}

// answer queues a frame that a viewer asked for.
func (e *event) answer(v *Viewer, frame []byte) {
	v.answer(frame)
	e.queued(frame)
}

func (e *event) queued(frame []byte) {
	e.hub.count.queued.Add(1)
	e.hub.count.queuedBytes.Add(int64(len(frame)))
}

func (e *event) reload() {
	e.mu.Lock()
	e.fresh = true
	again := e.again
	e.mu.Unlock()
	if again != nil {
		again(errReload)
	}
}

func (e *event) addStats(s *Stats) {
	e.mu.Lock()
	defer e.mu.Unlock()
	s.Groups += int64(len(e.groups))
	for _, g := range e.groups {
		s.SlowestTickNow = max(s.SlowestTickNow, g.tick)
		if g.dirty && !g.oldest.IsZero() {
			s.OldestPending = max(s.OldestPending, time.Since(g.oldest))
		}
	}
}
