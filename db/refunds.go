package db

import (
	"context"
	"time"

	"github.com/jackc/pgx/v5"

	"plateia/core/id"
	"plateia/core/payment"
)

const refundFields = `refund_id, order_id, attempt_id, status, amount, currency, reason, tries, created_at`

func readRefund(row pgx.Row) (payment.Refund, error) {
	var r payment.Refund
	err := row.Scan(into(&r.ID), into(&r.Order), into(&r.Attempt), (*string)(&r.Status), &r.Amount.Minor, &r.Amount.Currency,
		&r.Reason, &r.Tries, &r.CreatedAt)
	r.CreatedAt = r.CreatedAt.UTC()
	return r, err
}

// RequestRefund claims an attempt's money for its way back. A sale claims it in the
// same way, by moving the attempt to CAPTURED: whoever is second changes nothing.
func (s *Orders) RequestRefund(ctx context.Context, r payment.Refund) (bool, error) {
	claimed := false
	err := tx(ctx, s.d, func(t pgx.Tx) error {
		tag, err := t.Exec(ctx, `update attempt set status = 'CAPTURED', reason = $2, updated_at = now(), version = version + 1
			where attempt_id = $1 and status <> 'CAPTURED'`, uid(r.Attempt), r.Reason)
		claimed = tag.RowsAffected() > 0
		if err != nil || !claimed {
			return err
		}
		_, err = t.Exec(ctx, `insert into refund (refund_id, order_id, attempt_id, status, amount, currency, reason, next_try_at, created_at, updated_at)
			values ($1, $2, $3, 'REQUESTED', $4, $5, $6, $7, $7, $7)`,
			uid(r.ID), uid(r.Order), uid(r.Attempt), r.Amount.Minor, r.Amount.Currency, r.Reason, r.CreatedAt)
		if err != nil {
			return err
		}
		_, err = t.Exec(ctx, `update orders set reason = $2, updated_at = now(), version = version + 1
			where order_id = $1 and status in ('EXPIRED', 'CANCELLED')`, uid(r.Order), r.Reason)
		return err
	})
	return claimed, err
}

// ClaimRefunds takes refunds that are due, each for one claimer.
func (s *Orders) ClaimRefunds(ctx context.Context, now, lease time.Time, limit int) ([]payment.Refund, error) {
	return collect(ctx, s.d, readRefund, `update refund set next_try_at = $2, tries = tries + 1
		where refund_id in (select refund_id from refund
				where status in ('REQUESTED', 'PENDING') and next_try_at <= $1 order by next_try_at limit $3)
			and status in ('REQUESTED', 'PENDING') and next_try_at <= $1
		returning `+refundFields, now, lease, limit)
}

// RefundAt says when an unfinished refund is tried next.
func (s *Orders) RefundAt(ctx context.Context, refund id.ID, at time.Time) error {
	_, err := s.exec(ctx, `update refund set next_try_at = $2 where refund_id = $1 and status in ('REQUESTED', 'PENDING')`, uid(refund), at)
	return err
}

// SettleRefund records what the provider answered, with what follows for the order.
func (s *Orders) SettleRefund(ctx context.Context, refund id.ID, status payment.RefundStatus) error {
	return tx(ctx, s.d, func(t pgx.Tx) error {
		r, err := readRefund(t.QueryRow(ctx, `select `+refundFields+` from refund where refund_id = $1`, uid(refund)))
		if err != nil {
			return notFound(err, "refund")
		}
		if !r.Status.Can(status) {
			return nil
		}
		tag, err := t.Exec(ctx, `update refund set status = $2, updated_at = now() where refund_id = $1 and status = $3`,
			uid(refund), string(status), string(r.Status))
		if err != nil || tag.RowsAffected() == 0 {
			return err
		}
		return followRefund(ctx, t, r, status)
	})
}

func followRefund(ctx context.Context, t pgx.Tx, r payment.Refund, status payment.RefundStatus) error {
	back := int64(0)
	switch {
	case status == payment.RefundDone:
		back = r.Amount.Minor
	case r.Status == payment.RefundDone:
		back = -r.Amount.Minor
	}
	if back != 0 {
		if _, err := t.Exec(ctx, `update attempt set refunded = refunded + $2, updated_at = now(), version = version + 1 where attempt_id = $1`,
			uid(r.Attempt), back); err != nil {
			return err
		}
	}
	var err error
	switch status {
	case payment.RefundDone:
		_, err = t.Exec(ctx, `update orders set status = 'REFUNDED', updated_at = now(), version = version + 1
			where order_id = $1 and status in ('EXPIRED', 'CANCELLED')
				and not exists (select 1 from attempt where attempt.order_id = orders.order_id and status = 'CAPTURED' and refunded < amount)`, uid(r.Order))
	case payment.RefundFailed:
		_, err = t.Exec(ctx, `update orders set status = 'REVIEW', reason = 'the refund did not go through; we are looking into it',
				updated_at = now(), version = version + 1
			where order_id = $1 and status <> 'REVIEW'`, uid(r.Order))
	}
	return err
}
