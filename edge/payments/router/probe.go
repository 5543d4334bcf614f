package router

import (
	"context"
	"time"
)

// probeReference names a payment that no provider has: asking for it is answered
// with a refusal by whoever is alive, and changes nothing.
const probeReference = "plateia-sign-of-life"

const (
	calmEvery = time.Second // the watch's look while there is no doubt
	// A provider that answered so lately needs no question because another one, or
	// another process, is in trouble.
	lately = time.Second
)

// watch asks for signs of life where there is doubt.
func (r *Router) watch(ctx context.Context) {
	timer := time.NewTimer(calmEvery)
	defer timer.Stop()
	for {
		if r.probeAll(ctx) {
			timer.Reset(r.opts.ProbeEvery)
		} else {
			timer.Reset(calmEvery)
		}
		select {
		case <-ctx.Done():
			return
		case <-r.wake: // not at once: a failure that is repeated at once is the same failure
			if !rest(ctx, r.opts.ProbeEvery) {
				return
			}
		case <-timer.C:
		}
	}
}

func rest(ctx context.Context, d time.Duration) bool {
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-ctx.Done():
		return false
	case <-timer.C:
		return true
	}
}

// probeAll asks every provider in doubt, and reports whether there is one.
func (r *Router) probeAll(ctx context.Context) bool {
	trouble := false
	for _, g := range r.guards {
		trouble = trouble || g.doubtful()
	}
	for _, g := range r.guards {
		if g.due(trouble || r.elsewhere != nil && r.elsewhere(g.Name())) {
			r.probe(ctx, g)
		}
	}
	return trouble
}

// doubtful reports whether the provider's last word was none.
func (g *Guard) doubtful() bool {
	return !g.breaker.IsClosed() || g.lastBad.Load() > g.lastOK.Load()
}

// due reports whether the provider should be asked for a sign of life now.
func (g *Guard) due(trouble bool) bool {
	switch {
	case g.breaker.IsOpen():
		return g.breaker.RemainingDelay() == 0
	case g.doubtful():
		return true
	}
	return trouble && time.Since(time.Unix(0, g.lastOK.Load())) > lately
}

// probe asks one provider, if no such question is under way.
func (r *Router) probe(ctx context.Context, g *Guard) {
	if !g.probing.CompareAndSwap(false, true) {
		return
	}
	r.done.Go(func() {
		defer g.probing.Store(false)
		_ = g.call(ctx, opProbe, func(ctx context.Context) error { // the guard has taken note
			_, err := g.inner.Fetch(ctx, probeReference)
			return err
		})
	})
}
