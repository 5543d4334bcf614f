package simulate

import (
	"context"
	"errors"
	"math"
	"time"

	"plateia/core/id"
	"plateia/waitingroom/controller"
	"plateia/waitingroom/draw"
	"plateia/waitingroom/frontier"
)

// Options of a run.
type Options struct {
	Fans     int
	Minutes  int // from the on-sale instant
	Target   int // people inside
	Scenario Scenario
	Seed     uint64
}

// Bounds of a run.
const (
	MaxFans    = 20_000_000 // 8 bytes of memory each, and as much again while they are sorted
	MaxMinutes = 68
)

const drawTakes = 13 // seconds from the on-sale instant to the first step: cut-off and beacon

func (o Options) check() error {
	switch {
	case o.Fans < 1 || o.Fans > MaxFans:
		return errors.New("simulate: from one fan to twenty million")
	case o.Minutes < 1 || o.Minutes > MaxMinutes:
		return errors.New("simulate: from one minute to 68")
	case o.Target < 1 || o.Target > 1_000_000:
		return errors.New("simulate: from one to a million people inside")
	}
	return nil
}

// world is a run.
type world struct {
	Options
	seconds int
	onSale  time.Time
	crowd   *crowd
	doc     *frontier.Document
	state   controller.State
	room    room
	lottery int // tickets of the lottery before the frontier
	late    int // late tickets before the frontier
	entered int64
	cache   sharedCache
	signs   *signer
	// stretches are the lottery's ranks as they were called.
	stretches []stretch
	out       Result
	series    Series
	dry       bool // the line was at its end
	full      bool // the room was full once
	changed   int  // second of the last change that excuses, while the room is not full again
}

// instant is the virtual time.
func instant(d *frontier.Document, second int) time.Time {
	return d.OnSaleAt.Add(time.Duration(second) * time.Second)
}

// Run simulates a sale. It ends early with ctx.
func Run(ctx context.Context, o Options) (Result, Series, error) {
	if err := o.check(); err != nil {
		return Result{}, Series{}, err
	}
	began := time.Now()
	return o.run(ctx, o.gather(), began)
}

// onSale is when the virtual sale begins; nothing depends on it.
var onSale = time.Date(2026, 12, 1, 12, 0, 0, 0, time.UTC)

// event is the one that is sold.
var event = id.ID{0x51, 1}

func (o Options) gather() *crowd {
	return gather(o.Fans, o.Minutes*60, event, o.Seed, onSale.UnixMilli())
}

// run sells to a crowd, which it only reads.
func (o Options) run(ctx context.Context, c *crowd, began time.Time) (Result, Series, error) {
	w := &world{Options: o, seconds: o.Minutes * 60, onSale: onSale, changed: -1, crowd: c}
	w.open(event)
	var err error
	if w.signs, err = newSigner(event, w.crowd.seed, w.onSale); err != nil {
		return Result{}, Series{}, err
	}
	for second := range w.seconds {
		if err := ctx.Err(); err != nil {
			return Result{}, Series{}, err
		}
		b, since := w.Scenario.at(float64(second), float64(w.seconds))
		if err := w.tick(second, b, since); err != nil {
			return Result{}, Series{}, err
		}
	}
	return w.finish(began), w.series, nil
}

func (w *world) open(event id.ID) {
	w.room.arrivals = map[float64]int{}
	seed := w.crowd.seed
	w.doc = &frontier.Document{
		Version: 1, Event: event, Epoch: 1, Time: w.onSale.UnixMilli(), Phase: frontier.Open, OnSaleAt: w.onSale, Seed: &seed, Verifiable: true,
		ClaimWindow: claimWindow, Poll: frontier.Poll{FloorMS: 2000, CeilingMS: 60_000, Divisor: 20},
		Line: frontier.Line{Tiers: []int64{int64(len(w.crowd.lottery))}, Late: frontier.Arrivals{{Second: w.onSale.Unix()}}}, Frontiers: frontier.Frontiers{Lottery: make([]draw.Rank, 1)},
	}
	w.out = Result{Fans: w.Fans, Scenario: w.Scenario.Name, Minutes: w.Minutes, Target: w.Target, OccupancyMinFullPct: math.Inf(1), FullAfterSeconds: -1}
}

