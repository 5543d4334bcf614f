package local

import (
	"net/http"
	"strings"
)

// sharedPath is true for public data that a partner's page may read: nothing of it depends on who asks. Who may show an event
// (embed) is for everybody: a page that may not is to know why.
func sharedPath(path string) bool {
	if path == "/v1/events" || strings.HasPrefix(path, "/v1/charts/") {
		return true
	}
	event, resource := eventPath(path)
	if event.IsZero() {
		return false
	}
	first, _, _ := strings.Cut(resource, "/")
	switch first {
	case "", "availability", "frontier", "live", "similar", "views":
		return true
	}
	return false
}

// What a page of another origin may send along and read.
const (
	sharedAsks  = "Accept, If-None-Match, Last-Event-ID, X-Request-Id"
	sharedTells = "Age, Content-Encoding, Date, ETag, Retry-After, X-Request-Id"
	sharedFor   = "600" // seconds that a browser remembers a preflight; the request itself is decided anew
)

// share lets pages of partners' origins read public data (CORS): the exact origin, no credentials. It answers preflights
// and returns nil; else it returns what to answer with. A refused origin gets an answer that its page cannot read.
func (e *Edge) share(w http.ResponseWriter, r *http.Request, path string) http.ResponseWriter {
	asked := r.Header.Get("Access-Control-Request-Method")
	preflight := r.Method == http.MethodOptions && asked != ""
	if r.Method != http.MethodGet && r.Method != http.MethodHead && !preflight {
		return w
	}
	origin := ""
	if e.mayRead(r.Header.Values("Origin"), path) {
		origin = r.Header.Get("Origin")
	}
	if !preflight {
		return &sharing{ResponseWriter: w, origin: origin}
	}
	h := w.Header()
	h.Set("Vary", "Origin, Access-Control-Request-Method, Access-Control-Request-Headers")
	h.Set("Cache-Control", "no-store")
	if origin != "" && (asked == http.MethodGet || asked == http.MethodHead) {
		h.Set("Access-Control-Allow-Origin", origin)
		h.Set("Access-Control-Allow-Methods", "GET, HEAD")
		h.Set("Access-Control-Allow-Headers", sharedAsks)
		h.Set("Access-Control-Max-Age", sharedFor)
	}
	w.WriteHeader(http.StatusNoContent)
	return nil
}

// mayRead asks the list of the event, or, for what belongs to no event, whether the origin may show any.
func (e *Edge) mayRead(origins []string, path string) bool {
	if len(origins) != 1 {
		return false
	}
	if event, _ := eventPath(path); !event.IsZero() {
		return e.opts.Partners.Allows(event, origins[0])
	}
	return e.opts.Partners.Knows(origins[0])
}

// sharing is a ResponseWriter whose answer another origin's page may read. The headers are set at the end, because what is behind
// the edge, its cache too, puts its own Vary in place of ours.
type sharing struct {
	http.ResponseWriter
	origin string // "": nobody else's, which caches between us must know as well
	begun  bool
}

func (s *sharing) Unwrap() http.ResponseWriter { return s.ResponseWriter }

func (s *sharing) WriteHeader(status int) {
	if !s.begun && (status >= 200 || status == http.StatusSwitchingProtocols) {
		s.begun = true
		h := s.Header()
		h["Vary"] = append(h["Vary"][:len(h["Vary"]):len(h["Vary"])], "Origin")
		h.Del("Access-Control-Allow-Credentials")
		h.Del("Access-Control-Allow-Origin")
		if s.origin != "" {
			h.Set("Access-Control-Allow-Origin", s.origin)
			h.Set("Access-Control-Expose-Headers", sharedTells)
		}
	}
	s.ResponseWriter.WriteHeader(status)
}

func (s *sharing) Write(p []byte) (int, error) {
	if !s.begun {
		s.WriteHeader(http.StatusOK)
	}
	return s.ResponseWriter.Write(p)
}
