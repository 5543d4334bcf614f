package rehearse

import (
	"context"
	"fmt"
	"io"
	"net/http"
	"slices"
	"sync"
	"sync/atomic"
	"time"
)

// Report is what a rehearsal found. Times are milliseconds.
type Report struct {
	Fans         int            `json:"fans"`
	Admitted     int            `json:"admitted"`
	Held         int            `json:"held"`    // fans who held seats
	Refused      int            `json:"refused"` // fans who ended with a clear no
	Bought       int            `json:"bought"`  // fans who ended with tickets
	Tickets      int            `json:"tickets"`
	GaveUp       int            `json:"gaveUp"`     // patience ran out
	Broken       int            `json:"broken"`     // ended with something nobody could make sense of
	DoubleSold   int            `json:"doubleSold"` // seats for which two fans hold tickets
	Errors5xx    int            `json:"errors5xx"`
	Shed         int            `json:"shed"` // 503 with Retry-After
	ErrorsByCode map[string]int `json:"errorsByCode"`
	HoldP50Ms    float64        `json:"holdP50Ms"`
	HoldP99Ms    float64        `json:"holdP99Ms"`
	DeltaP50Ms   float64        `json:"deltaP50Ms"` // from the delta's commit time to the frame received
	DeltaP99Ms   float64        `json:"deltaP99Ms"`
	Viewers      int            `json:"viewers"`
	Seconds      float64        `json:"seconds"`
	FirstBroken  string         `json:"firstBroken,omitempty"`
}

// OK reports whether nobody was sold a sold seat and nothing broke on the server's side.
func (r Report) OK() bool { return r.DoubleSold == 0 && r.Errors5xx == 0 && r.Broken == 0 }

// maxSamples bounds the memory of latency samples; later ones are not kept.
const maxSamples = 2_000_000

// tally collects what fans meet; safe for all of them at once.
type tally struct {
	began    time.Time
	fans     int
	admitted atomic.Int64
	held     atomic.Int64
	finished atomic.Int64
	viewers  atomic.Int64

	mu      sync.Mutex
	endings map[ending]int
	codes   map[string]int
	e5xx    int
	shed    int
	owners  map[string]int // tickets by seat
	broken  string
	holds   []time.Duration
	deltas  []time.Duration
}

func newTally(fans int) *tally {
	return &tally{began: time.Now(), fans: fans, endings: map[ending]int{}, codes: map[string]int{}, owners: map[string]int{}}
}

func (t *tally) done(r result) {
	t.finished.Add(1)
	t.mu.Lock()
	defer t.mu.Unlock()
	t.endings[r.ending]++
	for _, seat := range r.seats {
		t.owners[seat]++
	}
	if r.ending == broken && t.broken == "" {
		t.broken = r.err.Error()
	}
}

// refusedWith counts an answer that was not a success.
func (t *tally) refusedWith(p *problem) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.codes[p.Code]++
	switch {
	case p.Status == http.StatusServiceUnavailable && p.RetryAfter > 0:
		t.shed++
	case p.Status >= 500:
		t.e5xx++
	}
}

func (t *tally) hold(took time.Duration) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if len(t.holds) < maxSamples {
		t.holds = append(t.holds, took)
	}
}

func (t *tally) delta(committed time.Time) {
	took := time.Since(committed)
	t.mu.Lock()
	defer t.mu.Unlock()
	if len(t.deltas) < maxSamples {
		t.deltas = append(t.deltas, took)
	}
}

func (t *tally) takeViewer(limit int) bool {
	if t.viewers.Add(1) > int64(limit) {
		t.viewers.Add(-1)
		return false
	}
	return true
}

func (t *tally) report() Report {
	t.mu.Lock()
	defer t.mu.Unlock()
	r := Report{
		Fans: t.fans, Admitted: int(t.admitted.Load()), Held: int(t.held.Load()),
		Refused: t.endings[refused], Bought: t.endings[bought], GaveUp: t.endings[gaveUp], Broken: t.endings[broken],
		Errors5xx: t.e5xx, Shed: t.shed, ErrorsByCode: t.codes, FirstBroken: t.broken,
		HoldP50Ms: quantile(t.holds, 0.50), HoldP99Ms: quantile(t.holds, 0.99),
		DeltaP50Ms: quantile(t.deltas, 0.50), DeltaP99Ms: quantile(t.deltas, 0.99),
		Viewers: int(t.viewers.Load()), Seconds: time.Since(t.began).Seconds(),
	}
	for _, tickets := range t.owners {
		r.Tickets += tickets
		if tickets > 1 {
			r.DoubleSold++
		}
	}
	return r
}

// quantile of the samples in milliseconds, nearest rank; 0 without samples.
func quantile(samples []time.Duration, q float64) float64 {
	if len(samples) == 0 {
		return 0
	}
	slices.Sort(samples)
	return float64(samples[int(q*float64(len(samples)-1))].Microseconds()) / 1000
}

// progress writes a line a second until stopped.
func (t *tally) progress(ctx context.Context, w io.Writer) (stop func()) {
	if w == nil {
		return func() {}
	}
	ctx, cancel := context.WithCancel(ctx)
	var writer sync.WaitGroup
	writer.Go(func() {
		tick := time.NewTicker(time.Second)
		defer tick.Stop()
		for {
			select {
			case <-ctx.Done():
				return
			case <-tick.C:
				t.mu.Lock()
				bought := t.endings[bought]
				t.mu.Unlock()
				fmt.Fprintf(w, "%5.0fs  inside %d  held %d  bought %d  done %d of %d\n",
					time.Since(t.began).Seconds(), t.admitted.Load(), t.held.Load(), bought, t.finished.Load(), t.fans)
			}
		}
	})
	return func() { cancel(); writer.Wait() }
}

// Print writes the report for people.
func (r Report) Print(w io.Writer) {
	fmt.Fprintf(w, "fans %d  admitted %d  held %d  bought %d (%d tickets)  refused %d  gave up %d  broken %d  in %.1f s\n",
		r.Fans, r.Admitted, r.Held, r.Bought, r.Tickets, r.Refused, r.GaveUp, r.Broken, r.Seconds)
	fmt.Fprintf(w, "double sold %d  5xx %d  shed %d\n", r.DoubleSold, r.Errors5xx, r.Shed)
	fmt.Fprintf(w, "hold p50 %.1f ms  p99 %.1f ms   delta p50 %.1f ms  p99 %.1f ms over %d live maps\n",
		r.HoldP50Ms, r.HoldP99Ms, r.DeltaP50Ms, r.DeltaP99Ms, r.Viewers)
	codes := make([]string, 0, len(r.ErrorsByCode))
	for code := range r.ErrorsByCode {
		codes = append(codes, code)
	}
	slices.Sort(codes)
	for _, code := range codes {
		fmt.Fprintf(w, "  %-20s %d\n", code, r.ErrorsByCode[code])
	}
	if r.FirstBroken != "" {
		fmt.Fprintf(w, "first broken: %s\n", r.FirstBroken)
	}
}
