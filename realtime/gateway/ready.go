package gateway

import "net/http"

// ready answers GET /readyz for whoever brings viewers here: 200 while new ones are
// welcome, else 503, and those who are here may stay.
func (g *Gateway) ready(w http.ResponseWriter, r *http.Request) {
	g.mu.Lock()
	draining := g.draining
	g.mu.Unlock()
	status := http.StatusOK
	if draining || g.o.Ready != nil && g.o.Ready(r.Context()) != nil {
		status = http.StatusServiceUnavailable
	}
	w.Header().Set("Cache-Control", "no-store")
	w.WriteHeader(status)
}
