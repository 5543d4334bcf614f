package checkout

import (
	"context"

	"plateia/core/fault"
	"plateia/core/id"
	"plateia/core/inventory"
	"plateia/core/order"
	"plateia/core/payment"
)

// Who takes a new attempt, and what becomes of orders whose provider is away. An
// attempt never moves: its order gets another one, elsewhere or later, and should
// the first provider have taken it after all, there is one path for that (opened, sell).

// route is an event's providers, the preferred one first.
func (s *Service) route(ctx context.Context, event id.ID) []payment.Provider {
	var out []payment.Provider
	for _, name := range s.opts.Route(ctx, event) {
		if p, ok := s.providers[name]; ok {
			out = append(out, p)
		}
	}
	if len(out) == 0 {
		return s.opts.Providers
	}
	return out
}

// choose is the provider of an event's next attempt: the first that answers. When
// none does it is the first of all, and the attempt waits for it.
func (s *Service) choose(ctx context.Context, event id.ID) payment.Provider {
	route := s.route(ctx, event)
	for _, p := range route {
		if payment.Healthy(p) && !s.opts.Down(p.Name()) {
			return p
		}
	}
	for _, p := range route { // others cannot reach it, we perhaps can
		if payment.Healthy(p) {
			return p
		}
	}
	return route[0]
}

// Delayed reports that none of an event's providers answers: payments wait.
func (s *Service) Delayed(ctx context.Context, event id.ID) bool {
	for _, p := range s.route(ctx, event) {
		if payment.Healthy(p) && !s.opts.Down(p.Name()) {
			return false
		}
	}
	return true
}

// Resume has unanswered attempts asked about now, because a provider answers again: its
// own go on, and orders that wait for one that does not get an attempt there.
func (s *Service) Resume(ctx context.Context, provider string) error {
	n, err := s.store.Hurry(ctx, s.now())
	if n > 0 {
		s.log.Info("payments go on", "provider", provider, "attempts", n)
		s.poke()
	}
	return err
}

// elsewhere starts another attempt for an order whose provider does not answer,
// if the fan has not been sent there yet and another provider is well.
func (s *Service) elsewhere(ctx context.Context, o order.Order, a payment.Attempt) {
	if a.Reference != "" || !s.waits(o) {
		return
	}
	for _, p := range s.route(ctx, o.Event) {
		if p.Name() == a.Provider || !payment.Healthy(p) || s.opts.Down(p.Name()) {
			continue
		}
		if _, err := s.restart(ctx, o, a, p); err != nil && ctx.Err() == nil {
			s.log.Warn("no attempt at another provider", "order", o.ID, "provider", p.Name(), "error", err)
		}
		return
	}
}

// anew replaces an attempt that its provider, away all the time the attempt had,
// now refuses because that time is over: the seats are still the fan's. False when
// there is no time left for another one.
func (s *Service) anew(ctx context.Context, o order.Order, a payment.Attempt) (bool, error) {
	if !s.waits(o) {
		return false, nil
	}
	h, err := s.inventory.Hold(ctx, o.Hold)
	if err != nil || !h.State.Live() {
		return false, err
	}
	if _, err := s.store.Unanswered(ctx, a.ID, "the payment provider does not answer"); err != nil { // an open one would be in the way
		return false, err
	}
	started, err := s.restart(ctx, o, a, s.choose(ctx, o.Event))
	switch fault.CodeOf(err) {
	case fault.PaymentWindow, fault.HoldGone, fault.OrderState, fault.EventState, fault.PaymentInProgress:
		return false, nil
	}
	if err != nil || !started {
		return false, err
	}
	return true, s.end(ctx, o, a, verdict{status: payment.Cancelled, reason: "the payment provider did not answer; another payment was started"})
}

// waits reports whether an order still wants to be paid.
func (s *Service) waits(o order.Order) bool {
	return o.Status == order.PendingPayment && o.CancelAskedAt.IsZero()
}

// mostRestarts bounds the attempts that we start on our own for an order.
const mostRestarts = 4

// restart starts an order's next attempt by ourselves, once for each attempt that
// it replaces, whichever process is first. False when another attempt is hoped for.
func (s *Service) restart(ctx context.Context, o order.Order, a payment.Attempt, at payment.Provider) (bool, error) {
	attempts, err := s.store.AttemptsOf(ctx, o.ID)
	if err != nil || len(attempts) > mostRestarts {
		return false, err
	}
	for _, other := range attempts {
		if other.ID != a.ID && !other.Status.Final() {
			return false, nil
		}
	}
	next, err := s.startAt(ctx, at, o.Event, inventory.StartPayment{
		Account: o.Account, Hold: o.Hold, Order: o.ID, Again: true, Idempotency: inventory.Idempotency{Key: "after " + a.ID.String()},
	})
	if err != nil {
		return false, err
	}
	s.log.Info("payment started again", "order", o.ID, "after", a.ID, "provider", at.Name(), "status", next.Status)
	return true, nil
}
