package db

import (
	"context"
	"errors"
	"time"

	"github.com/jackc/pgx/v5"

	"plateia/core/checkout"
	"plateia/core/id"
	"plateia/core/ledger"
	"plateia/core/money"
	"plateia/core/payment"
)

const attemptFields = `attempt_id, order_id, provider, reference, status, amount, currency, action_url, expires_at,
	idem_key, body_hash, reason, refunded, created_at, updated_at, version, captured, captured_currency`

func readAttempt(row pgx.Row) (payment.Attempt, error) {
	var a payment.Attempt
	var hash []byte
	err := row.Scan(into(&a.ID), into(&a.Order), &a.Provider, &a.Reference, (*string)(&a.Status), &a.Amount.Minor, &a.Amount.Currency,
		&a.ActionURL, &a.ExpiresAt, &a.Key, &hash, &a.Reason, &a.Refunded, &a.CreatedAt, &a.UpdatedAt, &a.Version,
		&a.Captured.Minor, &a.Captured.Currency)
	copy(a.BodyHash[:], hash)
	a.ExpiresAt, a.CreatedAt, a.UpdatedAt = a.ExpiresAt.UTC(), a.CreatedAt.UTC(), a.UpdatedAt.UTC()
	return a, err
}

// Attempt reads one payment attempt.
func (s *Orders) Attempt(ctx context.Context, attempt id.ID) (payment.Attempt, error) {
	a, err := readAttempt(s.d.pool.QueryRow(ctx, `select `+attemptFields+` from attempt where attempt_id = $1`, uid(attempt)))
	return a, notFound(err, "payment")
}

// AttemptByReference reads the attempt that a provider knows under a reference.
func (s *Orders) AttemptByReference(ctx context.Context, provider, reference string) (payment.Attempt, error) {
	a, err := readAttempt(s.d.pool.QueryRow(ctx, `select `+attemptFields+` from attempt
		where provider = $1 and reference = $2 and reference <> '' order by created_at limit 1`, provider, reference))
	return a, notFound(err, "payment")
}

// AttemptsOf lists an order's attempts, oldest first.
func (s *Orders) AttemptsOf(ctx context.Context, orderID id.ID) ([]payment.Attempt, error) {
	return collect(ctx, s.d, readAttempt, `select `+attemptFields+` from attempt where order_id = $1 order by created_at, attempt_id`, uid(orderID))
}

// Opened records the provider's intent. While another attempt of the order is
// open only the reference is kept, so that this one can be stopped.
func (s *Orders) Opened(ctx context.Context, attempt id.ID, in payment.Intent) (bool, error) {
	changed, err := s.exec(ctx, `update attempt set status = 'PENDING', reference = $2, action_url = $3, reason = '',
			updated_at = now(), version = version + 1
		where attempt_id = $1 and status in ('CREATED', 'UNKNOWN') and reference in ('', $2)`,
		uid(attempt), in.Reference, in.ActionURL)
	if !violates(err, "attempt_open") {
		return changed, err
	}
	_, err = s.exec(ctx, `update attempt set reference = $2, updated_at = now(), version = version + 1
		where attempt_id = $1 and reference = ''`, uid(attempt), in.Reference)
	return false, err
}

// Unanswered marks an open attempt as UNKNOWN.
func (s *Orders) Unanswered(ctx context.Context, attempt id.ID, reason string) (bool, error) {
	return s.exec(ctx, `update attempt set status = 'UNKNOWN', reason = $2, updated_at = now(), version = version + 1
		where attempt_id = $1 and status in ('CREATED', 'PENDING')`, uid(attempt), reason)
}

