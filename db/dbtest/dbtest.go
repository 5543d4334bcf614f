// Package dbtest gives every test a database of its own, on a real server.
package dbtest

import (
	"context"
	"errors"
	"fmt"
	"net/url"
	"os"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/cockroachdb/cockroach-go/v2/testserver"
	"github.com/jackc/pgx/v5"

	"plateia/core/id"
	"plateia/db"
	"plateia/db/privatepg"
)

// The server of this test binary, started by the first test that asks.
var (
	start  sync.Once
	shared server
	broken error
)

// server is where databases are made. template is empty where databases cannot be copied (CockroachDB).
type server struct {
	url      func(database string) string
	template string
}

// New returns a fresh, migrated database, dropped when the test ends.
//
// The server is, in this order: PLATEIA_TEST_DSN (PostgreSQL or CockroachDB, a
// role that may create databases), the CockroachDB binary COCKROACH_BINARY, a
// private PostgreSQL that ends with the test binary. Without any the test is skipped, and fails when CI=true.
func New(t testing.TB) *db.DB {
	t.Helper()
	return Open(t, URL(t), db.Options{})
}

// patient is for programs that may stand still for seconds on a busy machine: the database would end their transactions.
var patient = map[string]string{"idle_in_transaction_session_timeout": "60s", "lock_timeout": "30s"}

// Open is one more pool on a test's database: another process, as far as the database can tell.
func Open(t testing.TB, url string, opts db.Options) *db.DB {
	t.Helper()
	if opts.Session == nil {
		opts.Session = patient
	}
	d, err := db.Open(t.Context(), url, opts)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(d.Close)
	return d
}

// URL makes a fresh, migrated database and returns only its URL.
func URL(t testing.TB) string {
	t.Helper()
	if s := running(t); s.template != "" {
		return s.copy(t, s.template)
	}
	url := Empty(t)
	if err := migrate(t.Context(), url); err != nil {
		t.Fatalf("dbtest: %v", err)
	}
	return url
}

// Empty makes a fresh database without a schema.
func Empty(t testing.TB) string {
	t.Helper()
	s := running(t)
	name := databaseName()
	if err := s.admin(t.Context(), "create database "+name); err != nil {
		t.Fatalf("dbtest: %v", err)
	}
	t.Cleanup(func() { drop(t, s, name) })
	return s.url(name)
}

func databaseName() string { return "t_" + strings.ReplaceAll(id.New().String(), "-", "") }

func running(t testing.TB) server {
	t.Helper()
	start.Do(func() { shared, broken = boot() })
	if errors.Is(broken, privatepg.ErrNotInstalled) && os.Getenv("CI") != "true" {
		t.Skip("dbtest: " + broken.Error())
	}
	if broken != nil {
		t.Fatalf("dbtest: %v", broken)
	}
	return shared
}

// NeedServer skips a test that starts a PostgreSQL of its own where none is installed; it fails when CI=true.
func NeedServer(t testing.TB) {
	t.Helper()
	_, err := privatepg.Find()
	if errors.Is(err, privatepg.ErrNotInstalled) && os.Getenv("CI") != "true" {
		t.Skip("dbtest: " + err.Error())
	}
	if err != nil {
		t.Fatalf("dbtest: %v", err)
	}
}

func boot() (server, error) {
	ctx, cancel := context.WithTimeout(context.Background(), 2*time.Minute)
	defer cancel()
	switch {
	case os.Getenv("PLATEIA_TEST_DSN") != "":
		return given(ctx, os.Getenv("PLATEIA_TEST_DSN"))
	case os.Getenv("COCKROACH_BINARY") != "":
		return cockroach()
	}
	return private(ctx)
}

// given uses a server somebody else runs. A template would outlive us, so each database is migrated.
func given(ctx context.Context, dsn string) (server, error) {
	base, err := url.Parse(dsn)
	if err != nil {
		return server{}, fmt.Errorf("PLATEIA_TEST_DSN: %w", err)
	}
	s := server{url: func(database string) string {
		u := *base
		if database != "" {
			u.Path = "/" + database
		}
		return u.String()
	}}
	return s, s.admin(ctx, "select 1")
}

// cockroach is stopped by its own watcher when this process ends.
func cockroach() (server, error) {
	ts, err := testserver.NewTestServer()
	if err != nil {
		return server{}, err
	}
	base := ts.PGURL()
	return server{url: func(database string) string {
		u := *base
		if database != "" {
			u.Path = "/" + database
		}
		return u.String()
	}}, nil
}

// private starts PostgreSQL in a folder named after this process. Its guard stops it and removes the folder
// when the test binary ends, however it ends.
func private(ctx context.Context) (server, error) {
	dir, err := os.MkdirTemp("", "plateia-test-"+strconv.Itoa(os.Getpid())+"-")
	if err != nil {
		return server{}, err
	}
	if err := os.Chmod(dir, 0o755); err != nil { //nolint:gosec // the server runs as another user and must reach its own folder
		return server{}, err
	}
	pg, err := privatepg.Start(ctx, privatepg.Options{Dir: dir, Throwaway: true, Settings: map[string]string{"max_connections": "300"}})
	if err != nil {
		os.RemoveAll(dir)
		return server{}, err
	}
	s := server{template: "plateia_template", url: func(database string) string {
		if database == "" {
			database = privatepg.Database
		}
		return pg.URL(database)
	}}
	if err := s.admin(ctx, "create database "+s.template); err != nil {
		return server{}, err
	}
	return s, migrate(ctx, s.url(s.template))
}

func migrate(ctx context.Context, url string) error {
	d, err := db.Open(ctx, url, db.Options{MaxConns: 2})
	if err != nil {
		return err
	}
	defer d.Close()
	_, err = d.Up(ctx)
	return err
}

// admin runs statements that must not be in a transaction.
func (s server) admin(ctx context.Context, statement string) error {
	return s.as(ctx, func(conn *pgx.Conn) error {
		_, err := conn.Exec(ctx, statement)
		return err
	})
}

func (s server) as(ctx context.Context, do func(*pgx.Conn) error) error {
	conn, err := pgx.Connect(ctx, s.url(""))
	if err != nil {
		return err
	}
	defer conn.Close(ctx)
	return do(conn)
}

// drop runs after the test's own pools are closed; a connection left in another process is ended.
func drop(t testing.TB, s server, name string) {
	ctx, cancel := context.WithTimeout(context.Background(), 30*time.Second)
	defer cancel()
	err := s.as(ctx, func(conn *pgx.Conn) error {
		how := " with (force)"
		if conn.PgConn().ParameterStatus("crdb_version") != "" {
			how = " cascade"
		}
		_, err := conn.Exec(ctx, "drop database if exists "+name+how)
		return err
	})
	if err != nil {
		t.Logf("dbtest: drop %s: %v", name, err)
	}
}
