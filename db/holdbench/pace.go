package holdbench

import (
	"math/rand/v2"
	"sync/atomic"
	"time"
)

// pacer hands out the instants at which holds are asked for, whoever is still
// waiting for an answer: people do not wait for each other. A hold's latency
// counts from its instant, so that one that had to wait for a free caller is
// not counted as quick. The gaps are random (exponential), as arrivals are.
type pacer struct {
	begun time.Time
	at    []time.Duration
	next  atomic.Int64
}

func newPacer(perSecond float64, duration time.Duration) *pacer {
	p := &pacer{begun: time.Now()}
	random := rand.New(rand.NewPCG(1, 2)) //nolint:gosec // arrivals are no secret
	gap := float64(time.Second) / perSecond
	for t := 0.0; ; {
		t += random.ExpFloat64() * gap
		if time.Duration(t) > duration {
			return p
		}
		p.at = append(p.at, time.Duration(t))
	}
}

// wait sleeps until the next instant that nobody has, and returns it; false when there is none left.
func (p *pacer) wait() (time.Time, bool) {
	n := p.next.Add(1) - 1
	if n >= int64(len(p.at)) {
		return time.Time{}, false
	}
	due := p.begun.Add(p.at[n])
	time.Sleep(time.Until(due))
	return due, true
}
