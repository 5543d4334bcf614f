package chaos_test

import (
	"context"
	"math/rand/v2"
	"sync"
	"testing"
	"time"

	"plateia/core/id"
	"plateia/db"
)

const clients = 64

// sweepEvery is the engines' default.
const sweepEvery = time.Second

// TestChaos sells an event to the last seat while everything breaks, and then asks the database and every client
// whether a seat was sold twice, an answer was a lie, somebody got too much, or a hold was forgotten.
func TestChaos(t *testing.T) {
	rows, rounds, slack := 8, 1, 30*time.Second // a busy machine may stand still; a hold that is forgotten stays for good
	if *full {
		rows, rounds, slack = 100, 2, 0
	}
	if testing.Short() {
		t.Skip("starts a database and two processes, and breaks them")
	}
	chosen := *seed
	if chosen == 0 {
		chosen = rand.Uint64N(1_000_000) //nolint:gosec // faults are no secret
	}
	t.Logf("seed %d", chosen)
	a := openArena(t, chosen, rows, 50)
	began := time.Now()
	a.sell(t, rounds)
	took := time.Since(began)
	a.calm()
	stuck := a.stuck()
	t.Logf("closing table\n%s", a.report.table(a, took, stuck))
	if limit := sweepEvery + 2*time.Second + slack; stuck > limit {
		t.Errorf("a dead hold kept its seats for %v, longer than %v", stuck, limit)
	}
	a.judge(t)
}

// sell lets fans and storm loose until the last seat is sold.
func (a *arena) sell(t *testing.T, rounds int) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), 8*time.Minute)
	defer cancel()
	var all sync.WaitGroup
	all.Go(func() {
		if a.watch(ctx); !a.soldOut() {
			t.Errorf("%d seats are unsold", a.unsold.Load())
			close(a.over)
		}
	})
	all.Go(func() {
		if err := a.storm(rounds); err != nil {
			t.Error(err)
		}
	})
	for n := range clients {
		all.Go(a.fan(n).run)
	}
	all.Wait()
}

// judge compares.
func (a *arena) judge(t *testing.T) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), 2*time.Minute)
	defer cancel()
	for _, event := range []id.ID{a.show.ID, a.side.ID} {
		found, err := a.truth.Verify(ctx, event, db.VerifyOptions{Sweep: 2 * time.Second, Publish: 24 * time.Hour})
		if err != nil {
			t.Fatal(err)
		}
		for _, v := range found.Violations {
			t.Errorf("verify: %v", v)
		}
		if event == a.show.ID && (found.Counts["sold"] != int64(a.seats) || found.Counts["validTickets"] != int64(a.seats) || found.Counts["liveHolds"] != 0) {
			t.Errorf("of %d seats: %v", a.seats, found.Counts)
		}
	}
	for i, lie := range a.compare(ctx) {
		if t.Errorf("%s", lie); i == 20 {
			t.Fatal("and more")
		}
	}
}
