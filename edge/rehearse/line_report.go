package rehearse

import (
	"fmt"
	"io"
	"sync"
	"sync/atomic"
	"time"
)

// LineReport is what fans met in the line.
type LineReport struct {
	Entered    int     `json:"entered"`
	Lottery    int     `json:"lottery"` // of them, before the on-sale instant
	Late       int     `json:"late"`
	EnterP50Ms float64 `json:"enterP50Ms"` // to have a place
	EnterP99Ms float64 `json:"enterP99Ms"`
	WaitP50S   float64 `json:"waitP50S"` // from entering to being let in, of those who were
	WaitP99S   float64 `json:"waitP99S"`
	Polls      int     `json:"polls"`     // questions for the document
	Unchanged  int     `json:"unchanged"` // of them, answered with 304
	Moments    int     `json:"moments"`   // claims told "one moment" or the like
	Missed     int     `json:"missed"`    // turns that passed unclaimed
}

// lineTally collects it; safe for all fans at once.
type lineTally struct {
	polls, unchanged, moments, missed atomic.Int64

	mu            sync.Mutex
	lottery, late int
	enters, waits []time.Duration
}

func (t *tally) polled(unchanged bool) {
	t.line.polls.Add(1)
	if unchanged {
		t.line.unchanged.Add(1)
	}
}

func (t *tally) moment() { t.line.moments.Add(1) }

func (t *tally) missed() { t.line.missed.Add(1) }

// entered notes a place in the line.
func (t *tally) entered(class string, took time.Duration) {
	l := &t.line
	l.mu.Lock()
	defer l.mu.Unlock()
	if class == "lottery" {
		l.lottery++
	} else {
		l.late++
	}
	if len(l.enters) < maxSamples {
		l.enters = append(l.enters, took)
	}
}

// let notes somebody who was let in.
func (t *tally) let(waited time.Duration) {
	l := &t.line
	l.mu.Lock()
	defer l.mu.Unlock()
	if len(l.waits) < maxSamples {
		l.waits = append(l.waits, waited)
	}
}

func (l *lineTally) report() LineReport {
	l.mu.Lock()
	defer l.mu.Unlock()
	return LineReport{
		Entered: l.lottery + l.late, Lottery: l.lottery, Late: l.late,
		EnterP50Ms: quantile(l.enters, 0.50), EnterP99Ms: quantile(l.enters, 0.99),
		WaitP50S: quantile(l.waits, 0.50) / 1000, WaitP99S: quantile(l.waits, 0.99) / 1000,
		Polls: int(l.polls.Load()), Unchanged: int(l.unchanged.Load()), Moments: int(l.moments.Load()), Missed: int(l.missed.Load()),
	}
}

func (r LineReport) print(w io.Writer, left int) {
	fmt.Fprintf(w, "line: entered %d (%d before the sale, %d after)  place p50 %.1f ms  p99 %.1f ms   let in after p50 %.1f s  p99 %.1f s\n",
		r.Entered, r.Lottery, r.Late, r.EnterP50Ms, r.EnterP99Ms, r.WaitP50S, r.WaitP99S)
	fmt.Fprintf(w, "line: %d polls (%d unchanged)  told \"one moment\" %d  turns missed %d  went home %d\n", r.Polls, r.Unchanged, r.Moments, r.Missed, left)
}
