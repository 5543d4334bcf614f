package db

import (
	"context"
	"time"

	"github.com/jackc/pgx/v5"

	"plateia/core/id"
	"plateia/core/ledger"
	"plateia/core/order"
	"plateia/core/payment"
)

const refundFields = `refund_id, order_id, attempt_id, kind, status, amount, currency, reason, tickets, round, tries, rechecks,
	created_at, updated_at`

func readRefund(row pgx.Row) (payment.Refund, error) {
	var r payment.Refund
	var tickets [][16]byte
	err := row.Scan(into(&r.ID), into(&r.Order), into(&r.Attempt), (*string)(&r.Kind), (*string)(&r.Status), &r.Amount.Minor, &r.Amount.Currency,
		&r.Reason, &tickets, &r.Round, &r.Tries, &r.Rechecks, &r.CreatedAt, &r.UpdatedAt)
	for _, t := range tickets {
		r.Tickets = append(r.Tickets, id.ID(t))
	}
	r.CreatedAt, r.UpdatedAt = r.CreatedAt.UTC(), r.UpdatedAt.UTC()
	return r, err
}

const sqlInsertRefund = `insert into refund (refund_id, order_id, attempt_id, kind, status, amount, currency, reason, tickets,
		next_try_at, created_at, updated_at)
	values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $10, $10)`

func refundArgs(r payment.Refund) []any {
	return []any{
		uid(r.ID), uid(r.Order), uid(r.Attempt), string(r.Kind), string(r.Status), r.Amount.Minor, r.Amount.Currency, r.Reason,
		uids(r.Tickets), r.CreatedAt,
	}
}

// RequestRefund claims an attempt's money for its way back. A sale claims it in the
// same way, by moving the attempt to CAPTURED: whoever is second changes nothing.
func (s *Orders) RequestRefund(ctx context.Context, r payment.Refund) (bool, error) {
	claimed := false
	err := tx(ctx, s.d, func(t pgx.Tx) error {
		var err error
		if claimed, err = capture(ctx, t, r.Attempt, r.Amount, r.Reason); err != nil || !claimed {
			return err
		}
		if _, err = t.Exec(ctx, sqlInsertRefund, refundArgs(r)...); err != nil {
			return err
		}
		if err = post(ctx, t, r.CreatedAt, ledger.SendBack(r)); err != nil {
			return err
		}
		_, err = t.Exec(ctx, `update orders set reason = $2, updated_at = now(), version = version + 1
			where order_id = $1 and status in ('EXPIRED', 'CANCELLED')`, uid(r.Order), r.Reason)
		return err
	})
	return claimed, err
}

// dueRefunds are what a claimer looks for: refunds on their way, and those that were done and are asked about once more.
const dueRefunds = `(status in ('REQUESTED', 'PENDING') and next_try_at <= $1 or recheck_at is not null and recheck_at <= $1)`

// ClaimRefunds takes refunds that are due, each for one claimer.
func (s *Orders) ClaimRefunds(ctx context.Context, now, lease time.Time, limit int) ([]payment.Refund, error) {
	return collect(ctx, s.d, readRefund, `update refund set next_try_at = $2, tries = tries + 1,
			recheck_at = case when recheck_at is null then null else $2::timestamptz end
		where refund_id in (
				(select refund_id from refund where status in ('REQUESTED', 'PENDING') and next_try_at <= $1 order by next_try_at limit $3)
				union all
				(select refund_id from refund where recheck_at is not null and recheck_at <= $1 order by recheck_at limit $3))
			and `+dueRefunds+`
		returning `+refundFields, now, lease, limit)
}

// RefundAt says when an unfinished refund is tried next.
func (s *Orders) RefundAt(ctx context.Context, refund id.ID, at time.Time) error {
	_, err := s.exec(ctx, `update refund set next_try_at = $2 where refund_id = $1 and status in ('REQUESTED', 'PENDING')`, uid(refund), at)
	return err
}

// RecheckRefund says when a refund that is done is asked about next; zero: not any more.
func (s *Orders) RecheckRefund(ctx context.Context, refund id.ID, at time.Time) error {
	var when any
	if !at.IsZero() {
		when = at
	}
	_, err := s.exec(ctx, `update refund set recheck_at = $2, rechecks = rechecks + 1 where refund_id = $1 and status = 'DONE'`, uid(refund), when)
	return err
}

// RefundsOfAttempt lists an attempt's refunds, oldest first.
func (s *Orders) RefundsOfAttempt(ctx context.Context, attempt id.ID) ([]payment.Refund, error) {
	return collect(ctx, s.d, readRefund, `select `+refundFields+` from refund where attempt_id = $1 order by created_at, refund_id`, uid(attempt))
}

