package main

import (
	"encoding/json"
	"testing"
)

// sellOut sells an event of a running program to its last seat: singles, standing places,
// wheelchair places with their companions. The database must agree, and the memory is told.
func sellOut(t *testing.T, url, event, data string) {
	t.Helper()
	out, err := call(t, "rehearse", "--url", url, "--event", event, "--sell-out", "--parallel", "24", "--viewers", "4",
		"--verify", "--data", data, "--json")
	if err != nil {
		t.Fatalf("rehearse: %v\n%s", err, out)
	}
	var r rehearsal
	if err := json.Unmarshal([]byte(out), &r); err != nil {
		t.Fatal(err)
	}
	if r.SeatsLeft != 0 || r.SeatsSold == 0 || r.Tickets != r.SeatsSold || r.DoubleSold != 0 {
		t.Errorf("not sold out, or not once: %s", out)
	}
	if r.Collisions == 0 || r.Bought+r.Refused != r.Fans {
		t.Errorf("fans pressed for the same seats on purpose, and each ended with tickets or a clear no: %s", out)
	}
	if r.PeakBytes < 10e6 || r.OwnPeakBytes < 10e6 {
		t.Errorf("peak memory %d and %d bytes", r.PeakBytes, r.OwnPeakBytes)
	}
	if r.Verified == nil || r.Verified.Rules == 0 || len(r.Verified.Violations) > 0 {
		t.Errorf("verified: %+v", r.Verified)
	}
}
