// Package rehearse acts as a crowd of fans against a running Plateia, over
// public HTTP and WebSocket only: sign in, line, map, hold (with deliberate
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
	"net/http"
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
	URL       string        // public address, such as http://127.0.0.1:8080
	Event     string        // event id
	Fans      int           // who come; with SellOut at most, 0: as many as it takes
	SellOut   bool          // fans come, Parallel at a time, until nobody can have a seat any more
	Hot       int           // percent of the fans who press for the same few seats at once
	Arrival   time.Duration // fans arrive evenly over this time; not with SellOut. With Lottery 0: until shortly before the sale
	Patience  time.Duration // a fan gives up after this time
	Parallel  int           // fans at work at the same time
	Connected int           // connections for requests at most, which the fans share; 4000
	Viewers   int           // live maps open at most (sockets cost files); below zero: 2000, with SellOut 100
	DevSecret string        // for the sign-in route outside `plateia dev`
	Progress  io.Writer     // nil: silent
	Viewer    Viewer
	Prover    Prover

	Lottery bool          // fans enter before the on-sale instant
	LineFor time.Duration // from the beginning, fans whom nobody has let in go home; 0: when their patience is over
	// Line makes a reader of the line's documents from the operator's JSON Web Key Set.
	Line func(keys []byte) (LineReader, error)

	Chaos float64 // rate, 0 to 1, at which the banks commit each of their faults
	Banks []Bank  // with Chaos

	keepOrders bool // to ask about them at the end
}

// withDefaults fills what was left zero.
func (o Options) withDefaults() Options {
	if o.SellOut {
		o.Fans = cmp.Or(o.Fans, maxFans)
		o.Parallel = cmp.Or(o.Parallel, 100)
		o.Viewers = orDefault(o.Viewers, 100)
	}
	o.Arrival = cmp.Or(o.Arrival, time.Duration(o.Fans)*4*time.Millisecond)
	o.Patience = cmp.Or(o.Patience, 10*time.Minute)
	o.Parallel = cmp.Or(o.Parallel, 2000)
	o.Connected = cmp.Or(o.Connected, 4000)
	o.Viewers = orDefault(o.Viewers, 2000)
	return o
}

// orDefault is for what may be zero on purpose.
func orDefault(n, otherwise int) int {
	if n < 0 {
		return otherwise
	}
	return n
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
	if o.Fans < 1 || o.Fans > maxFans {
		faults = append(faults, fmt.Errorf("fans: %d is not between 1 and %d", o.Fans, maxFans))
	}
	if o.Hot < 0 || o.Hot > 100 {
		faults = append(faults, fmt.Errorf("hot: %d is no percentage", o.Hot))
	}
	if o.Connected < 1 || o.Connected > maxParallel {
		faults = append(faults, fmt.Errorf("connections: %d is not between 1 and %d", o.Connected, maxParallel))
	}
	if o.Lottery && o.SellOut {
		faults = append(faults, errors.New("lottery: fans who come until all is sold cannot all come before the sale"))
	}
	if o.Line == nil || o.Prover == nil {
		faults = append(faults, errors.New("line: nobody reads its documents, or proves the fans' keys"))
	}
	if o.Chaos < 0 || o.Chaos > 1 || o.Chaos > 0 && len(o.Banks) == 0 {
		faults = append(faults, errors.New("chaos: a rate between 0 and 1, and banks to commit the faults"))
	}
	if o.Parallel < 1 || o.Parallel > maxParallel {
		faults = append(faults, fmt.Errorf("parallel: %d is not between 1 and %d", o.Parallel, maxParallel))
	}
	return errors.Join(faults...)
}

const (
	maxFans     = 1_000_000
	maxParallel = 100_000
)

