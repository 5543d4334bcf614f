package controller

import (
	"math"
	"slices"
	"time"
)

// HardLimit is the share of the target from which on redemption answers "one moment".
const HardLimit = 1.02

// Admissible is true while one more may be let in. The place and its claim clock are kept otherwise.
func Admissible(inside, target int) bool {
	return float64(inside)+1 <= math.Max(HardLimit*float64(target), 1)
}

// Bounds of the loop.
const (
	StepBound = 25   // times target / stay, in tickets a second
	MaxNoShow = 0.95 // a tighter bound keeps a room empty for ever when nine of ten never come

	firstStay     = 300.0 // seconds inside, until departures tell
	minStay       = 30.0
	minMature     = 45.0  // seconds after which a cohort may count as complete
	maxMature     = 120.0 // and must
	matureMargin  = 10.0  // seconds over nearly all measured arrivals
	sampleTickets = 100   // of the latest complete cohorts, for the no-show share
	sampleSeconds = 15    // of them at least, …
	sampleCame    = 150   // … and until so many came: fewer say little about a tenth …
	sampleLongest = 45    // … but no longer than this
	averageOver   = 30.0  // seconds, of departures
	maxCohorts    = 480

	// The second-chance lane: how many laps a second, and which share of the admissions it should bring.
	firstPace, slowestPace, fastestPace = 1.0 / 900, 1.0 / 7200, 1.0 / 300
	leastSecond, mostSecond             = 0.02, 0.05
	minThrottle                         = 0.1
	setPoint                            = 1.005 // of the target: a room that is a little too full has a limit behind it, an empty one has not
)

// Cohort is the tickets of one step.
type Cohort struct {
	At      float64 `json:"at"` // seconds of the controller's clock, which stands still in pauses
	Tickets float64 `json:"tickets"`
	Came    float64 `json:"came"`
}

// State is what the controller knows. The zero State knows nothing and lets in with care.
type State struct {
	Clock      float64   `json:"clock"` // seconds without pauses
	Last       time.Time `json:"last"`  // of the signals before
	Cohorts    []Cohort  `json:"cohorts"`
	Departures float64   `json:"departures"` // a second, averaged
	Stay       float64   `json:"stay"`       // seconds inside, averaged
	Delays     []float64 `json:"delays"`     // arrivals by age in seconds of their cohort, fading
	Show       float64   `json:"show"`       // share of tickets that come; 0: not known
	Throttle   float64   `json:"throttle"`   // 1: healthy; 0: new
	CutAt      float64   `json:"cutAt"`      // clock of the last cut
	Pace       float64   `json:"pace"`       // laps a second of the second-chance lane
	Second     float64   `json:"second"`     // admissions a second that it brings, averaged
}

// Arrivals are claims by the step that opened their window.
type Arrivals struct {
	Clock float64 // Step.Clock of it
	Count int
}

// Health of the expensive path.
type Health struct {
	Slow        bool // hold p99 is above its objective
	Deep        bool // the engine's queue is deep
	BreakerOpen bool // of payments, at every provider
}

// Signals are what is measured since the step before.
type Signals struct {
	Now        time.Time
	Target     int // people inside
	Inside     int // counted by the session table
	AtDoor     int // claims that were told "one moment" and come again
	Departures int
	Arrivals   []Arrivals // claims, also those told "one moment", once each
	Second     int        // claims that came through the second-chance lane
	Health     Health
	Paused     bool
}

// Step is what to do, and why.
type Step struct {
	Clock     float64 // names the cohort
	Tickets   float64 // to move the lottery and late frontiers over
	Laps      float64 // to move the second-chance lane on by
	Predicted float64 // people inside when those who were let in have come
	Pending   float64 // people still expected
	NoShow    float64
	Throttle  float64
	Reason    string // "", "paused", "breaker", "slow"
}

// Decide takes the signals of a second and returns the step and the state after it.
func Decide(s State, in Signals) (Step, State) {
	s = s.advance(in)
	s.count(in)
	s.learn()
	s.measureStay(in)
	s.judge(in.Health)
	s.pace()
	step := s.step(in)
	if step.Tickets > 0 {
		step.Laps = s.Pace
		s.Cohorts = append(s.Cohorts, Cohort{At: s.Clock, Tickets: step.Tickets})
	}
	return step, s
}

