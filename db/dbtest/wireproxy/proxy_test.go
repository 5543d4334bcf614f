package wireproxy_test

import (
	"bytes"
	"context"
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"
	"go.uber.org/goleak"

	"plateia/core/id"
	"plateia/db/dbtest"
	"plateia/db/dbtest/wireproxy"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// bench is a table of numbers, reached directly and through a proxy.
type bench struct {
	t      *testing.T
	proxy  *wireproxy.Proxy
	direct *pgx.Conn
	schema string
}

func open(t *testing.T, url, network string) *bench {
	t.Helper()
	b := &bench{t: t, schema: "s_" + strings.ReplaceAll(id.New().String(), "-", "")}
	var err error
	if network == "unix" {
		b.proxy, err = wireproxy.Unix(url, t.TempDir())
	} else {
		b.proxy, err = wireproxy.TCP(url)
	}
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(b.proxy.Close)
	b.direct = b.dial(url)
	b.must(b.direct, "create schema "+b.schema)
	b.must(b.direct, "create table number (n int8 primary key)")
	return b
}

func (b *bench) dial(url string) *pgx.Conn {
	b.t.Helper()
	conn, err := pgx.Connect(b.t.Context(), url)
	if err != nil {
		b.t.Fatal(err)
	}
	b.t.Cleanup(func() {
		b.proxy.Close() // the driver goes on hoping for an answer of a silent line for 15 s
		ctx, cancel := context.WithTimeout(context.Background(), 100*time.Millisecond)
		defer cancel()
		conn.Close(ctx)
		<-conn.PgConn().CleanupDone()
	})
	b.must(conn, "set search_path = "+b.schema)
	return conn
}

func (b *bench) must(conn *pgx.Conn, sql string, args ...any) {
	b.t.Helper()
	if _, err := conn.Exec(b.t.Context(), sql, args...); err != nil {
		b.t.Fatalf("%s: %v", sql, err)
	}
}

func (b *bench) numbers() (n int) {
	b.t.Helper()
	if err := b.direct.QueryRow(b.t.Context(), "select count(*) from number").Scan(&n); err != nil {
		b.t.Fatal(err)
	}
	return n
}

// settled waits until there are as many numbers: a line that was cut is rolled back when the database notices.
func (b *bench) settled(want int) {
	b.t.Helper()
	for deadline := time.Now().Add(time.Minute); b.numbers() != want; time.Sleep(5 * time.Millisecond) {
		if time.Now().After(deadline) {
			b.t.Fatalf("%d numbers, want %d", b.numbers(), want)
		}
	}
}

// The ways in which a COMMIT reaches the database.
var ways = map[string]func(ctx context.Context, conn *pgx.Conn) error{
	"simple": func(ctx context.Context, conn *pgx.Conn) error {
		if _, err := conn.Exec(ctx, "insert into number values ($1)", 1); err != nil {
			return err
		}
		return commit(conn.Exec(ctx, "commit", pgx.QueryExecModeSimpleProtocol))
	},
	"prepared": func(ctx context.Context, conn *pgx.Conn) error {
		if _, err := conn.Exec(ctx, "insert into number values ($1)", 1); err != nil {
			return err
		}
		return commit(conn.Exec(ctx, "commit"))
	},
	"pipeline": func(ctx context.Context, conn *pgx.Conn) error {
		var batch pgx.Batch
		batch.Queue("insert into number values ($1)", 1)
		batch.Queue("commit")
		results := conn.SendBatch(ctx, &batch)
		defer results.Close()
		if _, err := results.Exec(); err != nil {
			return err
		}
		return commit(results.Exec())
	},
	"copy": func(ctx context.Context, conn *pgx.Conn) error {
		if _, err := conn.PgConn().CopyFrom(ctx, bytes.NewReader([]byte("1\n")), "copy number from stdin"); err != nil {
			return err
		}
		return commit(conn.Exec(ctx, "commit", pgx.QueryExecModeSimpleProtocol))
	},
}

func commit(tag pgconn.CommandTag, err error) error {
	if err == nil && tag.String() != "COMMIT" {
		return errors.New("answered " + tag.String())
	}
	return err
}

func code(err error) string {
	var e *pgconn.PgError
	if errors.As(err, &e) {
		return e.Code
	}
	return ""
}

func TestCommitSuffersWhatThePlanSays(t *testing.T) {
	url := dbtest.Empty(t)
	for _, c := range []struct {
		name  string
		fault wireproxy.Fault
		code  string // of the program's error
		kept  int
	}{
		{"cut before", wireproxy.Fault{}, "", 0},
		{"cut during", wireproxy.Fault{Point: wireproxy.During, Wait: 20 * time.Millisecond}, "", 1},
		{"cut after", wireproxy.Fault{Point: wireproxy.After}, "", 1},
		{"torn", wireproxy.Fault{Point: wireproxy.After, Torn: true}, "", 1},
		{"silent before", wireproxy.Fault{Deed: wireproxy.Silence}, "", 0},
		{"silent during", wireproxy.Fault{Deed: wireproxy.Silence, Point: wireproxy.During, Wait: time.Millisecond}, "", 1},
		{"silent after", wireproxy.Fault{Deed: wireproxy.Silence, Point: wireproxy.After}, "", 1},
		{"refused", wireproxy.Fault{Deed: wireproxy.Fail, Code: "40001"}, "40001", 0},
	} {
		for way, run := range ways {
			t.Run(c.name+"/"+way, func(t *testing.T) {
				t.Parallel()
				b := open(t, url, map[bool]string{true: "unix", false: "tcp"}[way == "pipeline"])
				conn := b.dial(b.proxy.URL())
				b.must(conn, "insert into number values (7)") // prepares what runs
				b.must(conn, "delete from number")
				script := wireproxy.NewScript(wireproxy.Step{Kind: wireproxy.Commit, Fault: c.fault})
				b.proxy.Plan(script.Plan)
				ctx, cancel := context.WithCancel(t.Context())
				defer cancel()
				if c.fault.Deed == wireproxy.Silence { // it would wait for ever
					go func() {
						for n := -1; ctx.Err() == nil && (script.Done() == 0 || n != c.kept); time.Sleep(time.Millisecond) {
							_ = b.direct.QueryRow(ctx, "select count(*) from number").Scan(&n) // until the database has done what it will
						}
						cancel()
					}()
				}
				b.must(conn, "begin")
				err := run(ctx, conn)
				if err == nil || code(err) != c.code || script.Done() != 1 {
					t.Fatalf("the program was told %v; struck %v", err, b.proxy.Struck())
				}
				if silent := ctx.Err() != nil; silent != (c.fault.Deed == wireproxy.Silence) {
					t.Fatalf("silent: %v (%v)", silent, err)
				}
				b.settled(c.kept)
				if c.code == "" {
					return
				}
				if status := conn.PgConn().TxStatus(); status != 'I' {
					t.Fatalf("after a refused COMMIT the program thinks that the transaction is %c", status)
				}
				b.must(conn, "begin") // and goes on
				if err := run(t.Context(), conn); err != nil {
					t.Fatal(err)
				}
				b.settled(1)
			})
		}
	}
}

func TestRefusedStatementAbortsTheTransaction(t *testing.T) {
	url := dbtest.Empty(t)
	for kind, step := range map[wireproxy.Kind]func(ctx context.Context, conn *pgx.Conn) error{
		wireproxy.Read:  func(ctx context.Context, conn *pgx.Conn) error { return conn.QueryRow(ctx, "select 1").Scan(new(int)) },
		wireproxy.Write: ways["pipeline"],
		wireproxy.Copy:  ways["copy"],
	} {
		t.Run(string(kind), func(t *testing.T) {
			b := open(t, url, "tcp")
			conn := b.dial(b.proxy.URL())
			b.proxy.Plan(wireproxy.NewScript(wireproxy.Step{Kind: kind, Fault: wireproxy.Fault{Deed: wireproxy.Fail, Code: "23505"}}).Plan)
			b.must(conn, "begin")
			if err := step(t.Context(), conn); code(err) != "23505" {
				t.Fatalf("the program was told %v", err)
			}
			if _, err := conn.Exec(t.Context(), "select 1"); code(err) != "25P02" {
				t.Fatalf("the database thinks that the transaction goes on: %v", err)
			}
			b.must(conn, "rollback")
			b.settled(0)
		})
	}
}

func TestScriptsCountAndRandomDraws(t *testing.T) {
	cut := wireproxy.Fault{Point: wireproxy.After}
	script := wireproxy.NewScript(wireproxy.Step{Kind: wireproxy.Commit, Nth: 2, Fault: cut}, wireproxy.Step{Kind: wireproxy.Settlement, Fault: cut})
	var struck []int
	for i, kind := range []wireproxy.Kind{"settlement", "COMMIT", "read", "COMMIT", "COMMIT", "settlement", "settlement"} {
		if script.Plan(wireproxy.Statement{Kind: kind}) != nil {
			struck = append(struck, i)
		}
	}
	if len(struck) != 2 || struck[0] != 3 || struck[1] != 5 {
		t.Errorf("struck %v, want the second COMMIT and the settlement after it", struck)
	}
	draw := func() (hits int) {
		plan := wireproxy.Random(3, []wireproxy.Chance{{Kinds: []wireproxy.Kind{wireproxy.Write}, Of: 0.1, Fault: cut}})
		for range 1000 {
			if plan(wireproxy.Statement{Kind: wireproxy.Write}) != nil {
				hits++
			}
			if plan(wireproxy.Statement{Kind: wireproxy.Read}) != nil {
				t.Fatal("struck what it may not")
			}
		}
		return hits
	}
	if a, b := draw(), draw(); a != b || a < 60 || a > 140 {
		t.Errorf("a tenth of a thousand was %d and %d", a, b)
	}
}
