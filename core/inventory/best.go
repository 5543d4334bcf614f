package inventory

import (
	"context"
	"math/rand/v2"
	"slices"

	"plateia/core/fault"
	"plateia/core/pick"
	"plateia/core/seatmap"
)

// picksPerCall is how often a best-available choice is made again when the seats were gone.
const picksPerCall = 6

// pickFor chooses seats for the calls of a flight that leave the choice to us (best available,
// places of an area), from the projection minus everything in flight, and returns the calls
// that go on. The choice is checked by Decide like any other.
func (e *engine) pickFor(f *flight) []*call {
	if !slices.ContainsFunc(f.calls, leavesChoice) {
		return f.calls
	}
	ctx, cancel := context.WithTimeout(e.inv.life, e.opts.Patience)
	defer cancel()
	if err := e.warm(ctx); err != nil {
		return e.withoutPicks(f.calls, notReached(ctx, err))
	}
	if slices.ContainsFunc(f.calls, throughChannel) {
		if err := e.readOwn(ctx); err != nil {
			return e.withoutPicks(f.calls, notReached(ctx, err))
		}
	}
	e.picking.Lock()
	defer e.picking.Unlock()
	free := e.notInFlight()
	for _, c := range f.calls {
		if leavesChoice(c) {
			e.pickOne(c, free)
		}
	}
	return f.calls
}

func leavesChoice(c *call) bool {
	place, places := c.command.(PlaceHold)
	return places && (place.Best != nil || len(place.Areas) > 0)
}

func (e *engine) withoutPicks(calls []*call, err *fault.Error) []*call {
	going := calls[:0:0]
	for _, c := range calls {
		if leavesChoice(c) {
			c.answer(refused(err))
		} else {
			going = append(going, c)
		}
	}
	return going
}

// notInFlight is what looks free and is not about to be taken by this engine. The caller holds picking.
func (e *engine) notInFlight() pick.Bitmap {
	free := e.view.free()
	e.dropBusy(free)
	return free
}

// dropBusy takes out what somebody of this engine is about to get. The caller holds picking.
func (e *engine) dropBusy(free pick.Bitmap) {
	for ordinal := range e.reserved {
		free.Remove(ordinal)
	}
	e.queue.mu.Lock()
	defer e.queue.mu.Unlock()
	for _, f := range e.queue.flights {
		for ordinal := range f.seats {
			if e.chart.Has(ordinal) {
				free.Remove(ordinal)
			}
		}
	}
}

// pickOne adds the engine's choice to a call's command. Nothing to choose and too few places of an area are left to
// Decide, which knows what a replaced hold gives back, and what was answered to the same key.
func (e *engine) pickOne(c *call, public pick.Bitmap) {
	place := c.command.(PlaceHold)
	free := e.freeFor(place.Channel, public)
	if len(place.own) > 0 {
		free = slices.Clone(free)
		for _, ordinal := range place.own {
			free.Add(ordinal)
		}
	}
	var seats []seatmap.Ordinal
	place.none = nil
	if place.Best != nil {
		found := false
		if seats, found = pick.BestUnder(e.chart, free, e.facts.Prices, *place.Best, e.pickRules()); !found {
			place.none = e.nothingLike(*place.Best, free)
		}
	}
	for _, area := range place.Areas {
		seats = append(seats, e.placesIn(area, free)...)
	}
	for _, ordinal := range seats {
		public.Remove(ordinal)
		free.Remove(ordinal)
		e.reserved[ordinal]++
	}
	c.picked = append(c.picked, seats...)
	place.Seats, place.picked = append(slices.Clip(place.Seats), seats...), len(seats)
	c.picks++
	c.command = place
}

// placesIn takes free places from somewhere in the middle, so that several engines seldom want the same.
func (e *engine) placesIn(area AreaPlaces, free pick.Bitmap) []seatmap.Ordinal {
	if area.Section < 0 || area.Section >= len(e.chart.Sections()) || !e.chart.Sections()[area.Section].General {
		return nil
	}
	section := e.chart.Sections()[area.Section]
	start := section.From + rand.N(section.To-section.From) //nolint:gosec // no secret
	return pick.Places(free, section.From, section.To, start, area.Quantity)
}

var noSeatsTexts = map[pick.Reason]string{
	pick.SoldOut:    "there are no seats left",
	pick.Price:      "there are no seats left together at that price",
	pick.Sections:   "there are no seats left together in those sections",
	pick.Accessible: "there are no accessible seats left together",
	pick.Quantity:   "there are not so many seats left together",
}

func (e *engine) nothingLike(q pick.Query, free pick.Bitmap) *fault.Error {
	why := pick.WhyNot(e.chart, free, e.facts.Prices, q, e.pickRules())
	return noSeats(string(why), noSeatsTexts[why])
}

// unreserve lets others choose what these calls chose or named. It comes before they are answered: whoever
// hears that a choice failed, or that seats are on sale again, may ask at once, and must not find itself in the way.
func (e *engine) unreserve(calls []*call) {
	e.queue.unclaim(calls)
	if !slices.ContainsFunc(calls, func(c *call) bool { return len(c.picked) > 0 }) {
		return
	}
	e.picking.Lock()
	defer e.picking.Unlock()
	for _, c := range calls {
		for _, ordinal := range c.picked {
			if e.reserved[ordinal]--; e.reserved[ordinal] <= 0 {
				delete(e.reserved, ordinal)
			}
		}
		c.picked = nil
	}
}

// repick reports whether the call should be decided again: what the engine had chosen could not be had, or it had guessed.
func (e *engine) repick(c *call, out *Outcome) bool {
	place, places := c.command.(PlaceHold)
	if !places || !out.missed && !out.guessed {
		return false
	}
	place.Seats, place.picked = place.Seats[:len(place.Seats)-place.picked], 0
	if out.own != nil {
		place.own = out.own
	}
	c.command, c.sure = place, c.sure || out.guessed
	return out.guessed || c.picks < picksPerCall
}

// pickRules are the event's, at about now by the database's clock: Decide checks them again.
func (e *engine) pickRules() pick.Rules {
	rules := &e.facts.Rules
	return pick.Rules{
		Orphans:            rules.OrphanMode,
		AccessibleReleased: !rules.AccessibleKept(e.clock.at(e.opts.Now())),
	}
}

// warm reads the whole event into the projection if that was never done.
func (e *engine) warm(ctx context.Context) error {
	e.view.mu.RLock()
	cold := e.view.warmAt.IsZero()
	e.view.mu.RUnlock()
	if !cold {
		return nil
	}
	return e.reread(ctx)
}

func (e *engine) reread(ctx context.Context) error {
	e.view.reading.Lock()
	defer e.view.reading.Unlock()
	began := e.opts.Now()
	e.view.mu.RLock()
	fresh := began.Sub(e.view.warmAt) < e.opts.StaleAfter
	e.view.mu.RUnlock()
	if fresh {
		return nil // somebody else has just done it
	}
	var news []Change
	said, err := e.store.Seats(ctx, e.event, func(ordinal seatmap.Ordinal, status Status, version int64) {
		news = append(news, Change{Ordinal: ordinal, Status: status, Version: version})
	})
	if err != nil {
		return err
	}
	e.clock.learn(said, began)
	e.view.apply(news)
	e.view.mu.Lock()
	e.view.warmAt = began
	e.view.mu.Unlock()
	return nil
}
