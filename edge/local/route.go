package local

import (
	"net/http"
	"strings"

	"plateia/core/id"
	"plateia/edge/embed"
)

// ServeHTTP routes by the path as it was sent. A path that has a second
// spelling (percent signs, double slashes, dot segments, backslashes) is
// refused, so that nobody behind this point can read it differently.
func (e *Edge) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	e.secure(w.Header(), r)
	path := r.URL.EscapedPath()
	if !plainPath(path) || r.Method == http.MethodConnect {
		refuse(w, http.StatusBadRequest, "INVALID", "the path is not written in its plain form")
		return
	}
	if e.guard.stops(w, r) {
		return
	}
	if !knownMethod(r.Method) {
		refuse(w, http.StatusMethodNotAllowed, "METHOD_NOT_ALLOWED", "this method is not known here")
		return
	}
	if e.opts.Partners != nil && sharedPath(path) {
		if w = e.share(w, r, path); w == nil {
			return
		}
	}
	e.route(w, r)
}

// route answers a request whose form was checked; the edge's own form asks it too.
func (e *Edge) route(w http.ResponseWriter, r *http.Request) {
	switch path := r.URL.EscapedPath(); {
	case e.opts.Partners != nil && e.embedded(w, r, path):
	case len(e.opts.API) > 0 && cached(path):
		e.documents(w, r, path)
	case path == "/v1" || strings.HasPrefix(path, "/v1/"):
		e.serveV1(w, r, path)
	case path == "/healthz", path == "/readyz", strings.HasPrefix(path, "/.well-known/"):
		e.api.ServeHTTP(w, r)
	case e.sandbox(path) != nil:
		e.sandbox(path).ServeHTTP(w, r)
	case strings.HasPrefix(path, "/line/"):
		e.linePage(w, r, path)
	case path == "/dev/inbox" && e.opts.Inbox != nil:
		e.opts.Inbox.ServeHTTP(w, r)
	case path == "/metrics" && e.opts.Metrics != nil:
		e.opts.Metrics.ServeHTTP(w, r)
	default:
		if path == "/" { // the list of events may ask where its reader is, after a press
			w.Header().Set("Permissions-Policy", permissions("geolocation"))
		}
		e.pages.serve(w, r, path, e.cache)
	}
}

// sandbox is the provider whose pages are under a path; nil when there is none.
func (e *Edge) sandbox(path string) http.Handler {
	name, _, _ := strings.Cut(strings.TrimPrefix(path, "/"), "/")
	return e.sandboxes[name]
}

// knownMethod accepts HTTP's own methods in their one spelling. What a server
// behind makes of others is its own affair, and not always a problem document.
func knownMethod(method string) bool {
	switch method {
	case http.MethodGet, http.MethodHead, http.MethodPost, http.MethodPut, http.MethodPatch, http.MethodDelete, http.MethodOptions, http.MethodTrace:
		return true
	}
	return false
}

func (e *Edge) serveV1(w http.ResponseWriter, r *http.Request, path string) {
	_, resource := eventPath(path)
	who, err := e.identify(r, path)
	switch {
	case (strings.HasPrefix(path, "/v1/ops") || path == embed.ListPath) && !e.opts.Ops:
		refuse(w, http.StatusNotFound, "NOT_FOUND", "no such resource")
	case resource == "live":
		e.gateway.ServeHTTP(w, r)
	case err != nil:
		e.counts.noCredential.Add(1)
		if count := e.counts.of(path, resource, r.Method); count != nil {
			count.Note(err)
		}
		refuseFault(w, err)
	case path == "/v1/queue" && r.Method == http.MethodGet:
		e.status(w, r, who)
	case resource == "queue" && r.Method == http.MethodPost:
		e.enter(w, r, who)
	case path == "/v1/queue/claim" && r.Method == http.MethodPost:
		e.claim(w, r, who)
	default:
		e.api.ServeHTTP(w, r)
	}
}

// eventPath splits /v1/events/{id}/{resource}; resource is "" for every other path.
func eventPath(path string) (event id.ID, resource string) {
	rest, ok := strings.CutPrefix(path, "/v1/events/")
	if !ok {
		return id.ID{}, ""
	}
	name, resource, _ := strings.Cut(rest, "/")
	event, err := id.Parse(name)
	if err != nil {
		return id.ID{}, ""
	}
	return event, resource
}

// plainPath accepts what our own paths are made of, in the one spelling they have.
func plainPath(path string) bool {
	if !strings.HasPrefix(path, "/") || len(path) > 1024 {
		return false
	}
	for _, b := range []byte(path) {
		if !plainByte(b) {
			return false
		}
	}
	segments := strings.Split(path[1:], "/")
	for i, s := range segments {
		if s == "." || s == ".." || s == "" && i < len(segments)-1 {
			return false
		}
	}
	return true
}

func plainByte(b byte) bool {
	return b >= 'a' && b <= 'z' || b >= 'A' && b <= 'Z' || b >= '0' && b <= '9' || strings.IndexByte("/-._~", b) >= 0
}
