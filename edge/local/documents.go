package local

import (
	"context"
	"log/slog"
	"net/http"
	"strings"
	"time"

	"plateia/core/id"
	"plateia/edge/httpcache"
)

// cached is true for the public documents that everybody asks for and nobody's credential changes.
func cached(path string) bool {
	switch path {
	case "/v1/events", "/v1/suggestions", "/.well-known/jwks.json":
		return true
	}
	rest, chart := strings.CutPrefix(path, "/v1/charts/")
	if chart {
		_, resource, _ := strings.Cut(rest, "/")
		resource, _ = strings.CutPrefix(resource, "views/")
		return resource != "" && !strings.Contains(resource, "/")
	}
	event, resource := eventPath(path)
	if event.IsZero() {
		return false
	}
	switch resource {
	case "", "frontier", "availability", "draw/statements", "similar":
		return !strings.HasSuffix(path, "/")
	}
	section, ok := strings.CutPrefix(resource, "availability/")
	return ok && section != "" && !strings.Contains(section, "/")
}

// documents answers for cached paths. A query string would make a document of its own of every spelling of it, so there
// is none; lists and suggestions are searched by one, and then not kept: the API keeps them by what they ask.
func (e *Edge) documents(w http.ResponseWriter, r *http.Request, path string) {
	switch {
	case !canonical(path):
		refuse(w, http.StatusBadRequest, "INVALID", "the path is not written in its plain form")
	case r.Method != http.MethodGet && r.Method != http.MethodHead:
		e.api.ServeHTTP(w, r)
	case r.URL.RawQuery == "" && !r.URL.ForceQuery:
		named(w.Header())
		w.Header().Set("Content-Security-Policy", dataPolicy)
		e.cache.ServeHTTP(overriding{w}, r)
	case path == "/v1/events" || path == "/v1/suggestions":
		e.api.ServeHTTP(w, r)
	default:
		refuse(w, http.StatusBadRequest, "INVALID", "this document takes no query string")
	}
}

// canonical is false for an id in capitals: every spelling would be a document of its own, and a request to the origin.
func canonical(path string) bool {
	for _, before := range []string{"/v1/events/", "/v1/charts/"} {
		if rest, ok := strings.CutPrefix(path, before); ok {
			name, _, _ := strings.Cut(rest, "/")
			return name == strings.ToLower(name)
		}
	}
	return true
}

// documentTimeout is how long the origin may take for a document while nothing older can be shown.
const documentTimeout = 5 * time.Second

func newCache(p *pool, room int, now func() time.Time) *httpcache.Cache {
	return httpcache.New(again{p, tries * len(p.all)}, httpcache.Options{
		Room: room, Timeout: documentTimeout, Now: now,
		Down: http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { refuseBusy(w) }),
	})
}

// DocumentsOf are the paths of an event's documents that a crowd asks for first.
func DocumentsOf(event id.ID) []string {
	base := "/v1/events/" + event.String()
	return []string{base, base + "/frontier", base + "/availability", base + "/draw/statements"}
}

// Warm brings documents into the edge's cache before a crowd asks for them, and with that opens connections to
// the API. What cannot be had is left out: it is asked for again when somebody wants it.
func (e *Edge) Warm(ctx context.Context, paths ...string) {
	if len(e.opts.API) == 0 || len(paths) == 0 {
		return
	}
	before := e.cache.Stats()
	e.cache.Warm(ctx, paths...)
	after := e.cache.Stats()
	e.opts.Logger.Log(ctx, slog.LevelDebug, "edge: documents warmed", "fetched", after.Fetched-before.Fetched, "failed", after.Failed-before.Failed)
}
