package router

import (
	"context"
	"time"
)

// probeReference names a payment that no provider has: asking for it is answered
// with a refusal by whoever is alive, and changes nothing.
const probeReference = "plateia-sign-of-life"

const (
	calmEvery = 250 * time.Millisecond // the watch's look while there is no doubt
	// No answer to anything for so long is doubt: waiting for the time-out of one call, and then of one sign of life
	// after the other, would keep fans before an empty page for most of a minute.
	silence = time.Second
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

// doubtful reports whether the provider's last word was none, or keeps it waiting.
func (g *Guard) doubtful() bool {
	return !g.breaker.IsClosed() || g.lastBad.Load() > g.lastOK.Load() || g.silent()
}

// silent reports whether there are calls in flight and nothing has been answered for a while.
func (g *Guard) silent() bool {
	since := max(g.busySince.Load(), g.lastOK.Load())
	return g.inUse.Load() > 0 && time.Since(time.Unix(0, since)) > silence
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

// probe asks one provider. A sign of life that is not answered does not keep others from being asked for, up to as
// many as the breaker wants to see fail: from a silent provider each takes the whole time-out. An open breaker lets
// few through, one at a time.
func (r *Router) probe(ctx context.Context, g *Guard) {
	most := int64(1)
	if g.breaker.IsClosed() {
		most = min(int64(r.opts.Failures), int64(g.places/2))
	}
	if g.probing.Add(1) > most {
		g.probing.Add(-1)
		return
	}
	r.done.Go(func() {
		defer g.probing.Add(-1)
		_ = g.call(ctx, opProbe, func(ctx context.Context) error { // the guard has taken note
			_, err := g.inner.Fetch(ctx, probeReference)
			return err
		})
	})
}
