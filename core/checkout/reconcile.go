package checkout

import (
	"context"
	"time"

	"plateia/core/id"
	"plateia/core/payment"
)

// How long a payment that is open at the provider is left alone between two
// questions: webhooks normally tell sooner.
const (
	firstCheck = 4 * time.Second
	lastCheck  = time.Minute
	// A provider that never answers about a payment is asked for as long as the payment is in the store.
	manyChecks = 100
	rareCheck  = 15 * time.Minute
)

// openFresh opens payments as they are placed.
func (s *Service) openFresh(ctx context.Context) {
	for {
		select {
		case <-ctx.Done():
			return
		case attempt := <-s.fresh:
			s.work(ctx, func(ctx context.Context) { s.check(ctx, DueAttempt{Attempt: attempt}) })
		}
	}
}

// reconcile looks through the store for everything that is not finished. It
// alone can end every order when all webhooks are lost.
func (s *Service) reconcile(ctx context.Context) {
	ticker := time.NewTicker(s.opts.Every)
	defer ticker.Stop()
	for {
		more, err := s.round(ctx)
		if err != nil && ctx.Err() == nil {
			s.log.Warn("reconciliation round", "error", err)
		}
		if more && err == nil {
			continue
		}
		select {
		case <-ctx.Done():
			return
		case <-s.wake:
		case <-ticker.C:
		}
	}
}

// round claims what is due and hands it to the workers. It reports whether there may be more.
func (s *Service) round(ctx context.Context) (bool, error) {
	now, limit := s.now(), cap(s.slots)
	deliveries, err := s.store.ClaimDeliveries(ctx, now, now.Add(lease), limit)
	if err != nil {
		return false, err
	}
	for _, d := range deliveries {
		s.work(ctx, func(ctx context.Context) { s.runDelivery(ctx, d) })
	}
	refunds, err := s.store.ClaimRefunds(ctx, now, now.Add(lease), limit)
	if err != nil {
		return false, err
	}
	for _, r := range refunds {
		s.work(ctx, func(ctx context.Context) { s.runRefund(ctx, r) })
	}
	due, err := s.store.ClaimAttempts(ctx, now, now.Add(lease), limit)
	if err != nil {
		return false, err
	}
	for _, d := range due {
		s.work(ctx, func(ctx context.Context) { s.check(ctx, d) })
	}
	ended, err := s.store.ClaimEnded(ctx, now, limit)
	if err != nil {
		return false, err
	}
	for _, attempt := range ended {
		s.work(ctx, func(ctx context.Context) { s.lookAgain(ctx, attempt) })
	}
	_, err = s.store.EndFailed(ctx)
	return len(deliveries) == limit || len(refunds) == limit || len(due) == limit || len(ended) == limit, err
}

// check settles an attempt and says when to look again.
func (s *Service) check(ctx context.Context, d DueAttempt) {
	err := s.settle(ctx, d.Attempt)
	stopping := ctx.Err() != nil
	if err != nil && !stopping {
		s.log.Warn("attempt not settled yet", "attempt", d.Attempt, "checks", d.Checks, "error", err)
	}
	ctx, cancel := afterwards(ctx)
	defer cancel()
	next := s.now() // stopping: whoever comes next may go on at once
	if !stopping {
		next = s.nextCheck(ctx, d)
	}
	if err := s.store.CheckAt(ctx, d.Attempt, next); err != nil {
		s.log.Warn("attempt not put off", "attempt", d.Attempt, "error", err)
	}
}

// lookAgain asks about a payment that ended without money. Some banks send money after that, and if the
// webhook is lost as well nobody else would ever tell.
func (s *Service) lookAgain(ctx context.Context, attempt id.ID) {
	if err := s.lateMoney(ctx, attempt); err != nil && ctx.Err() == nil {
		s.log.Warn("an ended payment was not looked at again", "attempt", attempt, "error", err)
	}
}

func (s *Service) lateMoney(ctx context.Context, attempt id.ID) error {
	release, err := s.locks.lock(ctx, attempt)
	if err != nil {
		return err
	}
	defer release()
	a, err := s.store.Attempt(ctx, attempt)
	if err != nil || a.Status == payment.Captured || a.Reference == "" {
		return err
	}
	o, err := s.store.Order(ctx, a.Order)
	if err != nil {
		return err
	}
	p, err := s.provider(a.Provider)
	if err != nil {
		return err
	}
	asking, cancel := context.WithTimeout(ctx, s.opts.CallTimeout)
	defer cancel()
	in, err := p.Fetch(asking, a.Reference)
	if err != nil || in.Status != payment.Captured {
		return err
	}
	s.log.Warn("money came for a payment that had ended", "order", o.ID, "attempt", a.ID)
	return s.act(ctx, o, a, in)
}

// afterwards is for writing down how work ended, which also has to be done when
// the work was stopped.
func afterwards(ctx context.Context) (context.Context, context.CancelFunc) {
	return context.WithTimeout(context.WithoutCancel(ctx), 3*time.Second)
}

// nextCheck backs off, but never sleeps over the payment's deadline.
func (s *Service) nextCheck(ctx context.Context, d DueAttempt) time.Time {
	now := s.now()
	if d.Checks > manyChecks {
		return now.Add(rareCheck)
	}
	next := now.Add(backoff(firstCheck, d.Checks+1, lastCheck))
	a, err := s.store.Attempt(ctx, d.Attempt)
	if deadline := a.ExpiresAt.Add(time.Second); err == nil && deadline.After(now) && deadline.Before(next) {
		return deadline
	}
	return next
}

// Reconcile asks about one order now: for an operator, or a fan who has just
// come back from the provider's page. It is as safe as a webhook.
func (s *Service) Reconcile(ctx context.Context, order id.ID) error {
	return s.settleAll(ctx, order)
}