// tick is one second of virtual time, in which everybody behaves like b, which last changed since seconds ago.
func (w *world) tick(now int, b Behaviour, since float64) error {
	w.room.leave(now)
	w.room.claims(now, w.doc, w.Target, b)
	if now%5 == 0 {
		w.room.again(now, w.doc)
	}
	if now >= drawTakes && !b.Down {
		if err := w.control(now, b); err != nil {
			return err
		}
	} else if b.Forgetful {
		w.state = controller.State{}
	}
	w.pass(now, b)
	w.cache.serve(now, w.waiting() > 0, b.Stale)
	if now%60 == 30 {
		if err := w.signs.check(w.doc, instant(w.doc, now)); err != nil {
			return err
		}
	}
	if now%120 == 60 {
		w.measurePlaces(now)
	}
	w.measure(now, b, since)
	return nil
}

// control is one step of the real controller, and the document that comes of it.
func (w *world) control(now int, b Behaviour) error {
	in := controller.Signals{
		Now: instant(w.doc, now), Target: w.Target, Inside: w.room.inside, Departures: w.room.departures, Second: w.room.second,
		Health: controller.Health{BreakerOpen: b.Breaker}, Paused: b.Paused,
	}
	if !b.Paused {
		in.AtDoor = len(w.room.door)
	}
	for clock, n := range w.room.arrivals {
		in.Arrivals = append(in.Arrivals, controller.Arrivals{Clock: clock, Count: n})
	}
	w.room.departures, w.room.second = 0, 0
	clear(w.room.arrivals)
	step, state := controller.Decide(w.state, in)
	w.state = state
	next, err := frontier.Next(w.doc, in.Now, func(d *frontier.Document) {
		d.Line.Late = d.Line.Late.With(in.Now.Unix(), w.entered)
		d.Phase = frontier.Open
		if b.Paused {
			d.Phase = frontier.Paused
			d.Message = &frontier.Message{Reason: "venue", Text: map[string]string{"en": "The sale is paused."}, NextUpdate: in.Now.Add(5 * time.Minute)}
		}
		moved := 0.0
		d.Frontiers, moved = d.Line.Advance(d.Frontiers, step.Tickets)
		w.dry = step.Tickets >= 1 && moved < step.Tickets/2
		d.Frontiers = d.Frontiers.Sweep(step.Laps)
	})
	w.doc = next
	return err
}

// pass calls everybody over whom the frontier has moved.
func (w *world) pass(now int, b Behaviour) {
	if now < len(w.crowd.perSec) {
		w.entered += w.crowd.perSec[now]
	}
	f, c := w.doc.Frontiers, w.crowd
	w.called(f.Lottery[0].Fraction(), b)
	for ; w.lottery < len(c.lottery); w.lottery++ {
		t := w.lotteryTicket(w.lottery)
		if !f.Reaches(t) {
			break
		}
		w.room.expect(claimant{ticket: t, cohort: w.state.Clock}, now, b)
	}
	for ; w.late < len(c.late); w.late++ {
		t := w.lateTicket(w.late)
		if !f.Reaches(t) {
			break
		}
		w.room.expect(claimant{ticket: t, cohort: w.state.Clock}, now, b)
	}
}

func (w *world) lotteryTicket(i int) frontier.Ticket {
	return frontier.Ticket{Event: w.doc.Event, Epoch: 1, Class: draw.Lottery, Second: w.onSale.Unix() - 1, Rank: w.crowd.lottery[i]}
}

func (w *world) lateTicket(i int) frontier.Ticket {
	key := w.crowd.late[i]
	return frontier.Ticket{
		Event: w.doc.Event, Epoch: 1, Class: draw.Late, Second: w.onSale.Unix() + int64(key>>rankBits), Rank: draw.Rank(key << (64 - rankBits)),
	}
}

// waiting is how many are in the line.
func (w *world) waiting() int64 {
	return int64(len(w.crowd.lottery)-w.lottery) + w.entered - int64(w.late)
}
