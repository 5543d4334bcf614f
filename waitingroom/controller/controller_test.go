package controller

import (
	"encoding/json"
	"reflect"
	"testing"
	"time"

	"pgregory.net/rapid"
)

var start = time.Date(2026, 12, 1, 12, 0, 0, 0, time.UTC)

// Whatever is measured, a step is within its bounds, and a state that went through the
// store decides like the one that stayed in memory.
func TestEveryStepIsWithinItsBounds(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		var s State
		now := start
		target := rapid.IntRange(1, 20_000).Draw(t, "target")
		for range rapid.IntRange(1, 60).Draw(t, "seconds") {
			now = now.Add(time.Duration(rapid.IntRange(-1, 20).Draw(t, "passed")) * time.Second)
			in := Signals{
				Now: now, Target: target, Inside: rapid.IntRange(0, 2*target).Draw(t, "inside"), AtDoor: rapid.IntRange(0, target).Draw(t, "door"),
				Departures: rapid.IntRange(0, target).Draw(t, "departures"), Paused: rapid.Bool().Draw(t, "paused"),
				Second:   rapid.IntRange(0, target).Draw(t, "second"),
				Health:   Health{BreakerOpen: rapid.Bool().Draw(t, "breaker"), Slow: rapid.Bool().Draw(t, "slow")},
				Arrivals: []Arrivals{{Clock: s.Clock - rapid.Float64Range(-5, 300).Draw(t, "age"), Count: rapid.IntRange(0, target).Draw(t, "came")}},
			}
			before, _ := json.Marshal(s)
			step, after := Decide(s, in)
			if untouched, _ := json.Marshal(s); string(before) != string(untouched) {
				t.Fatal("the state before was changed")
			}
			var stored State
			if err := json.Unmarshal(before, &stored); err != nil {
				t.Fatal(err)
			}
			if again, same := Decide(stored, in); again != step || !reflect.DeepEqual(jsonOf(same), jsonOf(after)) {
				t.Fatalf("stored, the state decides otherwise: %+v, %+v", again, step)
			}
			checkStep(t, in, step, after)
			s = after
		}
	})
}

func jsonOf(s State) string {
	text, _ := json.Marshal(s)
	return string(text)
}

func checkStep(t *rapid.T, in Signals, step Step, s State) {
	bound := max(StepBound*float64(in.Target)/minStay, 1)
	switch {
	case step.Tickets < 0 || step.Tickets > bound || step.Laps < 0 || step.Laps > fastestPace || step.Tickets == 0 && step.Laps > 0:
		t.Fatalf("%+v", step)
	case (in.Paused || in.Health.BreakerOpen) && step.Tickets != 0:
		t.Fatalf("%s, and %v are let in", step.Reason, step.Tickets)
	case step.NoShow < 0 || step.NoShow > MaxNoShow+1e-9 || step.Throttle < minThrottle || step.Throttle > 1:
		t.Fatalf("%+v", step)
	case len(s.Cohorts) > maxCohorts+1:
		t.Fatalf("%d cohorts", len(s.Cohorts))
	}
}

// life runs the loop against an ideal crowd: a share comes two seconds after its turn.
func life(s State, seconds int, target int, show float64, change func(second int, in *Signals)) (State, []Step, int) {
	inside, due := 0, map[int]Arrivals{}
	var steps []Step
	begin := int(s.Clock)
	for second := range seconds {
		in := Signals{Now: start.Add(time.Duration(begin+second) * time.Second), Target: target, Inside: inside}
		if a, ok := due[second]; ok {
			inside += a.Count
			in.Arrivals, in.Inside = []Arrivals{a}, inside
		}
		if change != nil {
			change(second, &in)
		}
		var step Step
		step, s = Decide(s, in)
		steps = append(steps, step)
		due[second+2] = Arrivals{Clock: step.Clock, Count: int(step.Tickets * show)}
	}
	return s, steps, inside
}

