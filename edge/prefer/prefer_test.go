package prefer

import "testing"

func TestWeight(t *testing.T) {
	for header, want := range map[string]float64{
		"gzip": 1, "br, GZIP": 1, "gzip;q=0.5": 0.5, "gzip ; Q = 0.25 ,br": 0.25, "gzip;q=0": 0, "gzip;level=9;q=0.5": 0.5, "gzip;q": 1,
		"gzip;q=x": 0, "gzip;q=NaN": 0, "gzip;q=-1": 0, "gzip;q=2": 0, "gzip;q=+Inf": 0,
	} {
		if q, named := Weight(header, "gzip"); !named || q != want {
			t.Errorf("%q: %v, %v, want %v", header, q, named, want)
		}
	}
	for _, header := range []string{"", "*", "x-gzip", "gzip2", ", ;q=1,", "br;gzip"} {
		if _, named := Weight(header, "gzip"); named {
			t.Errorf("%q does not name it", header)
		}
	}
}
