package checkout

import (
	"context"

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
	if fault.CodeOf(err) == fault.NotFound || err == nil && h.Account != account {
		// one answer for both: whether somebody else has such a hold is nobody's business
		return order.Order{}, fault.New(fault.HoldGone, "these seats are not held for you")
	}
	if err != nil {
		return order.Order{}, err
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
	return s.startAt(ctx, s.choose(ctx, event), event, cmd)
}

func (s *Service) startAt(ctx context.Context, p payment.Provider, event id.ID, cmd inventory.StartPayment) (order.Order, error) {
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

func stateFault(o order.Order, text string) *fault.Error {
	return fault.New(fault.OrderState, "%s", text).With("orderId", o.ID.String()).With("status", string(o.Status))
}
