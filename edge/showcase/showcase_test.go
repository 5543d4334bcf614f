package showcase

import (
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"testing/fstest"

	"plateia/core/id"
)

func TestAPartnersSite(t *testing.T) {
	event, other := id.New(), id.New()
	site := New(fstest.MapFS{
		"index.html":     {Data: []byte(`<script src="__PLATEIA__/embed/v1/loader.js"></script><plateia-map event="__EVENT__">`)},
		"react.html":     {Data: []byte("react")},
		"strict.html":    {Data: []byte("strict")},
		"assets/page.js": {Data: []byte(`const at = "__PLATEIA__";`)},
		"notes.secret":   {Data: []byte("no")},
	}, "http://127.0.0.1:8080/", event)
	get := func(method, path string) (*http.Response, string) {
		rec := httptest.NewRecorder()
		site.ServeHTTP(rec, httptest.NewRequest(method, path, nil))
		return rec.Result(), rec.Body.String() //nolint:bodyclose // a recorder's
	}
	for path, want := range map[string]string{
		"/": `<script src="http://127.0.0.1:8080/embed/v1/loader.js"></script><plateia-map event="` + event.String() + `">`, "/react": "react", "/react.html": "react", "/assets/page.js": `const at = "http://127.0.0.1:8080";`,
		"/?event=" + other.String(): `<script src="http://127.0.0.1:8080/embed/v1/loader.js"></script><plateia-map event="` + other.String() + `">`,
		`/?event="><script>`:        `<script src="http://127.0.0.1:8080/embed/v1/loader.js"></script><plateia-map event="` + event.String() + `">`,
	} {
		res, body := get("GET", strings.ReplaceAll(strings.ReplaceAll(path, `"`, "%22"), ">", "%3e"))
		if res.StatusCode != 200 || body != want || res.Header.Get("X-Content-Type-Options") != "nosniff" || res.Header.Get("X-Frame-Options") != "" {
			t.Errorf("%s: %d %q %v", path, res.StatusCode, body, res.Header)
		}
	}
	for path, want := range map[string]string{
		"/":       "default-src 'none'; style-src 'self'; img-src 'self' data:; base-uri 'none'; form-action 'none'; script-src 'self' http://127.0.0.1:8080; connect-src http://127.0.0.1:8080 ws://127.0.0.1:8080; frame-src http://127.0.0.1:8080",
		"/strict": "default-src 'none'; script-src http://127.0.0.1:8080; connect-src http://127.0.0.1:8080 ws://127.0.0.1:8080; frame-src http://127.0.0.1:8080",
	} {
		if res, _ := get("GET", path); res.Header.Get("Content-Security-Policy") != want {
			t.Errorf("%s: %s", path, res.Header.Get("Content-Security-Policy"))
		}
	}
	for _, path := range []string{"/nowhere", "/notes.secret", "/../../etc/passwd", "/assets", "/assets/", "/assets/../notes.secret", "/.gitkeep"} {
		if res, body := get("GET", path); res.StatusCode != 404 {
			t.Errorf("%s: %d %q", path, res.StatusCode, body)
		}
	}
	if res, _ := get("POST", "/"); res.StatusCode != 405 {
		t.Errorf("POST: %d", res.StatusCode)
	}
	if res, body := get("HEAD", "/react"); res.StatusCode != 200 || body != "" {
		t.Errorf("HEAD: %d %q", res.StatusCode, body)
	}
	rec := httptest.NewRecorder()
	New(fstest.MapFS{}, "http://127.0.0.1:8080", event).ServeHTTP(rec, httptest.NewRequest("GET", "/", nil))
	if rec.Code != 503 || !strings.Contains(rec.Body.String(), "make web") {
		t.Errorf("not built: %d %s", rec.Code, rec.Body)
	}
}
