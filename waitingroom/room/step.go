package room

import (
	"encoding/json"
	"math"
	"time"

	"plateia/core/event"
	"plateia/core/load"
	"plateia/core/queue"
	"plateia/waitingroom/controller"
	"plateia/waitingroom/draw"
	"plateia/waitingroom/frontier"
)

// facts are what a step is decided on beside the row and its signals. They do not change while it is being decided.
type facts struct {
	event  event.Event
	closed bool // nobody can pay
	load   load.Event
	log    counts // nil: the entry log is not known just now
	drawn  drawn
	trail  trail
}

// counts is what the entry log holds of an epoch, as it grows; a step reads it at one moment.
type counts interface {
	Tiers() []int64                // entries of the lottery by tier, up to the last that somebody is in
	Late() int64                   // entries since the on-sale instant
	LateBefore(second int64) int64 // of them, those of earlier Unix seconds
}

// drawn is how far the draw has come.
type drawn struct {
	cutOff     draw.Digest
	seed       *draw.Digest
	verifiable bool
}

const (
	keepEvery   = 30 * time.Second // documents for the public record; each change of phase is kept, too
	noteEvery   = 5 * time.Second  // moments of the history
	openAhead   = 2                // seconds that the late frontier stands ahead while the door is open
	recentSpan  = 3                // seconds of arrivals that say whether a rush begins
	idleSpan    = 300
	recentTimes = 2                      // how many of those may come again before anybody notices
	settles     = 1                      // seconds until the entries of a second are nearly all in the log
	slowHold    = 250 * time.Millisecond // a p99 of holds from which on fewer are let in
	deepQueue   = 0.5                    // a share of an engine's queue above which fewer are let in
)

// outcome is what a step comes to.
type outcome struct {
	step   queue.Step
	doc    *frontier.Document
	memory memory
	short  bool // the line is short and the shop far from full: look again soon
	idle   bool // nobody is there or was lately: look when somebody enters
}

// decide makes the next document. It is a pure function of its arguments.
func (r *Room) decide(v *view, in queue.Signals, f facts) (outcome, error) {
	s := &stepping{view: v, in: in, facts: f, target: v.setting.target(f.event.Rules.Inside), memory: v.memory}
	doc, err := frontier.Next(v.doc, in.Now, s.change)
	if err != nil {
		return outcome{}, err
	}
	out := outcome{step: queue.Step{Row: v.row}, doc: doc, memory: s.memory, short: s.short, idle: s.idle}
	out.step.Closed = doc.Phase == frontier.Ended
	out.step.Keep = doc.Phase != v.doc.Phase || in.Now.UnixMilli()-s.memory.Kept >= keepEvery.Milliseconds()
	if out.step.Keep {
		out.memory.Kept = in.Now.UnixMilli()
	}
	if in.Now.UnixMilli()-s.memory.Noted >= noteEvery.Milliseconds() {
		out.memory.Noted = in.Now.UnixMilli()
		if out.step.Moment, err = json.Marshal(momentOf(doc, out.memory, s.target)); err != nil {
			return outcome{}, err
		}
	}
	return out, r.seal(&out.step.Row, doc, out.memory, v.setting)
}

// stepping is one step while it is being decided.
type stepping struct {
	view   *view
	in     queue.Signals
	facts  facts
	target int
	memory memory
	short  bool
	idle   bool
}

// change is the step on the document.
func (s *stepping) change(d *frontier.Document) {
	d.Phase, d.Message = s.phase(d)
	s.learn(d)
	if behind := s.served(d) - s.memory.Served; d.Seed != nil && s.facts.log != nil { // entered since, while the door stood open
		s.memory.Controller = s.memory.Controller.Entered(behind)
		s.memory.Served += max(behind, 0)
	}
	s.count()
	step := s.control(d.Phase)
	s.move(d, step)
	s.memory.Reason, s.memory.Predicted = step.Reason, step.Predicted
	if d.Phase == frontier.Before || d.Phase == frontier.Drawing {
		s.memory.Reason = "" // nothing stands still that has not begun
	}
	d.Poll = pollIn(d.Phase, d.Line.Lottery())
	slow, fast := d.Pace()
	d.Rate = frontier.Rate{PerSecond: (slow + fast) / 2, Low: slow, High: fast}
}

