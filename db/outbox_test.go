package db_test

import (
	"encoding/json"
	"fmt"
	"slices"
	"testing"
	"time"

	"plateia/core/event"
	"plateia/core/id"
	"plateia/core/inventory"
	"plateia/db"
	"plateia/db/dbtest"
)

// Recent pages through batches, marked or not, and leaves out old ones and tombstones.
func TestOutboxRecent(t *testing.T) {
	d := dbtest.New(t)
	add := func(kind int, age time.Duration, published bool) id.ID {
		batch := id.New()
		mark := "null"
		if published {
			mark = "now()"
		}
		_, err := d.Pool().Exec(t.Context(), fmt.Sprintf(`insert into outbox (outbox_id, event_id, kind, payload, created_at, published_at)
			values ($1, $2, $3, 'x', now() - $4::interval, %s)`, mark), [16]byte(batch), [16]byte(id.New()), kind, age)
		if err != nil {
			t.Fatal(err)
		}
		return batch
	}
	add(1, time.Hour, true)
	want := []id.ID{add(1, 30*time.Second, true), add(1, 20*time.Second, false), add(1, 10*time.Second, true)}
	add(2, 5*time.Second, false)
	var got []id.ID
	var last inventory.OutboxRecord
	for range 4 {
		page, err := d.Outbox().Recent(t.Context(), time.Minute, last, 2)
		if err != nil {
			t.Fatal(err)
		}
		for _, r := range page {
			got, last = append(got, r.ID), r
		}
	}
	if fmt.Sprint(got) != fmt.Sprint(want) {
		t.Errorf("got %v, want %v", got, want)
	}
}

// However fast batches were committed, what is older than an hour goes: published ones and tombstones, and nothing else.
func TestTheOutboxIsPrunedToItsEnd(t *testing.T) {
	d := dbtest.New(t)
	fill := func(kind, rows int, age time.Duration, published string) {
		exec(t, d, fmt.Sprintf(`insert into outbox (outbox_id, event_id, kind, payload, created_at, published_at)
			select gen_random_uuid(), gen_random_uuid(), %d, 'x', now() - interval '%d seconds', %s from generate_series(1, %d)`,
			kind, int(age.Seconds()), published, rows))
	}
	fill(1, 11_000, 2*time.Hour, "now() - interval '2 hours'")
	fill(2, 10, 2*time.Hour, "null")
	fill(1, 3, 2*time.Hour, "null")                          // nobody has heard of these
	fill(1, 4, 2*time.Hour, "now() - interval '59 minutes'") // were published late
	fill(2, 5, time.Minute, "null")
	n, err := d.Outbox().PruneAll(t.Context())
	if err != nil || n != 11_010 {
		t.Errorf("%d rows were pruned, %v", n, err)
	}
	var left int
	if err := d.Pool().QueryRow(t.Context(), "select count(*) from outbox").Scan(&left); err != nil || left != 12 {
		t.Errorf("%d rows are left, %v", left, err)
	}
}

// A process that starts warms the busiest events that still sell: neither those whose sale is over nor those of yesterday.
func TestBusiest(t *testing.T) {
	d := dbtest.New(t)
	c := db.NewCatalog(d)
	sale := func(state event.State, batches int, age time.Duration) id.ID {
		e := onSale(t, c, 1, 2)
		exec(t, d, fmt.Sprintf("update event set state = '%s' where event_id = '%s'", state, e.ID), fmt.Sprintf(`insert into outbox
			(outbox_id, event_id, kind, payload, created_at) select gen_random_uuid(), '%s', 1, 'x', now() - interval '%d seconds'
			from generate_series(1, %d)`, e.ID, int(age.Seconds()), batches))
		return e.ID
	}
	quiet, busy := sale(event.OnSale, 1, time.Minute), sale(event.OnSale, 3, time.Minute)
	paused := sale(event.Paused, 2, time.Minute)
	sale(event.Closed, 9, time.Minute)
	sale(event.Cancelled, 9, time.Minute)
	sale(event.OnSale, 9, 2*time.Hour)
	got, err := d.Outbox().Busiest(t.Context(), 5)
	if want := []id.ID{busy, paused, quiet}; err != nil || !slices.Equal(got, want) {
		t.Errorf("%v, %v, want %v", got, err, want)
	}
}

// An hour of a rush is in the outbox: what of the last seconds is repeated for a region that is silent, page by page, and
// that nothing is old enough to be deleted, is found without reading the rest.
func TestOutboxIsReadByTime(t *testing.T) {
	d := dbtest.New(t)
	if d.Dialect != db.Postgres {
		t.Skip("the plans of PostgreSQL")
	}
	exec(t, d, `insert into outbox (outbox_id, event_id, kind, payload, created_at, published_at)
		select gen_random_uuid(), gen_random_uuid(), 1, 'x', now() - n * interval '100 ms', now() from generate_series(1, 20000) n`, "vacuum analyze outbox")
	for name, c := range map[string]struct {
		sql  string
		args []any
		rows int
	}{
		"recent":           {db.SQLRecent, []any{10 * time.Second, time.Time{}, [16]byte{}, 500}, 100},
		"recent, a page":   {db.SQLRecent, []any{time.Hour, time.Now().Add(-time.Minute), [16]byte{}, 50}, 51},
		"nothing to prune": {db.SQLPrune, []any{time.Hour, 5000}, 0},
	} {
		var text string
		if err := d.Pool().QueryRow(t.Context(), "explain (analyze, format json) "+c.sql, c.args...).Scan(&text); err != nil {
			t.Fatal(err)
		}
		var plans []struct{ Plan node }
		if err := json.Unmarshal([]byte(text), &plans); err != nil {
			t.Fatal(err)
		}
		if n := plans[0].Plan.rowsOf("outbox"); n > c.rows {
			t.Errorf("%s: %d rows are read, want %d: %s", name, n, c.rows, text)
		}
	}
}
