package db_test

import (
	"testing"
	"time"

	"plateia/core/event"
	"plateia/core/id"
	"plateia/core/inventory"
	"plateia/core/seatmap"
	"plateia/db"
	"plateia/db/dbtest"
)

// sellingStadium is the demo stadium with a fifth of its seats sold and others held.
func sellingStadium(t testing.TB) (*db.DB, event.Event) {
	t.Helper()
	d := dbtest.New(t)
	spec := seatmap.Stadium()
	spec.ID = id.New()
	chart, err := seatmap.Build(spec)
	if err != nil {
		t.Fatal(err)
	}
	e := dbtest.OnSale(t, db.NewCatalog(d), chart)
	exec(t, d, "update seat set status = 2, owner = gen_random_uuid(), version = 3 where ordinal % 5 = 0",
		"update seat set status = 1, owner = gen_random_uuid(), version = 2 where ordinal % 7 = 3 and status = 0")
	return d, e
}

// warmStart is the first availability of a process that knows nothing: event, chart and seats
// come from the database. The sale goes on meanwhile.
func warmStart(t testing.TB, url string, e event.Event) (*inventory.Availability, time.Duration) {
	t.Helper()
	d := dbtest.Open(t, url, db.Options{})
	store, err := db.OpenInventory(t.Context(), d, 2)
	if err != nil {
		t.Fatal(err)
	}
	defer store.Close()
	inv := inventory.New(store, db.NewCatalog(d), nil, inventory.Options{})
	began := time.Now()
	now, err := inv.Availability(t.Context(), e.ID)
	took := time.Since(began)
	if err == nil {
		err = inv.Stop(t.Context())
	}
	if err != nil {
		t.Fatal(err)
	}
	return now, took
}

func TestAStadiumIsWarmAtOnceAfterARestart(t *testing.T) {
	d, e := sellingStadium(t)
	const limit = 30 * time.Second // under a second on two quiet cores; BenchmarkWarmStart says
	best := time.Hour
	for tries := 0; tries < 3 && best > limit; tries++ {
		now, took := warmStart(t, d.URL(), e)
		best = min(best, took)
		free, changes := 0, uint64(0)
		for o := range seatmap.Ordinal(e.Capacity) {
			want := byte(0)
			switch {
			case o%5 == 0:
				want, changes = 2, changes+2
			case o%7 == 3:
				want, changes = 1, changes+1
			default:
				free++
			}
			if got := now.Statuses[o/4] >> (2 * (o % 4)) & 3; got != want {
				t.Fatalf("seat %d has status %d, want %d", o, got, want)
			}
		}
		total := 0
		for _, n := range now.Free {
			total += n
		}
		if total != free || now.Offset != changes || now.Epoch != 1 {
			t.Fatalf("%d free at offset %d, want %d at %d", total, now.Offset, free, changes)
		}
	}
	t.Logf("first availability of %d seats: %v", e.Capacity, best)
	if best > limit {
		t.Errorf("a stadium took %v to be warm", best)
	}
}

// BenchmarkWarmStart is how long a fan waits who is the first to ask after a restart.
func BenchmarkWarmStart(b *testing.B) {
	d, e := sellingStadium(b)
	for b.Loop() {
		_, took := warmStart(b, d.URL(), e)
		b.ReportMetric(float64(took.Milliseconds()), "ms/answer")
	}
}
