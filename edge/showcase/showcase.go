// Package showcase is a partner's site, served by `plateia dev` at an origin of its own: pages with our widget in them, under
// the policy that our documentation asks partners for and nothing more. It knows nothing of us but our address.
package showcase

import (
	"io/fs"
	"net/http"
	"path"
	"strings"

	"plateia/core/id"
)

// What pages and scripts of the site say where our address and an event's id belong.
const (
	wordPlateia = "__PLATEIA__"
	wordEvent   = "__EVENT__"
)

// types are the kinds of files the site has. Anything else is not served.
var types = map[string]string{
	".html": "text/html; charset=utf-8", ".js": "text/javascript; charset=utf-8", ".css": "text/css; charset=utf-8",
	".svg": "image/svg+xml", ".png": "image/png", ".webp": "image/webp", ".woff2": "font/woff2", ".json": "application/json",
}

type site struct {
	files   fs.FS
	plateia string
	event   id.ID
}

// New serves a folder's files; plateia is our origin as partners know it, event the one that is shown unless ?event= names another.
func New(files fs.FS, plateia string, event id.ID) http.Handler {
	return site{files, strings.TrimSuffix(plateia, "/"), event}
}

func (s site) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	h := w.Header()
	h.Set("X-Content-Type-Options", "nosniff")
	h.Set("Cache-Control", "no-store")
	h.Set("Content-Security-Policy", s.Policy(false))
	if r.Method != http.MethodGet && r.Method != http.MethodHead {
		h.Set("Allow", "GET, HEAD")
		http.Error(w, "this site can only be read", http.StatusMethodNotAllowed)
		return
	}
	name := fileOf(r.URL.Path)
	body, err := fs.ReadFile(s.files, name)
	kind := types[path.Ext(name)]
	switch {
	case name == "index.html" && err != nil:
		http.Error(w, "The partner's pages are missing. Run `make web`, build again and start it.", http.StatusServiceUnavailable)
		return
	case err != nil || kind == "":
		http.NotFound(w, r)
		return
	}
	h.Set("Content-Type", kind)
	if strings.HasPrefix(name, "strict") {
		h.Set("Content-Security-Policy", s.Policy(true))
	}
	if ext := path.Ext(name); ext == ".html" || ext == ".js" {
		body = s.filled(body, r.URL.Query().Get("event"))
	}
	if r.Method == http.MethodGet {
		_, _ = w.Write(body) //nolint:gosec // a file of the build; of the request an id at most
	}
}

// fileOf is the file behind a path: the folder's index, or a page without its suffix.
func fileOf(p string) string {
	name := strings.TrimPrefix(path.Clean("/"+p), "/")
	switch {
	case name == "":
		return "index.html"
	case path.Ext(name) == "":
		return name + ".html"
	}
	return name
}

func (s site) filled(body []byte, asked string) []byte {
	event := s.event
	if other, err := id.Parse(asked); err == nil {
		event = other
	}
	return []byte(strings.NewReplacer(wordPlateia, s.plateia, wordEvent, event.String()).Replace(string(body)))
}

// Policy is the Content-Security-Policy of the site: a strict page has the line that partners add to default-src 'none' and
// nothing else, the others also their own scripts and styles.
func (s site) Policy(strict bool) string {
	socket := "ws" + strings.TrimPrefix(s.plateia, "http")
	ours := "script-src " + s.plateia + "; connect-src " + s.plateia + " " + socket + "; frame-src " + s.plateia
	if strict {
		return "default-src 'none'; " + ours
	}
	return "default-src 'none'; style-src 'self'; img-src 'self' data:; base-uri 'none'; form-action 'none'; " +
		strings.Replace(ours, "script-src ", "script-src 'self' ", 1)
}
