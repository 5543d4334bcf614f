package db_test

import (
	"context"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/anishathalye/porcupine"

	"plateia/core/fault"
	"plateia/core/id"
	"plateia/core/inventory"
	"plateia/core/seatmap"
	"plateia/db"
)

// Stores that are broken on purpose: one guard is taken out of the statements, and the same checks that the
// real store passes must catch it, every time. Each test shows both sides: with the guard the same
// meeting of two transactions does no harm.
//
// The statements are CockroachDB's, which find rows by key and not by place, and the level is READ COMMITTED:
// what is left is the guard alone, neither snapshots nor serialization failures help it.

const brokenRuns = 10 // of each; the meeting is arranged, and a hundred of a hundred were caught

// guards are what a test takes out, as it stands in the statements.
const (
	seatGuard  = " and seat.version = u.version - 1"
	buyerGuard = " and buyer.version = u.version - 1"
	holdGuard  = " and version = $3 - 1"
)

// between is a store that calls loaded in each transaction, between what it reads and what it writes.
type between struct {
	inventory.Store
	loaded func()
}

func (b between) Commit(ctx context.Context, event id.ID, needs inventory.Needs, decide func(*inventory.Snapshot) *inventory.Changes) error {
	return b.Store.Commit(ctx, event, needs, func(s *inventory.Snapshot) *inventory.Changes {
		b.loaded()
		return decide(s)
	})
}

// bareBooth sells with a store that has nothing but its guards, less the one given ("": all are there).
func bareBooth(t *testing.T, of *booth, without string, loaded func(), rewrite ...func(string) string) *booth {
	t.Helper()
	if of.d.Dialect == db.Cockroach {
		t.Skip("CockroachDB is SERIALIZABLE: it would do the guard's work")
	}
	b := anotherBooth(t, of.d, of.cat, of.event, func(o *inventory.Options) { o.NoFastRefusal = true })
	b.store.SpeakAs(db.Cockroach)
	b.store.Rewrite(func(sql string) string {
		if strings.HasPrefix(sql, "begin") {
			return "begin isolation level read committed"
		}
		return strings.Replace(sql, without, "", 1)
	})
	for _, change := range rewrite {
		b.store.Rewrite(change)
	}
	b.Inventory = inventory.New(between{b.store, loaded}, b.cat, nil, inventory.Options{NoFastRefusal: true, Patience: time.Minute})
	t.Cleanup(func() {
		if err := b.Stop(context.Background()); err != nil {
			t.Error(err)
		}
	})
	return b
}

// meeting makes two transactions wait for each other once: both have read before either writes.
type meeting struct {
	mu   sync.Mutex
	came int
	both chan struct{}
}

func (m *meeting) reset() {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.came, m.both = 0, make(chan struct{})
}

func (m *meeting) wait() {
	m.mu.Lock()
	both := m.both
	if m.came++; m.came == 2 {
		close(both)
	}
	m.mu.Unlock()
	<-both
}

func (b *booth) chart() *seatmap.Chart {
	b.t.Helper()
	chart, err := b.cat.Chart(b.t.Context(), b.event.ChartID, b.event.ChartVersion)
	if err != nil {
		b.t.Fatal(err)
	}
	return chart
}

// verdict is what the two checks say of a history.
func (b *booth) verdict(acts []act, most int) (seats, accounts bool) {
	begun := acts[0].called.Add(-time.Second)
	history, _ := seatHistory(b.chart(), acts, begun, 0)
	seats = porcupine.CheckOperations(seatModel, history)
	later := func(at time.Time) time.Time { return at.Add(time.Minute) }
	return seats, porcupine.CheckOperations(accountModel(most), accountHistory(acts, begun, later))
}

// atOnce performs one command at each booth; both load before either writes.
func atOnce(m *meeting, booths [2]*booth, commands [2]inventory.Command) []act {
	m.reset()
	acts := make([]act, 2)
	var both sync.WaitGroup
	for i := range acts {
		both.Go(func() { acts[i] = booths[i].perform(i, commands[i]) })
	}
	both.Wait()
	return acts
}

