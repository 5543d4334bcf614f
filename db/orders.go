package db

import (
	"context"
	"encoding/json"
	"time"

	"github.com/jackc/pgx/v5"

	"plateia/core/checkout"
	"plateia/core/id"
	"plateia/core/inventory"
	"plateia/core/order"
	"plateia/core/payment"
	"plateia/core/seatmap"
	"plateia/core/ticket"
)

// Orders is checkout's store: reads of orders, and their moves that concern no
// seat. Those that do are the inventory's, in its own transaction. Every write
// names the states it moves from, so a repeated or late one changes nothing.
type Orders struct{ d *DB }

var _ checkout.Store = (*Orders)(nil)

// NewOrders returns the store of checkout.
func NewOrders(d *DB) *Orders { return &Orders{d} }

const orderFields = `order_id, event_id, account_id, hold_id, status, currency, total, lines, idem_key, body_hash,
	reason, created_at, updated_at, version, cancel_asked_at, returned, goes_back`

func readOrder(row pgx.Row) (order.Order, error) {
	var o order.Order
	var lines, hash []byte
	var cancelAsked *time.Time
	err := row.Scan(into(&o.ID), into(&o.Event), into(&o.Account), into(&o.Hold), (*string)(&o.Status), &o.Currency, &o.Total, &lines,
		&o.Key, &hash, &o.Reason, &o.CreatedAt, &o.UpdatedAt, &o.Version, &cancelAsked,
		&o.Returned, &o.GoesBack)
	if err != nil {
		return order.Order{}, err
	}
	copy(o.BodyHash[:], hash)
	o.CreatedAt, o.UpdatedAt = o.CreatedAt.UTC(), o.UpdatedAt.UTC()
	o.CancelAskedAt = instant(cancelAsked)
	return o, json.Unmarshal(lines, &o.Lines)
}

// Order reads one order.
func (s *Orders) Order(ctx context.Context, orderID id.ID) (order.Order, error) {
	o, err := readOrder(s.d.pool.QueryRow(ctx, `select `+orderFields+` from orders where order_id = $1`, uid(orderID)))
	return o, notFound(err, "order")
}

// OrderOfHold reads the order made of a hold.
func (s *Orders) OrderOfHold(ctx context.Context, hold id.ID) (order.Order, error) {
	o, err := readOrder(s.d.pool.QueryRow(ctx, `select `+orderFields+` from orders where hold_id = $1`, uid(hold)))
	return o, notFound(err, "order")
}

// OrdersOf lists an account's orders, newest first, after a position.
func (s *Orders) OrdersOf(ctx context.Context, account id.ID, after checkout.Position, limit int) ([]order.Order, error) {
	const first = `select ` + orderFields + ` from orders where account_id = $1
		order by created_at desc, order_id desc limit $2`
	const next = `select ` + orderFields + ` from orders where account_id = $1 and (created_at, order_id) < ($3, $4)
		order by created_at desc, order_id desc limit $2`
	if after.Order.IsZero() {
		return collect(ctx, s.d, readOrder, first, uid(account), limit)
	}
	return collect(ctx, s.d, readOrder, next, uid(account), limit, after.At, uid(after.Order))
}

// exec runs one conditional write and reports whether it changed anything.
func (s *Orders) exec(ctx context.Context, statement string, args ...any) (bool, error) {
	changed := false
	err := retry(ctx, func(ctx context.Context) error {
		tag, err := s.d.pool.Exec(ctx, statement, args...)
		changed = err == nil && tag.RowsAffected() > 0
		return err
	})
	return changed, err
}

// TicketsOf lists an order's tickets by ordinal.
func (s *Orders) TicketsOf(ctx context.Context, orderID id.ID) ([]ticket.Ticket, error) {
	return collect(ctx, s.d, readTicket, `select `+ticketFields+` from ticket where order_id = $1 order by ordinal, issued_at`, uid(orderID))
}

// Ticket reads one ticket.
func (s *Orders) Ticket(ctx context.Context, ticketID id.ID) (ticket.Ticket, error) {
	t, err := readTicket(s.d.pool.QueryRow(ctx, `select `+ticketFields+` from ticket where ticket_id = $1`, uid(ticketID)))
	return t, notFound(err, "ticket")
}

const ticketFields = `ticket_id, order_id, event_id, account_id, ordinal, state, issued_at`

func readTicket(row pgx.Row) (ticket.Ticket, error) {
	var t ticket.Ticket
	var ordinal int64
	err := row.Scan(into(&t.ID), into(&t.Order), into(&t.Event), into(&t.Account), &ordinal, (*string)(&t.State), &t.IssuedAt)
	t.Ordinal, t.IssuedAt = seatmap.Ordinal(ordinal), t.IssuedAt.UTC()
	return t, err
}

// AskCancel remembers that the fan wants to cancel an order that is not paid.
func (s *Orders) AskCancel(ctx context.Context, account, orderID id.ID, key inventory.Idempotency) (order.Order, error) {
	var o order.Order
	err := tx(ctx, s.d, func(t pgx.Tx) error {
		if err := rememberKey(ctx, t, account, inventory.ReturnRoute, key); err != nil {
			return err
		}
		_, err := t.Exec(ctx, `update orders set cancel_asked_at = now(), updated_at = now(), version = version + 1
			where order_id = $1 and account_id = $2 and status in ('PENDING_PAYMENT', 'FAILED') and cancel_asked_at is null`,
			uid(orderID), uid(account))
		if err != nil {
			return err
		}
		o, err = readOrder(t.QueryRow(ctx, `select `+orderFields+` from orders where order_id = $1 and account_id = $2`, uid(orderID), uid(account)))
		return notFound(err, "order")
	})
	return o, err
}

// EndFailed ends orders that waited for another card when their hold has ended.
func (s *Orders) EndFailed(ctx context.Context) (int, error) {
	ended := 0
	err := retry(ctx, func(ctx context.Context) error {
		tag, err := s.d.pool.Exec(ctx, `update orders set updated_at = now(), version = version + 1,
				status = case when cancel_asked_at is null then 'EXPIRED' else 'CANCELLED' end,
				reason = case when cancel_asked_at is null then 'the time to pay has passed' else 'cancelled at your request' end
			where status = 'FAILED'
				and exists (select 1 from hold where hold.hold_id = orders.hold_id and hold.state in (4, 5))`)
		ended = int(tag.RowsAffected())
		return err
	})
	return ended, err
}

// RefundsOf lists an order's refunds, oldest first.
func (s *Orders) RefundsOf(ctx context.Context, orderID id.ID) ([]payment.Refund, error) {
	return collect(ctx, s.d, readRefund, `select `+refundFields+` from refund where order_id = $1 order by created_at, refund_id`, uid(orderID))
}
