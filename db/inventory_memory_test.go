package db_test

import (
	"errors"
	"math/rand/v2"
	"sync"
	"testing"
	"time"

	"plateia/core/fault"
	"plateia/core/id"
	"plateia/core/inventory"
	"plateia/core/seatmap"
	"plateia/db"
)

// commitKnown holds seats on rows that are not loaded.
func (b *booth) commitKnown(known ...inventory.Seat) error {
	p := place(id.New())
	for _, seat := range known {
		p.Seats = append(p.Seats, seat.Ordinal)
	}
	needs := inventory.NeedsOf([]inventory.Command{p})
	needs.Seats, needs.Known = nil, known
	return b.store.Commit(b.t.Context(), b.event.ID, needs, func(s *inventory.Snapshot) *inventory.Changes {
		_, changes := inventory.Decide(inventory.Hall{}, s, []inventory.Command{p})
		changes.Payload = []byte{0}
		return changes
	})
}

func (b *booth) freeSeats() map[seatmap.Ordinal]inventory.Seat {
	b.t.Helper()
	free := map[seatmap.Ordinal]inventory.Seat{}
	err := b.store.FreeSeats(b.t.Context(), b.event.ID, func(s inventory.Seat) { free[s.Ordinal] = s })
	if errors.Is(err, errors.ErrUnsupported) {
		b.t.Skip("rows have no places here")
	}
	if err != nil {
		b.t.Fatal(err)
	}
	return free
}

// CockroachDB's rows have no places: nothing is read that could not be remembered.
func TestFreeSeatsWithoutPlacesAreNotRead(t *testing.T) {
	b := openBooth(t, 1, 10)
	b.store.SpeakAs(db.Cockroach)
	err := b.store.FreeSeats(t.Context(), b.event.ID, func(inventory.Seat) { t.Error("a seat was read") })
	if !errors.Is(err, errors.ErrUnsupported) {
		t.Error(err)
	}
}

// A remembered row is written only if it is still that seat at that version, wherever it is.
func TestRememberedRowsAreGuarded(t *testing.T) {
	b := openBooth(t, 1, 10)
	b.exec("update seat set channel = 7 where ordinal = 8")
	old := b.freeSeats()
	if len(old) != 9 {
		t.Fatalf("%d seats are free and public", len(old))
	}
	elsewhere := old[1]
	if elsewhere.Place = old[2].Place; b.d.Dialect == db.Postgres {
		if err := b.commitKnown(elsewhere); !errors.Is(err, inventory.ErrConflict) {
			t.Errorf("another seat's place: %v", err)
		}
	}
	b.must(place(id.New(), 3))
	if err := b.commitKnown(old[3]); !errors.Is(err, inventory.ErrConflict) {
		t.Errorf("a seat that was taken meanwhile: %v", err)
	}
	if err := b.commitKnown(old[4], old[3]); !errors.Is(err, inventory.ErrConflict) {
		t.Errorf("one of two: %v", err)
	}
	if err := b.commitKnown(old[4], old[5]); err != nil {
		t.Errorf("two free seats: %v", err)
	}
	if n := b.count("select count(*) from seat where status = 1"); n != 3 {
		t.Errorf("%d seats are held", n)
	}
}

// Two processes that both keep the event in memory sell it out: every seat once, whatever they remember wrongly.
// Ending a hold frees its seats also where one of them is remembered as free, from before it was held.
func TestEndingAHoldRestsOnNoMemory(t *testing.T) {
	b := openBooth(t, 1, 10)
	old := b.freeSeats()
	hold := b.must(place(id.New(), 3, 5)).Hold
	release := inventory.Release{Account: hold.Account, Hold: hold.ID}
	needs := inventory.NeedsOf([]inventory.Command{release})
	needs.Known = []inventory.Seat{old[3]}
	err := b.store.Commit(t.Context(), b.event.ID, needs, func(s *inventory.Snapshot) *inventory.Changes {
		_, changes := inventory.Decide(inventory.Hall{}, s, []inventory.Command{release})
		changes.Payload = []byte{0}
		return changes
	})
	if !errors.Is(err, inventory.ErrConflict) {
		t.Errorf("the batch was kept: %v", err)
	}
	b.must(release)
	if n := b.count("select count(*) from seat where status = 1"); n != 0 {
		t.Errorf("%d seats are lost", n)
	}
}

func TestTwoMemoriesSellOut(t *testing.T) {
	const rows, seats = 20, 25
	booths := twoBooths(t, rows, seats, func(o *inventory.Options) { o.RushCommands = 1 })
	var all sync.WaitGroup
	for i := range 32 {
		all.Go(func() {
			for _, n := range rand.Perm(rows * seats / 2) {
				_, err := booths[(i+n)%2].do(place(id.New(), seatmap.Ordinal(2*n), seatmap.Ordinal(2*n+1)))
				if err != nil && fault.CodeOf(err) != fault.SeatTaken {
					t.Errorf("pair %d: %v", n, err)
				}
			}
		})
	}
	all.Wait()
	b := booths[0]
	if held, holds := b.count("select count(*) from seat where status = 1"), b.count("select count(*) from hold"); held != rows*seats || holds != rows*seats/2 {
		t.Errorf("%d seats held by %d holds", held, holds)
	}
	if report, err := b.d.Verify(t.Context(), b.event.ID, db.VerifyOptions{Publish: time.Hour}); err != nil || len(report.Violations) > 0 {
		t.Errorf("verify: %v, %v", report.Violations, err)
	}
}
