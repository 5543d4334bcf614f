package room

import (
	"context"
	"errors"
	"sync"
	"sync/atomic"
	"time"

	"plateia/core/event"
	"plateia/core/fault"
	"plateia/core/id"
	"plateia/core/queue"
	"plateia/waitingroom/frontier"
	"plateia/waitingroom/store"
)

const (
	stepTime  = 5 * time.Second // of one step with everything around it
	maxSteps  = 8               // rooms stepped at the same time
	armEvery  = 5 * time.Second
	armAhead  = time.Hour // before the on-sale instant, if nobody asks earlier
	armAtMost = 64        // in one look
	// Events that have sold for longer, and whose line nobody has asked about, wait for the first question.
	sellingSince = 24 * time.Hour
	sweepEvery   = 2 * time.Second
	steadyEvery  = time.Second
	idleEvery    = 5 * time.Second // unless somebody enters
	beforeEvery  = 5 * time.Second // while entries are taken and nothing moves
	drawAfter    = store.CutAfter  // the on-sale instant nothing of the lottery is on its way to the log
)

// leader is one term of leading.
type leader struct {
	*Room
	rooms map[id.ID]*led
	armed time.Time // the last look for events without a room
	began bool      // events that sold before this term have been looked for
	slots chan struct{}
	steps sync.WaitGroup
}

// led is a room in this term.
type led struct {
	which id.ID
	busy  atomic.Bool
	due   time.Time // by our clock

	view   *view // as of the last step; nil: not read yet
	log    *store.Tally
	drawn  drawn
	trail  trail
	swept  time.Time
	looked time.Time // for a reset that was not finished
	inside bool
	event  event.Event // as of the last step
	closed bool        // nobody could pay then

	idle    bool
	entered int64 // late, when it was found idle
}

// lead steps every open room until ctx ends.
func (r *Room) lead(ctx context.Context) error {
	l := &leader{Room: r, rooms: make(map[id.ID]*led), slots: make(chan struct{}, maxSteps)}
	defer l.close()
	tick := time.NewTicker(r.opts.Tick)
	defer tick.Stop()
	for {
		if err := l.round(ctx); err != nil {
			r.complain(ctx, "list its rooms", err)
		}
		select {
		case <-ctx.Done():
			return nil
		case <-tick.C:
		}
	}
}

func (l *leader) close() {
	l.steps.Wait()
	for _, room := range l.rooms {
		room.forgetLog()
	}
}

// round begins the steps that are due.
func (l *leader) round(ctx context.Context) error {
	now := time.Now()
	if now.Sub(l.armed) >= armEvery {
		l.armed = now
		l.armSoon(ctx)
	}
	open, err := l.store.Open(ctx)
	if err != nil {
		return err
	}
	l.keep(open)
	for _, which := range open {
		room, known := l.rooms[which]
		if !known {
			room = &led{which: which}
			l.rooms[which] = room
		}
		if room.busy.Load() || now.Before(room.due) && !l.stirred(room) {
			continue
		}
		select {
		case l.slots <- struct{}{}:
		case <-ctx.Done():
			return nil
		}
		room.busy.Store(true)
		l.steps.Go(func() {
			defer func() { room.busy.Store(false); <-l.slots }()
			l.stepRoom(ctx, room)
		})
	}
	return nil
}

// stirred reports news that do not wait for a room's next step: whether anybody can pay has changed, or
// somebody has entered a room in which nobody was.
func (l *leader) stirred(room *led) bool {
	return l.opts.Closed(room.event) != room.closed || room.idle && room.log != nil && room.log.Late() != room.entered
}

// keep forgets rooms that are over.
func (l *leader) keep(open []id.ID) {
	still := make(map[id.ID]bool, len(open))
	for _, which := range open {
		still[which] = true
	}
	for which, room := range l.rooms {
		if !still[which] && !room.busy.Load() {
			room.forgetLog()
			delete(l.rooms, which)
		}
	}
}

// armSoon arms the rooms of events that go on sale soon.
func (l *leader) armSoon(ctx context.Context) {
	soon, err := l.store.Unarmed(ctx, armAhead, armAtMost)
	if err == nil && !l.began {
		var selling []id.ID
		selling, err = l.store.Selling(ctx, sellingSince, armAtMost)
		soon, l.began = append(soon, selling...), err == nil
	}
	for _, which := range soon {
		if err == nil {
			_, err = l.arm(ctx, which)
		}
	}
	if err != nil {
		l.complain(ctx, "arm rooms", err)
	}
}

// stepRoom is one step of one room, and what is due around it. A failure is for the log: the next step may work.
func (l *leader) stepRoom(ctx context.Context, room *led) {
	ctx, cancel := context.WithTimeout(ctx, stepTime)
	defer cancel()
	began := time.Now()
	again, err := l.step(ctx, room)
	if err == nil && room.inside && began.Sub(room.swept) >= sweepEvery {
		room.swept = began
		_, err = l.store.Depart(ctx, room.which, queue.Departures{Idle: l.opts.Idle, Life: l.authority.AccessLife()})
	}
	if err != nil {
		l.complain(ctx, "step a room", err)
		again = steadyEvery
	}
	room.due = began.Add(again)
}

