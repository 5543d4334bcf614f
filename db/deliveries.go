package db

import (
	"context"
	"time"

	"github.com/jackc/pgx/v5"

	"plateia/core/checkout"
	"plateia/core/id"
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
