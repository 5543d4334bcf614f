package db

import (
	"context"
	"time"

	"github.com/jackc/pgx/v5"

	"plateia/core/id"
	"plateia/core/ledger"
	"plateia/core/payment"
)

// Movements is what our book says that moved at a provider, for comparing it with the provider's own.
// Keys are those that checkout gave: the attempt's id, and the refund's id with its round from the second on.
func (d *DB) Movements(ctx context.Context, provider string) ([]ledger.Movement, error) {
	return collect(ctx, d, func(row pgx.Row) (m ledger.Movement, err error) {
		var source id.ID
		var round int
		err = row.Scan((*string)(&m.Kind), into(&source), &round, into(&m.Order), &m.Amount, &m.Currency, &m.At)
		m.Key = payment.Refund{ID: source, Round: round}.Key()
		m.At = m.At.UTC().Round(time.Microsecond)
		return m, err
	}, `select kind, source, round, order_id, amount, currency, at from ledger_entry where account = $1 order by at, source, round`,
		string(ledger.Provider(provider)))
}
