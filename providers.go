package main

import (
	"context"
	"sync/atomic"
	"time"

	"plateia/core/checkout"
	"plateia/core/event"
	"plateia/core/id"
	"plateia/core/payment"
	"plateia/db"
	"plateia/edge/payments/router"
	"plateia/edge/payments/sandbox"
)

// Whether providers answer is known by each process for itself, where its calls
// are made. A small table makes it known to all: the process that leads the waiting rooms
// may never call a provider, and must stop admitting when nobody can pay.

const (
	outlookEvery = 250 * time.Millisecond // how old another process's news may be here
	reportEvery  = 2 * time.Second        // news are written at once; this says that we live
	reportLife   = 5 * reportEvery        // whoever is silent for longer is not heard
	keepEvery    = 5 * time.Second        // while payments are delayed, holds that would end are kept
)

// outlook is what all processes together know of the providers.
type outlook struct {
	process id.ID
	now     atomic.Pointer[payment.Outlook]
	news    chan struct{}
}

func newOutlook() *outlook {
	o := &outlook{process: id.New(), news: make(chan struct{}, 1)}
	o.now.Store(&payment.Outlook{})
	return o
}

// down reports a provider that nobody reaches, trouble one that some do not.
func (o *outlook) down(provider string) bool    { return o.now.Load().Down[provider] }
func (o *outlook) trouble(provider string) bool { return o.now.Load().Trouble[provider] }

// closed reports that no provider of an event answers: nobody new is let in.
func (o *outlook) closed(e event.Event) bool { return o.now.Load().AllDown(e.Rules.Providers) }

// tell has this process's news written now.
func (o *outlook) tell() {
	select {
	case o.news <- struct{}{}:
	default:
	}
}

// openOutlook reads what other processes report, again and again.
func (h *house) openOutlook(ctx context.Context) error {
	h.outlook = newOutlook()
	return h.repeat(ctx, "outlook on payment providers", outlookEvery, func(ctx context.Context) error {
		ctx, cancel := context.WithTimeout(ctx, 2*time.Second)
		defer cancel()
		reports, err := h.database.ProviderReports(ctx, reportLife)
		if err != nil {
			return err
		}
		before, now := h.outlook.now.Load(), payment.OutlookOf(reports)
		h.outlook.now.Store(&now)
		if was, is := before.AllDown(nil), now.AllDown(nil); is && !was {
			h.log.Error("no payment provider answers: nobody new is let in", "alarm", true)
		} else if was && !is {
			h.log.Info("payments work again: people are let in")
		}
		return nil
	})
}

// openCheckout opens checkout over the guarded providers.
func (h *house) openCheckout(ctx context.Context) error {
	var providers []payment.Provider
	var connected []*sandbox.Provider
	for _, p := range h.cfg.providers {
		adapter := p.adapter(0)
		connected, providers = append(connected, adapter), append(providers, adapter)
	}
	recovered, err := h.openRouter(ctx, providers)
	if err != nil {
		return err
	}
	h.checkout, err = checkout.New(db.NewOrders(h.database), h.inventory, checkout.Options{
		Providers: h.router.Providers(), Route: h.route, Down: h.outlook.down, Workers: h.router.Places() + spareWorkers, Logger: h.log, Tell: h.teller(),
	})
	if err != nil {
		return err
	}
	err = h.life.start(ctx, part{name: "checkout", start: h.checkout.Start, stop: func(ctx context.Context) error {
		defer func() {
			for _, p := range connected {
				p.Close()
			}
		}()
		return h.checkout.Stop(ctx)
	}})
	if err != nil {
		return err
	}
	return h.background(ctx, "resuming of payments", func(ctx context.Context) error { return h.resume(ctx, recovered) })
}

// route is the order of providers that an event's rules ask for; none when the event is not known just now.
func (h *house) route(ctx context.Context, event id.ID) []string {
	e, err := h.catalog.Shown(ctx, event)
	if err != nil {
		return nil
	}
	return e.Rules.Providers
}

// spareWorkers are those of checkout that are free when every provider's bulkhead is full.
const spareWorkers = 16

// openRouter puts the guards around the providers and reports what they see. The channel tells who is back.
func (h *house) openRouter(ctx context.Context, providers []payment.Provider) (<-chan string, error) {
	var err error
	h.router, err = router.New(providers, router.Options{
		Rate: h.cfg.paymentRate, Latency: h.cfg.paymentLatency, Timeout: h.cfg.paymentTimeout, Logger: h.log,
	})
	if err != nil {
		return nil, err
	}
	recovered := make(chan string, 2*len(providers))
	h.router.Elsewhere(h.outlook.trouble)
	h.router.OnChange(func(provider string, healthy bool) {
		h.outlook.tell()
		if healthy {
			select {
			case recovered <- provider:
			default: // the attempts' own times come
			}
		}
	})
	if err := h.background(ctx, "reports on payment providers", h.report); err != nil {
		return nil, err
	}
	return recovered, h.life.start(ctx, part{name: "payment router", start: h.router.Start, stop: h.router.Stop})
}

// report writes down what this process knows, when it changes and every now and then.
func (h *house) report(ctx context.Context) error {
	tick := time.NewTicker(reportEvery)
	defer tick.Stop()
	defer func() {
		ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), 2*time.Second)
		defer cancel()
		_ = h.database.ForgetProviders(ctx, h.outlook.process) // else its silence is noticed
	}()
	for {
		var reports []db.ProviderReport
		for _, g := range h.router.Guards() {
			e := g.Evidence()
			reports = append(reports, db.ProviderReport{Provider: g.Name(), Open: e.Open, OpenFor: e.OpenFor, SinceOK: e.SinceOK})
		}
		if err := h.write(ctx, reports); err != nil && ctx.Err() == nil {
			h.log.Warn("health of payment providers not reported", "error", err)
		}
		select {
		case <-ctx.Done():
			return nil
		case <-h.outlook.news:
		case <-tick.C:
		}
	}
}

func (h *house) write(ctx context.Context, reports []db.ProviderReport) error {
	ctx, cancel := context.WithTimeout(ctx, reportEvery)
	defer cancel()
	return h.database.ReportProviders(ctx, h.outlook.process, reports)
}

// resume has unanswered payments asked about as soon as their provider is back.
func (h *house) resume(ctx context.Context, recovered <-chan string) error {
	for {
		select {
		case <-ctx.Done():
			return nil
		case provider := <-recovered:
			if err := h.checkout.Resume(ctx, provider); err != nil && ctx.Err() == nil {
				h.log.Warn("payments not hurried", "provider", provider, "error", err)
			}
		}
	}
}

// openKeeping keeps holds while nobody can pay.
func (h *house) openKeeping(ctx context.Context) error {
	return h.repeat(ctx, "keeping of holds", keepEvery, func(ctx context.Context) error {
		if len(h.outlook.now.Load().Down) == 0 {
			return nil
		}
		kept, err := h.checkout.Keep(ctx)
		if kept > 0 {
			h.log.Info("holds kept while payments are delayed", "holds", kept)
		}
		return err
	})
}
