package rehearse

import (
	"net/http"
	"slices"
	"sync"
	"sync/atomic"
	"time"
)

// maxSamples bounds the memory of latency samples; later ones are not kept.
const maxSamples = 2_000_000

// tally collects what fans meet; safe for all of them at once.
type tally struct {
	began    time.Time
	requests atomic.Int64
	came     atomic.Int64
	admitted atomic.Int64
	held     atomic.Int64
	finished atomic.Int64
	viewers  atomic.Int64

	line lineTally

	mu       sync.Mutex
	without  int64 // fans in a row who found no seat
	least    int   // free seats when that was last counted
	endings  map[ending]int
	codes    map[string]int
	e5xx     int
	shed     int
	owners   map[string]int // tickets by seat
	broken   string
	holds    []time.Duration
	payments []time.Duration
	placed   []placed
	deltas   []time.Duration
	sales    []sale   // orders that a fan saw confirmed, and the region that said so
	refusals []moment // requests that got no answer, or one that was the server's fault, and its code
}

// moment is when something happened, and what.
type moment struct {
	at   time.Time
	what string
}

// sale is an order that a fan saw confirmed, at an edge, by a region.
type sale struct {
	at           time.Time
	edge, region string
}

// sold notes a sale.
func (t *tally) sold(edge, region string) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.sales = append(t.sales, sale{time.Now(), edge, region})
}

func newTally() *tally {
	return &tally{began: time.Now(), endings: map[ending]int{}, codes: map[string]int{}, owners: map[string]int{}}
}

func (t *tally) done(r result) {
	t.finished.Add(1)
	t.mu.Lock()
	defer t.mu.Unlock()
	t.endings[r.ending]++
	if t.without++; r.held {
		t.without = 0
	}
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
	if (p.Status >= 500 || p.Code == connectionLost) && p.Code != paymentPage && len(t.refusals) < maxSamples {
		t.refusals = append(t.refusals, moment{time.Now(), p.Code})
	}
	switch {
	case p.Status == http.StatusServiceUnavailable && p.RetryAfter > 0:
		t.shed++
	case p.Status >= 500 && p.Code != paymentPage: // that is the bank's
		t.e5xx++
	}
}

// barren is how many fans in a row found no seat since there last were as few free ones as now.
func (t *tally) barren(free int) int64 {
	t.mu.Lock()
	defer t.mu.Unlock()
	if free != t.least { // some were sold, or came back
		t.without, t.least = 0, free
	}
	return t.without
}

func (t *tally) order(took time.Duration) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if len(t.payments) < maxSamples {
		t.payments = append(t.payments, took)
	}
}

// ordered keeps an order for the end.
func (t *tally) ordered(p placed) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.placed = append(t.placed, p)
}

func (t *tally) orders() []placed {
	t.mu.Lock()
	defer t.mu.Unlock()
	return slices.Clone(t.placed)
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
