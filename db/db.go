// Package db is the only door to the database: CockroachDB in production,
// PostgreSQL 15 or newer for development and tests, with the same SQL.
//
// Correctness rests on guarded writes and constraints, never on the isolation
// level or on locks: every row a decision relied on is rewritten under its
// version. The level is set explicitly all the same (REPEATABLE READ on
// PostgreSQL, SERIALIZABLE on CockroachDB), because defaults differ.
package db

import (
	"cmp"
	"context"
	"fmt"
	"log/slog"
	"maps"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"
)

// Dialect is which database answered.
type Dialect string

const (
	Postgres  Dialect = "postgres"
	Cockroach Dialect = "cockroach"
)

// Options tune a pool. The zero value is right for a role that serves requests.
type Options struct {
	MaxConns    int32             // connections at most; 0: 16
	Application string            // application_name; "" is "plateia"
	Session     map[string]string // extra session settings, on top of the time-outs that Open sets
	Logger      *slog.Logger      // nil: discard
	// Regions are those that the database must have, the primary one first. Given them, reads that may be some
	// seconds old are answered by the nearest region; without them none are.
	Regions Regions
}

// DB is a pool of connections to one database. It is safe for concurrent use.
type DB struct {
	Dialect Dialect
	pool    *pgxpool.Pool
	log     *slog.Logger
	url     string
	version string   // of a CockroachDB
	regions []string // of a multi-region CockroachDB database when it was opened, the primary one first
	follow  bool     // stale reads may be answered by the nearest region
}

// connectPatience is how long Open waits for a database that is still starting.
const connectPatience = 10 * time.Second

// Open connects to url (postgres://… or postgresql://…) and learns the dialect.
// A database that refuses or is starting is tried for connectPatience.
func Open(ctx context.Context, url string, opts Options) (*DB, error) {
	conf, err := pgxpool.ParseConfig(url)
	if err != nil {
		return nil, fmt.Errorf("db: the database URL: %w", err)
	}
	configure(conf, opts)
	pool, err := pgxpool.NewWithConfig(ctx, conf)
	if err != nil {
		return nil, fmt.Errorf("db: open: %w", err)
	}
	d := &DB{pool: pool, log: cmp.Or(opts.Logger, slog.New(slog.DiscardHandler)), url: url}
	if err = d.learn(ctx); err != nil {
		pool.Close()
		return nil, fmt.Errorf("db: connect to %s: %w", conf.ConnConfig.Host, err)
	}
	if err := d.expect(opts.Regions); err != nil {
		pool.Close()
		return nil, err
	}
	return d, nil
}

func configure(conf *pgxpool.Config, opts Options) {
	conf.MaxConns = cmp.Or(opts.MaxConns, 16)
	conf.MaxConnIdleTime = 5 * time.Minute
	conf.ConnConfig.ConnectTimeout = 5 * time.Second
	conf.ConnConfig.DialFunc = dial
	conf.ConnConfig.RuntimeParams["application_name"] = cmp.Or(opts.Application, "plateia")
	conf.AfterConnect = func(ctx context.Context, conn *pgx.Conn) error {
		return prepareSession(ctx, conn, opts.Session)
	}
}

// prepareSession sets the time-outs that keep a silent or slow peer from
// making anyone wait for long, and pins what the server's defaults might change.
func prepareSession(ctx context.Context, conn *pgx.Conn, extra map[string]string) error {
	settings := map[string]string{
		"statement_timeout":                   "30s",
		"idle_in_transaction_session_timeout": "5s",
		"lock_timeout":                        "5s",
		"timezone":                            "UTC",
	}
	if dialectOf(conn) == Postgres {
		settings["tcp_user_timeout"] = "10s"
		settings["jit"] = "off" // compiling costs more than any of our statements
	}
	maps.Copy(settings, extra)
	return setSession(ctx, conn, settings)
}

func setSession(ctx context.Context, conn *pgx.Conn, settings map[string]string) error {
	batch := &pgx.Batch{}
	for name, value := range settings {
		batch.Queue("select set_config($1, $2, false)", name, value)
	}
	return conn.SendBatch(ctx, batch).Close()
}

// dialectOf asks no question: CockroachDB reports crdb_version when a session starts.
func dialectOf(conn *pgx.Conn) Dialect {
	if conn.PgConn().ParameterStatus("crdb_version") != "" {
		return Cockroach
	}
	return Postgres
}

// learn waits for the database and asks what it is.
func (d *DB) learn(ctx context.Context) error {
	deadline := time.Now().Add(connectPatience)
	for {
		conn, err := d.pool.Acquire(ctx)
		if err == nil {
			defer conn.Release()
			if d.Dialect = dialectOf(conn.Conn()); d.Dialect == Cockroach {
				return d.meet(ctx, conn.Conn())
			}
			return nil
		}
		if ctx.Err() != nil || time.Now().After(deadline) || !isDown(err) {
			return err
		}
		if err := pause(ctx, 100*time.Millisecond); err != nil {
			return err
		}
	}
}

// Close waits for connections in use and closes them all.
func (d *DB) Close() { d.pool.Close() }

// URL is what Open was given: for starting another process on the same database.
func (d *DB) URL() string { return d.url }

// Pool is the pool itself, for packages under db/.
func (d *DB) Pool() *pgxpool.Pool { return d.pool }

// Ping reports whether the database answers; readiness probes call it.
func (d *DB) Ping(ctx context.Context) error { return translate(d.pool.Ping(ctx)) }

// Now reads the database's clock. Expiry is always compared with it, never with the process's clock.
func (d *DB) Now(ctx context.Context) (time.Time, error) {
	var now time.Time
	err := d.pool.QueryRow(ctx, "select now()").Scan(&now)
	return now.UTC(), translate(err)
}

func pause(ctx context.Context, d time.Duration) error {
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-ctx.Done():
		return ctx.Err()
	case <-timer.C:
		return nil
	}
}
