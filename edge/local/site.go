package local

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"io/fs"
	"maps"
	"net/http"
	"path"
	"strings"

	"plateia/core/id"
	"plateia/edge/httpcache"
)

// site is the built web pages, read once: a request is a look-up in a table, so
// no path can lead anywhere else.
type site struct {
	files map[string]*file // by name in the assets: "index.html", "assets/app-1a2b.js"
}

// file is one file and its precompressed forms.
type file struct {
	contentType string
	etag        string
	plain       []byte
	gzip        []byte // nil: none
	brotli      []byte
}

// types are the kinds of files the build makes. Anything else is not served.
var types = map[string]string{
	".html": "text/html; charset=utf-8", ".js": "text/javascript; charset=utf-8", ".css": "text/css; charset=utf-8",
	".svg": "image/svg+xml", ".png": "image/png", ".webp": "image/webp", ".ico": "image/x-icon", ".woff2": "font/woff2",
	".json": "application/json", ".webmanifest": "application/manifest+json", ".txt": "text/plain; charset=utf-8",
}

// readSite reads the assets; nil and an empty folder are a site that is not built.
func readSite(assets fs.FS) (*site, error) {
	s := &site{files: make(map[string]*file)}
	if assets == nil {
		return s, nil
	}
	err := fs.WalkDir(assets, ".", func(name string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() || types[path.Ext(name)] == "" {
			return err
		}
		f, err := readFile(assets, name)
		s.files[name] = f
		return err
	})
	if errors.Is(err, fs.ErrNotExist) {
		return s, nil
	}
	return s, err
}

func readFile(assets fs.FS, name string) (*file, error) {
	plain, err := fs.ReadFile(assets, name)
	if err != nil {
		return nil, err
	}
	sum := sha256.Sum256(plain)
	f := &file{contentType: types[path.Ext(name)], etag: hex.EncodeToString(sum[:12]), plain: plain}
	f.gzip, _ = fs.ReadFile(assets, name+".gz")
	f.brotli, _ = fs.ReadFile(assets, name+".br")
	return f, nil
}

func (s *site) built() bool { return s.files["index.html"] != nil }

// hide takes a page out, in every language.
func (s *site) hide(page string) {
	maps.DeleteFunc(s.files, func(name string, _ *file) bool {
		return strings.HasPrefix(name, page+".") && strings.HasSuffix(name, ".html")
	})
}

// pageOf is the HTML file behind a path; "" when there is none.
func pageOf(p string) string {
	switch p {
	case "/":
		return "index"
	case "/orders":
		return "orders"
	case "/console":
		return "console"
	case "/embed":
		return "embed"
	}
	dir, name := path.Split(p)
	if _, err := id.Parse(name); err != nil {
		return ""
	}
	return map[string]string{"/events/": "event", "/pay/": "pay", "/orders/": "order", "/line/": "line"}[dir]
}

func (s *site) serve(w http.ResponseWriter, r *http.Request, p string, kept *httpcache.Cache) {
	page, f := pageOf(p), (*file)(nil)
	switch {
	case p == aheadPath:
		sendAhead(w, r)
		return
	case page != "":
		f = s.page(page, w, r)
		lookAhead(w.Header(), page)
		tellChart(w.Header(), page, p, kept)
	case strings.HasPrefix(p, "/assets/") || p == "/robots.txt" || p == "/favicon.ico":
		f = s.files[p[1:]]
	case p != "/" && strings.HasSuffix(p, "/") && pageOf(strings.TrimSuffix(p, "/")) != "":
		http.Redirect(w, r, strings.TrimSuffix(p, "/"), http.StatusPermanentRedirect) //nolint:gosec // pageOf knows the path: a page of ours
		return
	}
	s.answer(w, r, page, f)
}

// isEmbed are the pages of the widget: they are there in every build but one without the widget, whatever a listener hides.
var isEmbed = map[string]bool{"embed": true, "desk": true, "frame": true, "embed-pay": true}

// answer sends a file, or says why it cannot. page is "" for what is no page.
func (s *site) answer(w http.ResponseWriter, r *http.Request, page string, f *file) {
	switch {
	case page != "" && !s.built(), f == nil && isEmbed[page]:
		notBuilt(w)
	case f == nil:
		s.notFound(w, r)
	case reads(w, r):
		f.send(w, r, page == "")
	}
}

// reads reports whether the request only reads; another one is refused.
func reads(w http.ResponseWriter, r *http.Request) bool {
	if r.Method == http.MethodGet || r.Method == http.MethodHead {
		return true
	}
	w.Header().Set("Allow", "GET, HEAD")
	refuse(w, http.StatusMethodNotAllowed, "METHOD_NOT_ALLOWED", "this resource can only be read")
	return false
}

// send answers with the smallest form the client takes. hashed files never change.
func (f *file) send(w http.ResponseWriter, r *http.Request, hashed bool) {
	h := w.Header()
	h.Set("Content-Type", f.contentType)
	h.Add("Vary", "Accept-Encoding")
	h.Set("Cache-Control", f.kept(h, r.URL.Path, hashed))
	body, etag := f.plain, f.etag
	switch accepted := r.Header.Get("Accept-Encoding"); {
	case f.brotli != nil && accepts(accepted, "br"):
		body, etag = f.brotli, f.etag+"-br"
		h.Set("Content-Encoding", "br")
	case f.gzip != nil && accepts(accepted, "gzip"):
		body, etag = f.gzip, f.etag+"-gz"
		h.Set("Content-Encoding", "gzip")
	}
	h.Set("ETag", `"`+etag+`"`)
	serveBytes(w, r, etag, body)
}

// kept is for how long a file may be kept. Scripts and pictures are no secret: they may be loaded by pages of any origin, with integrity.
func (f *file) kept(h http.Header, path string, hashed bool) string {
	switch {
	case hashed && strings.HasPrefix(path, "/assets/"):
		shareWithAll(h)
		asFile(h)
		return "public, max-age=31536000, immutable"
	case path == loaderPath:
		shareWithAll(h)
		asFile(h)
		return cacheLoader
	}
	return "no-cache"
}

func shareWithAll(h http.Header) {
	h.Set("Access-Control-Allow-Origin", "*")
	h.Set("Cross-Origin-Resource-Policy", "cross-origin")
}