// phase says what the line does now, and what is said about it.
func (s *stepping) phase(d *frontier.Document) (frontier.Phase, *frontier.Message) {
	e, said := s.facts.event, s.view.setting.Message
	switch {
	case d.Phase == frontier.Ended || e.State == event.Closed || e.State == event.Cancelled:
		return frontier.Ended, said
	case s.in.Now.Before(d.OnSaleAt):
		return frontier.Before, said
	case s.facts.drawn.seed == nil || e.State == event.Scheduled:
		return frontier.Drawing, said
	case s.in.Unsold == 0:
		return frontier.SoldOut, said
	case s.view.setting.Paused:
		return frontier.Paused, said
	case e.State != event.OnSale:
		return frontier.Paused, pauses[reasonPaused]
	case s.facts.closed:
		return frontier.Paused, pauses[reasonPayments]
	}
	return frontier.Open, said
}

// pauses are what is said of pauses that come without an operator's words.
var pauses = map[string]*frontier.Message{
	reasonPaused: {Reason: reasonPaused, Text: map[string]string{
		"en": "The sale is paused. Your place is kept.", "es": "La venta está en pausa. Tu lugar está guardado.",
		"pt-BR": "A venda está em pausa. Seu lugar está guardado.",
	}},
	reasonPayments: {Reason: reasonPayments, Text: map[string]string{
		"en": "Payments are delayed, so nobody is let in just now. Your place is kept.", "es": "Los pagos están demorados: por ahora no entra nadie. Tu lugar está guardado.",
		"pt-BR": "Os pagamentos estão atrasados: por enquanto ninguém entra. Seu lugar está guardado.",
	}},
}

// learn takes over what the entry log and the draw have brought.
func (s *stepping) learn(d *frontier.Document) {
	now := s.in.Now.Unix()
	if log := s.facts.log; log != nil {
		if d.Seed == nil {
			d.Line.Tiers = make([]int64, len(d.Line.Tiers))
			copy(d.Line.Tiers, log.Tiers())
		}
		if since := d.OnSaleAt.Unix(); now > since {
			if len(d.Line.Late) == 0 {
				d.Line.Late = frontier.Arrivals{{Second: since}}
			}
			d.Line.Late = d.Line.Late.With(now-settles, log.LateBefore(now-settles))
		}
	}
	d.CutOff = s.facts.drawn.cutOff
	if d.Seed == nil && s.facts.drawn.seed != nil {
		d.Seed, d.Verifiable = s.facts.drawn.seed, s.facts.drawn.verifiable
	}
}

// count adds what has happened since the step before.
func (s *stepping) count() {
	m := &s.memory
	m.Admitted += s.in.Admitted
	m.Arrived += int64(len(s.in.Arrivals))
	m.Second += s.in.Second
	m.Left += s.in.Departures
	m.Inside, m.AtDoor = s.in.Inside, s.in.AtDoor
}

// control asks the controller.
func (s *stepping) control(phase frontier.Phase) controller.Step {
	in := controller.Signals{
		Now: s.in.Now, Target: s.target, Inside: int(s.in.Inside), AtDoor: int(s.in.AtDoor), Departures: int(s.in.Departures),
		Second: int(s.in.Second), Health: s.facts.health(), Paused: phase != frontier.Open, Arrivals: s.facts.trail.arrivals(s.view, s.in.Arrivals),
	}
	step, state := controller.Decide(s.memory.Controller, in)
	s.memory.Controller = state
	return step
}

// health is the worst that is known of the expensive path.
func (f facts) health() controller.Health {
	return controller.Health{Slow: f.load.HoldP99 >= slowHold, Deep: f.load.Queue > deepQueue, BreakerOpen: f.closed}
}

