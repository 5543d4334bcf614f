package router

import (
	"context"
	"errors"
	"net/http"
	"sync/atomic"
	"time"

	"github.com/failsafe-go/failsafe-go"
	"github.com/failsafe-go/failsafe-go/bulkhead"
	"github.com/failsafe-go/failsafe-go/circuitbreaker"
	"github.com/failsafe-go/failsafe-go/timeout"

	"plateia/core/fault"
	"plateia/core/money"
	"plateia/core/payment"
)

// Guard is a provider behind its bulkhead, breaker and time-out.
type Guard struct {
	inner    payment.Provider
	breaker  circuitbreaker.CircuitBreaker[any]
	executor failsafe.Executor[any]
	places   int
	inUse    atomic.Int64
	calls    [operations]counts
	doubt    func() // told of every unknown outcome

	lastOK, lastBad atomic.Int64 // when a call ended so, Unix nanoseconds
	openedAt        atomic.Int64 // the breaker's last opening
	busySince       atomic.Int64 // when the first of the calls in flight began, unless answers came since
	probing         atomic.Int64 // signs of life asked for just now
}

var (
	_ payment.Provider = (*Guard)(nil)
	_ payment.Health   = (*Guard)(nil)
)

func newGuard(p payment.Provider, o Options, moved func(*Guard, bool), doubt func()) *Guard {
	g := &Guard{inner: p, places: o.Places(), doubt: doubt}
	g.breaker = circuitbreaker.NewBuilder[any]().
		HandleIf(func(_ any, err error) bool { return unknown(err) }).
		WithFailureThresholdRatio(o.Failures, o.Of).
		WithSuccessThreshold(o.Successes).
		WithDelay(o.Delay).WithJitterFactor(0.25).
		OnOpen(func(e circuitbreaker.StateChangedEvent) {
			if e.OldState == circuitbreaker.ClosedState { // from half-open it was not healthy before
				g.openedAt.Store(time.Now().UnixNano())
				moved(g, false)
			}
		}).
		OnClose(func(circuitbreaker.StateChangedEvent) { moved(g, true) }).
		Build()
	g.executor = failsafe.With[any](
		bulkhead.NewBuilder[any](uint(g.places)).WithMaxWaitTime(o.MaxWait).Build(), g.breaker, timeout.New[any](o.Timeout)) //nolint:gosec // places is small and positive
	return g
}

// unknown reports whether nobody knows what became of a call.
func unknown(err error) bool {
	return err != nil && (errors.Is(err, timeout.ErrExceeded) || fault.CodeOf(err) == fault.ProviderDown)
}

// call runs do under the guard. Whatever kept it from being answered is ProviderDown.
func (g *Guard) call(ctx context.Context, op operation, do func(ctx context.Context) error) error {
	err := g.executor.WithContext(ctx).RunWithExecution(func(exec failsafe.Execution[any]) error { //nolint:contextcheck // exec's context is ctx with the time-out
		began := g.begin()
		defer g.inUse.Add(-1)
		err := do(exec.Context())
		if err != nil && !known(err) { // a deadline, most likely
			err = fault.Wrap(err, fault.ProviderDown, "the payment provider did not answer in time")
		}
		g.heard(op, err, time.Since(began))
		return err
	})
	switch {
	case err == nil || known(err):
		return err
	case errors.Is(err, circuitbreaker.ErrOpen):
		g.calls[op].shed.Add(1)
		return fault.Wrap(err, fault.ProviderDown, "the payment provider does not answer at present")
	case errors.Is(err, bulkhead.ErrFull):
		g.calls[op].shed.Add(1)
		return fault.Wrap(err, fault.ProviderDown, "too many payments wait for this provider")
	}
	return fault.Wrap(err, fault.ProviderDown, "the payment provider did not answer in time")
}

// begin counts a call as one in flight, and returns when it began.
func (g *Guard) begin() time.Time {
	began := time.Now()
	if g.inUse.Add(1) == 1 {
		g.busySince.Store(began.UnixNano())
	}
	return began
}

func known(err error) bool {
	var f *fault.Error
	return errors.As(err, &f)
}

func (g *Guard) heard(op operation, err error, took time.Duration) {
	c := &g.calls[op]
	c.took.observe(took)
	now := time.Now().UnixNano()
	switch {
	case err == nil:
		c.answered.Add(1)
		g.lastOK.Store(now)
	case unknown(err):
		c.unknown.Add(1)
		g.lastBad.Store(now)
		g.doubt()
	default:
		c.refused.Add(1)
		g.lastOK.Store(now)
	}
}

// Name of the provider.
func (g *Guard) Name() string { return g.inner.Name() }

// MinWindow is the provider's.
func (g *Guard) MinWindow() time.Duration { return g.inner.MinWindow() }

// Healthy reports whether the breaker is closed. Half-open is not: its few places are for signs of life.
func (g *Guard) Healthy() bool { return g.breaker.IsClosed() }

// VerifyWebhook calls nobody and is not guarded.
func (g *Guard) VerifyWebhook(header http.Header, rawBody []byte) ([]payment.Event, error) {
	return g.inner.VerifyWebhook(header, rawBody)
}

// CreateIntent is the provider's, guarded.
func (g *Guard) CreateIntent(ctx context.Context, req payment.IntentRequest) (in payment.Intent, err error) {
	err = g.call(ctx, opCreate, func(ctx context.Context) (err error) { in, err = g.inner.CreateIntent(ctx, req); return err })
	return in, err
}

// Fetch is the provider's, guarded.
func (g *Guard) Fetch(ctx context.Context, reference string) (in payment.Intent, err error) {
	err = g.call(ctx, opFetch, func(ctx context.Context) (err error) { in, err = g.inner.Fetch(ctx, reference); return err })
	return in, err
}

// Cancel is the provider's, guarded.
func (g *Guard) Cancel(ctx context.Context, reference string) (in payment.Intent, err error) {
	err = g.call(ctx, opCancel, func(ctx context.Context) (err error) { in, err = g.inner.Cancel(ctx, reference); return err })
	return in, err
}

// Refund is the provider's, guarded.
func (g *Guard) Refund(ctx context.Context, reference string, amount money.Amount, key string) (status payment.RefundStatus, err error) {
	err = g.call(ctx, opRefund, func(ctx context.Context) (err error) {
		status, err = g.inner.Refund(ctx, reference, amount, key)
		return err
	})
	return status, err
}
