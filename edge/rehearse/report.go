package rehearse

import (
	"context"
	"fmt"
	"io"
	"maps"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

	"plateia/edge/metrics"
)

// Report is what a rehearsal found. Times are milliseconds.
type Report struct {
	Fans         int            `json:"fans"`
	Admitted     int            `json:"admitted"`
	Held         int            `json:"held"`    // fans who held seats
	Refused      int            `json:"refused"` // fans who ended with a clear no
	Bought       int            `json:"bought"`  // fans who ended with tickets
	Tickets      int            `json:"tickets"`
	GaveUp       int            `json:"gaveUp"`   // patience ran out
	Broken       int            `json:"broken"`   // ended with something nobody could make sense of
	LeftLine     int            `json:"leftLine"` // were not let in for as long as fans wait in this rehearsal
	Line         LineReport     `json:"line"`
	DoubleSold   int            `json:"doubleSold"` // seats for which two fans hold tickets
	Collisions   int            `json:"collisions"` // presses for a seat that somebody else had just got
	Errors5xx    int            `json:"errors5xx"`
	Shed         int            `json:"shed"` // 503 with Retry-After
	ErrorsByCode map[string]int `json:"errorsByCode"`
	HoldP50Ms    float64        `json:"holdP50Ms"`
	HoldP99Ms    float64        `json:"holdP99Ms"`
	OrderP50Ms   float64        `json:"orderP50Ms"` // from ordering to tickets, the payment included
	OrderP99Ms   float64        `json:"orderP99Ms"`
	DeltaP50Ms   float64        `json:"deltaP50Ms"` // from the delta's commit time to the frame received
	DeltaP99Ms   float64        `json:"deltaP99Ms"`
	Viewers      int            `json:"viewers"`
	Seconds      float64        `json:"seconds"`
	Requests     int            `json:"requests"`
	FirstBroken  string         `json:"firstBroken,omitempty"`

	Undecided int    `json:"undecided,omitempty"` // fans who left before their payment was decided, with Chaos
	Money     *Money `json:"money,omitempty"`     // with Chaos

	SellOut      bool  `json:"sellOut"`                // fans came until nobody could have a seat any more
	SeatsSold    int   `json:"seatsSold"`              // of the event at the end, by whomever
	SeatsLeft    int   `json:"seatsLeft"`              // free or held at the end
	SeatsBlocked int   `json:"seatsBlocked"`           //
	PeakBytes    int64 `json:"peakBytes,omitempty"`    // most memory the process behind the address ever had; 0: it does not tell
	OwnPeakBytes int64 `json:"ownPeakBytes,omitempty"` // and this one
}

// OK reports whether nobody was sold a sold seat, nothing broke on the server's side
// and, when that was asked for, everything was sold.
func (r Report) OK() bool {
	return r.DoubleSold == 0 && r.Errors5xx == 0 && r.Broken == 0 && (!r.SellOut || r.SeatsLeft == 0)
}

// report is made when everybody has gone; ctx may have ended.
func (c *crowd) report(ctx context.Context) Report {
	r := c.tally.report()
	r.SellOut = c.opts.SellOut
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), 10*time.Second)
	defer cancel()
	if sleep(ctx, stockLife) { // so that the last answer is not an old one
		if now, err := c.stock.now(ctx); err == nil {
			r.SeatsSold, r.SeatsLeft, r.SeatsBlocked = now.sold, now.free+now.held, now.blocked
		} else {
			r.SeatsLeft = len(c.house.labels) // unknown is not sold out
		}
	}
	r.PeakBytes, r.OwnPeakBytes = c.api.peakMemory(ctx), metrics.PeakMemory()
	return r
}

