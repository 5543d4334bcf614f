// Package rehearse acts as a crowd of fans against a running Plateia, over
// public HTTP and WebSocket only: sign in, door, map, hold (with deliberate
// collisions), pay, ticket. It is the operator's dress rehearsal of an on-sale.
package rehearse

import (
	"cmp"
	"context"
	"crypto/ecdsa"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"net/url"
	"strings"
	"sync"
	"time"
)

// Viewer keeps a live seat map open until ctx ends and calls onDelta with the
// commit time of every delta frame as it arrives. It returns nil when ctx ended it.
type Viewer func(ctx context.Context, accessToken string, onDelta func(committed time.Time)) error

// Prover makes the DPoP proof (RFC 9449) of one request with a fan's key.
type Prover func(key *ecdsa.PrivateKey, method, url string) (string, error)

// Options of a rehearsal.
type Options struct {
	URL       string // public address, such as http://127.0.0.1:8080
	Event     string // event id
	Fans      int
	Arrival   time.Duration // fans arrive evenly over this time
	Patience  time.Duration // a fan gives up after this time
	Parallel  int           // fans at work at the same time
	Viewers   int           // live maps open at most (sockets cost files)
	DevSecret string        // for the sign-in route outside `plateia dev`
	Progress  io.Writer     // nil: silent
	Viewer    Viewer
	Prover    Prover
}

// withDefaults fills what was left zero.
func (o Options) withDefaults() Options {
	o.Arrival = cmp.Or(o.Arrival, time.Duration(o.Fans)*4*time.Millisecond)
	o.Patience = cmp.Or(o.Patience, 10*time.Minute)
	o.Parallel = cmp.Or(o.Parallel, 2000)
	o.Viewers = cmp.Or(o.Viewers, 2000)
	return o
}

func (o Options) validate() error {
	var faults []error
	u, err := url.Parse(o.URL)
	if err != nil || (u.Scheme != "http" && u.Scheme != "https") || u.Host == "" {
		faults = append(faults, fmt.Errorf("url: %q is not an http address", o.URL))
	}
	if o.Event == "" {
		faults = append(faults, errors.New("event: say which event"))
	}
	if o.Fans < 1 || o.Fans > 1_000_000 {
		faults = append(faults, fmt.Errorf("fans: %d is not between 1 and 1,000,000", o.Fans))
	}
	return errors.Join(faults...)
}

// Run plays the rehearsal to its end and reports it. The error is about the
// rehearsal itself (bad options, unknown event); what fans met is in the report.
func Run(ctx context.Context, opts Options) (Report, error) {
	opts = opts.withDefaults()
	if err := opts.validate(); err != nil {
		return Report{}, err
	}
	opts.URL = strings.TrimSuffix(opts.URL, "/")
	tally := newTally(opts.Fans)
	api := newClient(opts, tally)
	house, err := api.loadHouse(ctx, opts.Event)
	if err != nil {
		return Report{}, fmt.Errorf("looking at the event: %w", err)
	}
	crowd := &crowd{opts: opts, api: api, house: house, tally: tally, run: fmt.Sprintf("%08x", rand.Uint32())}
	stop := crowd.tally.progress(ctx, opts.Progress)
	crowd.play(ctx)
	stop()
	return crowd.tally.report(), nil
}

// crowd is everybody who came.
type crowd struct {
	opts  Options
	api   *client
	house *house
	tally *tally
	run   string // makes this run's accounts its own

	viewers sync.WaitGroup
}

// play lets the fans arrive evenly, at most opts.Parallel at work, and waits for all.
func (c *crowd) play(ctx context.Context) {
	watching, stopWatching := context.WithCancel(ctx)
	slots := make(chan struct{}, c.opts.Parallel)
	gap := c.opts.Arrival / time.Duration(c.opts.Fans)
	arrival := time.NewTicker(max(gap, time.Microsecond))
	defer arrival.Stop()
	var fans sync.WaitGroup
	for n := range c.opts.Fans {
		select {
		case <-ctx.Done():
		case slots <- struct{}{}:
			fans.Go(func() {
				defer func() { <-slots }()
				fanCtx, cancel := context.WithTimeout(ctx, c.opts.Patience)
				defer cancel()
				c.tally.done(newFan(c, n).play(fanCtx, watching))
			})
		}
		if ctx.Err() != nil {
			break
		}
		<-arrival.C
	}
	fans.Wait()
	stopWatching()
	c.viewers.Wait()
}
