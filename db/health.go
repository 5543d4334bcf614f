package db

import (
	"context"
	"time"

	"github.com/jackc/pgx/v5"

	"plateia/core/id"
	"plateia/core/payment"
)

// ProviderReport is what a process says of one provider: durations, because its clock is its own.
type ProviderReport struct {
	Provider string
	Open     bool
	OpenFor  time.Duration
	SinceOK  time.Duration // negative: never
}

// ReportProviders writes down what a process knows, or renews it.
func (d *DB) ReportProviders(ctx context.Context, process id.ID, reports []ProviderReport) error {
	batch := &pgx.Batch{}
	for _, r := range reports {
		var openFor, sinceOK *time.Duration
		if r.Open {
			openFor = &r.OpenFor
		}
		if r.SinceOK >= 0 {
			sinceOK = &r.SinceOK
		}
		batch.Queue(`insert into provider_health (process, provider, opened_at, ok_at, seen_at) values ($1, $2, now() - $3::interval, now() - $4::interval, now())
			on conflict (process, provider) do update set opened_at = excluded.opened_at, ok_at = excluded.ok_at, seen_at = excluded.seen_at`,
			uid(process), r.Provider, openFor, sinceOK)
	}
	return translate(d.pool.SendBatch(ctx, batch).Close())
}

// ForgetProviders ends a process's reports, and those of processes that are long gone.
func (d *DB) ForgetProviders(ctx context.Context, process id.ID) error {
	_, err := d.pool.Exec(ctx, `delete from provider_health where process = $1 or seen_at < now() - interval '1 hour'`, uid(process))
	return translate(err)
}

// ProviderReports reads what the processes that were heard of within alive say.
func (d *DB) ProviderReports(ctx context.Context, alive time.Duration) ([]payment.Report, error) {
	scan := func(row pgx.Row) (r payment.Report, err error) {
		var opened, ok *time.Time
		err = row.Scan(&r.Provider, &opened, &ok)
		r.Open, r.OpenedAt, r.OKAt = opened != nil, instant(opened), instant(ok)
		return r, err
	}
	return collect(ctx, d, scan, `select provider, opened_at, ok_at from provider_health where seen_at > now() - $1::interval`, alive)
}
