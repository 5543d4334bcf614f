package local

import (
	"cmp"
	"context"
	"errors"
	"io"
	"log/slog"
	"net"
	"net/http"
	"net/http/httptrace"
	"strings"
	"sync"
	"sync/atomic"
	"time"
)

// pool is the upstreams of one role, in the order in which they are preferred. It
// brings each request to the first one that is ready, and takes requests and live
// connections away from one that is decided to be dead, as long as there is another:
// nobody is moved to nowhere.
type pool struct {
	role      string
	all       []*upstream
	transport http.RoundTripper
	probes    Probes
	homes     *homes // of events; nil: no region is preferred for any
	log       *slog.Logger
}

func newPool(role string, all []Upstream, transport http.RoundTripper, probes Probes, log *slog.Logger) *pool {
	probes.Every = cmp.Or(probes.Every, 500*time.Millisecond)
	probes.Again = cmp.Or(probes.Again, 100*time.Millisecond)
	probes.Timeout = cmp.Or(probes.Timeout, time.Second)
	probes.Fall = cmp.Or(probes.Fall, 3)
	probes.Rise = cmp.Or(probes.Rise, 5)
	probes.Path = cmp.Or(probes.Path, "/readyz")
	p := &pool{role: role, transport: transport, probes: probes, log: log}
	for _, u := range all {
		p.all = append(p.all, newUpstream(u))
	}
	return p
}

// watch probes every upstream until ctx ends. With one there is nothing to decide.
func (p *pool) watch(ctx context.Context, running *sync.WaitGroup) {
	if len(p.all) < 2 {
		return
	}
	for _, u := range p.all {
		running.Go(func() { p.follow(ctx, u) })
	}
}

func (p *pool) follow(ctx context.Context, u *upstream) {
	for {
		found := p.probe(ctx, u)
		if ctx.Err() != nil {
			return
		}
		if u.found(found, p.probes, time.Now()) {
			p.log.Warn("edge: an upstream changed", "role", p.role, "region", u.Region, "url", u.URL.String(), "is", found.String(), "took", u.took)
		}
		p.move()
		wait := p.probes.Every
		if s, _, _ := u.is(time.Now()); found != ready && s == ready { // soon decided
			wait = p.probes.Again
		}
		select {
		case <-ctx.Done():
			return
		case <-u.wake:
			if !pause(ctx, p.probes.Again) { // many requests fail at once
				return
			}
		case <-time.After(wait):
		}
	}
}

// pause waits d; false when ctx ended first.
func pause(ctx context.Context, d time.Duration) bool {
	select {
	case <-ctx.Done():
		return false
	case <-time.After(d):
		return true
	}
}

// move takes work away from the dead when somebody is there to take it.
func (p *pool) move() {
	now := time.Now()
	for _, u := range p.all {
		if s, _, _ := u.is(now); s == ready {
			for _, other := range p.all {
				other.leave()
			}
			return
		}
	}
}

// pick is the upstream for a request: one that is ready, and not under suspicion; of several such one at
// home, in the region of that name, before the others; and of those the first. When none is well, the least bad
// one in the same order, because a probe may be wrong about everybody.
func (p *pool) pick(home string) (*upstream, context.Context) {
	var best *upstream
	var life context.Context
	least, now := 99, time.Now()
	for _, u := range p.all {
		s, suspect, its := u.is(now)
		badness := 4 * int(s)
		if suspect {
			badness += 2
		}
		if home != "" && u.Region != home {
			badness++
		}
		if badness < least {
			best, life, least = u, its, badness
		}
	}
	if its := life; its.Err() != nil { // it was left and is tried all the same
		life = context.Background()
	}
	return best, life
}

// errLeft ends a request whose upstream was found dead.
var errLeft = errors.New("the upstream does not answer any more and was left")

// RoundTrip implements http.RoundTripper. The request's host is replaced by an upstream's.
func (p *pool) RoundTrip(r *http.Request) (*http.Response, error) {
	u, life := p.pick(p.homes.of(r))
	ctx, cancel := context.WithCancelCause(r.Context())
	stop := context.AfterFunc(life, func() { cancel(errLeft) }) //nolint:contextcheck // the upstream's life, not the request's
	var reached atomic.Bool
	out := r.Clone(httptrace.WithClientTrace(ctx, &httptrace.ClientTrace{GotConn: func(httptrace.GotConnInfo) { reached.Store(true) }}))
	out.URL.Scheme, out.URL.Host, out.URL.Path = u.URL.Scheme, u.URL.Host, strings.TrimSuffix(u.URL.Path, "/")+r.URL.Path
	res, err := p.transport.RoundTrip(out)
	if err != nil {
		stop()
		if errors.Is(context.Cause(ctx), errLeft) {
			err = errLeft
		}
		cancel(nil)
		if !reached.Load() {
			err = unreached{err}
		}
		if r.Context().Err() == nil {
			u.failed(time.Now(), unsent(err))
		}
		return nil, err
	}
	p.homes.learn(r.URL.Path, res.Header)
	if u.Region != "" {
		res.Header.Set(RegionHeader, u.Region)
	}
	res.Body = tether(res.Body, life, func() { stop(); cancel(nil) }) //nolint:contextcheck // as above
	return res, nil
}

// unreached is the failure of a request for which there never was a connection.
type unreached struct{ error }

func (u unreached) Unwrap() error { return u.error }

// unsent reports whether a request cannot have been heard: there was no connection for it, or none for its last try,
// and http.Transport tries again by itself only what it has not written or what is safe to repeat.
func unsent(err error) bool {
	var op *net.OpError
	return errors.As(err, new(unreached)) || errors.As(err, &op) && op.Op == "dial"
}

// tether binds what an upstream sends to its life. An upgraded connection is the
// caller's and ends only when it is closed; anything else ends with its request.
func tether(body io.ReadCloser, life context.Context, release func()) io.ReadCloser {
	conn, upgraded := body.(io.ReadWriteCloser)
	if !upgraded {
		return &tetheredBody{body, release}
	}
	stop := context.AfterFunc(life, func() { _ = conn.Close() })
	return &tetheredConn{conn, func() { stop(); release() }}
}

type tetheredBody struct {
	io.ReadCloser
	release func()
}

func (t *tetheredBody) Close() error {
	defer t.release()
	return t.ReadCloser.Close()
}

type tetheredConn struct {
	io.ReadWriteCloser
	release func()
}

func (t *tetheredConn) Close() error {
	defer t.release()
	return t.ReadWriteCloser.Close()
}
