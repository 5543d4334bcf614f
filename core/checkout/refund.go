package checkout

import (
	"context"
	"crypto/sha256"
	"time"

	"plateia/core/fault"
	"plateia/core/id"
	"plateia/core/inventory"
	"plateia/core/money"
	"plateia/core/order"
	"plateia/core/payment"
)

// sendBack claims an attempt's captured money for a refund in full.
func (s *Service) sendBack(ctx context.Context, a payment.Attempt, captured money.Amount, reason string) error {
	changed, err := s.store.RequestRefund(ctx, payment.Refund{
		ID: refundID(a.ID), Order: a.Order, Attempt: a.ID, Kind: payment.RefundUnsold, Status: payment.RefundRequested,
		Amount: captured, Reason: reason, CreatedAt: s.now(),
	})
	if changed {
		s.log.Warn("money is sent back", "order", a.Order, "attempt", a.ID, "amount", captured.String(), "reason", reason)
		s.poke()
	}
	return err
}

// sendBackExtra is for money that came to an order which is past paying.
func (s *Service) sendBackExtra(ctx context.Context, orderID id.ID, a payment.Attempt, in payment.Intent) error {
	o, err := s.store.Order(ctx, orderID)
	if err != nil {
		return err
	}
	switch o.Status {
	case order.Review:
		_, err := s.store.Review(ctx, o.ID, a.ID, in.Amount, o.Reason)
		return err
	case order.Cancelled:
		return s.sendBack(ctx, a, in.Amount, "the payment arrived after the order had been cancelled; it is refunded in full")
	case order.Refunded:
		return s.sendBack(ctx, a, in.Amount, "the payment arrived after the order had ended; it is refunded in full")
	}
	return s.sendBack(ctx, a, in.Amount, "this order was paid twice; the second payment is refunded in full")
}

// refundID makes the automatic refund of an attempt the same one in every process.
func refundID(attempt id.ID) id.ID {
	sum := sha256.Sum256(append([]byte("plateia automatic refund\x00"), attempt[:]...))
	out := id.ID(sum[:16])
	out[6], out[8] = out[6]&0x0f|0x80, out[8]&0x3f|0x80 // RFC 9562, version 8
	return out
}

// refund carries one refund on. The seats of an order whose money goes back are
// freed first: it is the last thing that can still keep them.
func (s *Service) refund(ctx context.Context, r payment.Refund) (payment.Refund, error) {
	o, err := s.store.Order(ctx, r.Order)
	if err != nil {
		return r, err
	}
	a, err := s.store.Attempt(ctx, r.Attempt)
	if err != nil {
		return r, err
	}
	if r.Kind == payment.RefundUnsold && o.Status.Open() {
		_, err := s.inventory.Do(ctx, o.Event, inventory.EndAttempt{
			Order: o.ID, Attempt: a.ID, Status: payment.Captured, Reason: r.Reason,
			FreeSeats: true, CancelOrder: !o.CancelAskedAt.IsZero(),
		})
		if err != nil {
			return r, err
		}
	}
	status, err := s.askRefund(ctx, a, r)
	if err != nil || status == r.Status {
		return r, err
	}
	return s.settleRefund(ctx, r, status)
}

// settleRefund records an answer and tells who has to know. The refund it returns is as stored.
func (s *Service) settleRefund(ctx context.Context, r payment.Refund, status payment.RefundStatus) (payment.Refund, error) {
	now, changed, err := s.store.SettleRefund(ctx, r.ID, r.Round, status, s.now())
	switch {
	case err != nil || !changed:
		return now, err
	case now.Status == payment.RefundFailed:
		s.log.Error("a refund failed for good: the order is in review", "alarm", true, "order", r.Order, "refund", r.ID, "rounds", now.Round+1)
	case now.Round != r.Round:
		s.log.Warn("a refund was refused and is asked for again", "order", r.Order, "refund", r.ID, "was", string(r.Status), "round", now.Round,
			"after", now.RoundDelay().String())
	}
	return now, nil
}

// askRefund asks under the round's key, which is also the question what became of it. Before a new round
// asks for the money once more, it makes sure that the last one has not gone through after all.
func (s *Service) askRefund(ctx context.Context, a payment.Attempt, r payment.Refund) (payment.RefundStatus, error) {
	p, err := s.provider(a.Provider)
	if err != nil {
		return "", err
	}
	if last := r.LastKey(); last != "" {
		status, err := s.askOnce(ctx, p, a, r, last)
		if err != nil || status != payment.RefundFailed {
			return status, err
		}
	}
	return s.askOnce(ctx, p, a, r, r.Key())
}

func (s *Service) askOnce(ctx context.Context, p payment.Provider, a payment.Attempt, r payment.Refund, key string) (payment.RefundStatus, error) {
	ctx, cancel := context.WithTimeout(ctx, s.opts.CallTimeout)
	defer cancel()
	status, err := p.Refund(ctx, a.Reference, r.Amount, key)
	switch fault.CodeOf(err) {
	case fault.Invalid, fault.NotFound, fault.KeyReused:
		s.log.Error("a refund was refused", "alarm", true, "refund", r.ID, "round", r.Round, "error", err)
		return payment.RefundFailed, nil
	}
	return status, err
}

// runRefund is one try, with the next one put off when it did not end.
func (s *Service) runRefund(ctx context.Context, r payment.Refund) {
	now, err := s.refund(ctx, r)
	next := s.now().Add(backoff(time.Second, r.Tries, 5*time.Minute))
	if ctx.Err() != nil { // stopping: whoever comes next may go on at once
		next = s.now()
	}
	ctx, cancel := afterwards(ctx)
	defer cancel()
	if err != nil {
		s.log.Warn("refund not done yet", "refund", r.ID, "tries", r.Tries, "error", err)
	}
	switch {
	case err == nil && r.Status == payment.RefundDone && now.Status == payment.RefundDone:
		r.Rechecks++
		err = s.store.RecheckRefund(ctx, r.ID, r.NextRecheck(s.now()))
	case r.Status == payment.RefundDone, err == nil && now.Status != payment.RefundPending:
		return // the store knows when to go on
	default:
		err = s.store.RefundAt(ctx, r.ID, next)
	}
	if err != nil {
		s.log.Warn("refund not put off", "refund", r.ID, "error", err)
	}
}

// recheckRefunds asks about the refunds of a payment that the provider has just spoken of: one that was done may
// have come back.
func (s *Service) recheckRefunds(ctx context.Context, a payment.Attempt) error {
	refunds, err := s.store.RefundsOfAttempt(ctx, a.ID)
	if err != nil {
		return err
	}
	for _, r := range refunds {
		if r.Status != payment.RefundPending && r.Status != payment.RefundDone {
			continue
		}
		if _, err := s.refund(ctx, r); err != nil {
			return err
		}
	}
	return nil
}
