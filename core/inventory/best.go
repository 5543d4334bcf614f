package inventory

import (
	"context"

	"plateia/core/fault"
	"plateia/core/pick"
	"plateia/core/seatmap"
)

// picksPerCall is how often a best-available choice is made again when the seats were gone.
const picksPerCall = 6

// pickFor chooses seats for the best-available calls of a flight, from the
// projection minus everything in flight, and returns the calls that go on. The
// choice is checked by Decide like any other.
func (e *engine) pickFor(f *flight) []*call {
	if !wantsPicks(f.calls) {
		return f.calls
	}
	ctx, cancel := context.WithTimeout(e.inv.life, e.opts.Patience)
	defer cancel()
	if err := e.warm(ctx); err != nil {
		return e.withoutPicks(f.calls, fault.From(err))
	}
	e.picking.Lock()
	defer e.picking.Unlock()
	free := e.notInFlight()
	going := make([]*call, 0, len(f.calls))
	for _, c := range f.calls {
		place, places := c.command.(PlaceHold)
		if !places || place.Best == nil {
			going = append(going, c)
			continue
		}
		if !e.pickOne(f, c, place, free) {
			c.answer(refuse(fault.New(fault.NoSeats, "there are no seats like that left together")))
			continue
		}
		going = append(going, c)
	}
	return going
}

func wantsPicks(calls []*call) bool {
	for _, c := range calls {
		if place, places := c.command.(PlaceHold); places && place.Best != nil {
			return true
		}
	}
	return false
}

func (e *engine) withoutPicks(calls []*call, err *fault.Error) []*call {
	going := calls[:0:0]
	for _, c := range calls {
		if place, places := c.command.(PlaceHold); places && place.Best != nil {
			c.answer(refuse(err))
		} else {
			going = append(going, c)
		}
	}
	return going
}

// notInFlight is what looks free and is not about to be taken by this engine. The caller holds picking.
func (e *engine) notInFlight() pick.Bitmap {
	free := e.view.free()
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
	return free
}

func (e *engine) pickOne(f *flight, c *call, place PlaceHold, free pick.Bitmap) bool {
	seats, found := pick.BestUnder(e.chart, free, e.facts.Prices, *place.Best, e.pickRules())
	if !found {
		return false
	}
	for _, ordinal := range seats {
		free.Remove(ordinal)
		e.reserved[ordinal]++
	}
	f.picked = append(f.picked, seats...)
	place.Seats = seats
	c.picks++
	c.command = place
	return true
}

func (e *engine) unreserve(f *flight) {
	if len(f.picked) == 0 {
		return
	}
	e.picking.Lock()
	defer e.picking.Unlock()
	for _, ordinal := range f.picked {
		if e.reserved[ordinal]--; e.reserved[ordinal] <= 0 {
			delete(e.reserved, ordinal)
		}
	}
}

// repick reports whether the call should choose again: its seats were gone, and it did not name them itself.
func (e *engine) repick(c *call, out Outcome) bool {
	place, places := c.command.(PlaceHold)
	if !places || place.Best == nil || fault.CodeOf(out.Err) != fault.SeatTaken {
		return false
	}
	place.Seats = nil
	c.command = place
	return c.picks < picksPerCall
}

// asAsked tells a best-available caller about seats it never named in its own words.
func asAsked(c *call, out Outcome) Outcome {
	place, places := c.command.(PlaceHold)
	if !places || place.Best == nil || fault.CodeOf(out.Err) != fault.SeatTaken {
		return out
	}
	return refuse(fault.New(fault.NoSeats, "seats are going faster than we can choose; try again"))
}

// pickRules are the event's, at about now: Decide does not check them again.
func (e *engine) pickRules() pick.Rules {
	rules := e.facts.Rules
	return pick.Rules{
		Orphans:            rules.OrphanMode,
		AccessibleReleased: rules.AccessibleRelease != nil && e.clock.at(e.opts.Now()).After(*rules.AccessibleRelease),
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
