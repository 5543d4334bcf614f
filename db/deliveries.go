package db

import (
	"context"
	"time"

	"github.com/jackc/pgx/v5"

	"plateia/core/checkout"
	"plateia/core/id"
	"plateia/core/order"
)

// SaveDelivery stores a webhook delivery, once per provider and event id.
func (s *Orders) SaveDelivery(ctx context.Context, d checkout.Delivery) (bool, error) {
	return s.exec(ctx, `insert into webhook_delivery (delivery_id, provider, provider_ref, reference, order_id, body, received_at, state, next_try_at)
		values ($1, $2, $3, $4, $5, $6, $7, 'RECEIVED', $7) on conflict (provider, provider_ref) do nothing`,
		uid(d.ID), d.Provider, d.Event.ID, d.Event.Reference, uid(d.Event.Order), d.Body, d.ReceivedAt)
}

// ClaimDeliveries takes deliveries that are due, each for one claimer.
func (s *Orders) ClaimDeliveries(ctx context.Context, now, lease time.Time, limit int) ([]checkout.Delivery, error) {
	return collect(ctx, s.d, readDelivery, `update webhook_delivery set next_try_at = $2, tries = tries + 1
		where delivery_id in (select delivery_id from webhook_delivery
				where state = 'RECEIVED' and next_try_at <= $1 order by next_try_at limit $3)
			and state = 'RECEIVED' and next_try_at <= $1
		returning delivery_id, provider, provider_ref, reference, order_id, body, received_at, tries`, now, lease, limit)
}

func readDelivery(row pgx.Row) (checkout.Delivery, error) {
	var d checkout.Delivery
	err := row.Scan(into(&d.ID), &d.Provider, &d.Event.ID, &d.Event.Reference, maybe(&d.Event.Order), &d.Body, &d.ReceivedAt, &d.Tries)
	d.ReceivedAt = d.ReceivedAt.UTC()
	return d, err
}

// FinishDelivery ends a delivery.
func (s *Orders) FinishDelivery(ctx context.Context, delivery id.ID, state checkout.DeliveryState, note string) error {
	_, err := s.exec(ctx, `update webhook_delivery set state = $2, note = $3 where delivery_id = $1 and state = 'RECEIVED'`,
		uid(delivery), string(state), note)
	return err
}

// DeliveryAt says when a delivery is processed next, and why it was not yet.
func (s *Orders) DeliveryAt(ctx context.Context, delivery id.ID, at time.Time, note string) error {
	_, err := s.exec(ctx, `update webhook_delivery set next_try_at = $2, note = $3 where delivery_id = $1 and state = 'RECEIVED'`,
		uid(delivery), at, note)
	return err
}

const storedFields = `delivery_id, provider, provider_ref, reference, order_id, received_at, tries, state, next_try_at, note`

func readStored(row pgx.Row) (checkout.StoredDelivery, error) {
	var d checkout.StoredDelivery
	err := row.Scan(into(&d.ID), &d.Provider, &d.Event.ID, &d.Event.Reference, maybe(&d.Event.Order), &d.ReceivedAt, &d.Tries,
		(*string)(&d.State), &d.NextTry, &d.Note)
	d.ReceivedAt, d.NextTry = d.ReceivedAt.UTC(), d.NextTry.UTC()
	return d, err
}

// Deliveries lists deliveries, newest first, without their bodies.
func (s *Orders) Deliveries(ctx context.Context, state checkout.DeliveryState, after checkout.Position, limit int) ([]checkout.StoredDelivery, error) {
	const order = ` order by received_at desc, delivery_id desc limit $1`
	switch {
	case state == "" && after.Order.IsZero():
		return collect(ctx, s.d, readStored, `select `+storedFields+` from webhook_delivery`+order, limit)
	case state == "":
		return collect(ctx, s.d, readStored, `select `+storedFields+` from webhook_delivery
			where (received_at, delivery_id) < ($2, $3)`+order, limit, after.At, uid(after.Order))
	case after.Order.IsZero():
		return collect(ctx, s.d, readStored, `select `+storedFields+` from webhook_delivery where state = $2`+order, limit, string(state))
	}
	return collect(ctx, s.d, readStored, `select `+storedFields+` from webhook_delivery
		where state = $2 and (received_at, delivery_id) < ($3, $4)`+order, limit, string(state), after.At, uid(after.Order))
}

// ReplayDelivery makes a delivery due again.
func (s *Orders) ReplayDelivery(ctx context.Context, delivery id.ID, now time.Time) (checkout.StoredDelivery, error) {
	var d checkout.StoredDelivery
	err := retry(ctx, func(ctx context.Context) (err error) {
		d, err = readStored(s.d.pool.QueryRow(ctx, `update webhook_delivery set state = 'RECEIVED', tries = 0, next_try_at = $2
			where delivery_id = $1 returning `+storedFields, uid(delivery), now))
		return err
	})
	return d, notFound(err, "delivery")
}

// OrdersIn lists orders of all accounts in a status, newest first.
func (s *Orders) OrdersIn(ctx context.Context, status order.Status, after checkout.Position, limit int) ([]order.Order, error) {
	const list = ` order by created_at desc, order_id desc limit $1`
	if status == order.Review { // spelled out, so that its index is found
		if after.Order.IsZero() {
			return collect(ctx, s.d, readOrder, `select `+orderFields+` from orders where status = 'REVIEW'`+list, limit)
		}
		return collect(ctx, s.d, readOrder, `select `+orderFields+` from orders
			where status = 'REVIEW' and (created_at, order_id) < ($2, $3)`+list, limit, after.At, uid(after.Order))
	}
	if after.Order.IsZero() {
		return collect(ctx, s.d, readOrder, `select `+orderFields+` from orders where status = $2`+list, limit, string(status))
	}
	return collect(ctx, s.d, readOrder, `select `+orderFields+` from orders
		where status = $2 and (created_at, order_id) < ($3, $4)`+list, limit, string(status), after.At, uid(after.Order))
}
