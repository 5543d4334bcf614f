package local

import (
	"net/http"
	"strconv"
	"strings"

	"plateia/edge/prefer"
)

// page is a page in the reader's language: NAME.html, or NAME.LANGUAGE.html where the build made one.
func (s *site) page(name string, w http.ResponseWriter, r *http.Request) *file {
	w.Header().Add("Vary", "Accept-Language")
	return s.in(name, languageOf(r.Header.Get("Accept-Language")))
}

func (s *site) in(name, language string) *file {
	if f := s.files[name+"."+language+".html"]; f != nil {
		return f
	}
	return s.files[name+".html"]
}

// inLanguage is a page in the language that ?lang= names: a partner's page has one, whatever its reader's browser says.
func (s *site) inLanguage(name string, w http.ResponseWriter, r *http.Request) *file {
	if asked := r.URL.Query().Get("lang"); asked != "" {
		return s.in(name, languageOf(asked))
	}
	return s.page(name, w, r)
}

// languageOf is the language of the pages that a reader likes best, of equals the first named; "" is English.
func languageOf(acceptLanguage string) string {
	suffixes := map[string]string{"en": "", "es": "es", "pt": "pt-BR"}
	suffix, most := "", 0.0
	for tag, q := range prefer.Each(acceptLanguage) {
		language, _, _ := strings.Cut(strings.ToLower(tag), "-")
		if s, known := suffixes[language]; known && q > most {
			suffix, most = s, q
		}
	}
	return suffix
}

// accepts reports whether an Accept-Encoding header takes a coding.
func accepts(header, coding string) bool {
	q, _ := prefer.Weight(header, coding)
	return q > 0
}

func serveBytes(w http.ResponseWriter, r *http.Request, etag string, body []byte) {
	for part := range strings.SplitSeq(r.Header.Get("If-None-Match"), ",") {
		if strings.TrimPrefix(strings.TrimSpace(part), "W/") == `"`+etag+`"` {
			w.Header().Del("Content-Encoding")
			w.WriteHeader(http.StatusNotModified)
			return
		}
	}
	w.Header().Set("Content-Length", strconv.Itoa(len(body)))
	w.WriteHeader(http.StatusOK)
	if r.Method != http.MethodHead {
		_, _ = w.Write(body) //nolint:gosec // a file of the build, nothing of the request
	}
}

// notBuilt is what every page says when the program was compiled without the web pages.
func notBuilt(w http.ResponseWriter) {
	h := w.Header()
	h.Set("Content-Type", "text/html; charset=utf-8")
	h.Set("Cache-Control", "no-store")
	w.WriteHeader(http.StatusServiceUnavailable)
	_, _ = w.Write([]byte(shell("en", "The web pages are missing",
		"This program was built without them. Run <code>make web</code>, build it again and start it; the API works meanwhile.")))
}

func (s *site) notFound(w http.ResponseWriter, r *http.Request) {
	if !strings.Contains(r.Header.Get("Accept"), "text/html") {
		refuse(w, http.StatusNotFound, "NOT_FOUND", "no such resource")
		return
	}
	h := w.Header()
	h.Set("Content-Type", "text/html; charset=utf-8")
	h.Set("Cache-Control", "no-store")
	f := s.page("404", w, r)
	w.WriteHeader(http.StatusNotFound)
	if f != nil {
		_, _ = w.Write(f.plain)
		return
	}
	switch languageOf(r.Header.Get("Accept-Language")) {
	case "pt-BR":
		_, _ = w.Write([]byte(shell("pt-BR", "Esta página não existe", `<a href="/">Veja os eventos</a>`)))
		return
	case "es":
		_, _ = w.Write([]byte(shell("es", "Esta página no existe", `<a href="/">Mira los eventos</a>`)))
		return
	}
	_, _ = w.Write([]byte(shell("en", "There is no such page", `<a href="/">See the events</a>`)))
}

// shell is a page without style or script: it must work when nothing else is there.
func shell(language, title, text string) string {
	return "<!doctype html>\n<html lang=\"" + language + "\"><meta charset=\"utf-8\"><meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">" +
		"<title>" + title + "</title>\n<main><h1>" + title + "</h1>\n<p>" + text + "</p></main></html>\n"
}
