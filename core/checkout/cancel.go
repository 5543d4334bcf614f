package checkout

import (
	"context"
	"time"

	"plateia/core/id"
	"plateia/core/inventory"
	"plateia/core/order"
)

// cancelPatience is how long a fan waits for the provider to agree to a cancellation.
const cancelPatience = 5 * time.Second

// Cancel ends an unpaid order, or takes tickets of a paid one back (none named: all that are valid).
//
// Unpaid: the provider is asked first, and only when it agrees are the seats free; if it does not answer now
// the order stays as it is and is cancelled when it does. Money that was faster makes the order CONFIRMED.
// Paid: under the event's policy, at once; the refund is followed to its end behind the answer.
func (s *Service) Cancel(ctx context.Context, account, orderID id.ID, tickets []id.ID, key inventory.Idempotency) (order.Order, error) {
	known, err := s.owned(ctx, account, orderID)
	if err != nil {
		return order.Order{}, err
	}
	if wasSold(known) || len(tickets) > 0 {
		return s.takeBack(ctx, known, tickets, key)
	}
	o, err := s.store.AskCancel(ctx, account, orderID, key)
	if err != nil || o.Status == order.Cancelled || o.Status == order.Expired {
		return o, err
	}
	if !o.Status.Open() {
		return order.Order{}, stateFault(o, "the order has just been paid; look at it again")
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

// wasSold reports whether an order has, or had, tickets as far as its row tells.
func wasSold(o order.Order) bool {
	switch o.Status {
	case order.Confirmed, order.PartlyRefunded, order.Refunded, order.Review:
		return true
	}
	return o.Returned > 0
}

// takeBack gives tickets back: one transaction of the engine frees the seats, voids the tickets and asks for
// the refund, which the workers carry to its end.
func (s *Service) takeBack(ctx context.Context, o order.Order, tickets []id.ID, key inventory.Idempotency) (order.Order, error) {
	out, err := s.inventory.Do(ctx, o.Event, inventory.Return{
		Account: o.Account, Order: o.ID, Refund: id.New(), Tickets: tickets, Idempotency: key,
	})
	if err != nil {
		return order.Order{}, err
	}
	for _, r := range out.Refunds {
		s.log.Info("tickets given back", "order", o.ID, "refund", r.ID, "tickets", len(r.Tickets), "amount", r.Amount.String())
	}
	s.poke()
	return out.Order, nil
}
