package main

import (
	"sync"
	"testing"
	"time"
)

// pulse is a clock that runs while this process does: it adds a beat each time the process is woken for one, and no more
// than a beat however late that was. On a quiet machine it agrees with the wall's clock within a few percent. On one that
// gives this process a tenth of its time, or none for five seconds, it runs that much slower, as do the product's own
// timers and everything that the test waits for; so a promise such as "within two seconds" is measured by it without
// a limit that a busy machine alone could break.
type pulse struct {
	began time.Time

	mu   sync.Mutex
	ran  time.Duration
	gone time.Duration // the longest time without a beat
}

// beat is how often the clock asks to be woken.
const beat = 5 * time.Millisecond

// takePulse starts a clock that runs until the test's end.
func takePulse(t *testing.T) *pulse {
	p, stop, stopped := &pulse{began: time.Now()}, make(chan struct{}), make(chan struct{})
	go func() {
		defer close(stopped)
		for before := time.Now(); ; {
			timer := time.NewTimer(beat)
			select {
			case <-stop:
				timer.Stop()
				return
			case <-timer.C:
			}
			now := time.Now()
			p.mu.Lock()
			p.gone = max(p.gone, now.Sub(before))
			p.ran += min(now.Sub(before), 2*beat) // a little late is as late as a timer is
			p.mu.Unlock()
			before = now
		}
	}()
	t.Cleanup(func() { close(stop); <-stopped })
	return p
}

// now is the time that the process has had.
func (p *pulse) now() time.Duration {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.ran
}

// since is the time that the process has had since an earlier now.
func (p *pulse) since(then time.Duration) time.Duration { return p.now() - then }

// starved reports whether the machine had too little for this process, and so for those that it tests: nothing for a second
// at a stretch, or less than nine tenths of the time. A program that is overrun then says "one moment", and is right.
func (p *pulse) starved() bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.gone > time.Second || p.ran < time.Since(p.began)*9/10
}

// A clock of one's own machine: it neither outruns the wall's nor stands still.
func TestPulseFollowsTheClock(t *testing.T) {
	p := takePulse(t)
	began := time.Now()
	within(t, time.Minute, "it beats", func() bool { return p.now() > 50*beat })
	if ran, wall := p.now(), time.Since(began); ran > wall+2*beat {
		t.Errorf("%v by the pulse in %v", ran, wall)
	}
}
