package event

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"
)

func TestDistances(t *testing.T) {
	for _, c := range []struct{ lat1, lon1, lat2, lon2, km float64 }{
		{-23.5505, -46.6333, -22.9068, -43.1729, 361}, // São Paulo, Rio
		{51.5074, -0.1278, 48.8566, 2.3522, 344},      // London, Paris
		{-16.85, -179.9, -16.85, 179.9, 21.3},         // across the date line
		{0, 0, 0, 180, math.Pi * earthKm}, {10, 20, 10, 20, 0},
	} {
		if km := DistanceKm(c.lat1, c.lon1, c.lat2, c.lon2); math.Abs(km-c.km) > 1 {
			t.Errorf("%v: %.1f km", c, km)
		}
	}
	if _, ok := (Area{Km: 5}).Distance(Venue{}); ok {
		t.Error("an unknown place is somewhere")
	}
}

// Whatever is within an area lies in one of its cells.
func TestAnAreasCellsCoverIt(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	for range 3000 {
		area := Area{Latitude: rng.Float64()*180 - 90, Longitude: rng.Float64()*360 - 180, Km: 1 + rng.IntN(MaxKm)}
		cells := area.Cells()
		if len(cells) == 0 || len(cells) > 8*360 || cells[0] < 0 || cells[len(cells)-1] >= 180*360 {
			t.Fatalf("%v has cells %v", area, cells)
		}
		// a point somewhere around, in any direction
		far, towards := rng.Float64()*float64(area.Km)/earthKm, rng.Float64()*2*math.Pi
		lat, lon := area.Latitude*math.Pi/180, area.Longitude*math.Pi/180
		lat2 := math.Asin(math.Sin(lat)*math.Cos(far) + math.Cos(lat)*math.Sin(far)*math.Cos(towards))
		lon2 := lon + math.Atan2(math.Sin(towards)*math.Sin(far)*math.Cos(lat), math.Cos(far)-math.Sin(lat)*math.Sin(lat2))
		if p, q := lat2*180/math.Pi, math.Mod(lon2*180/math.Pi+540, 360)-180; !slices.Contains(cells, Cell(p, q)) {
			t.Fatalf("%v does not cover %.3f, %.3f", area, p, q)
		}
	}
}
