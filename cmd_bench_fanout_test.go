package main

import (
	"io"
	"strings"
	"testing"
)

func TestFanoutRefusesWhatCannotBeMeasured(t *testing.T) {
	for args, want := range map[string]string{
		"--viewers 0":                          "--viewers",
		"--viewers 20000":                      "19,000 for each gateway",
		"--viewers 40000 --gateways 2":         "19,000 for each gateway",
		"--events 0":                           "--events",
		"--rate -1":                            "--rate",
		"--seconds -1":                         "--seconds",
		"--gateways 0":                         "--gateways",
		"--overview 2":                         "--overview",
		"--centrifugo localhost:8000":          "http://",
		"--centrifugo http://a --overview 0.5": "no summaries",
		"100":                                  "not a flag",
	} {
		err := run(t.Context(), env{io.Discard, io.Discard, func(string) string { return "" }}, append([]string{"bench", "fanout"}, strings.Fields(args)...))
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v, want %q", args, err, want)
		}
	}
}
