package eventbench

import (
	"strings"
	"testing"

	"plateia/db/dbtest"
)

// A small run; `plateia bench events` is the large one.
func TestSmallRun(t *testing.T) {
	report, err := Run(t.Context(), Options{Events: 3000, Warm: 10, Seats: 100, Rounds: 2, URL: dbtest.URL(t)})
	if err != nil {
		t.Fatal(err)
	}
	found := map[string]int{}
	for _, s := range report.Searches {
		found[s.Kind] = s.Found
	}
	for kind, want := range map[string]int{"the whole list": 20, "no hit": 0, "two letters nobody has": 0, "a city without its accents": 20, "another alphabet": 20, "a word common only in a year": 20} {
		if found[kind] != want {
			t.Errorf("%s: %d found, want %d", kind, found[kind], want)
		}
	}
	var out strings.Builder
	if err := report.Print(&out); err != nil || !strings.Contains(out.String(), "with 10 warm events of 100 seats") {
		t.Errorf("%v: %s", err, out.String())
	}
}
