package main

import (
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

func TestSimulateQueueAsJSON(t *testing.T) {
	picture := filepath.Join(t.TempDir(), "queue.svg")
	out, err := call(t, "simulate", "queue", "--fans", "20000", "--minutes", "6", "--inside", "300", "--json", "--picture", picture)
	if err != nil {
		t.Fatal(err)
	}
	var got map[string]any
	if err := json.Unmarshal([]byte(out), &got); err != nil {
		t.Fatal(err)
	}
	for _, key := range []string{"fans", "occupancyMaxPct", "occupancyMinFullPct", "positionErrorMax", "originRequestsPerSecond", "scenario", "signaturesSampled"} {
		if _, ok := got[key]; !ok {
			t.Errorf("%s is not in %s", key, out)
		}
	}
	if text, err := os.ReadFile(picture); err != nil || !strings.HasPrefix(string(text), "<svg") {
		t.Errorf("the picture: %v", err)
	}
}

func TestSimulateQueuePrintsATable(t *testing.T) {
	out, err := call(t, "simulate", "queue", "--fans", "5000", "--minutes", "3", "--inside", "100", "--scenario", "ghosts")
	if err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{"ghosts: 90 %", "5,000  fans", "% at most", "standard errors", "requests/s", "really signed"} {
		if !strings.Contains(out, want) {
			t.Errorf("%q is not in\n%s", want, out)
		}
	}
	list, err := call(t, "simulate", "queue", "--scenario", "list")
	if err != nil || !strings.Contains(list, "ghost-wave") {
		t.Errorf("%v %s", err, list)
	}
}

func TestSimulateRefusesNonsense(t *testing.T) {
	var usage errUsage
	for _, args := range [][]string{{"simulate"}, {"simulate", "rain"}, {"simulate", "queue", "--scenario", "party"}} {
		if _, err := call(t, args...); !errors.As(err, &usage) {
			t.Errorf("%v: %v", args, err)
		}
	}
	if _, err := call(t, "simulate", "queue", "--fans", "0"); err == nil {
		t.Error("a sale without fans runs")
	}
}
