package db_test

import (
	"encoding/json"
	"testing"

	"plateia/core/event"
	"plateia/core/fault"
	"plateia/core/id"
	"plateia/core/inventory"
	"plateia/db"
)

// later lets the time of all holds but one pass.
func (b *booth) later(but id.ID) {
	b.exec("update hold set expires_at = now() - interval '3 seconds' where state = 1 and hold_id <> $1", [16]byte(but))
	b.exec("update hold_due set due_at = now() - interval '3 seconds'")
}

func (b *booth) sweep() {
	b.t.Helper()
	if err := b.SweepOnce(b.t.Context()); err != nil {
		b.t.Fatal(err)
	}
}

func TestTheSweepersListEmpties(t *testing.T) {
	b := openBooth(t, 4, 10)
	kept := b.must(place(id.New(), 0, 1)).Hold
	b.must(place(id.New(), 2))
	ended := b.must(place(id.New(), 3)).Hold
	b.must(inventory.Release{Account: ended.Account, Hold: ended.ID})
	if n := b.count("select count(*) from hold_due"); n != 3 {
		t.Fatalf("%d rows for three batches", n)
	}
	b.later(kept.ID)
	b.must(inventory.Extend{Account: kept.Account, Hold: kept.ID})
	b.sweep()
	b.sweep()
	if n := b.count("select count(*) from hold_due"); n != 1 {
		t.Errorf("%d rows are left; only the extended hold's should be", n)
	}
	if n := b.count("select count(*) from seat where status = 1"); n != 2 {
		t.Errorf("%d seats are held", n)
	}
}

// As many batches as there are seconds in an hour have left a row each, most of them of holds that have ended long ago. The
// seats of the one that is due behind them are free after one sweep, and the list is empty after another.
func TestTheSweeperKeepsUpWithSmallBatches(t *testing.T) {
	b := openBooth(t, 4, 10)
	b.must(place(id.New(), 0, 1))
	b.later(id.ID{})
	b.exec(`insert into hold_due (due_id, event_id, due_at, holds)
		select gen_random_uuid(), $1, now() - interval '1 minute', array[gen_random_uuid()] from generate_series(1, 3600)`, [16]byte(b.event.ID))
	b.sweep()
	if n := b.count("select count(*) from seat where status = 1"); n != 0 {
		t.Errorf("%d seats are still held", n)
	}
	b.sweep()
	if n := b.count("select count(*) from hold_due"); n != 0 {
		t.Errorf("%d rows are left", n)
	}
}

// together commits commands in one batch.
func (b *booth) together(commands ...inventory.Command) {
	b.t.Helper()
	err := b.store.Commit(b.t.Context(), b.event.ID, inventory.NeedsOf(commands), func(s *inventory.Snapshot) *inventory.Changes {
		_, changes := inventory.Decide(inventory.Hall{}, s, commands)
		changes.Payload = []byte{0}
		return changes
	})
	if err != nil {
		b.t.Fatal(err)
	}
}

// One hold of a batch ends early because it inherits its absolute end: the others must stay on the list.
func TestAHoldThatEndsEarlyTakesNobodyOffTheList(t *testing.T) {
	b := openBooth(t, 4, 10)
	fan, other := id.New(), id.New()
	b.must(place(fan, 0, 1))
	b.exec("update hold set expires_at = now() + interval '50 seconds', hard_expires_at = now() + interval '50 seconds'")
	capped, full := place(fan, 0, 1), place(other, 2)
	b.together(capped, full)
	b.exec("update hold set expires_at = now() - interval '3 seconds' where hold_id = $1", [16]byte(capped.Hold))
	b.exec("update hold_due set due_at = now() - interval '3 seconds' where $1 = any(holds)", [16]byte(capped.Hold))
	b.sweep()
	b.sweep()
	if n := b.count("select count(*) from hold_due where $1 = any(holds)", [16]byte(capped.Hold)); n != 0 {
		t.Errorf("the hold that ended is listed %d times", n)
	}
	if n := b.count("select count(*) from hold_due where $1 = any(holds)", [16]byte(full.Hold)); n != 1 {
		t.Errorf("the hold that lives on is listed %d times", n)
	}
}