// advance copies the state and moves its clock.
func (s State) advance(in Signals) State {
	s.Cohorts, s.Delays = slices.Clone(s.Cohorts), slices.Clone(s.Delays)
	if s.Stay == 0 {
		s.Stay, s.Throttle, s.Pace, s.Delays = firstStay, 1, firstPace, make([]float64, int(maxMature))
	}
	passed := 1.0
	if !s.Last.IsZero() {
		passed = max(in.Now.Sub(s.Last).Seconds(), 0)
	}
	s.Last = in.Now
	if passed > 0 {
		weight := 1 - math.Exp(-passed/averageOver)
		s.Departures += weight * (float64(in.Departures)/passed - s.Departures)
		s.Second += weight * (float64(in.Second)/passed - s.Second)
	}
	if !in.Paused {
		s.Clock += passed
	}
	return s
}

// count books arrivals to their cohorts and measures their delay.
func (s *State) count(in Signals) {
	const fade = 0.99
	for i := range s.Delays {
		s.Delays[i] *= fade
	}
	for _, a := range in.Arrivals {
		age := s.Clock - a.Clock
		if len(s.Cohorts) > 0 {
			s.Cohorts[max(s.cohort(a.Clock), 0)].Came += float64(a.Count)
		}
		if age >= 0 && age < maxMature {
			s.Delays[int(age)] += float64(a.Count)
		}
	}
	if over := len(s.Cohorts) - maxCohorts; over > 0 {
		s.Cohorts = slices.Delete(s.Cohorts, 0, over)
	}
}

// cohort finds the cohort of a step, or the last one before it.
func (s *State) cohort(at float64) int {
	i, found := slices.BinarySearchFunc(s.Cohorts, at, func(c Cohort, at float64) int {
		switch {
		case c.At < at:
			return -1
		case c.At > at:
			return 1
		}
		return 0
	})
	if !found {
		i--
	}
	return i
}

// delay is the mean of the measured delays and the age at which nearly all had come, in seconds.
func (s *State) delay() (mean, mature float64) {
	total, weighted := 0.0, 0.0
	for age, n := range s.Delays {
		total, weighted = total+n, weighted+n*(float64(age)+0.5)
	}
	if total == 0 {
		return 0, maxMature
	}
	sum := 0.0
	for age, n := range s.Delays {
		if sum += n; sum >= 0.97*total {
			return weighted / total, min(max(float64(age)+matureMargin, minMature), maxMature)
		}
	}
	return weighted / total, maxMature
}

// learn estimates the share that comes. Complete cohorts tell both ways;
// younger ones can only show that more come than was thought, and are believed at once.
func (s *State) learn() {
	_, mature := s.delay()
	tickets, came, newest := 0.0, 0.0, math.Inf(1)
	for _, c := range slices.Backward(s.Cohorts) {
		if s.Clock-c.At < mature {
			continue
		}
		newest = min(newest, s.Clock-c.At)
		if age := s.Clock - c.At - newest; tickets >= sampleTickets && (age > sampleLongest || age > sampleSeconds && came >= sampleCame) {
			break
		}
		tickets, came = tickets+c.Tickets, came+c.Came
	}
	if tickets >= 1 {
		s.Show = came / tickets
	}
	tickets, came = 0, 0
	for _, c := range slices.Backward(s.Cohorts) {
		if s.Clock-c.At >= mature || tickets >= sampleTickets && s.Clock-c.At > sampleSeconds {
			break
		}
		tickets, came = tickets+c.Tickets, came+c.Came
	}
	if tickets >= sampleTickets/2 && s.Show > 0 {
		s.Show = max(s.Show, came/tickets)
	}
	if s.Show > 0 {
		s.Show = min(max(s.Show, 1-MaxNoShow), 1)
	} else if tickets >= 1 && came == 0 && len(s.Cohorts) > 0 && s.Clock-s.Cohorts[0].At >= mature {
		s.Show = 1 - MaxNoShow
	}
}

// measureStay averages the stay while the room is full enough to tell (Little's law). While it fills, too few have left yet and the
// stay looks longer than it is; what looks shorter than was thought is shorter, and a room of quick people would else never be full.
func (s *State) measureStay(in Signals) {
	const weight, longest = 0.02, 3600
	if s.Departures <= 0 {
		return
	}
	seen := min(max(float64(in.Inside)/s.Departures, minStay), longest)
	if in.Inside > 0 && seen < s.Stay || float64(in.Inside) >= 0.95*float64(in.Target) {
		s.Stay += weight * (seen - s.Stay)
	}
}

// judge lowers the target by a tenth at most every five seconds while the expensive path
// suffers, and raises it by a fiftieth a second afterwards.
func (s *State) judge(h Health) {
	switch {
	case !h.Slow && !h.Deep:
		s.Throttle = min(1, s.Throttle+0.02)
	case s.Clock-s.CutAt >= 5:
		s.Throttle, s.CutAt = max(minThrottle, s.Throttle*0.9), s.Clock
	}
}

