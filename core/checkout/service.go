package checkout

import (
	"cmp"
	"context"
	"errors"
	"log/slog"
	"sync"
	"time"

	"plateia/core/fault"
	"plateia/core/id"
	"plateia/core/notice"
	"plateia/core/payment"
)

// Options of a service. Providers is required.
type Options struct {
	Providers []payment.Provider // in the order in which they take new payments; those with payment.Health only while healthy
	// Route names an event's providers in its own order; nil, or none that is configured: Providers.
	Route func(ctx context.Context, event id.ID) []string
	// Down reports a provider that other processes cannot reach; nil: nobody tells.
	Down      func(provider string) bool
	ReturnURL func(order id.ID) string // where the provider sends the fan; nil: /pay/{order}
	Clock     func() time.Time         // nil: time.Now
	Logger    *slog.Logger             // nil: discard
	Tell      notice.Teller            // owners hear of their orders; nil: nobody. What the engine commits it tells itself
	Workers   int                      // things done at the same time; 0: 16
	Every     time.Duration            // how often the store is looked through; 0: 1 s
	// CallTimeout bounds one question to a provider; 0: 10 s.
	CallTimeout time.Duration
}

// queueLength bounds the payments that wait for a worker in memory. What does
// not fit is found in the store a few seconds later.
const queueLength = 4096

// lease is how long claimed work is left to its process before others may take it.
const lease = time.Minute

// Service is checkout. It is safe for concurrent use, and any number of
// processes may run one on the same database.
type Service struct {
	store     Store
	inventory Inventory
	opts      Options
	providers map[string]payment.Provider
	log       *slog.Logger
	locks     locks

	fresh chan id.ID    // attempts to open at once
	wake  chan struct{} // something was stored: look now
	slots chan struct{} // one per running worker
	stop  context.CancelFunc
	done  sync.WaitGroup
}

// New returns a service. Nothing runs before Start.
func New(store Store, inv Inventory, opts Options) (*Service, error) {
	if len(opts.Providers) == 0 {
		return nil, errors.New("checkout: no payment provider")
	}
	opts = opts.withDefaults()
	if opts.Tell != nil {
		store = telling{store, opts.Tell}
	}
	s := &Service{
		store: store, inventory: inv, opts: opts, log: opts.Logger, providers: map[string]payment.Provider{},
		fresh: make(chan id.ID, queueLength), wake: make(chan struct{}, 1), slots: make(chan struct{}, opts.Workers),
	}
	for _, p := range opts.Providers {
		s.providers[p.Name()] = p
	}
	return s, nil
}

func (o Options) withDefaults() Options {
	if o.Route == nil {
		o.Route = func(context.Context, id.ID) []string { return nil }
	}
	if o.Down == nil {
		o.Down = func(string) bool { return false }
	}
	if o.ReturnURL == nil {
		o.ReturnURL = func(order id.ID) string { return "/pay/" + order.String() }
	}
	if o.Clock == nil {
		o.Clock = time.Now
	}
	o.Logger = cmp.Or(o.Logger, slog.New(slog.DiscardHandler))
	o.Workers = cmp.Or(o.Workers, 16)
	o.Every = cmp.Or(o.Every, time.Second)
	o.CallTimeout = cmp.Or(o.CallTimeout, 10*time.Second)
	return o
}

// Start opens new payments, processes deliveries, carries refunds on and
// reconciles until Stop.
func (s *Service) Start(ctx context.Context) error {
	run, stop := context.WithCancel(context.WithoutCancel(ctx))
	s.stop = stop
	s.done.Go(func() { s.openFresh(run) })
	s.done.Go(func() { s.reconcile(run) })
	return nil
}

// Stop ends the work in hand or leaves it to the store, and waits for that
// until ctx ends. Stopping twice, or what never started, is fine.
func (s *Service) Stop(ctx context.Context) error {
	if s.stop != nil {
		s.stop()
	}
	done := make(chan struct{})
	go func() { s.done.Wait(); close(done) }()
	select {
	case <-done:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

func (s *Service) now() time.Time { return s.opts.Clock() }

func (s *Service) provider(name string) (payment.Provider, error) {
	if p, ok := s.providers[name]; ok {
		return p, nil
	}
	return nil, fault.New(fault.ProviderDown, "payment provider %q is not configured", name)
}

// nudge hands a fresh attempt to the workers; a full queue leaves it to reconciliation.
func (s *Service) nudge(attempt id.ID) {
	select {
	case s.fresh <- attempt:
	default:
	}
}

// poke has the store looked through now.
func (s *Service) poke() {
	select {
	case s.wake <- struct{}{}:
	default:
	}
}

// work runs do on a worker as soon as one is free, or not at all when the service is stopping.
func (s *Service) work(ctx context.Context, do func(context.Context)) {
	select {
	case <-ctx.Done():
		return
	case s.slots <- struct{}{}:
	}
	s.done.Go(func() {
		defer func() { <-s.slots }()
		ctx, cancel := context.WithTimeout(ctx, lease) // afterwards it is somebody else's
		defer cancel()
		do(ctx)
	})
}

// pause waits, or not when ctx ends.
func pause(ctx context.Context, d time.Duration) error {
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-ctx.Done():
		return ctx.Err()
	case <-timer.C:
		return nil
	}
}
