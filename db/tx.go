package db

import (
	"context"
	"errors"
	"math/rand/v2"
	"time"

	"github.com/cockroachdb/cockroach-go/v2/crdb"
	"github.com/jackc/pgx/v5"
)

const (
	maxRetries    = 10 // attempts after the first
	firstBackoff  = 2 * time.Millisecond
	longBackoff   = 250 * time.Millisecond
	commitTimeout = 5 * time.Second
)

// tx runs fn in a transaction at the dialect's level and commits it. When the
// database asks for a retry (40001, 40P01) the whole transaction starts over on
// a fresh BEGIN, after a jittered pause, at most maxRetries times: fn must
// have no effect outside the transaction and must reset what it collects.
//
// COMMIT's error is always returned. An outcome the database did not tell is
// fault.OutcomeUnknown; see unknown. Other errors come back as fn gave them
// (wrap with %w), translated only when they are bare database errors.
//
// cockroach-go's ExecuteTx is not used: against PostgreSQL it loses COMMIT's
// error. Its ExecuteCtx around a function that begins and commits is sound on both.
func tx(ctx context.Context, d *DB, fn func(pgx.Tx) error) error {
	return retry(ctx, func(ctx context.Context) error { return txOnce(ctx, d, fn) })
}

// Tx is tx for packages under db/.
func (d *DB) Tx(ctx context.Context, fn func(pgx.Tx) error) error { return tx(ctx, d, fn) }

// retry is the one retry loop: attempt begins and commits its own transaction.
func retry(ctx context.Context, attempt func(context.Context) error) error {
	tries := 0
	err := crdb.ExecuteCtx(crdb.WithMaxRetries(ctx, maxRetries), func(ctx context.Context, _ ...any) error {
		if tries++; tries > 1 {
			if err := pause(ctx, backoff(tries-1)); err != nil {
				return err
			}
		}
		err := attempt(ctx)
		if state := sqlState(err); state == deadlock {
			return &restart{err} // ExecuteCtx only knows 40001
		}
		return err
	})
	return translate(err)
}

// restart makes a deadlock look like what it means to the retry loop.
type restart struct{ error }

func (r *restart) Unwrap() error { return r.error }

// SQLState says "serialization failure": start over.
func (r *restart) SQLState() string { return serialization }

func backoff(retry int) time.Duration {
	ceiling := firstBackoff << min(retry, 10)
	return time.Duration(rand.Int64N(int64(min(ceiling, longBackoff)))) + time.Millisecond //nolint:gosec // jitter is no secret
}

// txOnce is one attempt: BEGIN, fn, COMMIT. It never retries.
func txOnce(ctx context.Context, d *DB, fn func(pgx.Tx) error) error {
	return txWith(ctx, d, pgx.TxOptions{IsoLevel: d.level()}, fn)
}

// snapshot runs fn in a read-only transaction that sees one instant.
func snapshot(ctx context.Context, d *DB, fn func(pgx.Tx) error) error {
	opts := pgx.TxOptions{IsoLevel: d.level(), AccessMode: pgx.ReadOnly}
	return retry(ctx, func(ctx context.Context) error { return txWith(ctx, d, opts, fn) })
}

func txWith(ctx context.Context, d *DB, opts pgx.TxOptions, fn func(pgx.Tx) error) (err error) {
	t, err := d.pool.BeginTx(ctx, opts)
	if err != nil {
		return err
	}
	done := false
	defer func() {
		if !done { // fn failed or panicked
			rollback(ctx, t)
		}
	}()
	if err := fn(t); err != nil {
		return err
	}
	done = true
	return commit(ctx, t)
}

func (d *DB) level() pgx.TxIsoLevel {
	if d.Dialect == Cockroach {
		return pgx.Serializable
	}
	return pgx.RepeatableRead
}

// commit lets nothing but the database decide: a caller who leaves in the middle
// of COMMIT would turn a known outcome into an unknown one.
func commit(ctx context.Context, t pgx.Tx) error {
	if err := ctx.Err(); err != nil {
		rollback(ctx, t)
		return err
	}
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), commitTimeout)
	defer cancel()
	err := t.Commit(ctx)
	if err != nil && ambiguous(err) {
		return unknown(err)
	}
	return err
}

// ambiguous reports whether a failed COMMIT may have committed all the same. pgconn.SafeToRetry is not
// asked: pgx 5.12 answers "safe" for a line that was cut after COMMIT was sent.
func ambiguous(err error) bool {
	if errors.Is(err, pgx.ErrTxCommitRollback) || errors.Is(err, pgx.ErrTxClosed) {
		return false
	}
	state := sqlState(err)
	switch {
	case state == "": // the connection broke, or its answer never came
		return true
	case state == "40003", state[:2] == "57", state[:2] == "58", state[:2] == "08", state[:2] == "XX":
		return true // "statement completion unknown", or the server went away in the middle
	}
	return false
}

func rollback(ctx context.Context, t pgx.Tx) {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), commitTimeout)
	defer cancel()
	_ = t.Rollback(ctx) // a connection that cannot roll back is closed by the pool
}
