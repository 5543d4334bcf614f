package db_test

import (
	"errors"
	"testing"
	"time"

	"plateia/core/id"
	"plateia/core/inventory"
	"plateia/core/pick"
	"plateia/core/seatmap"
	"plateia/db"
	"plateia/db/dbtest"
	"plateia/db/dbtest/wireproxy"
)

const manyPresses = 40 // so many new rows go by COPY

// rush is one batch of first presses, given to the store itself: what is in it does not hang on who comes when.
type rush struct {
	*booth
	chart *seatmap.Chart
	store *db.InventoryStore
	proxy *wireproxy.Proxy
}

func openRush(t *testing.T) *rush {
	t.Helper()
	b := openBooth(t, 4, 40)
	if b.d.Dialect != db.Postgres {
		t.Skip("COPY is PostgreSQL's")
	}
	proxy, err := wireproxy.TCP(b.d.URL())
	if err != nil {
		t.Fatal(err)
	}
	store, err := db.OpenInventory(t.Context(), dbtest.Open(t, proxy.URL(), db.Options{MaxConns: 2}), 2)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		proxy.Close() // first: the driver goes on hoping for an answer of a silent line for 15 s
		store.Close()
	})
	if err := store.AwaitConnections(t.Context()); err != nil {
		t.Fatal(err)
	}
	chart, err := b.cat.Chart(t.Context(), b.event.ChartID, b.event.ChartVersion)
	if err != nil {
		t.Fatal(err)
	}
	return &rush{booth: b, chart: chart, store: store, proxy: proxy}
}

// presses are of accounts of their own, two seats each.
func presses() []inventory.Command {
	commands := make([]inventory.Command, manyPresses)
	for i := range commands {
		commands[i] = place(id.New(), seatmap.Ordinal(2*i), seatmap.Ordinal(2*i+1))
	}
	return commands
}

// commit is one try. meanwhile runs between what it reads and what it writes.
func (r *rush) commit(commands []inventory.Command, meanwhile func()) error {
	hall := inventory.Hall{Chart: r.chart, Free: func() pick.Bitmap { return nil }}
	return r.store.Commit(r.t.Context(), r.event.ID, inventory.NeedsOf(commands), func(s *inventory.Snapshot) *inventory.Changes {
		meanwhile()
		_, changes := inventory.Decide(hall, s, commands)
		changes.Payload = []byte("what the stream is told")
		return changes
	})
}

func nothing() {}

// holds checks how many presses the database knows of: all their rows, or none of them.
func (r *rush) holds(want int) {
	r.t.Helper()
	for what, sql := range map[string]string{
		"holds":  "select count(*) from hold where event_id = $1 and state = 1 and cardinality(ordinals) = 2 and prices[1] > 0",
		"buyers": "select count(*) from buyer b join hold h on h.hold_id = b.first_hold and b.hold_id = h.hold_id where b.event_id = $1 and b.held = 2",
		"seats":  "select count(*) / 2 from seat s join hold h on h.hold_id = s.owner and s.ordinal = any(h.ordinals) where s.event_id = $1 and s.status = 1 and s.version = 2",
		"listed": "select coalesce(sum(cardinality(holds)), 0)::int8 from hold_due where event_id = $1",
		"outbox": "select count(*) * 40 from outbox where event_id = $1",
	} {
		if got := r.count(sql, [16]byte(r.event.ID)); got != want {
			r.t.Errorf("%d %s, want %d", got, what, want)
		}
	}
}

func TestManyNewRowsAreOneRoundTrip(t *testing.T) {
	r := openRush(t)
	if err := r.commit(presses(), nothing); err != nil {
		t.Fatal(err)
	}
	r.holds(manyPresses)
}

// Whatever becomes of a batch on its way, nothing of it is kept, the engine is told to try again, and it can.
func TestManyNewRowsOnABadLine(t *testing.T) {
	for name, c := range map[string]struct {
		kind  wireproxy.Kind
		nth   int
		fault wireproxy.Fault
		want  error
	}{
		"rows refused":         {wireproxy.Copy, 1, wireproxy.Fault{Deed: wireproxy.Fail, Code: "23505"}, inventory.ErrConflict},
		"last rows refused":    {wireproxy.Copy, 2, wireproxy.Fault{Deed: wireproxy.Fail, Code: "40001"}, inventory.ErrConflict},
		"a statement refused":  {wireproxy.Write, 1, wireproxy.Fault{Deed: wireproxy.Fail, Code: "40001"}, inventory.ErrConflict},
		"cut before rows":      {wireproxy.Copy, 1, wireproxy.Fault{}, inventory.ErrUnavailable},
		"cut between":          {wireproxy.Write, 1, wireproxy.Fault{}, inventory.ErrUnavailable},
		"cut after everything": {wireproxy.Copy, 2, wireproxy.Fault{Point: wireproxy.After}, inventory.ErrUnavailable},
		"silent in the middle": {wireproxy.Write, 1, wireproxy.Fault{Deed: wireproxy.Silence, Point: wireproxy.After}, inventory.ErrUnavailable},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			r := openRush(t)
			script := wireproxy.NewScript(wireproxy.Step{Kind: c.kind, Nth: c.nth, Fault: c.fault})
			r.proxy.Plan(script.Plan)
			commands := presses()
			if err := r.commit(commands, nothing); !errors.Is(err, c.want) {
				t.Fatalf("%v, want %v", err, c.want)
			}
			if script.Done() != 1 {
				t.Fatal("nothing happened to the batch")
			}
			r.holds(0)
			r.again(commands)
			r.holds(manyPresses)
		})
	}
}

// again tries until the rows of a line that was given up are no longer in the way.
func (r *rush) again(commands []inventory.Command) {
	r.t.Helper()
	var err error
	for deadline := time.Now().Add(30 * time.Second); time.Now().Before(deadline); {
		err = r.commit(commands, nothing)
		if err == nil {
			return
		}
		if !errors.Is(err, inventory.ErrConflict) && !errors.Is(err, inventory.ErrUnavailable) {
			break
		}
	}
	r.t.Fatal(err)
}

// Somebody else was faster between what the batch read and what it writes: the guards of a piped batch are those of any.
func TestManyNewRowsAreGuarded(t *testing.T) {
	for name, sql := range map[string]string{
		"a seat was sold":  "update seat set status = 2, owner = gen_random_uuid(), version = version + 1 where event_id = $1 and ordinal = 7 and $2::uuid is not null",
		"a buyer is there": "insert into buyer (event_id, account_id) values ($1, $2)",
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			r := openRush(t)
			commands := presses()
			account := commands[3].(inventory.PlaceHold).Account
			err := r.commit(commands, func() { r.exec(sql, [16]byte(r.event.ID), [16]byte(account)) })
			if !errors.Is(err, inventory.ErrConflict) {
				t.Fatalf("%v, want a conflict", err)
			}
			r.holds(0)
		})
	}
}