// errOtherEpoch ends a step that began before a reset.
var errOtherEpoch = errors.New("room: the room has started over")

// step moves a room on and says when it is to be looked at again.
func (l *leader) step(ctx context.Context, room *led) (again time.Duration, err error) {
	e, err := l.catalog.Event(ctx, room.which)
	if err != nil {
		return 0, err
	}
	if room.view == nil {
		row, err := l.store.Room(ctx, room.which)
		if err != nil {
			return 0, err
		}
		if room.view, err = l.parse(row); err != nil {
			return 0, err
		}
	}
	if done, err := l.finish(ctx, e, room); err != nil {
		l.complain(ctx, "look for a reset that was not finished", err)
	} else if done {
		room.startOver()
		return 0, nil
	}
	f := facts{event: e, closed: l.opts.Closed(e), load: l.opts.Load(e.ID), trail: room.trail}
	room.event, room.closed = e, f.closed
	var entered int64
	if f.log = room.follow(ctx, l); f.log != nil {
		entered = f.log.Late()
	}
	if f.drawn, err = l.draw(ctx, e, room); err != nil {
		l.complain(ctx, "make a draw", err) // the line goes on as it is
	}
	var last outcome
	var seen queue.Signals
	key := room.view.row.Key
	row, err := l.store.Step(ctx, room.which, func(row queue.Row, in queue.Signals) (queue.Step, error) {
		v, err := l.parse(row)
		switch {
		case err != nil:
			return queue.Step{}, err
		case row.Key != key:
			return queue.Step{}, errOtherEpoch
		}
		seen = in
		last, err = l.decide(v, in, f)
		return last.step, err
	})
	if errors.Is(err, errOtherEpoch) {
		room.startOver()
		return 0, nil
	}
	if err != nil {
		return 0, err
	}
	l.held.Forget(room.which)
	room.view = &view{row: row, doc: last.doc, memory: last.memory, setting: room.view.setting}
	room.trail = room.trail.with(last.memory.Controller.Clock, seen.Now.Unix(), last.doc.Frontiers)
	room.inside, room.idle = seen.Inside+seen.AtDoor > 0, last.idle
	if f.log != nil {
		room.entered = entered
	}
	return l.pace(last, seen.Now), nil
}

// pace is when to look again.
func (l *leader) pace(o outcome, now time.Time) time.Duration {
	switch o.doc.Phase {
	case frontier.Before:
		return min(max(o.doc.OnSaleAt.Sub(now), l.opts.Tick), beforeEvery)
	case frontier.Drawing:
		return l.opts.Tick
	}
	switch {
	case o.idle:
		return idleEvery
	case o.short:
		return l.opts.Tick
	}
	return steadyEvery
}

// draw makes the draw when its time has come, and says how far it is. The epoch is the row's: what the catalog says of an event may be
// from before a reset, whose draw this is not, or from after one that this leader has not seen yet.
func (l *leader) draw(ctx context.Context, e event.Event, room *led) (drawn, error) {
	doc := room.view.doc
	e.Epoch = room.view.row.Epoch
	if doc.Seed != nil {
		return drawn{doc.CutOff, doc.Seed, doc.Verifiable}, nil
	}
	d := room.drawn
	if d.seed != nil || time.UnixMilli(doc.Time).Before(doc.OnSaleAt.Add(drawAfter)) || room.log == nil {
		return d, nil
	}
	if d == (drawn{}) {
		parts, err := room.log.Cut(ctx)
		if err != nil {
			return d, err
		}
		if d.cutOff, err = l.ceremony.CutOff(ctx, e, parts, room.log.Lottery()); err != nil {
			return room.drawn, err
		}
	}
	seed, verifiable, done, err := l.ceremony.Reveal(ctx, e)
	if done && err == nil {
		d.seed, d.verifiable = &seed, verifiable
	}
	room.drawn = d
	return d, err
}

// follow reads the entry log, from when it can be read; nil before.
func (room *led) follow(ctx context.Context, l *leader) counts {
	if room.log == nil {
		log, err := l.entries.Follow(ctx, room.view.row.Key)
		if err != nil {
			l.complain(ctx, "read the log of entries", err)
			return nil
		}
		room.log = log
	}
	if !room.log.Caught() {
		return nil
	}
	return room.log
}

func (room *led) forgetLog() {
	if room.log != nil {
		room.log.Close()
		room.log = nil
	}
}

// startOver forgets an epoch.
func (room *led) startOver() {
	room.forgetLog()
	room.view, room.drawn, room.trail = nil, drawn{}, nil
}

// complain logs what failed. The next round tries again.
func (r *Room) complain(ctx context.Context, what string, err error) {
	if !errors.Is(context.Cause(ctx), context.Canceled) && fault.CodeOf(err) != fault.NotFound {
		r.log.Warn("waiting room: could not "+what, "error", err)
	}
}
