package db_test

import (
	"context"
	"errors"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"
	"go.uber.org/goleak"

	"plateia/core/fault"
	"plateia/db"
	"plateia/db/dbtest"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

func TestOpenLearnsTheDialectAndTheClock(t *testing.T) {
	d := dbtest.New(t)
	if d.Dialect != db.Postgres && d.Dialect != db.Cockroach {
		t.Fatalf("dialect %q", d.Dialect)
	}
	now, err := d.Now(t.Context())
	if err != nil || now.IsZero() {
		t.Fatalf("Now() = %v, %v", now, err)
	}
}

func TestOpenSaysWhatIsWrong(t *testing.T) {
	for _, url := range []string{"postgres://:bad port/", "postgres://127.0.0.1:1/x?connect_timeout=1"} {
		ctx, cancel := context.WithTimeout(t.Context(), 300*time.Millisecond)
		if d, err := db.Open(ctx, url, db.Options{}); err == nil {
			d.Close()
			t.Errorf("Open(%q) succeeded", url)
		}
		cancel()
	}
}

func TestSessionsHaveTimeOuts(t *testing.T) {
	d := dbtest.New(t)
	for _, name := range []string{"statement_timeout", "idle_in_transaction_session_timeout", "lock_timeout"} {
		var value string
		if err := d.Pool().QueryRow(t.Context(), "select current_setting($1)", name).Scan(&value); err != nil || value == "0" {
			t.Errorf("%s = %q, %v", name, value, err)
		}
	}
}

// Write skew, lost updates and deadlocks end in one retry loop: every increment counts.
func TestTxLosesNoUpdate(t *testing.T) {
	d := dbtest.New(t)
	exec(t, d, "create table counter (name text primary key, n int8 not null)", "insert into counter values ('a', 0), ('b', 0)")
	var group sync.WaitGroup
	for worker := range 8 {
		group.Go(func() {
			order := []string{"a", "b"}
			if worker%2 == 1 {
				order = []string{"b", "a"} // deadlocks wanted
			}
			for range 10 {
				if err := increment(t.Context(), d, order); err != nil {
					t.Error(err)
				}
			}
		})
	}
	group.Wait()
	var a, b int
	if err := d.Pool().QueryRow(t.Context(), "select max(n), min(n) from counter").Scan(&a, &b); err != nil || a != 80 || b != 80 {
		t.Errorf("counters %d and %d, %v; want 80", a, b, err)
	}
}

// increment keeps at it: under this much contention a few callers are told BUSY.
func increment(ctx context.Context, d *db.DB, order []string) error {
	for {
		err := d.Tx(ctx, func(tx pgx.Tx) error {
			for _, name := range order {
				var n int
				if err := tx.QueryRow(ctx, "select n from counter where name = $1", name).Scan(&n); err != nil {
					return err
				}
				if _, err := tx.Exec(ctx, "update counter set n = $2 where name = $1", name, n+1); err != nil {
					return err
				}
			}
			return nil
		})
		if fault.CodeOf(err) != fault.Busy {
			return err
		}
	}
}

func TestTxKeepsNothingOfAFailure(t *testing.T) {
	d := dbtest.New(t)
	exec(t, d, "create table mark (n int8)")
	mine := errors.New("mine")
	write := func(tx pgx.Tx) { tx.Exec(t.Context(), "insert into mark values (1)") }
	if err := d.Tx(t.Context(), func(tx pgx.Tx) error { write(tx); return mine }); !errors.Is(err, mine) {
		t.Errorf("Tx = %v", err)
	}
	func() {
		defer func() { recover() }()
		d.Tx(t.Context(), func(tx pgx.Tx) error { write(tx); panic("boom") })
	}()
	ctx, cancel := context.WithCancel(t.Context())
	if err := d.Tx(ctx, func(tx pgx.Tx) error { write(tx); cancel(); return nil }); !errors.Is(err, context.Canceled) {
		t.Errorf("Tx of a caller who left = %v", err)
	}
	// A statement that failed and was swallowed: the server turns COMMIT into ROLLBACK, and Tx must say so.
	err := d.Tx(t.Context(), func(tx pgx.Tx) error { write(tx); tx.Exec(t.Context(), "nonsense"); return nil })
	if err == nil {
		t.Error("Tx said a rolled-back transaction is committed")
	}
	var n int
	if err := d.Pool().QueryRow(t.Context(), "select count(*) from mark").Scan(&n); err != nil || n != 0 {
		t.Errorf("%d rows were kept, %v", n, err)
	}
}

// The server goes away in the middle of COMMIT: a deferred trigger runs there.
func TestCommitThatGetsNoAnswerIsUnknown(t *testing.T) {
	d := dbtest.New(t)
	if d.Dialect == db.Cockroach {
		t.Skip("CockroachDB has no deferred triggers")
	}
	exec(t, d, "create table mark (n int8)",
		"create function leave() returns trigger language plpgsql as 'begin perform pg_terminate_backend(pg_backend_pid()); return null; end'",
		"create constraint trigger leave after insert on mark deferrable initially deferred for each row execute function leave()")
	tries := 0
	err := d.Tx(t.Context(), func(tx pgx.Tx) error {
		tries++
		_, err := tx.Exec(t.Context(), "insert into mark values (1)")
		return err
	})
	if fault.CodeOf(err) != fault.OutcomeUnknown || tries != 1 {
		t.Errorf("Tx = %v after %d tries, want OUTCOME_UNKNOWN after one", err, tries)
	}
}

func TestManyProcessesMigrateOnce(t *testing.T) {
	url := dbtest.Empty(t)
	var group sync.WaitGroup
	applied := make(chan int, 4)
	for range 4 {
		d := dbtest.Open(t, url, db.Options{MaxConns: 3})
		group.Go(func() {
			done, err := d.Up(t.Context())
			if err != nil {
				t.Error(err)
			}
			applied <- len(done)
		})
	}
	group.Wait()
	close(applied)
	total := 0
	for n := range applied {
		total += n
	}
	d := dbtest.Open(t, url, db.Options{})
	status, err := d.Status(t.Context())
	if err != nil || total != len(status) {
		t.Fatalf("%d applied of %d, %v", total, len(status), err)
	}
	for _, m := range status {
		if m.AppliedAt.IsZero() {
			t.Errorf("%s is not applied", m)
		}
	}
}

func TestAKilledMigrationIsPickedUp(t *testing.T) {
	d := dbtest.New(t)
	exec(t, d, "delete from schema_migration", "drop table lease", "drop table signing_key",
		"insert into schema_lease values ('migrate', gen_random_uuid(), now() + interval '1 second')")
	before, err := d.Status(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	done, err := d.Up(t.Context())
	if err != nil || len(done) != len(before) {
		t.Fatalf("Up = %v, %v", done, err)
	}
	exec(t, d, "select * from lease, signing_key")
}

func TestAnEditedMigrationIsNoticed(t *testing.T) {
	d := dbtest.New(t)
	exec(t, d, "update schema_migration set checksum = 'other' where number = 1")
	if _, err := d.Up(t.Context()); err == nil || !strings.Contains(err.Error(), "was changed after it was applied") {
		t.Errorf("Up = %v", err)
	}
}

func exec(t testing.TB, d *db.DB, statements ...string) {
	t.Helper()
	for _, statement := range statements {
		if _, err := d.Pool().Exec(t.Context(), statement); err != nil {
			t.Fatalf("%s: %v", statement, err)
		}
	}
}

func TestIDsGoOutAndComeBack(t *testing.T) {
	if err := db.RoundTrip(t.Context(), dbtest.New(t).Pool()); err != nil {
		t.Error(err)
	}
}
