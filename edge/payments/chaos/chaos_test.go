package chaos_test

import (
	"context"
	"math/rand/v2"
	"sync"
	"testing"
	"time"

	"plateia/core/id"
	"plateia/edge/payments/sandbox"
)

// betweenChargeAndCommit is the moment that counts.
const betweenChargeAndCommit = "killed between charge and commit"

// patience is with what must come to an end, on a machine that has other things to do.
const patience = 3 * time.Minute

// size of a run.
type size struct{ orders, kills, waves, fans int }

// TestPaymentsThroughChaos sells through two banks with every fault while the process is killed between charge and
// commit, and then asks both sides of every payment whether money and tickets agree.
func TestPaymentsThroughChaos(t *testing.T) {
	if testing.Short() {
		t.Skip("starts a database and a process, and kills that")
	}
	run := size{orders: 300, kills: 3, waves: 2, fans: 48}
	if *full {
		run = size{orders: *orders, kills: 20, waves: 8, fans: 160}
	}
	chosen := *seed
	if chosen == 0 {
		chosen = rand.Uint64N(1_000_000) //nolint:gosec // faults are no secret
	}
	t.Logf("seed %d", chosen)
	a := openArena(t, chosen, 2*run.orders)
	began := time.Now()
	a.sell(run)
	sold := time.Since(began)
	round := a.reconcile()
	a.noMoneyAlone()
	a.close()
	a.judge()
	t.Logf("closing table\n%s", a.table(run, sold, round))
	if n := a.report.get(betweenChargeAndCommit); n < run.kills {
		t.Errorf("killed %d times between charge and commit, want %d", n, run.kills)
	}
	if *full {
		a.wantEveryFault()
	}
}

// sell lets fans and the killer loose, wave by wave. Between two waves the time to pay passes, so that the seats of
// payments that are late, abandoned or undecided are sold again.
func (a *arena) sell(run size) {
	ctx, cancel := context.WithTimeout(a.t.Context(), 20*time.Minute)
	defer cancel()
	watching, stop := context.WithCancel(ctx)
	var beside sync.WaitGroup
	beside.Go(func() { a.watch(watching) })
	beside.Go(func() { a.strike(watching, run) })
	enough := func(wave int) bool { // of the kills, some come just too late: then there are more waves
		return wave >= run.waves && a.report.get(betweenChargeAndCommit) >= run.kills || wave == 3*run.waves
	}
	for wave := 0; !enough(wave); wave++ {
		a.target.Store(int64(run.orders * (wave + 1) / run.waves))
		var all sync.WaitGroup
		for n := range run.fans {
			all.Go(a.fanOf(ctx, wave*run.fans+n))
		}
		all.Wait()
		a.setAhead(ctx, expire)
		a.eventually("the wave's payments end", patience, func() bool {
			return a.count(`select count(*) from attempt where status in ('CREATED', 'PENDING', 'UNKNOWN')`) == 0
		})
		a.setAhead(ctx, 0)
		a.t.Logf("wave %d: %d orders, %d kills", wave+1, a.placed.Load(), a.report.get(betweenChargeAndCommit))
	}
	stop()
	beside.Wait()
	select {
	case err := <-a.fatal:
		a.t.Fatal(err)
	default:
	}
}

func (a *arena) fanOf(ctx context.Context, n int) func() {
	f := a.fan(n)
	return func() { f.run(ctx) }
}

// strike kills the process in the middle of payments, evenly over the run.
func (a *arena) strike(ctx context.Context, run size) {
	dead := make(chan string)
	a.ambush.kill = func(reference string) {
		a.process.kill()
		dead <- reference
	}
	for done := 0; done < run.kills; {
		for a.placed.Load() < int64(run.orders*(done+1)/(run.kills+2)) && ctx.Err() == nil {
			pause(ctx, 20*time.Millisecond)
		}
		a.ambush.armed.Store(true)
		select {
		case <-ctx.Done():
			if !a.ambush.armed.CompareAndSwap(true, false) { // it has struck just now
				<-dead
				a.spawn()
			}
			return
		case reference := <-dead:
			if a.uncommitted(reference) {
				a.report.count(betweenChargeAndCommit)
				done++
			} else {
				a.report.count("killed just after the commit")
			}
			a.spawn()
		}
	}
}

func (a *arena) spawn() {
	if err := a.process.spawn(); err != nil {
		select {
		case a.fatal <- err:
		default:
		}
	}
}

// uncommitted reports whether money that a bank has taken is not in our book.
func (a *arena) uncommitted(reference string) bool {
	var status string
	err := a.truth.Pool().QueryRow(context.Background(), `select status from attempt where reference = $1`, reference).Scan(&status)
	return err != nil || status != "CAPTURED"
}

// reconcile is one round of reconciliation, long after the sale, and how long it took.
func (a *arena) reconcile() time.Duration {
	a.setAhead(a.t.Context(), 25*time.Minute)
	pause(a.t.Context(), time.Second) // the last money comes
	began := time.Now()
	a.eventually("every payment has an end", patience, func() bool {
		return a.count(`select count(*) from attempt where status in ('CREATED', 'PENDING', 'UNKNOWN')`) == 0 && a.missingHere() == 0
	})
	if n := a.missingHere(); n > 0 {
		a.t.Errorf("%d charges are not in our book", n)
	}
	return time.Since(began)
}

// close lets time pass until every refund has ended, and an operator decide what only a person can.
func (a *arena) close() {
	ctx := a.t.Context()
	for _, order := range a.ids(`select order_id from orders where status = 'REVIEW'`) {
		if t, err := a.process.ask(ctx, "/refund", ask{Order: order}); err != nil || t.Code != "" {
			a.t.Errorf("resolving %s: %v %s", order, err, t.Text)
		}
		a.report.count("decided by an operator")
	}
	for round := time.Duration(3); round < 30; round++ {
		ahead := round * 11 * time.Minute
		a.setAhead(ctx, ahead)
		now := time.Now().Add(ahead)
		a.eventually("what is due is done", patience, func() bool {
			return a.count(`select count(*) from refund where status in ('REQUESTED', 'PENDING') and next_try_at <= $1
				or recheck_at is not null and recheck_at <= $1`, now) == 0
		})
		if a.count(`select count(*) from refund where status <> 'DONE'`) == 0 && len(a.differences()) == 0 {
			return
		}
	}
	a.t.Errorf("refunds do not end: %v", a.texts(`select status || ' round ' || round || ' ' || reason from refund where status <> 'DONE' limit 10`))
}

func (a *arena) eventually(what string, within time.Duration, is func() bool) {
	a.t.Helper()
	for deadline := time.Now().Add(within); !is(); pause(a.t.Context(), 100*time.Millisecond) {
		if time.Now().After(deadline) {
			a.t.Errorf("not within %v: %s", within, what)
			return
		}
	}
}

// wantEveryFault makes sure that a long run has met everything.
func (a *arena) wantEveryFault() {
	done := a.faults()
	for _, f := range sandbox.Faults() {
		if done[string(f)] == 0 {
			a.t.Errorf("%s never happened", f)
		}
	}
}

func (a *arena) ids(sql string) (out []id.ID) {
	for _, text := range a.texts("select order_id::text from (" + sql + ") x") {
		v, err := id.Parse(text)
		if err != nil {
			a.t.Fatal(err)
		}
		out = append(out, v)
	}
	return out
}
