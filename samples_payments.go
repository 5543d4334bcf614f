package main

import (
	"context"
	"fmt"
	"net"
	"net/http"
	"sync/atomic"
	"time"

	"plateia/db"
	"plateia/edge/metrics"
)

// providerSamples are the calls that this process makes to payment providers.
func (h *house) providerSamples() []metrics.Sample {
	if h.router == nil {
		return nil
	}
	var out []metrics.Sample
	for _, g := range h.router.Guards() {
		s, provider := g.Stats(), metrics.Label{Name: "provider", Value: g.Name()}
		gauge := func(name, help string, number float64) {
			out = append(out, metrics.Sample{Name: name, Help: help, Kind: metrics.Gauge, Number: number, Labels: []metrics.Label{provider}})
		}
		gauge("plateia_payment_breaker_state", "Circuit breaker of a payment provider: 0 closed, 1 half-open, 2 open.", float64(s.State))
		gauge("plateia_payment_bulkhead_in_use", "Calls to a payment provider in flight.", float64(s.InUse))
		gauge("plateia_payment_bulkhead_places", "Most calls to a payment provider in flight.", float64(s.Places))
		for _, c := range s.Calls {
			operation := metrics.Label{Name: "operation", Value: c.Operation}
			for outcome, n := range map[string]int64{"answered": c.Answered, "refused": c.Refused, "unknown": c.Unknown, "shed": c.Shed} {
				out = append(out, metrics.Sample{
					Name: "plateia_payment_calls_total", Kind: metrics.Counter, Number: float64(n),
					Help:   "Calls to a payment provider: answered, refused (an answer too), unknown (network, time-out, 5xx), shed (not made).",
					Labels: []metrics.Label{provider, operation, {Name: "outcome", Value: outcome}},
				})
			}
			out = append(out, metrics.Sample{
				Name: "plateia_payment_call_duration_seconds", Help: "How long calls to a payment provider took.",
				Labels:    []metrics.Label{provider, operation},
				Histogram: &metrics.Histogram{Count: uint64(c.Answered + c.Refused + c.Unknown), Sum: c.Seconds, Buckets: c.Buckets}, //nolint:gosec // counts are not negative
			})
		}
	}
	return out
}

const tallyEvery = 15 * time.Second

// books are the latest counts of what is in the database.
type books struct{ now atomic.Pointer[db.Tally] }

const (
	wholeTally = time.Minute // the most that a count of everything may take
	tallyRest  = 100         // it rests so many times what it took: a hundredth of one connection, however much was sold
)

// openTally counts, in the role that does the chores, what everybody's processes have written: what is not finished
// every time, everything when it has rested.
func (h *house) openTally(ctx context.Context) error {
	var whole time.Time // when everything is next counted
	count := func(ctx context.Context) error {
		ctx, cancel := context.WithTimeout(ctx, wholeTally)
		defer cancel()
		var t db.Tally
		var err error
		if began := time.Now(); began.Before(whole) && h.books.now.Load() != nil {
			t, err = h.database.Renew(ctx, *h.books.now.Load())
		} else {
			t, err = h.database.Tally(ctx)
			whole = began.Add(tallyRest * time.Since(began))
		}
		if err == nil {
			h.books.now.Store(&t)
		}
		return err
	}
	if err := count(ctx); err != nil {
		return err
	}
	return h.repeat(ctx, "counting of orders", tallyEvery, count)
}

// bookSamples are the counts of the database: the same whichever process tells, so take the maximum over processes.
func (h *house) bookSamples() []metrics.Sample {
	t := h.books.now.Load()
	if t == nil {
		return nil
	}
	var out []metrics.Sample
	one := func(kind metrics.Kind, name, help string, n float64, labels ...metrics.Label) {
		out = append(out, metrics.Sample{Name: "plateia_" + name, Help: help, Kind: kind, Number: n, Labels: labels})
	}
	by := func(kind metrics.Kind, name, help, label string, counts map[string]int64) {
		for value, n := range counts {
			one(kind, name, help, float64(n), metrics.Label{Name: label, Value: value})
		}
	}
	by(metrics.Counter, "holds_ended_total", "Holds that ended, by outcome: booked, released, expired. Booked over all is the hold to booking conversion.", "outcome", t.HoldsEnded)
	by(metrics.Gauge, "holds_live", "Holds that keep seats, by state: active, paying.", "state", t.HoldsLive)
	by(metrics.Gauge, "orders", "Orders, by status.", "status", t.Orders)
	by(metrics.Gauge, "refunds", "Refunds, by status.", "status", t.Refunds)
	by(metrics.Gauge, "payment_attempts", "Payment attempts, by status.", "status", t.Attempts)
	by(metrics.Gauge, "webhook_deliveries", "Webhook deliveries that wait (received) or need a person (flagged).", "state", t.Deliveries)
	one(metrics.Gauge, "payment_oldest_unfinished_seconds", "Age of the oldest payment attempt that is not final.", t.OldestUnfinished.Seconds())
	one(metrics.Gauge, "webhook_oldest_waiting_seconds", "Age of the oldest webhook delivery that is not processed.", t.OldestWaiting.Seconds())
	one(metrics.Gauge, "double_sold_seats", "Seats with more than one valid ticket, or a valid ticket and not sold: always 0.", float64(t.DoubleSold))
	down := 0.0
	if h.outlook.now.Load().AllDown(nil) {
		down = 1
	}
	one(metrics.Gauge, "payments_delayed", "1 while no payment provider answers and nobody new is let in.", down)
	return out
}

// openMetrics serves /metrics on an address of its own, whichever roles run here.
func (h *house) openMetrics(ctx context.Context) error {
	listener, err := (&net.ListenConfig{}).Listen(ctx, "tcp", h.cfg.metricsAddr)
	if err != nil {
		return fmt.Errorf("the address of the metrics: %w", err)
	}
	mux := http.NewServeMux()
	mux.Handle("GET /metrics", metrics.Handler(h.samples))
	mux.HandleFunc("GET /upstreams", h.serveUpstreams)
	server := &http.Server{Handler: mux, ReadTimeout: 5 * time.Second, WriteTimeout: 20 * time.Second, IdleTimeout: time.Minute}
	return h.serve(ctx, "metrics", func() error { return server.Serve(listener) }, server.Shutdown)
}
