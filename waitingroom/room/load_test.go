package room

import (
	"testing"
	"time"

	"plateia/core/id"
	"plateia/core/load"
)

// While holds take long, or an engine's queue is deep, at any process, fewer are let in; and as many as before when that is over.
func TestFewerComeInWhileHoldsAreSlow(t *testing.T) {
	w := newWorld(t)
	p := w.process(w.show(100, hourAgo())).opened()
	told := load.Event{}
	p.opts.Load = func(which id.ID) load.Event {
		if which != p.which {
			t.Errorf("asked about %s", which)
		}
		return told
	}
	for _, c := range []struct {
		what string
		load load.Event
		slow bool
	}{
		{"well", load.Event{HoldP99: 240 * time.Millisecond, Queue: 0.5}, false},
		{"slow", load.Event{HoldP99: 250 * time.Millisecond}, true},
		{"deep", load.Event{Queue: 0.51}, true},
	} {
		p.amend(time.Minute, func(m *memory) { m.Controller.Throttle, m.Controller.CutAt = 1, 0 })
		told = c.load
		p.step()
		if m := p.led.view.memory; (m.Reason == "slow") != c.slow || (m.Controller.Throttle < 1) != c.slow {
			t.Errorf("%s: %q, throttle %v", c.what, m.Reason, m.Controller.Throttle)
		}
	}
	told = load.Event{}
	p.amend(time.Minute, func(m *memory) { m.Controller.Throttle = 0.99 })
	p.step()
	if m := p.led.view.memory; m.Reason != "" || m.Controller.Throttle != 1 {
		t.Errorf("well again: %q, throttle %v", m.Reason, m.Controller.Throttle)
	}
}
