package main

import (
	"encoding/json"
	"errors"
	"strings"
	"testing"
	"time"

	"plateia/db/dbtest"
)

// Two regions as processes, one of them killed in the middle of a sale: nothing is lost or sold twice, fans and
// viewers of the dead region go on in the other one.
func TestARegionIsLostInTheMiddleOfASale(t *testing.T) {
	if testing.Short() {
		t.Skip("runs ten processes")
	}
	t.Parallel()
	p, began := takePulse(t), time.Now()
	out, err := call(t, "drill", "failover", "--start", "--data", dataFolder(t), "--database", dbtest.URL(t),
		"--fans", "60", "--arrival", "10s", "--viewers", "24", "--json")
	t.Log(out)
	var r drillResult
	if jsonErr := json.Unmarshal([]byte(out), &r); jsonErr != nil || err != nil && !errors.Is(err, errFailed) {
		t.Fatalf("%v, %v", err, jsonErr)
	}
	stood := time.Since(began) - p.now() // what the machine did not give this process is nobody's being late
	t.Logf("of %v the machine had no time for %v", time.Since(began).Round(time.Millisecond), stood.Round(time.Millisecond))
	r.FirstSaleMs -= float64(stood.Milliseconds())
	r.ViewersBackDecided -= float64(stood.Milliseconds())
	if !r.OK() || r.LostOrders+r.LostHolds+r.DoubleSold+r.MapsWrong > 0 || len(r.Verified.Violations) > 0 {
		t.Errorf("lost or late: %s", out)
	}
	if r.SalesBefore == 0 || r.SalesElse == 0 || r.ViewersCut == 0 || r.DecidedMs == 0 {
		t.Errorf("the drill proves nothing: %s", out)
	}
}

func TestDrillIsToldWhatItNeeds(t *testing.T) {
	for _, args := range [][]string{
		{"drill"}, {"drill", "fire"}, {"drill", "failover", "--data", t.TempDir()},
		{"drill", "failover", "--url", "http://127.0.0.1:1", "--kill", "x"}, {"drill", "failover", "--url", "http://127.0.0.1:1", "--event", "x"}, {"nats"},
	} {
		_, err := call(t, args...)
		var usage errUsage
		if !errors.As(err, &usage) {
			t.Errorf("plateia %s: %v, want a usage error", strings.Join(args, " "), err)
		}
	}
}