func (t *tally) report() Report {
	t.mu.Lock()
	defer t.mu.Unlock()
	r := Report{
		Fans: int(t.came.Load()), Admitted: int(t.admitted.Load()), Held: int(t.held.Load()),
		Refused: t.endings[refused], Undecided: t.endings[undecided], Bought: t.endings[bought], GaveUp: t.endings[gaveUp], LeftLine: t.endings[leftLine], Line: t.line.report(), Broken: t.endings[broken],
		Collisions: t.codes["SEAT_TAKEN"], Errors5xx: t.e5xx, Shed: t.shed, ErrorsByCode: t.codes, FirstBroken: t.broken,
		HoldP50Ms: quantile(t.holds, 0.50), HoldP99Ms: quantile(t.holds, 0.99),
		OrderP50Ms: quantile(t.payments, 0.50), OrderP99Ms: quantile(t.payments, 0.99),
		DeltaP50Ms: quantile(t.deltas, 0.50), DeltaP99Ms: quantile(t.deltas, 0.99),
		Viewers: int(t.viewers.Load()), Seconds: time.Since(t.began).Seconds(), Requests: int(t.requests.Load()),
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

// peakMemory asks the process behind the address; 0 when it does not tell.
func (c *client) peakMemory(ctx context.Context) int64 {
	var text []byte
	if err := c.once(ctx, call{method: http.MethodGet, path: "/metrics"}, &text); err != nil {
		return 0
	}
	for line := range strings.Lines(string(text)) {
		if value, ok := strings.CutPrefix(line, metrics.PeakMemoryName+" "); ok {
			bytes, _ := strconv.ParseFloat(strings.TrimSpace(value), 64) // 0 is "not told"
			return int64(bytes)
		}
	}
	return 0
}

const progressEvery = 3 * time.Second

// progress writes a line every few seconds until stopped.
func (c *crowd) progress(ctx context.Context, w io.Writer) (stop func()) {
	if w == nil {
		return func() {}
	}
	ctx, cancel := context.WithCancel(ctx)
	var writer sync.WaitGroup
	writer.Go(func() {
		for sleep(ctx, progressEvery) {
			fmt.Fprintln(w, c.progressLine(ctx))
		}
	})
	return func() { cancel(); writer.Wait() }
}

func (c *crowd) progressLine(ctx context.Context) string {
	t := c.tally
	t.mu.Lock()
	bought, seats := t.endings[bought], len(t.owners)
	t.mu.Unlock()
	line := fmt.Sprintf("%5.0fs  came %d  inside %d  held %d  bought %d (%d seats)  done %d",
		time.Since(t.began).Seconds(), t.came.Load(), t.admitted.Load(), t.held.Load(), bought, seats, t.finished.Load())
	if now, err := c.stock.now(ctx); c.opts.SellOut && err == nil {
		line += fmt.Sprintf("  free %d", now.free)
	}
	return line
}

// Print writes the report for people.
func (r Report) Print(w io.Writer) {
	fmt.Fprintf(w, "fans %d  admitted %d  held %d  bought %d (%d tickets)  refused %d  gave up %d  broken %d  in %.1f s\n",
		r.Fans, r.Admitted, r.Held, r.Bought, r.Tickets, r.Refused, r.GaveUp, r.Broken, r.Seconds)
	r.Line.print(w, r.LeftLine)
	fmt.Fprintf(w, "double sold %d  collisions %d  5xx %d  shed %d\n", r.DoubleSold, r.Collisions, r.Errors5xx, r.Shed)
	fmt.Fprintf(w, "seats sold %d  left %d  blocked %d\n", r.SeatsSold, r.SeatsLeft, r.SeatsBlocked)
	fmt.Fprintf(w, "%.1f fans/s  %.1f seats/s  %.0f requests/s\n",
		float64(r.Fans)/r.Seconds, float64(r.Tickets)/r.Seconds, float64(r.Requests)/r.Seconds)
	fmt.Fprintf(w, "hold p50 %.1f ms  p99 %.1f ms   order p50 %.1f ms  p99 %.1f ms   delta p50 %.1f ms  p99 %.1f ms over %d live maps\n",
		r.HoldP50Ms, r.HoldP99Ms, r.OrderP50Ms, r.OrderP99Ms, r.DeltaP50Ms, r.DeltaP99Ms, r.Viewers)
	fmt.Fprintf(w, "peak memory %s, of the rehearsal itself %s\n", megabytes(r.PeakBytes), megabytes(r.OwnPeakBytes))
	for _, code := range slices.Sorted(maps.Keys(r.ErrorsByCode)) {
		fmt.Fprintf(w, "  %-20s %d\n", code, r.ErrorsByCode[code])
	}
	if r.Money != nil {
		fmt.Fprintf(w, "%d fans left before their payment was decided\n", r.Undecided)
		r.Money.print(w)
	}
	if r.FirstBroken != "" {
		fmt.Fprintf(w, "first broken: %s\n", r.FirstBroken)
	}
}

func megabytes(bytes int64) string {
	if bytes == 0 {
		return "unknown"
	}
	return fmt.Sprintf("%.0f MB", float64(bytes)/1e6)
}