// Review parks an order whose money does not match.
func (s *Orders) Review(ctx context.Context, orderID, attempt id.ID, captured money.Amount, reason string) (bool, error) {
	changed := false
	err := tx(ctx, s.d, func(t pgx.Tx) error {
		tag, err := t.Exec(ctx, `update orders set status = 'REVIEW', reason = $2, updated_at = now(), version = version + 1
			where order_id = $1 and status <> 'REVIEW'`, uid(orderID), reason)
		changed = tag.RowsAffected() > 0
		if err != nil || captured.Minor == 0 {
			return err
		}
		claimed, err := capture(ctx, t, attempt, captured, reason)
		if err != nil || !claimed {
			return err
		}
		// A person has decided without knowing of this money: it is theirs to decide again.
		_, err = t.Exec(ctx, `update orders set goes_back = false where order_id = $1 and goes_back`, uid(orderID))
		return err
	})
	return changed, err
}

// capture moves an attempt to CAPTURED with what came in, and books it; false when that was done before.
func capture(ctx context.Context, t pgx.Tx, attempt id.ID, captured money.Amount, reason string) (bool, error) {
	a, err := readAttempt(t.QueryRow(ctx, `update attempt set status = 'CAPTURED', captured = $3, captured_currency = $4, reason = $2,
			updated_at = now(), version = version + 1
		where attempt_id = $1 and status <> 'CAPTURED' returning `+attemptFields, uid(attempt), reason, captured.Minor, captured.Currency))
	if errors.Is(err, pgx.ErrNoRows) {
		return false, nil
	}
	if err != nil {
		return false, err
	}
	return true, post(ctx, t, a.UpdatedAt, ledger.Capture(a, captured))
}

// ClaimAttempts takes unfinished attempts that are due. Two claimers never get the
// same one: the row that the first has put off no longer matches for the second.
func (s *Orders) ClaimAttempts(ctx context.Context, now, lease time.Time, limit int) ([]checkout.DueAttempt, error) {
	scan := func(row pgx.Row) (d checkout.DueAttempt, err error) {
		err = row.Scan(into(&d.Attempt), &d.Checks)
		return d, err
	}
	return collect(ctx, s.d, scan, `update attempt set next_check_at = $2, checks = checks + 1
		where attempt_id in (select attempt_id from attempt
				where status in ('CREATED', 'PENDING', 'UNKNOWN') and next_check_at <= $1 order by next_check_at limit $3)
			and status in ('CREATED', 'PENDING', 'UNKNOWN') and next_check_at <= $1
		returning attempt_id, checks`, now, lease, limit)
}

// Hurry makes unanswered attempts due.
func (s *Orders) Hurry(ctx context.Context, now time.Time) (int, error) {
	hurried := 0
	err := retry(ctx, func(ctx context.Context) error {
		tag, err := s.d.pool.Exec(ctx, `update attempt set next_check_at = $1
			where status in ('CREATED', 'UNKNOWN') and next_check_at > $1`, now)
		hurried = int(tag.RowsAffected())
		return err
	})
	return hurried, err
}

// endedAgain is when a payment that ended without money is asked about again, after the first time.
const endedAgain = `$1::timestamptz + case late_checks when 0 then interval '2 minutes' when 1 then interval '15 minutes'
	when 2 then interval '2 hours' else interval '1 day' end`

// ClaimEnded takes payments that ended without money and are due to be asked about once more: five times in all, over a
// day. Who claims one has already put it off.
func (s *Orders) ClaimEnded(ctx context.Context, now time.Time, limit int) ([]id.ID, error) {
	scan := func(row pgx.Row) (a id.ID, err error) {
		err = row.Scan(into(&a))
		return a, err
	}
	return collect(ctx, s.d, scan, `update attempt set next_check_at = `+endedAgain+`, late_checks = late_checks + 1
		where attempt_id in (select attempt_id from attempt
				where status in ('DECLINED', 'CANCELLED') and late_checks < 5 and next_check_at <= $1 order by next_check_at limit $2)
			and status in ('DECLINED', 'CANCELLED') and late_checks < 5 and next_check_at <= $1
		returning attempt_id`, now, limit)
}

// CheckAt says when an unfinished attempt is due next.
func (s *Orders) CheckAt(ctx context.Context, attempt id.ID, at time.Time) error {
	_, err := s.exec(ctx, `update attempt set next_check_at = $2
		where attempt_id = $1 and status in ('CREATED', 'PENDING', 'UNKNOWN')`, uid(attempt), at)
	return err
}
