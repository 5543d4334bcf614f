package main

import (
	"plateia/edge/line"
	"plateia/edge/metrics"
)

// lineSamples are what this process knows of the waiting room: how entries and claims ended, and whether its keys are well.
func (h *house) lineSamples() []metrics.Sample {
	var out []metrics.Sample
	by := func(name, help string, counts map[string]int64) {
		for outcome, n := range counts {
			out = append(out, metrics.Sample{
				Name: "plateia_" + name, Help: help, Kind: metrics.Counter, Number: float64(n), Labels: []metrics.Label{{Name: "outcome", Value: outcome}},
			})
		}
	}
	if entries, claims := h.lineOutcomes(); h.api != nil || h.edge.Load() != nil {
		by("line_entries_total", "Requests for a place in a line, by outcome: done, early, over (the event is), refused (no credential), failed.", outcomesOf(entries))
		by("line_claims_total", "Claims of a place, by outcome: done (let in), early (place kept), over (too late, moved or the event is), refused (no credential), failed.", outcomesOf(claims))
	}
	if h.tokens != nil {
		passed, failed := h.tokens.SelfTests()
		by("key_self_tests_total", "Self-tests of the signing key against the published key set: at the start and when an event is armed.", map[string]int64{"passed": passed, "failed": failed})
	}
	return out
}

// lineOutcomes are what this process answered at the line: its edge and its API, each what it answered itself.
func (h *house) lineOutcomes() (entries, claims line.Outcomes) {
	if h.api != nil {
		s := h.api.Stats()
		entries, claims = s.Entries, s.Claims
	}
	if edge := h.edge.Load(); edge != nil {
		s := edge.Stats()
		entries, claims = entries.Plus(s.Entries), claims.Plus(s.Claims)
	}
	return entries, claims
}

func outcomesOf(o line.Outcomes) map[string]int64 {
	return map[string]int64{"done": o.Done, "early": o.Early, "over": o.Over, "refused": o.Refused, "failed": o.Failed}
}
