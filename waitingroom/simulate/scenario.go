// Package simulate runs a waiting room in virtual time: the draw, the frontier, the gate and the controller are
// the real ones, the fans are modelled. Ten million of them take seconds, not an evening.
//
// What is modelled and not real: fans (when they come, whether they show up, how long they stay), the caches between
// them and the origin, the session table (as counts), the beacon's randomness. Signatures are made for a
// stated sample of fans only.
package simulate

import (
	"fmt"
	"slices"
	"strings"
	"time"
)

// Behaviour is how fans, caches and machines act at a time.
type Behaviour struct {
	NoShow     float64 // share of tickets whose holder is not there when the turn comes
	Dwell      float64 // times the ordinary stay
	Lost       float64 // share of departures that only the idle rule notices
	Stale      float64 // age of the oldest cached document, in seconds
	Paused     bool
	Breaker    bool // the payment breaker is open
	Down       bool // no controller runs
	Forgetful  bool // the next controller does not find the state of the one before
	Unexcused  bool // this change gets no three minutes: nothing a fan does has changed
	afterPause bool
}

// Change is a behaviour that begins at a share of the run.
type Change struct {
	At   float64
	For  time.Duration // zero: to the end or the next change
	What func(*Behaviour)
}

// Scenario is a story of changes.
type Scenario struct {
	Name, About string
	Start       func(*Behaviour)
	Changes     []Change
}

// ordinary is a well-behaved sale.
func ordinary() Behaviour { return Behaviour{NoShow: 0.15, Dwell: 1} }

// Scenarios are the stories, the ordinary sale first.
func Scenarios() []Scenario {
	third, noShow := 1.0/3, func(share float64) func(*Behaviour) { return func(b *Behaviour) { b.NoShow = share } }
	return []Scenario{
		{Name: "normal", About: "15 % of tickets are not claimed"},
		{Name: "dwell", About: "people stay 50 % longer from a third of the run on", Changes: []Change{{At: third, What: func(b *Behaviour) { b.Dwell = 1.5 }}}},
		{Name: "noshow-0", About: "everybody claims", Start: noShow(0)},
		{Name: "noshow-60", About: "60 % do not claim, from the beginning", Start: noShow(0.6)},
		{Name: "noshow", About: "no-show goes from 0 to 60 % and back", Start: noShow(0), Changes: []Change{{At: third, What: noShow(0.6)}, {At: 2 * third, What: noShow(0)}}},
		{Name: "pause", About: "the operator pauses for five minutes", Changes: []Change{{At: third, For: 5 * time.Minute, What: func(b *Behaviour) { b.Paused = true }}}},
		{Name: "breaker", About: "every payment provider is away for two minutes", Changes: []Change{{At: third, For: 2 * time.Minute, What: func(b *Behaviour) { b.Breaker = true }}}},
		{Name: "lost", About: "30 % of departures are noticed only by the idle rule", Start: func(b *Behaviour) { b.Lost = 0.3 }},
		{Name: "restart", About: "the controller dies; five seconds later another goes on", Changes: []Change{{At: third, For: 5 * time.Second, What: func(b *Behaviour) { b.Down, b.Unexcused = true, true }}}},
		{Name: "restart-cold", About: "as restart, and what it knew is lost", Changes: []Change{{At: third, For: 5 * time.Second, What: func(b *Behaviour) { b.Down, b.Forgetful, b.Unexcused = true, true, true }}}},
		{Name: "stale", About: "caches are up to 60 s old", Start: func(b *Behaviour) { b.Stale = 60 }},
		{Name: "ghosts", About: "90 % of tickets belong to nobody, from the beginning", Start: noShow(0.9)},
		{Name: "ghost-wave", About: "90 % of tickets belong to nobody in the second third of the run", Changes: []Change{{At: third, What: noShow(0.9)}, {At: 2 * third, What: noShow(0.15)}}},
	}
}

// Find returns a scenario by name; the error names them all.
func Find(name string) (Scenario, error) {
	all := Scenarios()
	if i := slices.IndexFunc(all, func(s Scenario) bool { return s.Name == name }); i >= 0 {
		return all[i], nil
	}
	names := make([]string, len(all))
	for i, s := range all {
		names[i] = s.Name
	}
	return Scenario{}, fmt.Errorf("no scenario %q; there are %s", name, strings.Join(names, ", "))
}

// at is the behaviour at a second of a run of seconds, and how long ago it last changed in a
// way that excuses a room that is not full; negative: never.
func (s Scenario) at(second, seconds float64) (b Behaviour, since float64) {
	b, since = ordinary(), -1
	if s.Start != nil {
		s.Start(&b)
	}
	for _, c := range s.Changes {
		begin := c.At * seconds
		switch end := begin + c.For.Seconds(); {
		case second < begin:
		case c.For > 0 && second >= end:
			after := b
			c.What(&after)
			b.afterPause = after.Paused || after.Breaker
			if !after.Unexcused {
				since = second - end
			}
		default:
			c.What(&b)
			if !b.Unexcused {
				since = second - begin
			}
		}
	}
	return b, since
}
