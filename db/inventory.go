package db

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"

	"plateia/core/fault"
	"plateia/core/id"
	"plateia/core/inventory"
)

// InventoryStore is core/inventory's Store on either database. A batch is three
// round trips: begin and load, write, commit. (More when a hold that must end turns up.)
type InventoryStore struct {
	d    *DB
	pool *pgxpool.Pool // of its own: its connections are tuned for the engine
	sql  engineSQL
	rows sheets
}

// OpenInventory opens the engine's own connections to d's database, at most
// maxConns (0: 8). Two per hot event are used at a time; the first four are made ready in the background.
func OpenInventory(ctx context.Context, d *DB, maxConns int32) (*InventoryStore, error) {
	conf := d.Pool().Config().Copy()
	conf.MaxConns = maxConns
	if maxConns == 0 {
		conf.MaxConns = 8
	}
	conf.MinConns = min(readyConns, conf.MaxConns)
	conf.PingTimeout = time.Second // an idle line may have gone silent
	s := &InventoryStore{d: d, sql: engineSQLFor(d.Dialect)}
	spoken := s.sql // tests change theirs
	prepare := conf.AfterConnect
	conf.AfterConnect = func(ctx context.Context, conn *pgx.Conn) error {
		if prepare != nil {
			if err := prepare(ctx, conn); err != nil {
				return err
			}
		}
		acceptPacked(conn)
		if err := setSession(ctx, conn, engineSession); err != nil {
			return err
		}
		if err := pinPlanner(ctx, conn); err != nil {
			return err
		}
		return s.rehearse(ctx, conn, &spoken)
	}
	var err error
	if s.pool, err = pgxpool.NewWithConfig(ctx, conf); err != nil {
		return nil, fmt.Errorf("db: open the inventory: %w", err)
	}
	return s, nil
}

// Close closes the engine's connections. Stop the engine first.
func (s *InventoryStore) Close() { s.pool.Close() }

// How long the engine waits for an answer before it takes the line for dead: of a round trip, whose batch is then
// tried again on another line, and of COMMIT, whose outcome is then settled on another line.
const (
	replyWithin  = 3 * time.Second
	commitWithin = 2 * time.Second
	settleWithin = 3 * time.Second / 2 // one try; the engine repeats
)

// engineSession are the engine's own time-outs. Its transactions never idle, so one that does has lost its
// program, and the database ends it; whoever waits for its rows looks again every second.
var engineSession = map[string]string{
	"idle_in_transaction_session_timeout": "3s",
	"lock_timeout":                        "1s",
}

// plannerPins keep PostgreSQL from choosing by statistics that are old: every
// statement of the engine is a handful of lookups by key, always.
var plannerPins = []string{
	"set enable_seqscan = off", "set enable_hashjoin = off", "set enable_mergejoin = off",
	"set enable_bitmapscan = off", "set enable_material = off", "set enable_memoize = off",
	"set plan_cache_mode = force_generic_plan",
}

func pinPlanner(ctx context.Context, conn *pgx.Conn) error {
	if dialectOf(conn) == Cockroach {
		return nil
	}
	for _, pin := range plannerPins {
		if _, err := conn.Exec(ctx, pin); err != nil {
			return fmt.Errorf("db: %s: %w", pin, err)
		}
	}
	return nil
}

// Commit is inventory.Store's.
func (s *InventoryStore) Commit(ctx context.Context, event id.ID, needs inventory.Needs, decide func(*inventory.Snapshot) *inventory.Changes) error {
	conn, err := s.pool.Acquire(ctx)
	if err != nil {
		return fmt.Errorf("%w: %w", inventory.ErrUnavailable, err)
	}
	defer conn.Release() // closes the connection if the transaction is still open
	t := &batchTx{conn: conn.Conn(), sql: &s.sql, sheets: &s.rows}
	snapshot, err := t.load(ctx, event, needs)
	if err != nil {
		t.rollback(ctx)
		return outcomeOf(err)
	}
	changes := decide(snapshot)
	if changes == nil {
		t.rollback(ctx)
		return nil
	}
	if err := t.write(ctx, changes); err != nil {
		t.rollback(ctx)
		return outcomeOf(err)
	}
	return t.commit(ctx)
}

// batchTx is one batch's transaction.
type batchTx struct {
	conn   *pgx.Conn
	sql    *engineSQL
	sheets *sheets
}

func (t *batchTx) rollback(ctx context.Context) {
	if t.conn.IsClosed() || t.conn.PgConn().TxStatus() == 'I' {
		return
	}
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), time.Second)
	defer cancel()
	_, _ = t.conn.Exec(ctx, "rollback", pgx.QueryExecModeSimpleProtocol)
}

func (t *batchTx) commit(ctx context.Context) error {
	if t.conn.IsClosed() || ctx.Err() != nil { // not sent
		t.rollback(ctx)
		return inventory.ErrUnavailable
	}
	ctx, cancel := context.WithTimeout(ctx, commitWithin)
	defer cancel()
	tag, err := t.conn.Exec(ctx, "commit", pgx.QueryExecModeSimpleProtocol)
	switch {
	case err == nil && tag.String() == "COMMIT":
		return nil
	case err == nil: // ROLLBACK: the transaction had failed
		return inventory.ErrConflict
	case refusedCommit(err):
		return fmt.Errorf("%w: %w", inventory.ErrConflict, err)
	}
	// pgconn.SafeToRetry is no help: pgx 5.12 says "safe" of a line that was cut after COMMIT was sent.
	return fmt.Errorf("%w: %w", inventory.ErrUnknown, err)
}

// refusedCommit reports whether the database said that it did not commit. 40003,
// the shutdown codes and silence say nothing.
func refusedCommit(err error) bool {
	return wantsRetry(err) || sqlState(err) == uniqueViolation || sqlState(err) == checkViolation
}

// errGuard is a row count that differs from what was decided.
var errGuard = errors.New("db: a guarded row was not as loaded")

// outcomeOf sorts an error from before COMMIT into the store's own.
func outcomeOf(err error) error {
	var known *fault.Error
	switch {
	case errors.As(err, &known):
		return err
	case errors.Is(err, errGuard), wantsRetry(err), sqlState(err) == uniqueViolation, sqlState(err) == lockTimeout:
		return fmt.Errorf("%w: %w", inventory.ErrConflict, err)
	case isDown(err), errors.Is(err, context.DeadlineExceeded), errors.Is(err, context.Canceled), sqlState(err) == queryCanceled,
		sqlState(err) == "25P03": // idle in transaction for too long
		return fmt.Errorf("%w: %w", inventory.ErrUnavailable, err)
	}
	return fmt.Errorf("db: inventory: %w", err)
}

// Settle is inventory.Store's: a tombstone under the batch's own id waits for the batch if
// it is still landing, and then either keeps it out for ever or finds it there.
func (s *InventoryStore) Settle(ctx context.Context, event, outbox id.ID) (committed bool, err error) {
	ctx, cancel := context.WithTimeout(ctx, settleWithin)
	defer cancel()
	_, err = s.pool.Exec(ctx,
		"insert into outbox (outbox_id, event_id, kind, payload, created_at) values ($1, $2, 2, '', now())", uid(outbox), uid(event))
	if err == nil {
		return false, nil
	}
	if !violates(err) {
		return false, fmt.Errorf("db: settle: %w", err)
	}
	var kind int64
	if err := s.pool.QueryRow(ctx, "select kind from outbox where outbox_id = $1", uid(outbox)).Scan(&kind); err != nil {
		return false, fmt.Errorf("db: settle: %w", err)
	}
	return kind == outboxBatch, nil
}
