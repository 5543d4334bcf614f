package db

import (
	"context"
	"errors"
	"log/slog"
	"time"

	"github.com/jackc/pgx/v5"

	"plateia/core/id"
)

// Lease is the right to lead a job until a moment of the database's clock. Fence
// grows with each new holder: a write that carries an older one comes from a leader who was replaced.
type Lease struct {
	Job    string
	Holder id.ID
	Fence  int64
	Until  time.Time
}

// TakeLease takes or renews a job's lease; false when somebody else holds it.
// The database's clock decides, so the holder's own clock may be wrong.
func (d *DB) TakeLease(ctx context.Context, job string, holder id.ID, life time.Duration) (Lease, bool, error) {
	lease := Lease{Job: job, Holder: holder}
	err := retry(ctx, func(ctx context.Context) error {
		return d.pool.QueryRow(ctx, `insert into lease (job, holder, fence, expires_at) values ($1, $2, 1, now() + $3::interval)
			on conflict (job) do update set
				fence = case when lease.holder = excluded.holder then lease.fence else lease.fence + 1 end,
				holder = excluded.holder, expires_at = excluded.expires_at
			where lease.holder = excluded.holder or lease.expires_at < now()
			returning fence, expires_at`, job, uid(holder), life).Scan(&lease.Fence, &lease.Until)
	})
	if errors.Is(err, pgx.ErrNoRows) {
		return Lease{}, false, nil
	}
	return lease, err == nil, err
}

// GiveLease ends a lease early, so that the next leader need not wait. A lease that is held by somebody else is left alone.
func (d *DB) GiveLease(ctx context.Context, lease Lease) error {
	_, err := d.pool.Exec(ctx, "update lease set expires_at = now() where job = $1 and holder = $2 and fence = $3",
		lease.Job, uid(lease.Holder), lease.Fence)
	return translate(err)
}

// Lead runs work while this process holds the job's lease, and waits for it
// otherwise, until ctx ends. work's context ends a third of a life before the lease would, when it could not be
// renewed: by the time another process leads, work has been told. An error of work is logged and the job taken up again.
func (d *DB) Lead(ctx context.Context, job string, life time.Duration, log *slog.Logger, work func(context.Context, Lease) error) {
	holder := id.New()
	for {
		lease, ok, err := d.TakeLease(ctx, job, holder, life)
		if err != nil && ctx.Err() == nil {
			log.Warn("lease", "job", job, "error", err)
		}
		if ok {
			if err := d.hold(ctx, lease, life, work); err != nil && ctx.Err() == nil {
				log.Warn("leader stopped", "job", job, "error", err)
			}
		}
		if pause(ctx, life/3) != nil {
			return
		}
	}
}

// hold renews the lease beside work, and gives it back when work is over.
func (d *DB) hold(ctx context.Context, lease Lease, life time.Duration, work func(context.Context, Lease) error) error {
	working, stop := context.WithCancel(ctx)
	defer stop()
	renewed := make(chan struct{})
	go func() {
		defer close(renewed)
		defer stop()
		d.renew(working, lease, life)
	}()
	err := work(working, lease)
	stop()
	<-renewed
	give, cancel := context.WithTimeout(context.WithoutCancel(ctx), 2*time.Second)
	defer cancel()
	return errors.Join(err, d.GiveLease(give, lease))
}

// renew returns when the lease is lost, or about to be.
func (d *DB) renew(ctx context.Context, lease Lease, life time.Duration) {
	sure := time.Now().Add(life) // by our clock, from before the last renewal was asked for
	for pause(ctx, life/6) == nil {
		asked := time.Now()
		attempt, cancel := context.WithTimeout(ctx, life/3)
		_, ok, err := d.TakeLease(attempt, lease.Job, lease.Holder, life)
		cancel()
		switch {
		case err == nil && !ok:
			return
		case err == nil:
			sure = asked.Add(life)
		case time.Now().After(sure.Add(-life / 3)):
			return
		}
	}
}
