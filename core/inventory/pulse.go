package inventory

import (
	"sync"
	"time"

	"plateia/core/load"
)

const (
	pulseSeconds = 5
	pulseStep    = 10 * time.Millisecond // so fine are times told
	pulseSteps   = 201                   // the last: two seconds and more
	pulseLeast   = 20                    // fewer holds tell nothing about one in a hundred
)

// pulse is how long the holds of the last seconds took, from when they were asked for until they were answered.
type pulse struct {
	mu      sync.Mutex
	seconds [pulseSeconds]beat
}

type beat struct {
	at     int64 // Unix second
	counts [pulseSteps]int32
}

func (p *pulse) note(now time.Time, took time.Duration) {
	second := now.Unix()
	p.mu.Lock()
	defer p.mu.Unlock()
	b := &p.seconds[second%pulseSeconds]
	if b.at != second {
		*b = beat{at: second}
	}
	b.counts[min(max(took/pulseStep, 0), pulseSteps-1)]++
}

// p99 is what ninety-nine of a hundred holds took at the least, rounded down to pulseStep; 0 after too few.
func (p *pulse) p99(now time.Time) time.Duration {
	var counts [pulseSteps]int
	total := 0
	p.mu.Lock()
	for i := range p.seconds {
		if b := &p.seconds[i]; now.Unix()-b.at < pulseSeconds {
			for step, n := range b.counts {
				counts[step] += int(n)
				total += int(n)
			}
		}
	}
	p.mu.Unlock()
	if total < pulseLeast {
		return 0
	}
	above := total / 100
	for step := pulseSteps - 1; ; step-- {
		if above -= counts[step]; above < 0 {
			return time.Duration(step) * pulseStep
		}
	}
}

// Load says how the engines do that have anything to tell: holds in the last seconds, or somebody who waits.
func (inv *Inventory) Load() []load.Event {
	inv.mu.Lock()
	engines := make([]*engine, 0, len(inv.engines))
	for _, e := range inv.engines {
		engines = append(engines, e)
	}
	inv.mu.Unlock()
	now := inv.opts.Now()
	var out []load.Event
	for _, e := range engines {
		told := load.Event{Event: e.event, HoldP99: e.pulse.p99(now), Queue: e.full()}
		if told.HoldP99 > 0 || told.Queue > 0 {
			out = append(out, told)
		}
	}
	return out
}

// full is how much of the queue is taken, from 0 to 1.
func (e *engine) full() float64 {
	e.queue.mu.Lock()
	defer e.queue.mu.Unlock()
	return float64(len(e.queue.waiting)) / float64(e.opts.QueueLength)
}
