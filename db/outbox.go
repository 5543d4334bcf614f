package db

import (
	"context"
	"time"

	"github.com/jackc/pgx/v5"

	"plateia/core/id"
	"plateia/core/inventory"
)

// Kinds of outbox rows.
const (
	outboxBatch     = 1
	outboxTombstone = 2 // settles an unknown COMMIT; never published
)

// Outbox is what the relay reads: committed batches in the same database as what they changed.
type Outbox struct{ d *DB }

// Outbox returns the outbox of this database.
func (d *DB) Outbox() *Outbox { return &Outbox{d} }

// Unpublished lists batches older than olderThan, by the database's clock, that nobody
// has marked published, the oldest first, at most limit.
func (o *Outbox) Unpublished(ctx context.Context, olderThan time.Duration, limit int) ([]inventory.OutboxRecord, error) {
	rows, err := o.d.pool.Query(ctx, `select outbox_id, event_id, payload, created_at from outbox
		where published_at is null and kind = 1 and created_at < now() - $1::interval
		order by created_at limit $2`, olderThan, limit)
	if err != nil {
		return nil, translate(err)
	}
	return outboxRecords(rows)
}

func outboxRecords(rows pgx.Rows) ([]inventory.OutboxRecord, error) {
	records, err := pgx.CollectRows(rows, func(row pgx.CollectableRow) (r inventory.OutboxRecord, err error) {
		return r, row.Scan(into(&r.ID), into(&r.Event), &r.Payload, &r.CreatedAt)
	})
	return records, translate(err)
}

const sqlRecent = `select outbox_id, event_id, payload, created_at from outbox
	where kind = 1 and created_at > now() - $1::interval and (created_at, outbox_id) > ($2::timestamptz, $3::uuid)
	order by created_at, outbox_id limit $4`

// Recent lists batches younger than age, by the database's clock, marked or not, the oldest
// first, after the record that was last seen (zero: from the beginning), at most limit.
func (o *Outbox) Recent(ctx context.Context, age time.Duration, after inventory.OutboxRecord, limit int) ([]inventory.OutboxRecord, error) {
	rows, err := o.d.pool.Query(ctx, sqlRecent, age, after.CreatedAt, uid(after.ID), limit)
	if err != nil {
		return nil, translate(err)
	}
	return outboxRecords(rows)
}

// MarkPublished records that the stream has these rows. Marking twice is fine.
func (o *Outbox) MarkPublished(ctx context.Context, ids []id.ID) error {
	_, err := o.d.pool.Exec(ctx,
		"update outbox set published_at = now() where outbox_id = any($1::uuid[]) and published_at is null", uids(ids))
	return translate(err)
}

// Busiest lists the events still selling that have changed most in the last hour, at most limit.
func (o *Outbox) Busiest(ctx context.Context, limit int) ([]id.ID, error) {
	rows, err := o.d.pool.Query(ctx, `select o.event_id from outbox o join event e on e.event_id = o.event_id
		where o.kind = 1 and o.created_at > now() - interval '1 hour' and e.state in ('on_sale', 'paused')
		group by o.event_id order by count(*) desc, o.event_id limit $1`, limit)
	if err != nil {
		return nil, translate(err)
	}
	events, err := pgx.CollectRows(rows, func(row pgx.CollectableRow) (event id.ID, err error) { return event, row.Scan(into(&event)) })
	return events, translate(err)
}

// outboxKeep is how long published rows and tombstones stay: a settlement may still ask for them.
const outboxKeep = time.Hour

const sqlPrune = `delete from outbox where outbox_id in (select outbox_id from outbox
	where created_at < now() - $1::interval and (kind = 2 or published_at < now() - $1::interval) limit $2)`

// pruneRows is how many rows one statement deletes, so that it is short.
const pruneRows = 5000

// PruneAll prunes until nothing is left to prune, and returns how many rows there were. Between two statements it rests as
// long as the last one took: a sale goes on beside it.
func (o *Outbox) PruneAll(ctx context.Context) (pruned int64, err error) {
	for {
		began := time.Now()
		n, err := o.Prune(ctx, pruneRows)
		if pruned += n; err != nil || n < pruneRows {
			return pruned, err
		}
		select {
		case <-ctx.Done():
			return pruned, ctx.Err()
		case <-time.After(time.Since(began)):
		}
	}
}

// Prune deletes rows that nobody can ask for any more, at most limit, and returns how many.
func (o *Outbox) Prune(ctx context.Context, limit int) (int64, error) {
	tag, err := o.d.pool.Exec(ctx, sqlPrune, outboxKeep, limit)
	return tag.RowsAffected(), translate(err)
}
