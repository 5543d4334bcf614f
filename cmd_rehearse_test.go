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

func TestChaosRateMayStandAlone(t *testing.T) {
	for text, want := range map[string]float64{"--chaos": 0.05, "--chaos=0.2": 0.2, "--chaos=0": 0} {
		var rate float64
		flags := newFlags(testEnv(nil), "x")
		flags.Var((*chaosRate)(&rate), "chaos", "")
		if err := flags.parse([]string{text}); err != nil || rate != want {
			t.Errorf("%s: %v, %v", text, rate, err)
		}
	}
	for _, bad := range []string{"--chaos=2", "--chaos=-1", "--chaos=much"} {
		var rate float64
		flags := newFlags(testEnv(nil), "x")
		flags.Var((*chaosRate)(&rate), "chaos", "")
		if err := flags.parse([]string{bad}); err == nil {
			t.Errorf("%s was taken", bad)
		}
	}
	if _, err := chaosBanks("http://127.0.0.1:1", t.TempDir(), ""); err == nil {
		t.Error("a folder without keys was taken")
	}
}
