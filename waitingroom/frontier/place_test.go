package frontier

import (
	"math"
	"math/rand/v2"
	"testing"
	"time"

	"pgregory.net/rapid"

	"plateia/waitingroom/draw"
)

func TestPlacesAreWithinTheirStandardErrors(t *testing.T) {
	const fans = 100_000
	random := rand.New(rand.NewPCG(1, 2))
	ranks := make([]draw.Rank, fans)
	for i := range ranks {
		ranks[i] = draw.Rank(random.Uint64())
	}
	d := next(t, drawn(fans), time.Second, move(fans/10))
	for _, u := range []float64{0.101, 0.2, 0.5, 0.999} {
		truth := 0.0
		for _, r := range ranks {
			if r >= d.Frontiers.Lottery[0] && r < draw.RankAt(u) {
				truth++
			}
		}
		p, ok := d.Place(lottery(u))
		if !ok || math.Abs(p.Ahead-truth) > 4*p.StandardError || p.StandardError > math.Sqrt(fans)/2 {
			t.Errorf("at %v: %+v, truly %v ahead", u, p, truth)
		}
	}
}

func TestThePlaceOfALateFan(t *testing.T) {
	d := drawn(1000)
	d.Line.Late = Arrivals{}.With(onSale.Unix(), 0).With(onSale.Unix()+10, 1000).With(onSale.Unix()+20, 1100)
	p, _ := d.Place(late(5, 0.5))
	if math.Abs(p.Ahead-1550) > 1 || p.StandardError < 4 || p.StandardError > 6 {
		t.Errorf("%+v", p)
	}
	d = next(t, d, time.Second, move(1200))
	if p, _ := d.Place(late(5, 0.5)); math.Abs(p.Ahead-350) > 1 {
		t.Errorf("the frontier is at %+v: %+v", d.Frontiers.Late, p)
	}
}

func TestTheTimeIsARangeFromThePaceOfTheLastMinutes(t *testing.T) {
	d := drawn(100_000)
	if _, ok := (&Document{Event: testEvent, Epoch: 1}).Place(lottery(0.5)); ok {
		t.Error("a place before the draw")
	}
	if p, ok := d.Place(lottery(0.5)); !ok || p.High != 0 {
		t.Errorf("nothing moved, and the time is known: %+v", p)
	}
	for range 300 {
		d = next(t, d, time.Second, move(20))
	}
	p, _ := d.Place(lottery(0.5))
	likely := time.Duration((50_000 - 6000) / 20 * float64(time.Second))
	if p.Low >= likely || p.High <= likely || p.High > 2*likely {
		t.Errorf("%+v, likely %v", p, likely)
	}
	if p, _ := d.Place(lottery(0.01)); p.Ahead != 0 || p.High != 0 {
		t.Errorf("behind the frontier: %+v", p)
	}
}

func TestArrivalsStayShortAndTrue(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		var a Arrivals
		count := int64(0)
		for s := range int64(600) {
			a = a.With(onSale.Unix()+s, count)
			count += 2000/(s+1) + int64(rapid.IntRange(0, 3).Draw(t, "more"))
		}
		if len(a) > maxArrivals || a.upTo(float64(onSale.Unix()+599)) != float64(a[len(a)-1].Count) {
			t.Fatalf("%d points", len(a))
		}
		for i := 0.0; i < float64(count); i += 97 {
			at := a.At(i)
			if back := a.Before(at); at.Second < onSale.Unix()+599 && math.Abs(back-i) > 0.01 {
				t.Fatalf("%v tickets are before %+v, and before that are %v", i, at, back)
			}
		}
		if again := a.With(onSale.Unix(), 5); len(again) != len(a) {
			t.Error("time went back")
		}
	})
}

// Whoever comes late comes with a long thin tail. The curve is as good there as in the rush, or the frontier would move
// over fewer fans than it thinks just when the last ones are called.
func TestTheArrivalsOfAThinTailStayTrue(t *testing.T) {
	const fans, mean = 400_000, 240.0
	truth := make([]int64, 2900)
	var a Arrivals
	for s := range truth {
		truth[s] = int64(fans * (1 - math.Exp(-float64(s)/mean)))
		a = a.With(onSale.Unix()+int64(s), truth[s])
	}
	for s, want := range truth {
		if off := math.Abs(a.upTo(float64(onSale.Unix()+int64(s))) - float64(want)); off > fans/2000 {
			t.Fatalf("at second %d the curve is off by %.0f of %d", s, off, want)
		}
	}
}
