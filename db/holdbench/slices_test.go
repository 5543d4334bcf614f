package holdbench

import (
	"testing"
	"time"

	"plateia/db/dbtest"
)

// A whole run compares in turns: as many slices of each, and the sums are those of the slices.
func TestTurns(t *testing.T) {
	opts := Options{Duration: 300 * time.Millisecond, AtMost: 600, Clients: 40, URL: dbtest.URL(t)}
	report, err := Run(t.Context(), opts, func(line string) { t.Log(line) })
	if err != nil {
		t.Fatal(err)
	}
	if err := report.Print(t.Output()); err != nil {
		t.Fatal(err)
	}
	if len(report.Results) != 8 {
		t.Fatalf("%d results", len(report.Results))
	}
	for i, r := range report.Results {
		if want := map[bool]int{true: turns}[i < 4]; len(r.Slices) != want || r.DoubleSold > 0 {
			t.Errorf("%s with %d clients: %d slices, want %d; %d double sold", r.Mode, r.Clients, len(r.Slices), want, r.DoubleSold)
		}
		if i < 4 && (r.Seconds > opts.Duration.Seconds() || r.Holds > 600) {
			t.Errorf("%s: %d holds counted in %.3f s", r.Mode, r.Holds, r.Seconds)
		}
	}
}

func TestMedianOfTurns(t *testing.T) {
	r := Report{Results: []Result{
		{Mode: Naive, Contention: Spread, HoldsPerSecond: 10, Slices: []float64{10, 5, 20}},
		{Mode: Naive, Contention: Spread, HoldsPerSecond: 9, Slices: []float64{99, 99, 99}},
		{Mode: Engine, Contention: Spread, HoldsPerSecond: 90, Slices: []float64{80, 45, 160}},
		{Mode: Engine, Contention: Spread, HoldsPerSecond: 95},
	}}
	r.finish()
	if r.MedianRatio != 8 || r.MedianHTTPNaive != 0 || r.Ratio != 9 {
		t.Errorf("%+v", r)
	}
}
