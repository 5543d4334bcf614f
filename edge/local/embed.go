package local

import (
	"crypto/sha256"
	"encoding/hex"
	"net/http"
	"strings"

	"plateia/core/id"
	"plateia/core/partner"
	"plateia/edge/embed"
)

// Partners say whose pages may show an event. They answer from memory, without error and at once: partner.Book does.
type Partners interface {
	Origins(event id.ID) []partner.Origin
	Allows(event id.ID, origin string) bool
	Knows(origin string) bool
}

// loader is the one script that a partner names: its address never changes, so it is kept for minutes only.
const (
	loaderPath  = "/embed/v1/loader.js"
	cacheLoader = "public, max-age=300, stale-while-revalidate=86400"
)

// embedPages are the pages of the widget by the beginning of their paths; an event's id follows.
var embedPages = map[string]string{"/embed/v1/desk/": "desk", "/embed/v1/frame/": "frame"}

// embedPage is the page of the widget behind a path, and the event it is for; "" when there is none.
func embedPage(path string) (page string, event id.ID) {
	if path == "/embed/v1/pay" {
		return "embed-pay", id.ID{}
	}
	i := strings.LastIndexByte(path, '/') + 1
	event, err := id.Parse(path[i:])
	if err != nil {
		return "", id.ID{}
	}
	return embedPages[path[:i]], event
}

// embedded answers what partners' pages load from us, and reports whether the path was one of those.
func (e *Edge) embedded(w http.ResponseWriter, r *http.Request, path string) bool {
	if path == loaderPath {
		e.loader(w, r)
		return true
	}
	if event, resource := eventPath(path); resource == "embed" {
		e.embedDocument(w, r, event)
		return true
	}
	page, event := embedPage(path)
	if page == "" {
		return false
	}
	h, f := w.Header(), e.pages.inLanguage(page, w, r)
	if page == "embed-pay" {
		h.Set("Cross-Origin-Opener-Policy", "unsafe-none") // it speaks to the frame that opened it
	} else {
		h.Del("X-Frame-Options") // it knows no lists
		rules := policy(r.Host, ancestors(e.opts.Partners.Origins(event)))
		h.Set("Content-Security-Policy", rules)
		f = f.under(rules)
		h.Set("Cross-Origin-Resource-Policy", "cross-origin")
		h.Set("Cross-Origin-Embedder-Policy", "require-corp") // so that a partner's page may be isolated
	}
	e.pages.answer(w, r, page, f)
	return true
}

// under is the file as another version for each policy. Browsers keep a page's old policy when they are told that the page has not
// changed (WebKit takes no Content- header from a 304): it would still be framed by those who may no longer, and not by the new ones.
func (f *file) under(policy string) *file {
	if f == nil {
		return nil
	}
	sum, its := sha256.Sum256([]byte(policy)), *f
	its.etag += "-" + hex.EncodeToString(sum[:6])
	return &its
}

// ancestors are who may frame a page: ourselves and the origins listed, which are in a form without spaces and semicolons.
func ancestors(origins []partner.Origin) string {
	var out strings.Builder
	out.WriteString("'self'")
	for _, o := range origins {
		out.WriteString(" " + string(o))
	}
	return out.String()
}

func (e *Edge) loader(w http.ResponseWriter, r *http.Request) {
	f := e.pages.files[loaderPath[1:]]
	if f == nil {
		refuse(w, http.StatusServiceUnavailable, "BUSY", "this program was built without the widget; run make web")
		return
	}
	e.pages.answer(w, r, "", f)
}

// embedDocument says who may show an event. It is the edge's own list, whatever event is asked for, so nobody behind is asked.
func (e *Edge) embedDocument(w http.ResponseWriter, r *http.Request, event id.ID) {
	if !reads(w, r) {
		return
	}
	h := w.Header()
	named(h)
	shareWithAll(h)
	h.Set("Content-Security-Policy", dataPolicy)
	h.Set("Content-Type", "application/json")
	h.Set("Cache-Control", embed.CacheDocument)
	body := embed.Document(e.opts.Partners.Origins(event))
	sum := sha256.Sum256(body)
	etag := hex.EncodeToString(sum[:12])
	h.Set("ETag", `"`+etag+`"`)
	serveBytes(w, r, etag, body)
}
