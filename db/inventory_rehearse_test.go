package db_test

import (
	"testing"

	"github.com/jackc/pgx/v5"

	"plateia/core/id"
	"plateia/core/inventory"
	"plateia/core/seatmap"
	"plateia/db"
	"plateia/db/dbtest"
	"plateia/db/scratch"
)

// An engine has connections that know every statement of a rush before the first fan presses, and nothing is left of how they learnt them.
func TestConnectionsAreReadyBeforeARush(t *testing.T) {
	b := openBooth(t, 1, 10)
	if b.d.Dialect != db.Postgres {
		t.Skip("plans are the node's there")
	}
	if err := b.store.AwaitConnections(t.Context()); err != nil {
		t.Fatal(err)
	}
	ready := 0
	err := b.store.Connections(t.Context(), func(conn *pgx.Conn) error {
		var copies, planned int
		err := conn.QueryRow(t.Context(), `select count(*) filter (where statement like 'copy %'),
			count(*) filter (where statement like 'update %' and generic_plans > 0) from pg_prepared_statements`).Scan(&copies, &planned)
		if copies == 2 && planned == 2 { // holds and buyers; seats and guessed buyers
			ready++
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	if ready < 4 {
		t.Errorf("%d connections are ready", ready)
	}
	for _, table := range []string{"hold", "buyer", "hold_due", "outbox"} {
		if n := b.count("select count(*) from " + table); n != 0 {
			t.Errorf("%d rows are left in %s", n, table)
		}
	}
}

// What PostgreSQL logs of a page's first change after a checkpoint has been logged before the first batch of a prepared event.
func TestAPreparedEventsPagesHaveBeenLogged(t *testing.T) {
	dbtest.NeedServer(t)
	house, err := scratch.Open(t.Context(), scratch.Options{
		Settings: map[string]string{"autovacuum": "off"}, DB: db.Options{MaxConns: 4, Application: "plateia-test"},
	})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(house.Close)
	d := house.DB
	cat := db.NewCatalog(d)
	logged := map[bool]int64{}
	for _, prepared := range []bool{false, true} {
		b := anotherBooth(t, d, cat, onSale(t, cat, 100, 100))
		b.exec("vacuum seat")
		b.exec("checkpoint")
		if prepared {
			if err := b.store.Prepare(t.Context(), b.event.ID); err != nil {
				t.Fatal(err)
			}
		}
		before := b.logEnd()
		b.together(scattered(100)...)
		logged[prepared] = b.logEnd() - before
	}
	t.Logf("a batch of 100 holds all over the event logs %d bytes, prepared %d", logged[false], logged[true])
	if logged[true]*2 > logged[false] {
		t.Errorf("a batch logs %d bytes, and %d on a prepared event", logged[false], logged[true])
	}
}

func (b *booth) logEnd() (bytes int64) {
	b.t.Helper()
	return int64(b.count("select (pg_current_wal_insert_lsn() - '0/0')::int8"))
}

// scattered are holds of one seat each, a row apart.
func scattered(n int) (commands []inventory.Command) {
	for i := range n {
		commands = append(commands, place(id.New(), seatmap.Ordinal(100*i)))
	}
	return commands
}