func TestClosingMakesEveryHoldDue(t *testing.T) {
	b := openBooth(t, 4, 10)
	b.must(place(id.New(), 0, 1))
	b.must(place(id.New(), 2))
	if err := db.NewCatalog(b.d).SetState(t.Context(), b.event.ID, event.Closed); err != nil {
		t.Fatal(err)
	}
	b.sweep()
	b.sweep()
	if n := b.count("select count(*) from seat where status = 1") + b.count("select count(*) from hold_due"); n != 0 {
		t.Errorf("%d seats and list rows are left", n)
	}
}

// The first hold of an account is in no index but its own: its key must be found all the same, and so must later ones.
func TestEveryHoldOfAnAccountKeepsItsKey(t *testing.T) {
	b := openBooth(t, 4, 10, func(o *inventory.Options) { o.NoFastRefusal = true })
	fan := id.New()
	var made []inventory.PlaceHold
	var holds []id.ID
	for i, key := range []string{"a", "b", "c"} {
		p := place(fan, 0, 1)
		p.Key, p.BodyHash = key, [32]byte{byte(i + 1)}
		made, holds = append(made, p), append(holds, b.must(p).Hold.ID)
	}
	for i, p := range made {
		p.Hold = id.New()
		if out := b.must(p); !out.Replayed || out.Hold.ID != holds[i] {
			t.Errorf("key %s gave hold %s again=%v, want %s", p.Key, out.Hold.ID, out.Replayed, holds[i])
		}
		p.BodyHash = [32]byte{99}
		b.refused(fault.KeyReused, p)
	}
	if n := b.count("select count(*) from hold where again"); n != 2 {
		t.Errorf("%d holds are in the index", n)
	}
	if n := b.count("select count(*) from buyer where first_hold = $1", [16]byte(holds[0])); n != 1 {
		t.Error("the buyer row does not name the first hold")
	}
}

// A long list costs the sweeper no more than a short one: its rows are entered by what is due and by what has ended.
func TestTheSweeperDoesNotReadItsWholeList(t *testing.T) {
	b := openBooth(t, 4, 10)
	if b.d.Dialect != db.Postgres {
		t.Skip("the plans of PostgreSQL")
	}
	b.must(place(id.New(), 0, 1))
	b.exec(`insert into event (event_id, title, venue, genre, time_zone, currency, home_region, starts_at, on_sale_at, state, chart_id, chart_version,
			capacity, prices, rules)
		select md5(n::text)::uuid, title, venue, genre, time_zone, currency, home_region, starts_at, on_sale_at,
			case when n = 7 then 'closed' else 'on_sale' end, chart_id, chart_version, capacity, prices, rules from event, generate_series(1, 40) n`)
	b.exec(`insert into hold_due (due_id, event_id, due_at, holds)
		select gen_random_uuid(), md5((n % 40 + 1)::text)::uuid, now() + n % 300 * interval '1 second', array[gen_random_uuid()] from generate_series(1, 40000) n`)
	b.exec("update hold_due set due_at = now() - interval '1 minute' where due_id in (select due_id from hold_due order by due_id limit 100)")
	for name, prepare := range map[string]string{"stale statistics": "select 1", "fresh statistics": "analyze"} {
		b.exec(prepare)
		var text string
		if err := b.d.Pool().QueryRow(t.Context(), "explain (analyze, format json) "+db.SQLDue, 256).Scan(&text); err != nil {
			t.Fatal(err)
		}
		var plans []struct{ Plan node }
		if err := json.Unmarshal([]byte(text), &plans); err != nil {
			t.Fatal(err)
		}
		// 41 steps, 256 rows of the closed event and 100 that are overdue.
		if n := plans[0].Plan.rowsOf("hold_due"); n < 300 || n > 600 {
			t.Errorf("%s: %d rows of the list are read: %s", name, n, text)
		}
	}
}
