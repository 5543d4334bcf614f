package holdbench

import (
	"context"
	"fmt"
	"sync/atomic"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"

	"plateia/core/id"
	"plateia/core/seatmap"
	"plateia/db"
)

// naive is one transaction per hold, as well as that can be done: one round
// trip, prepared statements, a connection for every client.
type naive struct {
	pool  *pgxpool.Pool
	begin string
	again atomic.Int64
}

func newNaive(ctx context.Context, d *db.DB, clients int) (*naive, error) {
	conf := d.Pool().Config().Copy()
	conf.MaxConns = int32(clients)
	pool, err := pgxpool.NewWithConfig(ctx, conf)
	if err != nil {
		return nil, fmt.Errorf("holdbench: %w", err)
	}
	level := "repeatable read"
	if d.Dialect == db.Cockroach {
		level = "serializable"
	}
	return &naive{pool: pool, begin: "begin isolation level " + level}, nil
}

// The guard divides by zero unless both seats were free, so that COMMIT can travel in the same round trip.
const naiveTake = `with taken as (
	update seat set status = 1, owner = $2, version = version + 1
	where event_id = $1 and ordinal in ($3, $4) and status = 0 returning 1)
	select 1 / (case when count(*) = 2 then 1 else 0 end) from taken`

const naiveHold = `insert into hold (hold_id, event_id, account_id, ordinals, prices, state, expires_at, hard_expires_at,
	idem_key, body_hash, created_at)
	values ($1, $2, $3, array[$4::int8, $5::int8], array[10000, 10000], 1, now() + interval '7 minutes', now() + interval '30 minutes', $6, '', now())`

const naiveOutbox = `insert into outbox (outbox_id, event_id, kind, payload, created_at) values ($1, $2, 1, $3, now())`

func (n *naive) hold(ctx context.Context, event id.ID, seats [2]seatmap.Ordinal) error {
	hold, account := id.NewIn(event), id.New()
	batch := &pgx.Batch{}
	batch.Queue(n.begin)
	batch.Queue(naiveTake, [16]byte(event), [16]byte(hold), int64(seats[0]), int64(seats[1]))
	batch.Queue(naiveHold, [16]byte(hold), [16]byte(event), [16]byte(account), int64(seats[0]), int64(seats[1]), hold.String())
	batch.Queue(naiveOutbox, [16]byte(id.New()), [16]byte(event), make([]byte, 24))
	batch.Queue("commit")
	for range 5 {
		conn, err := n.pool.Acquire(ctx)
		if err != nil {
			return err
		}
		err = conn.SendBatch(ctx, batch).Close()
		if err != nil {
			_, _ = conn.Exec(ctx, "rollback")
		}
		conn.Release()
		if err == nil {
			return nil
		}
		n.again.Add(1)
	}
	return fmt.Errorf("holdbench: the seats are gone")
}

func (n *naive) retries() int64 { return n.again.Load() }

func (n *naive) close(context.Context) error {
	n.pool.Close()
	return nil
}