// pace makes the second-chance lane faster while it brings too few, and slower while it brings too many:
// how many of those who missed their turn come back cannot be known otherwise.
func (s *State) pace() {
	switch all := s.Departures; { // as many come as leave
	case s.Second > mostSecond*all:
		s.Pace = max(slowestPace, s.Pace*0.97)
	case s.Second < leastSecond*all:
		s.Pace = min(fastestPace, s.Pace*1.005)
	}
}

// pending is how many are still expected of cohorts that are not complete. They are added up before what is over is cut off: in
// small cohorts chance alone brings more here and fewer there, and those who are missing from one would be waited for in vain.
func (s *State) pending() float64 {
	_, mature := s.delay()
	show, sum := s.show(), 0.0
	for _, c := range slices.Backward(s.Cohorts) {
		if s.Clock-c.At >= mature {
			break
		}
		sum += c.Tickets*show - c.Came
	}
	return max(sum, 0)
}

// show is the share that comes; until it is known, everybody is expected.
func (s *State) show() float64 {
	if s.Show == 0 {
		return 1
	}
	return s.Show
}

func (s *State) step(in Signals) Step {
	mean, _ := s.delay()
	pending := s.pending()
	inside := float64(in.Inside + in.AtDoor)
	out := Step{
		Clock: s.Clock, Pending: pending, NoShow: 1 - s.show(), Throttle: s.Throttle,
		Predicted: inside + pending - s.leaving(inside, mean),
	}
	switch {
	case in.Paused:
		out.Reason = "paused"
		return out
	case in.Health.BreakerOpen:
		out.Reason = "breaker"
		return out
	case s.Throttle < 1:
		out.Reason = "slow"
	}
	target := setPoint * float64(in.Target) * s.Throttle
	bound := StepBound * float64(in.Target) / s.Stay
	out.Tickets = min(max((target-out.Predicted)/s.show(), 0), max(bound, 1))
	return out
}

// leaving is how many leave until those who are let in now have come. In the first minutes hardly
// anybody has left yet, so what the stay says counts too; the hard limit stands behind both.
func (s *State) leaving(inside, seconds float64) float64 {
	return min(max(s.Departures, inside/s.Stay)*seconds, inside)
}

// Effect is what a change of target would do.
type Effect struct {
	PerSecond float64       // people let in a second when it has settled
	Settles   time.Duration // until then
	Rest      time.Duration // until as many as wait have been served; 0: nobody waits
}

// Predict tells an operator what another target would do, before it is applied.
func Predict(s State, in Signals, target int, waiting float64) Effect {
	stay := s.Stay
	if stay == 0 {
		stay = firstStay
	}
	if in.Departures > 0 || s.Departures > 0 {
		stay = max(float64(max(in.Inside, 1))/max(s.Departures, 1/stay), minStay)
	}
	e := Effect{PerSecond: float64(target) / stay}
	mean, _ := s.delay()
	if up := float64(target - in.Inside); up > 0 {
		e.Settles = time.Duration((up/(StepBound*float64(target)/stay*s.show()) + mean) * float64(time.Second))
	} else if target > 0 { // nobody is sent away: people leave by themselves
		e.Settles = time.Duration(stay * math.Log(max(float64(in.Inside), 1)/float64(target)) * float64(time.Second))
	}
	if e.PerSecond > 0 {
		e.Rest = time.Duration(waiting * s.show() / e.PerSecond * float64(time.Second))
	}
	return e
}

// Passed corrects the step that was just decided: the frontier has moved over so many tickets, which at the end of a line are
// fewer than it might have. What is expected of a cohort is expected of these.
func (s State) Passed(tickets float64) State {
	s.Cohorts = slices.Clone(s.Cohorts)
	last := len(s.Cohorts) - 1
	switch decided := last >= 0 && s.Cohorts[last].At == s.Clock; {
	case decided && tickets <= 0:
		s.Cohorts = s.Cohorts[:last]
	case decided:
		s.Cohorts[last].Tickets = tickets
	case tickets > 0:
		s.Cohorts = append(s.Cohorts, Cohort{At: s.Clock, Tickets: tickets})
	}
	return s
}

// Entered adds tickets that were behind the frontier when they were made, because the door stands open: they belong to the step
// before the next one.
func (s State) Entered(tickets float64) State {
	if tickets <= 0 {
		return s
	}
	s.Cohorts = slices.Clone(s.Cohorts)
	if last := len(s.Cohorts) - 1; last >= 0 && s.Cohorts[last].At == s.Clock {
		s.Cohorts[last].Tickets += tickets
	} else {
		s.Cohorts = append(s.Cohorts, Cohort{At: s.Clock, Tickets: tickets})
	}
	return s
}
