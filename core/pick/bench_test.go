package pick

import (
	"math/rand/v2"
	"testing"
	"time"

	"plateia/core/event"
	"plateia/core/seatmap"
)

var stadiumPrices = []int64{18000, 12000, 8000, 6000, 4500}

// worst are sets that are hard for one level each.
func hardSets(c *seatmap.Chart) map[string]Bitmap {
	random := rand.New(rand.NewPCG(1, 2))
	sparse := func(share float64) Bitmap {
		b := NewBitmap(c.Seats())
		for o := range seatmap.Ordinal(c.Seats()) {
			if random.Float64() < share {
				b.Add(o)
			}
		}
		return b
	}
	singles := FullBitmap(c.Seats())
	for i := range singles {
		singles[i] &= 0x5555555555555555
	}
	last := NewBitmap(c.Seats())
	for _, o := range []seatmap.Ordinal{5, 31_000, 65_000} {
		last.Add(o)
	}
	return map[string]Bitmap{
		"full": FullBitmap(c.Seats()), "half": sparse(0.5), "tenth": sparse(0.1),
		"hundredth": sparse(0.01), "singles": singles, "three": last,
	}
}

func BenchmarkBest(b *testing.B) {
	c, err := seatmap.Build(seatmap.Stadium())
	if err != nil {
		b.Fatal(err)
	}
	for name, free := range hardSets(c) {
		for _, query := range []struct {
			name string
			Query
		}{{"1", Query{Quantity: 1}}, {"2", Query{Quantity: 2}}, {"4", Query{Quantity: 4}}, {"10", Query{Quantity: 10}},
			{"4accessible", Query{Quantity: 4, Accessible: true}}} {
			for _, mode := range []event.OrphanMode{event.OrphanOff, event.OrphanStrict, event.OrphanLenient} {
				b.Run(name+"/"+query.name+"/"+string(mode), func(b *testing.B) {
					b.ReportAllocs()
					for b.Loop() {
						BestUnder(c, free, stadiumPrices, query.Query, Rules{Orphans: mode})
					}
				})
			}
		}
	}
}

// TestBestIsFast keeps every hard question far from the time a batch may take. The
// limit leaves room for the race detector; the benchmark has the real figures. On
// a busy machine a question is asked until it was answered without a pause.
func TestBestIsFast(t *testing.T) {
	c, err := seatmap.Build(seatmap.Stadium())
	if err != nil {
		t.Fatal(err)
	}
	for name, free := range hardSets(c) {
		for n := 1; n <= MaxParty; n++ {
			best := time.Hour
			for began := time.Now(); best > 30*time.Millisecond && time.Since(began) < 20*time.Second; {
				start := time.Now()
				Best(c, free, stadiumPrices, Query{Quantity: n})
				best = min(best, time.Since(start))
			}
			if best > 30*time.Millisecond {
				t.Errorf("%s, party of %d: %v", name, n, best)
			}
		}
	}
}
