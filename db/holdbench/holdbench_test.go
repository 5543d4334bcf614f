package holdbench

import (
	"testing"
	"time"

	"plateia/db/dbtest"
)

// A short run of everything: the figures mean nothing here, the counts do.
func TestRun(t *testing.T) {
	for _, mode := range []string{Engine, Naive} {
		t.Run(mode, func(t *testing.T) {
			before := expectAtMost[mode]
			expectAtMost[mode] = 1000
			defer func() { expectAtMost[mode] = before }()
			report, err := Run(t.Context(), Options{Mode: mode, Clients: 8, Duration: 300 * time.Millisecond, URL: dbtest.URL(t)}, nil)
			if err != nil {
				t.Fatal(err)
			}
			if r := report.Results[0]; r.DoubleSold != 0 || r.Errors != 0 || r.Holds == 0 {
				t.Fatalf("%+v", r)
			}
			if err := report.Print(t.Output()); err != nil {
				t.Fatal(err)
			}
		})
	}
}
