package main

import (
	"encoding/json"
	"errors"
	"strings"
	"testing"

	"plateia/core/sizing"
)

func TestPlanPrintsTheTable(t *testing.T) {
	out, err := call(t, "plan")
	if err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{
		"30,000  orders", "16,667  joins/s", "166,667  requests/s without a queue", "200,000  polls/s", "33.3  admits/s", "50,000  admits ",
		"25  minutes to sell out", "20  orders/s", "40  payments in flight", "10,000  map requests/s", "  edge GB", "  inventory MB",
	} {
		if !strings.Contains(out, want) {
			t.Errorf("%q is not in\n%s", want, out)
		}
	}
}

func TestPlanAsJSON(t *testing.T) {
	out, err := call(t, "plan", "--json", "--fans", "1000000", "--arrival", "60", "--checkout", "2m30s", "--provider-latency", "500ms")
	if err != nil {
		t.Fatal(err)
	}
	var p sizing.Plan
	if err := json.Unmarshal([]byte(out), &p); err != nil {
		t.Fatal(err)
	}
	if p.JoinsPerSecond != 16667 || p.AdmitsPerSecond != 66.7 || p.PaymentsInFlight != 20 {
		t.Errorf("%+v", p)
	}
}

func TestPlanRefusesNonsense(t *testing.T) {
	for _, args := range []string{
		"--fans 0", "--fans -5", "--fans NaN", "--fans 1e99", "--seats 0", "--seats 2.5", "--arrival 0", "--arrival -1s", "--arrival NaN",
		"--arrival 1e300", "--per-order 0.5", "--per-order NaN", "--checkout soon", "--inside 0", "--conversion 0", "--conversion 1.5",
		"--conversion nan", "--conversion -0.1", "--poll 0", "--page-kb -1", "--page-kb Inf", "--provider-latency 0", "--provider-latency 99h", "extra",
	} {
		out, err := call(t, append([]string{"plan"}, strings.Fields(args)...)...)
		var usage errUsage
		if !errors.As(err, &usage) || out != "" {
			t.Errorf("plan %s: %v, want a usage error and no table:\n%s", args, err, out)
		}
	}
	_, err := call(t, "plan", "--conversion", "2", "--fans", "0")
	if err == nil || !strings.Contains(err.Error(), "conversion: 2 is not between") || !strings.Contains(err.Error(), "fans: 0 is not between") {
		t.Errorf("both faults are named at once: %v", err)
	}
}
