package local

import (
	"strings"
	"testing"
	"testing/fstest"
)

func TestAssetsAreNegotiated(t *testing.T) {
	w := open(t, nil)
	for accept, want := range map[string]string{"br, gzip": "BR", "gzip, br;q=0": "GZ", "gzip": "GZ", "deflate": "let a = 1", "identity": "let a = 1", "BR": "BR", "br;q=x": "let a = 1"} {
		res, body := do(t, "GET", w.url+"/assets/app-1a2b.js", nil, "Accept-Encoding", accept)
		if body != want || res.Header.Get("Cache-Control") != "public, max-age=31536000, immutable" || res.Header.Get("Content-Type") != "text/javascript; charset=utf-8" || res.Header.Get("Vary") != "Accept-Encoding" {
			t.Errorf("%s: %q %v", accept, body, res.Header)
		}
		again, _ := do(t, "GET", w.url+"/assets/app-1a2b.js", nil, "Accept-Encoding", accept, "If-None-Match", res.Header.Get("ETag"))
		if again.StatusCode != 304 {
			t.Errorf("%s: %d with the ETag", accept, again.StatusCode)
		}
	}
	res, body := do(t, "HEAD", w.url+"/assets/app-1a2b.js", nil, "Accept-Encoding", "identity")
	if body != "" || res.Header.Get("Content-Length") != "9" {
		t.Errorf("HEAD: %q %v", body, res.Header)
	}
	for language, want := range map[string]string{"pt-BR,pt;q=0.9,en;q=0.8": "<html lang=pt>orders", "en-US,en;q=0.9,pt;q=0.5": "<html>orders", "": "<html>orders", "pt": "<html lang=pt>orders", "fr, pt;q=0.1": "<html lang=pt>orders",
		"es-AR,es;q=0.9,en;q=0.8": "<html lang=es>orders", "es-419": "<html lang=es>orders", "es;q=0.4, pt;q=0.5": "<html lang=pt>orders", "en, es;q=0.9": "<html>orders"} {
		res, body := do(t, "GET", w.url+"/orders", nil, "Accept-Language", language)
		if body != want || res.Header.Get("Cache-Control") != "no-cache" || !strings.Contains(strings.Join(res.Header.Values("Vary"), ","), "Accept-Language") {
			t.Errorf("%q: %q %v", language, body, res.Header)
		}
	}
}

func TestSecurityHeaders(t *testing.T) {
	w := open(t, nil)
	res, _ := do(t, "GET", w.url+"/", nil)
	csp := res.Header.Get("Content-Security-Policy")
	for _, want := range []string{"default-src 'none'", "script-src 'self';", "connect-src 'self' ws://" + w.addr, "frame-ancestors 'none'", "base-uri 'none'"} {
		if !strings.Contains(csp, want) {
			t.Errorf("no %s in %s", want, csp)
		}
	}
	if strings.Contains(csp, "unsafe") || res.Header.Get("X-Content-Type-Options") != "nosniff" || res.Header.Get("X-Frame-Options") != "DENY" {
		t.Errorf("%v", res.Header)
	}
	if got := policy("x; script-src *", "'none'"); strings.Contains(got, "script-src *") {
		t.Errorf("a Host header changed the policy: %s", got)
	}
	res, _ = do(t, "GET", w.url+"/sandbox/x", nil)
	if got := res.Header.Values("Content-Security-Policy"); len(got) != 1 || got[0] != "default-src 'none'; style-src 'nonce-x'" {
		t.Errorf("the sandbox's own policy: %q", got)
	}
	res, _ = do(t, "GET", w.url+"/v1/events", nil)
	if got := res.Header.Values("Content-Security-Policy"); len(got) != 1 || !strings.HasPrefix(got[0], "default-src 'none'; base-uri") {
		t.Errorf("the API's policy: %q", got)
	}
}

func TestMissingAssets(t *testing.T) {
	for name, change := range map[string]func(*Options){"nil": func(o *Options) { o.Assets = nil }, "empty": func(o *Options) { o.Assets = fstest.MapFS{".gitkeep": {}} }} {
		w := open(t, change)
		res, body := do(t, "GET", w.url+"/", nil)
		if w.Built() || res.StatusCode != 503 || !strings.Contains(body, "make web") {
			t.Errorf("%s: %d %s", name, res.StatusCode, body)
		}
		if _, body := do(t, "GET", w.url+"/v1/events", nil); body != "api" {
			t.Errorf("%s: the API works all the same: %s", name, body)
		}
	}
	w := open(t, nil)
	res, body := do(t, "GET", w.url+"/nowhere", nil, "Accept", "text/html", "Accept-Language", "pt-BR")
	if res.StatusCode != 404 || !strings.Contains(body, "não existe") {
		t.Errorf("%d %s", res.StatusCode, body)
	}
}

// The console is where operators' routes are, and nowhere else, under any spelling and in any language.
func TestTheConsoleIsNotPublic(t *testing.T) {
	for name, ops := range map[string]bool{"public": false, "internal": true} {
		w := open(t, func(o *Options) { o.Ops = ops })
		want := 404
		if ops {
			want = 200
		}
		for _, language := range []string{"en", "es", "pt-BR"} {
			if res, _ := do(t, "GET", w.url+"/console", nil, "Accept-Language", language); res.StatusCode != want {
				t.Errorf("%s, %s: %d", name, language, res.StatusCode)
			}
		}
		if res, _ := do(t, "GET", w.url+"/v1/ops/rooms", nil); ops == (res.StatusCode == 404) {
			t.Errorf("%s: /v1/ops answers %d", name, res.StatusCode)
		}
	}
}
