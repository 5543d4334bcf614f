package db

import (
	"context"
	"time"

	"github.com/jackc/pgx/v5"
)

// querier is a pool, or a transaction, that is asked for one row.
type querier interface {
	QueryRow(ctx context.Context, sql string, args ...any) pgx.Row
}

// collect runs a query and scans all of its rows.
func collect[T any](ctx context.Context, d *DB, scan func(pgx.Row) (T, error), query string, args ...any) ([]T, error) {
	var out []T
	err := retry(ctx, func(ctx context.Context) error {
		rows, err := d.pool.Query(ctx, query, args...)
		if err != nil {
			return err
		}
		out, err = pgx.CollectRows(rows, func(row pgx.CollectableRow) (T, error) { return scan(row) })
		return err
	})
	return out, err
}

// instant is a nullable time: NULL is the zero time.
func instant(t *time.Time) time.Time {
	if t == nil {
		return time.Time{}
	}
	return t.UTC()
}
