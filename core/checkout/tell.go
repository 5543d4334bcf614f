package checkout

import (
	"context"
	"time"

	"plateia/core/id"
	"plateia/core/money"
	"plateia/core/notice"
	"plateia/core/order"
	"plateia/core/payment"
)

// tell has the owner hear that something about an order changed that its row does not show: a payment that was opened, say.
// What the engine commits it tells itself.
func (s *Service) tell(o order.Order) {
	if s.opts.Tell != nil {
		s.opts.Tell(o.Event, []notice.News{o.News()})
	}
}

// telling is a store whose changes of orders are told to their owners.
type telling struct {
	Store
	tell notice.Teller
}

func (t telling) Review(ctx context.Context, orderID, attempt id.ID, captured money.Amount, reason string) (bool, error) {
	changed, err := t.Store.Review(ctx, orderID, attempt, captured, reason)
	return changed, t.told(ctx, orderID, changed, err)
}

func (t telling) RequestRefund(ctx context.Context, r payment.Refund) (bool, error) {
	changed, err := t.Store.RequestRefund(ctx, r)
	return changed, t.told(ctx, r.Order, changed, err)
}

func (t telling) SettleRefund(ctx context.Context, refund id.ID, round int, status payment.RefundStatus, now time.Time) (payment.Refund, bool, error) {
	r, changed, err := t.Store.SettleRefund(ctx, refund, round, status, now)
	return r, changed, t.told(ctx, r.Order, changed, err)
}

// told passes err on: an order that cannot be read for its notice is told of by the page's own question.
func (t telling) told(ctx context.Context, orderID id.ID, changed bool, err error) error {
	if err != nil || !changed {
		return err
	}
	if o, e := t.Order(ctx, orderID); e == nil {
		t.tell(o.Event, []notice.News{o.News()})
	}
	return nil
}
