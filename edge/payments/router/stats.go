package router

import (
	"sync/atomic"
	"time"
)

// operation is a kind of call.
type operation int

const (
	opCreate operation = iota
	opFetch
	opCancel
	opRefund
	opProbe
	operations
)

var operationNames = [operations]string{"create", "fetch", "cancel", "refund", "probe"}

// counts are of one operation at one provider.
type counts struct {
	answered, refused, unknown, shed atomic.Int64
	took                             histogram
}

// Bounds are the upper ends of the latency buckets, seconds.
var bounds = [...]float64{0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2, 3, 5, 10}

// histogram counts durations by bucket; the last one is everything longer.
type histogram struct {
	buckets [len(bounds) + 1]atomic.Int64
	nanos   atomic.Int64
}

func (h *histogram) observe(d time.Duration) {
	i := 0
	for i < len(bounds) && d.Seconds() > bounds[i] {
		i++
	}
	h.buckets[i].Add(1)
	h.nanos.Add(int64(d))
}

// State of a breaker.
type State int

// The states, as /metrics shows them.
const (
	Closed State = iota
	HalfOpen
	Open
)

// Calls are one operation's numbers since the start.
type Calls struct {
	Operation string // create, fetch, cancel, refund, probe
	Answered  int64
	Refused   int64 // an answer too
	Unknown   int64 // network, time-out, 5xx
	Shed      int64 // not made: breaker open or bulkhead full
	Seconds   float64
	Buckets   map[float64]uint64 // calls that took at most so many seconds, cumulative
}

// Stats are a guard's numbers of now.
type Stats struct {
	State  State
	InUse  int // calls in flight
	Places int // most calls in flight
	Calls  []Calls
}

// Stats returns the numbers of now.
func (g *Guard) Stats() Stats {
	s := Stats{State: g.State(), InUse: int(g.inUse.Load()), Places: g.places}
	for op := range operations {
		c := &g.calls[op]
		calls := Calls{
			Operation: operationNames[op], Answered: c.answered.Load(), Refused: c.refused.Load(), Unknown: c.unknown.Load(), Shed: c.shed.Load(),
			Seconds: time.Duration(c.took.nanos.Load()).Seconds(), Buckets: make(map[float64]uint64, len(bounds)),
		}
		sum := uint64(0)
		for i, bound := range bounds {
			sum += uint64(c.took.buckets[i].Load())
			calls.Buckets[bound] = sum
		}
		s.Calls = append(s.Calls, calls)
	}
	return s
}

// State of the breaker.
func (g *Guard) State() State {
	switch {
	case g.breaker.IsOpen():
		return Open
	case g.breaker.IsHalfOpen():
		return HalfOpen
	}
	return Closed
}

// Evidence is when a provider was last heard of: what other processes may want to know.
type Evidence struct {
	Open    bool
	SinceOK time.Duration // since the last answer; negative: never
	OpenFor time.Duration // since the breaker opened, while it is not closed
}

// Evidence of now.
func (g *Guard) Evidence() Evidence {
	e := Evidence{Open: !g.breaker.IsClosed(), SinceOK: -1}
	if at := g.lastOK.Load(); at != 0 {
		e.SinceOK = time.Since(time.Unix(0, at))
	}
	if e.Open {
		e.OpenFor = time.Since(time.Unix(0, g.openedAt.Load()))
	}
	return e
}