// Run plays the rehearsal to its end and reports it. The error is about the
// rehearsal itself (bad options, unknown event); what fans met is in the report.
func Run(ctx context.Context, opts Options) (Report, error) {
	arrival := opts.Arrival
	opts = opts.withDefaults()
	if err := opts.validate(); err != nil {
		return Report{}, err
	}
	opts.URL = strings.TrimSuffix(opts.URL, "/")
	tally := newTally()
	api := newClient(opts, tally)
	house, err := api.loadHouse(ctx, opts.Event)
	if err != nil {
		return Report{}, fmt.Errorf("looking at the event: %w", err)
	}
	if opts, err = opts.beforeSale(house, arrival); err != nil {
		return Report{}, err
	}
	crowd, err := newCrowd(ctx, opts, api, house, tally)
	if err != nil {
		return Report{}, err
	}
	if opts.Chaos > 0 {
		restore, err := crowd.upset(ctx)
		defer func() { _ = restore(context.WithoutCancel(ctx)) }() // of a bank that is gone there is nothing to restore
		if err != nil {
			return Report{}, err
		}
	}
	stop := crowd.progress(ctx, opts.Progress)
	crowd.play(ctx)
	stop()
	report := crowd.report(ctx)
	if opts.Chaos > 0 {
		report.Money, err = crowd.money(ctx, crowd.settle(ctx))
	}
	return report, err
}

// crowd is everybody who came.
type crowd struct {
	opts  Options
	api   *client
	house *house
	stock *stock
	line  *lineWatch
	tally *tally
	run   string // makes this run's accounts its own

	viewers sync.WaitGroup
}

func newCrowd(ctx context.Context, opts Options, api *client, house *house, tally *tally) (*crowd, error) {
	var keys []byte
	if err := api.look(ctx, call{method: http.MethodGet, path: "/.well-known/jwks.json"}, &keys); err != nil {
		return nil, fmt.Errorf("looking for the operator's keys: %w", err)
	}
	reader, err := opts.Line(keys)
	if err != nil {
		return nil, fmt.Errorf("the operator's keys: %w", err)
	}
	return &crowd{
		opts: opts, api: api, house: house, tally: tally, line: &lineWatch{read: reader}, run: fmt.Sprintf("%08x", rand.Uint32()),
		stock: &stock{api: api, event: opts.Event, seats: len(house.labels)},
	}, nil
}

// beforeSale lets the fans of a lottery arrive until shortly before the on-sale instant, or sooner if so asked.
func (o Options) beforeSale(h *house, asked time.Duration) (Options, error) {
	if !o.Lottery {
		return o, nil
	}
	const margin, least = 3 * time.Second, 2 * time.Second
	left := time.Until(h.onSale) - margin
	if left < least {
		return o, fmt.Errorf("lottery: the sale begins at %s, which is too soon or over: nobody can enter before it", h.onSale.Format(time.RFC3339))
	}
	o.Arrival = left
	if asked > 0 {
		o.Arrival = min(asked, left)
	}
	if o.LineFor > 0 {
		o.LineFor += left + margin
	}
	return o, nil
}

// play lets the fans come, at most opts.Parallel at work, and waits for all.
func (c *crowd) play(ctx context.Context) {
	watching, stopWatching := context.WithCancel(ctx)
	slots := make(chan struct{}, c.opts.Parallel)
	var fans sync.WaitGroup
	for n := range c.opts.Fans {
		select {
		case <-ctx.Done():
		case slots <- struct{}{}:
		}
		if ctx.Err() != nil || c.opts.SellOut && !c.wanted(ctx) {
			break
		}
		c.tally.came.Add(1)
		fans.Go(func() {
			defer func() { <-slots }()
			fanCtx, cancel := context.WithTimeout(ctx, c.opts.Patience)
			defer cancel()
			c.tally.done(newFan(c, n).play(fanCtx, watching))
		})
		if !c.opts.SellOut && !sleep(ctx, time.Until(c.tally.began.Add(time.Duration(n+1)*c.opts.Arrival/time.Duration(c.opts.Fans)))) {
			break
		}
	}
	fans.Wait()
	stopWatching()
	c.viewers.Wait()
}

// wanted reports whether another fan should come. It waits while every seat is held or
// sold, because a hold may lapse; false when all are sold, or when what is left is for nobody who asks.
func (c *crowd) wanted(ctx context.Context) bool {
	ctx, cancel := context.WithTimeout(ctx, c.opts.Patience)
	defer cancel()
	for {
		now, err := c.stock.now(ctx)
		switch {
		case err != nil:
		case now.free > 0 && c.tally.barren(now.free) < int64(max(50, 2*c.opts.Parallel)):
			return true
		case now.held == 0:
			return false
		}
		if !sleep(ctx, 500*time.Millisecond) {
			return false
		}
	}
}
