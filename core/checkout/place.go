package checkout

import (
	"context"
	"time"

	"plateia/core/fault"
	"plateia/core/id"
	"plateia/core/inventory"
	"plateia/core/order"
	"plateia/core/payment"
)

// Place makes the order of a hold and starts its payment; the provider is asked
// behind the answer. A hold has one order: while that is being paid it is
// returned as it is (two tabs, four presses, one charge), and after a decline it
// is paid again.
func (s *Service) Place(ctx context.Context, account, hold id.ID, key inventory.Idempotency) (order.Order, error) {
	h, err := s.inventory.Hold(ctx, hold)
	if err != nil {
		return order.Order{}, err
	}
	if h.Account != account {
		return order.Order{}, fault.New(fault.NotFound, "no such hold")
	}
	known, err := s.store.OrderOfHold(ctx, hold)
	switch {
	case err == nil && known.Key != key.Key:
		return s.placeAgain(ctx, known, key)
	case err != nil && fault.CodeOf(err) != fault.NotFound:
		return order.Order{}, err
	}
	o, err := s.startPayment(ctx, h.Event, inventory.StartPayment{Account: account, Hold: hold, Order: id.New(), Idempotency: key})
	if code := fault.CodeOf(err); code == fault.OrderState || code == fault.PaymentInProgress {
		if known, e := s.store.OrderOfHold(ctx, hold); e == nil && known.Status == order.PendingPayment {
			return known, nil // another request was faster
		}
	}
	return o, err
}

func (s *Service) placeAgain(ctx context.Context, known order.Order, key inventory.Idempotency) (order.Order, error) {
	switch known.Status {
	case order.PendingPayment:
		return known, nil
	case order.Failed:
		return s.PayAgain(ctx, known.Account, known.ID, key)
	}
	return order.Order{}, stateFault(known, "these seats have an order already")
}

// PayAgain starts another payment of an order whose last one failed, while its
// hold lives. An order that is being paid is returned as it is.
func (s *Service) PayAgain(ctx context.Context, account, orderID id.ID, key inventory.Idempotency) (order.Order, error) {
	known, err := s.owned(ctx, account, orderID)
	if err != nil {
		return order.Order{}, err
	}
	o, err := s.startPayment(ctx, known.Event, inventory.StartPayment{
		Account: account, Hold: known.Hold, Order: orderID, Again: true, Idempotency: key,
	})
	if fault.CodeOf(err) == fault.PaymentInProgress {
		if known, e := s.store.Order(ctx, orderID); e == nil && known.Status == order.PendingPayment {
			return known, nil
		}
	}
	return o, err
}

// startPayment runs the command with a fresh attempt and hands that to the workers.
func (s *Service) startPayment(ctx context.Context, event id.ID, cmd inventory.StartPayment) (order.Order, error) {
	p := s.opts.Providers[0]
	cmd.Attempt, cmd.Provider, cmd.MinWindow = id.New(), p.Name(), p.MinWindow()
	out, err := s.inventory.Do(ctx, event, cmd)
	if err != nil {
		return order.Order{}, err
	}
	if out.Attempt.Status == payment.Created {
		s.nudge(out.Attempt.ID)
	}
	return out.Order, nil
}

// cancelPatience is how long a fan waits for the provider to agree to a cancellation.
const cancelPatience = 5 * time.Second

// Cancel ends an unpaid order. The provider is asked first, and only when it
// agrees are the seats free; if it does not answer now the order stays as it is
// and is cancelled when it does. Money that was faster makes the order CONFIRMED.
func (s *Service) Cancel(ctx context.Context, account, orderID id.ID, key inventory.Idempotency) (order.Order, error) {
	if _, err := s.owned(ctx, account, orderID); err != nil {
		return order.Order{}, err
	}
	o, err := s.store.AskCancel(ctx, account, orderID, key)
	if err != nil || o.Status == order.Cancelled || o.Status == order.Expired {
		return o, err
	}
	if !o.Status.Open() {
		return order.Order{}, stateFault(o, "only an order that is not paid can be cancelled here")
	}
	patience, stop := context.WithTimeout(ctx, cancelPatience)
	defer stop()
	if err := s.settleAll(patience, orderID); err != nil {
		s.log.Warn("cancellation goes on behind", "order", orderID, "error", err)
		return s.store.Order(ctx, orderID)
	}
	if err := s.releaseUnpaid(ctx, orderID); err != nil {
		return order.Order{}, err
	}
	return s.store.Order(ctx, orderID)
}

func (s *Service) settleAll(ctx context.Context, orderID id.ID) error {
	attempts, err := s.store.AttemptsOf(ctx, orderID)
	if err != nil {
		return err
	}
	for _, a := range attempts {
		if a.Status.Final() {
			continue
		}
		if err := s.settle(ctx, a.ID); err != nil {
			return err
		}
	}
	return nil
}

// releaseUnpaid gives back the seats of an order that no attempt is paying: they
// waited for another card.
func (s *Service) releaseUnpaid(ctx context.Context, orderID id.ID) error {
	o, err := s.store.Order(ctx, orderID)
	if err != nil || o.Status != order.Failed {
		return err
	}
	if _, err := s.inventory.Do(ctx, o.Event, inventory.Release{Account: o.Account, Hold: o.Hold}); err != nil {
		return err
	}
	_, err = s.store.EndFailed(ctx)
	return err
}

func stateFault(o order.Order, text string) *fault.Error {
	return fault.New(fault.OrderState, "%s", text).With("orderId", o.ID.String()).With("status", string(o.Status))
}