// move moves the frontiers, and tells the controller how many tickets there were.
func (s *stepping) move(d *frontier.Document, step controller.Step) {
	if d.Phase != frontier.Open {
		return
	}
	var passed float64
	d.Frontiers, passed = d.Line.Advance(d.Frontiers, step.Tickets)
	lottery, late := s.waiting(d)
	if lottery == 0 && late <= step.Tickets && s.quiet(step, late) {
		if to := (frontier.LatePoint{Second: s.in.Now.Unix() + openAhead}); to.Second > d.Frontiers.Late.Second {
			d.Frontiers.Late = to
		}
	}
	if s.facts.log != nil {
		passed = max(s.served(d)-s.memory.Served, 0)
	}
	s.memory.Served += passed
	s.memory.Controller = s.memory.Controller.Passed(passed)
	if s.secondChance() {
		d.Frontiers = d.Frontiers.Sweep(step.Laps)
		s.memory.Laps += step.Laps
	}
	s.short = lottery+late < shortLine && step.Predicted < 0.8*float64(s.target)
	s.idle = lottery+late+step.Predicted == 0 && s.recent(idleSpan) == 0
}

// shortLine is a line of which everybody may be let in within seconds.
const shortLine = 500

// secondChance reports whether anybody can have missed a turn: only then the lane for those comes by.
func (s *stepping) secondChance() bool {
	return s.memory.Controller.Clock > float64(s.view.doc.ClaimWindow)
}

// served is how many tickets of the log are before the frontiers; the document's curve knows the latest of them only later.
func (s *stepping) served(d *frontier.Document) float64 {
	if s.facts.log == nil {
		return d.Line.Served(d.Frontiers)
	}
	total := (frontier.Line{Tiers: d.Line.Tiers}).Served(d.Frontiers)
	at := d.Frontiers.Late
	before := s.facts.log.LateBefore(at.Second)
	return total + float64(before) + at.Rank.Fraction()*float64(s.facts.log.LateBefore(at.Second+1)-before)
}

// waiting is how many are known to stand before the frontiers: more than anybody when the log is not known.
func (s *stepping) waiting(d *frontier.Document) (lottery, late float64) {
	log := s.facts.log
	if log == nil {
		return math.Inf(1), math.Inf(1)
	}
	for i, n := range d.Line.Tiers {
		if f := d.Frontiers.Lottery[i]; f != draw.LastRank {
			lottery += float64(n) * (1 - f.Fraction())
		}
	}
	return lottery, float64(log.Late() - log.LateBefore(d.Frontiers.Late.Second))
}

// quiet reports that all who wait, and whoever comes, may be let in as they come: even if twice as many came as of late, there is room.
func (s *stepping) quiet(step controller.Step, late float64) bool {
	return step.Reason == "" && step.Predicted+late+float64(recentTimes*s.recent(recentSpan)) < float64(s.target)
}

// recent is how many entered in the last seconds.
func (s *stepping) recent(seconds int64) int64 {
	if s.facts.log == nil {
		return math.MaxInt32
	}
	return s.facts.log.Late() - s.facts.log.LateBefore(s.in.Now.Unix()-seconds)
}

// momentOf is the room in numbers.
func momentOf(d *frontier.Document, m memory, target int) queue.Moment {
	entered := d.Line.Lottery()
	if n := len(d.Line.Late); n > 0 {
		entered += d.Line.Late[n-1].Count
	}
	c := m.Controller
	show := c.Show
	if show == 0 {
		show = 1
	}
	return queue.Moment{
		At: time.UnixMilli(d.Time).UTC(), Version: int64(d.Version), Phase: string(d.Phase), Reason: m.Reason, Entered: entered, //nolint:gosec // a version a second
		Passed: int64(math.Round(m.Served)), Laps: m.Laps, Admitted: m.Admitted, Inside: m.Inside, AtDoor: m.AtDoor,
		Target: int64(target), Predicted: m.Predicted, PerSecond: d.Rate.PerSecond, NoShow: 1 - show, Throttle: c.Throttle,
	}
}