func TestUntilNoShowsAreKnownEverybodyIsExpected(t *testing.T) {
	_, steps, _ := life(State{}, 30, 3000, 0.1, nil)
	called := 0.0
	for _, s := range steps {
		called += s.Tickets
	}
	if called > 3030 { // the crowd comes in whole people
		t.Errorf("%v called for 3000 places before anybody could be missed", called)
	}
}

func TestGhostsAreFoundWhenTheirCohortsAreOld(t *testing.T) {
	s, _, inside := life(State{}, 240, 3000, 0.1, nil)
	if s.Show < 0.09 || s.Show > 0.12 || inside < 2850 || inside > 3060 {
		t.Errorf("show %v, %d inside", s.Show, inside)
	}
	if _, _, inside := life(State{}, 600, 3000, 0, nil); inside != 0 {
		t.Errorf("nobody comes, and %d are inside", inside)
	}
}

func TestAPauseAndAnOpenBreakerLetNobodyIn(t *testing.T) {
	for reason, change := range map[string]func(int, *Signals){
		"paused":  func(_ int, in *Signals) { in.Paused = true },
		"breaker": func(_ int, in *Signals) { in.Health.BreakerOpen = true },
	} {
		s, steps, inside := life(State{}, 20, 1000, 1, change)
		if inside != 0 || steps[19].Reason != reason {
			t.Errorf("%s: %d inside, %+v", reason, inside, steps[19])
		}
		if reason == "paused" && s.Clock > 1 {
			t.Errorf("cohorts grew %v s older in a pause", s.Clock)
		}
	}
}

func TestASufferingEngineGetsFewerFans(t *testing.T) {
	slow := func(second int, in *Signals) { in.Health.Slow = second < 40 }
	s, steps, _ := life(State{}, 40, 1000, 1, slow)
	if s.Throttle > 0.5 || steps[39].Reason != "slow" {
		t.Errorf("throttle %v after 40 s, %+v", s.Throttle, steps[39])
	}
	if s, _, _ = life(s, 60, 1000, 1, nil); s.Throttle != 1 {
		t.Errorf("a minute later the throttle is at %v", s.Throttle)
	}
}

func TestTheSecondChanceLaneBringsItsShare(t *testing.T) {
	s, _, _ := life(State{}, 2000, 3000, 1, func(_ int, in *Signals) { in.Inside, in.Departures = 2990, 10 })
	if s.Pace < fastestPace {
		t.Errorf("it brings nobody and its pace is only %v", s.Pace)
	}
	s, _, _ = life(s, 2000, 3000, 1, func(_ int, in *Signals) { in.Inside, in.Departures, in.Second = 2990, 10, 3 })
	if s.Pace > slowestPace {
		t.Errorf("it brings 3 a second of 10 and its pace is %v", s.Pace)
	}
}

func TestTheHardLimit(t *testing.T) {
	for _, c := range []struct {
		inside, target int
		want           bool
	}{{0, 1, true}, {1, 1, false}, {100, 100, true}, {101, 100, true}, {102, 100, false}, {10_199, 10_000, true}, {10_200, 10_000, false}} {
		if got := Admissible(c.inside, c.target); got != c.want {
			t.Errorf("%d of %d inside: %v", c.inside, c.target, got)
		}
	}
}

func TestTheEffectOfAnotherTargetIsSaidBefore(t *testing.T) {
	s := State{Stay: 300, Departures: 10, Show: 0.5, Delays: make([]float64, 120), Throttle: 1}
	in := Signals{Target: 3000, Inside: 3000, Departures: 10}
	up, down := Predict(s, in, 6000, 12_000), Predict(s, in, 1500, 12_000)
	if up.PerSecond != 20 || down.PerSecond != 5 || up.Rest != 5*time.Minute || down.Rest != 20*time.Minute {
		t.Errorf("%+v, %+v", up, down)
	}
	if up.Settles <= 0 || up.Settles > time.Minute || down.Settles < 3*time.Minute || down.Settles > 4*time.Minute {
		t.Errorf("%+v, %+v", up, down)
	}
}
