package local

import (
	"context"
	"net/http"
	"net/url"
	"sync"
	"time"
)

// Upstream is one place where a role runs.
type Upstream struct {
	Region string // shown in the header Plateia-Region of what it answered; "" shows nothing
	URL    *url.URL
}

// RegionHeader names the region that answered a request.
const RegionHeader = "Plateia-Region"

// At is the one upstream of a role that runs in one place; none for nil.
func At(u *url.URL) []Upstream {
	if u == nil {
		return nil
	}
	return []Upstream{{URL: u}}
}

// state of an upstream, as the probes found it.
type state uint8

const (
	ready   state = iota
	unready       // it answers, and asks for no new work: what it has begun it finishes
	dead          // it does not answer: what it had begun is taken from it
)

// Ready is the Health.State of an upstream that requests are sent to.
const Ready = "ready"

func (s state) String() string { return [...]string{Ready, "unready", "dead"}[s] }

// upstream is one place with what is known of it. Safe for concurrent use.
type upstream struct {
	Upstream
	wake chan struct{} // probe now

	mu        sync.Mutex
	state     state
	last      state     // what the last probe found
	suspect   time.Time // a request could not reach it: not before this time again, while there is another
	failures  int       // probes in a row
	successes int
	firstFail time.Time
	changed   time.Time     // when state was decided
	took      time.Duration // from the first probe or request that said so until then
	life      context.Context
	end       context.CancelFunc // of life: what goes on there ends
}

func newUpstream(u Upstream) *upstream {
	up := &upstream{Upstream: u, wake: make(chan struct{}, 1), changed: time.Now()}
	up.life, up.end = context.WithCancel(context.Background())
	return up
}

// is returns the state now, and the context that ends when its work is taken from it.
func (u *upstream) is(now time.Time) (s state, suspect bool, life context.Context) {
	u.mu.Lock()
	defer u.mu.Unlock()
	return u.state, now.Before(u.suspect), u.life
}

// failed notes that a request could not be brought there, and has it probed at once.
func (u *upstream) failed(now time.Time, unreached bool) {
	u.mu.Lock()
	if u.firstFail.IsZero() {
		u.firstFail = now
	}
	if unreached {
		u.suspect = now.Add(suspicion)
	}
	u.mu.Unlock()
	select {
	case u.wake <- struct{}{}:
	default:
	}
}

// suspicion is how long an upstream that refused a connection is asked last: longer than its next probe takes.
const suspicion = time.Second

// found takes the result of a probe and reports whether it decided something.
func (u *upstream) found(s state, o Probes, now time.Time) (decided bool) {
	u.mu.Lock()
	defer u.mu.Unlock()
	if s == ready {
		u.last, u.failures, u.firstFail = ready, 0, time.Time{}
		if u.successes++; u.state == ready {
			return false
		}
		if u.successes < o.Rise {
			return false
		}
		u.decide(ready, now, now)
		u.life, u.end = context.WithCancel(context.Background())
		return true
	}
	if u.successes = 0; s != u.last && u.last != ready { // from answering badly to not answering, or back
		u.failures, u.firstFail = 0, now
	}
	if u.last = s; u.firstFail.IsZero() {
		u.firstFail = now
	}
	if u.failures++; u.failures < o.Fall || s == u.state {
		return false
	}
	u.decide(s, now, u.firstFail)
	return true
}

func (u *upstream) decide(s state, now, since time.Time) {
	u.state, u.changed, u.took = s, now, now.Sub(since)
}

// leave ends what goes on at an upstream that is dead.
func (u *upstream) leave() {
	u.mu.Lock()
	end := u.end
	if u.state != dead {
		end = func() {}
	}
	u.mu.Unlock()
	end()
}

// Probes say how the health of upstreams is found; zero values are sensible. They
// are made only where a role has more than one upstream.
type Probes struct {
	Every   time.Duration // between probes of one upstream; 500 ms
	Again   time.Duration // before the next one after a failure; 100 ms
	Timeout time.Duration // of one; 1 s
	Fall    int           // failures in a row until an upstream is left; 3
	Rise    int           // successes in a row until it is used again; 5
	Path    string        // /readyz
}

// probe asks an upstream once.
func (p *pool) probe(ctx context.Context, u *upstream) state {
	ctx, cancel := context.WithTimeout(ctx, p.probes.Timeout)
	defer cancel()
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, u.URL.JoinPath(p.probes.Path).String(), http.NoBody)
	if err != nil {
		return dead
	}
	res, err := p.transport.RoundTrip(req)
	if err != nil {
		return dead
	}
	_ = res.Body.Close()
	if res.StatusCode != http.StatusOK {
		return unready
	}
	return ready
}