// SettleRefund records what the provider answered in a round, with what follows for the attempt and the order.
// Whoever settles a refund of an order rewrites the order's row first: two at the same time come one after the other.
func (s *Orders) SettleRefund(ctx context.Context, refund id.ID, round int, status payment.RefundStatus, now time.Time) (payment.Refund, bool, error) {
	var r payment.Refund
	changed := false
	err := tx(ctx, s.d, func(t pgx.Tx) (err error) {
		changed = false
		if r, err = readRefund(t.QueryRow(ctx, `select `+refundFields+` from refund where refund_id = $1`, uid(refund))); err != nil {
			return notFound(err, "refund")
		}
		next, moved := r.Answered(status)
		if !moved || r.Round != round {
			return nil
		}
		if _, err := t.Exec(ctx, `update orders set updated_at = now(), version = version + 1 where order_id = $1`, uid(r.Order)); err != nil {
			return err
		}
		if changed, err = writeAnswer(ctx, t, r, next, now); err != nil || !changed {
			return err
		}
		before := r
		r = next
		return followRefund(ctx, t, before, next, status, now)
	})
	return r, changed && err == nil, err
}

func writeAnswer(ctx context.Context, t pgx.Tx, r, next payment.Refund, now time.Time) (bool, error) {
	var recheck any
	again := now
	switch {
	case next.Status == payment.RefundDone:
		recheck = next.NextRecheck(now)
	case next.Round != r.Round:
		again = now.Add(next.RoundDelay())
	}
	tag, err := t.Exec(ctx, `update refund set status = $2, round = $3, tries = $4, next_try_at = $5, recheck_at = $6, updated_at = now()
		where refund_id = $1 and status = $7 and round = $8`,
		uid(r.ID), string(next.Status), next.Round, next.Tries, again, recheck, string(r.Status), r.Round)
	return err == nil && tag.RowsAffected() > 0, err
}

// followRefund moves the attempt's money, books it and, when that decides it, moves the order. next is r after the answer.
func followRefund(ctx context.Context, t pgx.Tx, r, next payment.Refund, answer payment.RefundStatus, now time.Time) error {
	moved := int64(0)
	switch {
	case answer == payment.RefundDone:
		moved = r.Amount.Minor
	case r.Status == payment.RefundDone: // it came back
		moved = -r.Amount.Minor
	}
	if moved != 0 {
		var provider string
		err := t.QueryRow(ctx, `update attempt set refunded = refunded + $2, updated_at = now(), version = version + 1
			where attempt_id = $1 returning provider`, uid(r.Attempt), moved).Scan(&provider)
		if err != nil {
			return err
		}
		posting := ledger.Refund(r, provider)
		if moved < 0 {
			posting = ledger.FailRefund(r, provider)
		}
		if err := post(ctx, t, now, posting); err != nil {
			return err
		}
	}
	return followOrder(ctx, t, r, next, answer)
}

// Why an order is where a refund has brought it.
const (
	reasonFailed   = "the refund did not go through; we are looking into it"
	reasonCameBack = "the refund came back to us; we send it again"
)

// followOrder moves the order as core/order says. The caller has rewritten its row, so nothing of it moves meanwhile.
func followOrder(ctx context.Context, t pgx.Tx, r, next payment.Refund, answer payment.RefundStatus) error {
	o, err := readOrder(t.QueryRow(ctx, `select `+orderFields+` from orders where order_id = $1`, uid(r.Order)))
	if err != nil {
		return err
	}
	money := order.Money{Failed: next.Status == payment.RefundFailed}
	if err := t.QueryRow(ctx, sqlMoneyOf, uid(r.Order)).Scan(&money.Valid, &money.Kept, &money.Underway); err != nil {
		return err
	}
	after, reason := o.AfterRefund(money), o.Reason
	switch {
	case money.Failed:
		reason = reasonFailed
	case answer == payment.RefundFailed && r.Status == payment.RefundDone && !o.Status.Stands():
		reason = reasonCameBack
	case answer == payment.RefundDone && reason == reasonCameBack:
		reason = r.Reason
	}
	_, err = t.Exec(ctx, `update orders set status = $2, reason = $3, goes_back = goes_back and $2 = 'REVIEW' and not $4
		where order_id = $1`, uid(o.ID), string(after), reason, money.Failed)
	return err
}

const sqlMoneyOf = `select (select count(*) from ticket where order_id = $1 and state = 'VALID'),
	(select coalesce(sum(captured - refunded), 0)::int8 from attempt where order_id = $1 and status = 'CAPTURED'),
	exists (select 1 from refund where order_id = $1 and status in ('REQUESTED', 'PENDING'))`
