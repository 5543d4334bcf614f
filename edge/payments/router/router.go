// Package router stands between checkout and its payment providers, so that one
// provider's bad hour is not everybody's.
//
// Around every provider, by failsafe-go:
//
//   - a bulkhead: at most rate × latency calls at once (Little's law), so that a
//     slow provider keeps no worker, connection or memory beyond its share;
//   - a circuit breaker: when most of the latest calls ended with an unknown
//     outcome, no more are made until the provider gives signs of life;
//   - a time-out per call.
//
// Only unknown outcomes (network, time-out, 5xx: fault.ProviderDown) count as
// failures. A refusal is an answer, and an answer is health.
//
// Signs of life are asked for, not waited for: once a call has failed, or nothing
// has been answered for a second, a fetch of a payment that cannot exist is
// repeated until the provider answers it or the breaker opens, and again when the
// breaker is due to try. So a dead provider is
// found, and found again, without a fan's payment being the probe, and as quickly
// in a quiet sale as in a busy one.
//
// An attempt never moves: calls about it go to its own provider or fail. Who gets
// new attempts is checkout's choice, by Healthy.
package router

import (
	"cmp"
	"context"
	"errors"
	"log/slog"
	"math"
	"sync"
	"time"

	"plateia/core/payment"
)

// Options of a router. Zero values mean the defaults named.
type Options struct {
	Rate    float64       // calls per second each provider is to carry; 50
	Latency time.Duration // how long a call may usually take; 2 s
	Timeout time.Duration // of one call; 5 s
	MaxWait time.Duration // for a place in a full bulkhead; Latency
	// The breaker opens when so many (8) of the latest calls (12) had an unknown outcome.
	Failures, Of uint
	Delay        time.Duration // from opening to the first sign of life that is asked for; 2 s, spread by a quarter
	Successes    uint          // in a row, that close it again; 2
	ProbeEvery   time.Duration // while in doubt; 100 ms
	Logger       *slog.Logger  // nil: discard
}

func (o Options) withDefaults() Options {
	o.Rate = cmp.Or(o.Rate, 50)
	o.Latency = cmp.Or(o.Latency, 2*time.Second)
	o.Timeout = cmp.Or(o.Timeout, 5*time.Second)
	o.MaxWait = cmp.Or(o.MaxWait, o.Latency)
	o.Failures, o.Of = cmp.Or(o.Failures, 8), cmp.Or(o.Of, 12)
	o.Delay = cmp.Or(o.Delay, 2*time.Second)
	o.Successes = cmp.Or(o.Successes, 2)
	o.ProbeEvery = cmp.Or(o.ProbeEvery, 100*time.Millisecond)
	o.Logger = cmp.Or(o.Logger, slog.New(slog.DiscardHandler))
	return o
}

// leastPlaces is the smallest bulkhead: less would make one slow answer a queue.
const leastPlaces = 4

// Places is the bulkhead's size: calls in flight = calls per second × seconds per call.
func (o Options) Places() int {
	o = o.withDefaults()
	return max(leastPlaces, int(math.Ceil(o.Rate*o.Latency.Seconds())))
}

// Router guards a list of providers.
type Router struct {
	opts      Options
	guards    []*Guard
	wake      chan struct{} // something failed or a breaker moved: look now
	onChange  func(provider string, healthy bool)
	elsewhere func(provider string) bool
	stop      context.CancelFunc
	done      sync.WaitGroup
}

// New wraps providers, the preferred one first.
func New(providers []payment.Provider, opts Options) (*Router, error) {
	if len(providers) == 0 {
		return nil, errors.New("router: no payment provider")
	}
	r := &Router{opts: opts.withDefaults(), wake: make(chan struct{}, 1)}
	for _, p := range providers {
		r.guards = append(r.guards, newGuard(p, r.opts, r.moved, r.look))
	}
	return r, nil
}

// OnChange has f told of a provider that stopped (false) or began again (true) to
// take new attempts. f must not block. Call it before Start.
func (r *Router) OnChange(f func(provider string, healthy bool)) { r.onChange = f }

// Elsewhere has f asked whether another process cannot reach a provider; then this
// one, if it has not heard from the provider lately, asks for itself. Call it before Start.
func (r *Router) Elsewhere(f func(provider string) bool) { r.elsewhere = f }

// Providers are the guarded providers, in order.
func (r *Router) Providers() []payment.Provider {
	out := make([]payment.Provider, len(r.guards))
	for i, g := range r.guards {
		out[i] = g
	}
	return out
}

// Guards are the same with their numbers.
func (r *Router) Guards() []*Guard { return r.guards }

// Places is how many calls may be in flight, to all providers together.
func (r *Router) Places() int { return len(r.guards) * r.opts.Places() }

// Start asks for signs of life where there is doubt, until Stop.
func (r *Router) Start(ctx context.Context) error {
	run, stop := context.WithCancel(context.WithoutCancel(ctx))
	r.stop = stop
	r.done.Go(func() { r.watch(run) })
	return nil
}

// Stop ends that and waits for it, or for ctx. Stopping twice or before Start is fine.
func (r *Router) Stop(ctx context.Context) error {
	if r.stop == nil {
		return nil
	}
	r.stop()
	done := make(chan struct{})
	go func() { r.done.Wait(); close(done) }()
	select {
	case <-done:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

// moved is told by a guard whose breaker opened or closed.
func (r *Router) moved(g *Guard, healthy bool) {
	if healthy {
		r.opts.Logger.Info("payment provider answers again", "provider", g.Name())
	} else {
		r.opts.Logger.Error("payment provider does not answer: its breaker is open", "alarm", true, "provider", g.Name())
	}
	if r.onChange != nil {
		r.onChange(g.Name(), healthy)
	}
	r.look()
}

// look has the watch look now.
func (r *Router) look() {
	select {
	case r.wake <- struct{}{}:
	default:
	}
}
