package main

import (
	"net/http"

	"plateia/edge/local"
	"plateia/edge/metrics"
)

// upstreamSamples are what this process's edge knows of the places that it brings requests to.
func (h *house) upstreamSamples() []metrics.Sample {
	edge := h.edge.Load()
	if edge == nil {
		return nil
	}
	var out []metrics.Sample
	for _, u := range edge.Upstreams() {
		well := 0.0
		if u.State == local.Ready {
			well = 1
		}
		labels := []metrics.Label{{Name: "role", Value: u.Role}, {Name: "region", Value: u.Region}, {Name: "url", Value: u.URL}}
		out = append(out,
			metrics.Sample{Name: "plateia_edge_upstream_ready", Help: "1 while the edge sends requests to this upstream.", Kind: metrics.Gauge, Number: well, Labels: labels},
			metrics.Sample{
				Name: "plateia_edge_upstream_decided_seconds", Help: "How long the edge took to decide the upstream's present state, from the first sign of it.",
				Kind: metrics.Gauge, Number: u.DecidedInMs / 1000, Labels: labels,
			})
	}
	return out
}

// partnerSamples are what this process knows of those who sell on pages of their own.
func (h *house) partnerSamples() []metrics.Sample {
	if h.partners == nil {
		return nil
	}
	return []metrics.Sample{{
		Name: "plateia_partners_age_seconds", Help: "How old this process's list of partners is: it is asked for every few seconds, and stays in force while it cannot be read.",
		Kind: metrics.Gauge, Number: h.partners.Age().Seconds(),
	}, {
		Name: "plateia_partners", Help: "Partners that may show something now, as this process knows them.", Kind: metrics.Gauge, Number: float64(len(h.partners.List().Grants())),
	}}
}

// edgeSamples are what this process's edge answered itself: public documents, and those who wait.
func (h *house) edgeSamples() []metrics.Sample {
	edge := h.edge.Load()
	if edge == nil {
		return nil
	}
	s := edge.Stats()
	var out []metrics.Sample
	count := func(name, help, label, value string, n int64) {
		out = append(out, metrics.Sample{Name: name, Help: help, Kind: metrics.Counter, Number: float64(n), Labels: []metrics.Label{{Name: label, Value: value}}})
	}
	for value, n := range map[string]int64{"answered": s.Documents.Asked, "stale": s.Documents.Stale, "fetched": s.Documents.Fetched, "failed": s.Documents.Failed} {
		count("plateia_edge_documents_total", "Public documents: answered to readers, of these past their age, and fetched from the API, of these in vain.", "what", value, n)
	}
	for status, n := range s.Places {
		count("plateia_edge_places_total", "Answers to those who asked where they stand.", "status", string(status), n)
	}
	count("plateia_edge_claims_total", "Claims that this edge passed on to the API.", "outcome", "passed", s.Passed)
	count("plateia_edge_refused_total", "Requests without the credential that their route needs.", "why", "credential", s.NoCredential)
	return out
}

// serveUpstreams answers /upstreams on the internal listener: an edge's view of the regions, as JSON.
func (h *house) serveUpstreams(w http.ResponseWriter, r *http.Request) {
	edge := h.edge.Load()
	if edge == nil {
		http.NotFound(w, r)
		return
	}
	edge.HealthHandler().ServeHTTP(w, r)
}
