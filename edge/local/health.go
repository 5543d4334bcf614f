package local

import (
	"encoding/json"
	"net/http"
	"time"
)

// Health is what the edge knows of one upstream.
type Health struct {
	Role        string    `json:"role"` // api, gateway
	Region      string    `json:"region,omitempty"`
	URL         string    `json:"url"`
	State       string    `json:"state"` // ready, unready (answers, wants no new work), dead
	Since       time.Time `json:"since"` // when that was decided
	DecidedInMs float64   `json:"decidedInMs"`
}

// Upstreams is what the edge knows of its upstreams now, by role, in their order.
func (e *Edge) Upstreams() []Health {
	var out []Health
	for _, p := range e.pools {
		for _, u := range p.all {
			out = append(out, u.health(p.role))
		}
	}
	return out
}

func (u *upstream) health(role string) Health {
	u.mu.Lock()
	defer u.mu.Unlock()
	return Health{
		Role: role, Region: u.Region, URL: u.URL.String(), State: u.state.String(),
		Since: u.changed, DecidedInMs: float64(u.took.Microseconds()) / 1000,
	}
}

// HealthHandler answers with Upstreams as JSON. It names inner addresses: for a listener that is not public.
func (e *Edge) HealthHandler() http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "application/json")
		w.Header().Set("Cache-Control", "no-store")
		_ = json.NewEncoder(w).Encode(e.Upstreams())
	})
}
