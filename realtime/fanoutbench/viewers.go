package fanoutbench

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"time"

	"plateia/core/id"
)

// The two services a viewer can look at.
const (
	plateia    = "plateia"
	centrifugo = "centrifugo"
)

// viewerTask is what a process of viewers is told first.
type viewerTask struct {
	Service  string   `json:"service"`
	Targets  []string `json:"targets"` // host:port of gateways, which take turns
	Events   []id.ID  `json:"events"`
	First    int      `json:"first"` // number of the first viewer
	Count    int      `json:"count"`
	Overview float64  `json:"overview"` // share of them
	Hasty    bool     `json:"hasty"`    // the process keeps its priority
}

// event and target are what a viewer looks at and where: neighbours look at
// different events, so that every gateway has all of them.
func (t *viewerTask) event(n int) id.ID   { return t.Events[n%len(t.Events)] }
func (t *viewerTask) target(n int) string { return t.Targets[n/len(t.Events)%len(t.Targets)] }
func (t *viewerTask) overview(n int) bool { return n/len(t.Events)*7919%1000 < int(t.Overview*1000) }
func (t *viewerTask) account(n int) (v id.ID) {
	copy(v[:], fmt.Sprintf("viewer%010d", n))
	return v
}

// source is the loopback address a viewer calls from: 5,000 share one, and no two of
// these lie in the same /24, because ports run out and gateways limit networks.
func (t *viewerTask) source(n int) [4]byte { return [4]byte{127, 1, byte(n / 5000), 1} }

// order is what the viewers are to do: Do is connect, round (a single change comes), begin
// (count from now) or report.
type order struct {
	Do string `json:"do"`
}

// answer of the viewers. A round is answered twice: at once, and when the last viewer has the change.
type answer struct {
	Live int    `json:"live"`           // connections now
	Lost int    `json:"lost"`           // connections that ended
	Last int64  `json:"last,omitempty"` // Unix ns when the last viewer's frame came
	Why  string `json:"why,omitempty"`  // a connection ended
	// LastRead is when the last viewer had read its frame, Unix ns.
	LastRead int64  `json:"lastRead,omitempty"`
	Tally    *tally `json:"tally,omitempty"` // since begin
}

// tally is what came in.
type tally struct {
	Frames  int64         `json:"frames"`  // with changes
	Bytes   int64         `json:"bytes"`   // of everything
	CPU     time.Duration `json:"cpu"`     // of the viewers' processes
	Gaps    int64         `json:"gaps"`    // deltas that did not follow the one before
	Latency histogram     `json:"latency"` // until a frame came
	Summary histogram     `json:"summary"` // of summaries
	// LatencyRead is Latency until the viewers' process had read it.
	LatencyRead histogram `json:"latencyRead"`
	// Unstamped frames came without the kernel's time: theirs is the one of reading.
	Unstamped int64 `json:"unstamped,omitempty"`
}

func (t *tally) add(o *tally) {
	t.Frames += o.Frames
	t.Bytes += o.Bytes
	t.Gaps += o.Gaps
	t.CPU += o.CPU
	t.Latency.add(o.Latency)
	t.Summary.add(o.Summary)
	t.LatencyRead.add(o.LatencyRead)
	t.Unstamped += o.Unstamped
}

// histogram counts latencies by whole milliseconds, rounded up.
type histogram map[int]int64

func (h *histogram) add(o histogram) {
	if *h == nil {
		*h = histogram{}
	}
	for ms, n := range o {
		(*h)[ms] += n
	}
}

// counted is the histogram of counts by ms.
func counted(counts []int64) histogram {
	h := histogram{}
	for ms, n := range counts {
		if n > 0 {
			h[ms] = n
		}
	}
	return h
}

// quantile is the latency that a share q of all did not exceed, in ms; 0 without any.
func (h histogram) quantile(q float64) float64 {
	total, most := int64(0), 0
	for ms, n := range h {
		total += n
		most = max(most, ms)
	}
	seen := int64(0)
	for ms := range most + 1 {
		if seen += h[ms]; seen > 0 && float64(seen) >= q*float64(total) {
			return float64(ms)
		}
	}
	return float64(most)
}

// ServeViewers is a process of viewers: its task comes from in, then orders, and it ends with in. It gives
// its process the lowest priority before anything is measured.
func ServeViewers(ctx context.Context, in io.Reader, out io.Writer) error {
	decoder := json.NewDecoder(in)
	var task viewerTask
	if err := decoder.Decode(&task); err != nil {
		return fmt.Errorf("fanoutbench: the task: %w", err)
	}
	if len(task.Targets) == 0 || len(task.Events) == 0 {
		return errors.New("fanoutbench: viewers without a target or an event")
	}
	orders := make(chan order)
	go func() {
		defer close(orders)
		for {
			var o order
			if decoder.Decode(&o) != nil { // the bench has ended
				return
			}
			select {
			case orders <- o:
			case <-ctx.Done():
				return
			}
		}
	}()
	return attend(ctx, &task, orders, json.NewEncoder(out))
}
