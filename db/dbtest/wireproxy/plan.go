package wireproxy

import (
	"math/rand/v2"
	"sync"
	"time"
)

// Step is a fault with the statement that suffers it: the Nth (from 1) of its kind since the step before was done.
type Step struct {
	Kind  Kind
	Nth   int
	Fault Fault
}

// Script is a plan whose steps are done in their order.
type Script struct {
	mu    sync.Mutex
	steps []Step
	seen  int
	done  int
}

// NewScript returns a script; Plan is its plan.
func NewScript(steps ...Step) *Script { return &Script{steps: steps} }

// Plan is for Proxy.Plan.
func (s *Script) Plan(st Statement) *Fault {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.done == len(s.steps) || s.steps[s.done].Kind != st.Kind {
		return nil
	}
	step := &s.steps[s.done]
	if s.seen++; s.seen < max(step.Nth, 1) {
		return nil
	}
	s.done, s.seen = s.done+1, 0
	return &step.Fault
}

// Done reports how many steps are done.
func (s *Script) Done() int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.done
}

// Chance is a fault that statements of some kinds suffer with a probability.
type Chance struct {
	Kinds []Kind // empty: any
	Of    float64
	Fault Fault // of During and Delay, Wait is the longest
}

// Random is a plan that draws for every statement. The same seed draws the same numbers; which
// statement gets which depends on who comes first.
func Random(seed uint64, chances []Chance) Plan {
	var mu sync.Mutex
	draw := rand.New(rand.NewPCG(seed, 0)) //nolint:gosec // faults are no secret
	return func(s Statement) *Fault {
		mu.Lock()
		defer mu.Unlock()
		at := draw.Float64()
		for _, c := range chances {
			if !c.meets(s.Kind) {
				continue
			}
			if at >= c.Of {
				at -= c.Of
				continue
			}
			f := c.Fault
			if f.Wait > 0 {
				f.Wait = 1 + time.Duration(draw.Int64N(int64(f.Wait)))
			}
			return &f
		}
		return nil
	}
}

func (c *Chance) meets(kind Kind) bool {
	for _, k := range c.Kinds {
		if k == kind {
			return true
		}
	}
	return len(c.Kinds) == 0
}