// Case 3: the guard is the seat's own, whoever asks.
func TestWithoutTheSeatGuardASeatIsHeldTwice(t *testing.T) {
	for name, without := range map[string]string{"with it": "", "without it": seatGuard} {
		t.Run(name, func(t *testing.T) {
			one, m := openBooth(t, 1, brokenRuns), &meeting{}
			booths := [2]*booth{bareBooth(t, one, without, m.wait), bareBooth(t, one, without, m.wait)}
			for run := range seatmap.Ordinal(brokenRuns) {
				acts := atOnce(m, booths, [2]inventory.Command{place(id.New(), run), place(id.New(), run)})
				won := countCode(acts, "")
				seats, _ := one.verdict(acts, 6)
				if seats != (without == "") || won != map[bool]int{true: 1, false: 2}[without == ""] {
					t.Fatalf("run %d: %d have the seat, and the check says %v", run, won, seats)
				}
			}
		})
	}
}

func countCode(acts []act, code fault.Code) (n int) {
	for _, a := range acts {
		if a.code() == code {
			n++
		}
	}
	return n
}

func TestWithoutTheBuyerGuardTheLimitIsBroken(t *testing.T) {
	for name, without := range map[string]string{"with it": "", "without it": buyerGuard} {
		t.Run(name, func(t *testing.T) {
			one, m := openBooth(t, brokenRuns, 8), &meeting{}
			one.exec(`update event set rules = rules || '{"maxPerAccount": 4}'::jsonb`)
			booths := [2]*booth{bareBooth(t, one, without, m.wait), bareBooth(t, one, without, m.wait)}
			for run := range brokenRuns {
				fan, first := id.New(), seatmap.Ordinal(8*run)
				h := one.must(place(fan, first)).Hold // a buyer row that two can change
				one.must(inventory.Release{Account: fan, Hold: h.ID})
				acts := atOnce(m, booths, [2]inventory.Command{place(fan, first+1, first+2, first+3), place(fan, first+4, first+5, first+6)})
				for i, a := range acts {
					if a.err == nil {
						acts = append(acts, one.perform(i, inventory.StartPayment{
							Account: fan, Hold: a.out.Hold.ID, Order: id.New(), Attempt: id.New(), Provider: "sandbox",
						}))
					}
				}
				paying := countCode(acts[2:], "")
				_, accounts := one.verdict(acts, 4)
				if accounts != (without == "") || paying != map[bool]int{true: 1, false: 2}[without == ""] {
					t.Fatalf("run %d: %d holds of one fan are being paid for, and the check says %v", run, paying, accounts)
				}
			}
		})
	}
}

// The owner asks for more time at the last moment, the next buyer comes a moment after it: the owner's transaction
// has read a hold that lives, and writes when the seat is somebody else's. Clocks are the engines' alone.
func TestWithoutTheHoldsVersionExtendBringsBackTheDead(t *testing.T) {
	clock := func(ahead string) func(string) string {
		return func(sql string) string { return strings.ReplaceAll(sql, "now()", "(now() + interval '"+ahead+"')") }
	}
	for name, without := range map[string]string{"with it": "", "without it": holdGuard} {
		t.Run(name, func(t *testing.T) {
			one := openBooth(t, 1, brokenRuns)
			var taken func()
			var once *sync.Once
			owner := bareBooth(t, one, without, func() { once.Do(taken) }, clock("6 minutes"))
			taker := bareBooth(t, one, without, func() {}, clock("7 minutes 5 seconds"))
			for run := range seatmap.Ordinal(brokenRuns) {
				acts := []act{one.perform(0, place(id.New(), run))}
				h := acts[0].out.Hold
				var took act
				once, taken = &sync.Once{}, func() { took = taker.perform(1, place(id.New(), run)) }
				extended := owner.perform(0, inventory.Extend{Account: h.Account, Hold: h.ID})
				seats, _ := one.verdict(append(acts, took, extended), 6)
				wantExtend := map[bool]fault.Code{true: fault.HoldGone, false: ""}[without == ""]
				if seats != (without == "") || took.err != nil || extended.code() != wantExtend {
					t.Fatalf("run %d: taken %v, extended %v, and the check says %v", run, took.err, extended.err, seats)
				}
			}
		})
	}
}
