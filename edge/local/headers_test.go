package local

import (
	"slices"
	"strings"
	"testing"

	"plateia/core/id"
)

// everywhere are paths of every kind of answer there is: pages, the widget's, files, documents, refusals, and what others answer.
func everywhere() []string {
	event := id.New().String()
	return []string{
		"/", "/orders", "/console", "/events/" + event, "/pay/" + event, "/orders/" + event, "/line/" + event, "/embed",
		"/embed/v1/desk/" + event, "/embed/v1/frame/" + event, "/embed/v1/pay", "/embed/v1/loader.js", "/assets/app-1a2b.js",
		"/nowhere", "/orders/", "/events/x", "/v1/events", "/v1/events/" + event, "/v1/events/" + event + "/embed", "/v1/events/" + event + "/live", "/v1/me", "/v1/nowhere",
		"/v1/ops/rooms", "/.well-known/jwks.json", "/healthz", "/sandbox/pay/x", "/dev/inbox", "/robots.txt", "/%2e%2e/x", "//x",
	}
}

// What a browser is told with every answer, whoever made it: once, and nothing that opens a door.
func TestEveryAnswerIsLocked(t *testing.T) {
	for _, secure := range []bool{false, true} {
		w := open(t, func(o *Options) { o.Partners, o.Ops, o.Secure = newGuests(), true, secure })
		for _, path := range everywhere() {
			res, _ := do(t, "GET", w.url+path, nil, "Accept", "text/html", "Accept-Encoding", "identity")
			h := res.Header
			file := path == "/embed/v1/loader.js" || strings.HasPrefix(path, "/assets/") || strings.HasPrefix(path, "/v1/") // what is no page has no use for a page's
			names := []string{"Content-Security-Policy", "Referrer-Policy", "X-Content-Type-Options", "Cross-Origin-Resource-Policy"}
			if !file {
				names = append(names, "Permissions-Policy", "Cross-Origin-Opener-Policy")
			}
			for _, name := range names {
				if got := h.Values(name); len(got) != 1 || got[0] == "" {
					t.Errorf("%s: %s %q", path, name, got)
				}
			}
			if got := h.Get("Strict-Transport-Security"); (got == "max-age=31536000") != secure || !secure && got != "" {
				t.Errorf("%s, fans come by https %v: Strict-Transport-Security %q", path, secure, got)
			}
			checkPolicy(t, path, h.Get("Content-Security-Policy"))
			framed := strings.HasPrefix(path, "/embed/v1/desk/") || strings.HasPrefix(path, "/embed/v1/frame/")
			if got := h.Get("X-Frame-Options"); (got == "DENY") == framed {
				t.Errorf("%s: X-Frame-Options %q", path, got)
			}
			if got := h.Get("Permissions-Policy"); !file && (strings.Contains(got, "*") || strings.Contains(got, "geolocation=(self)") != (path == "/") || !strings.Contains(got, "camera=()")) {
				t.Errorf("%s: Permissions-Policy %q", path, got)
			}
			if policy := h.Get("Content-Security-Policy"); file && !strings.HasPrefix(policy, "default-src 'none'; base-uri 'none'; f") {
				t.Errorf("%s: %s", path, policy)
			}
			if got := h.Get("Access-Control-Allow-Credentials"); got != "" {
				t.Errorf("%s allows credentials", path)
			}
		}
	}
}

// checkPolicy accepts a policy that begins with nothing and lets no script in but files of ours.
func checkPolicy(t *testing.T, path, policy string) {
	t.Helper()
	for _, word := range []string{"'unsafe-inline'", "'unsafe-eval'", "'unsafe-hashes'", "'wasm-unsafe-eval'", "'strict-dynamic'", "*", "http:", "https:"} {
		if slices.Contains(strings.Fields(strings.ReplaceAll(policy, ";", " ")), word) {
			t.Errorf("%s: %s in %s", path, word, policy)
		}
	}
	if got := words(policy, "default-src"); !slices.Equal(got, []string{"'none'"}) {
		t.Errorf("%s: default-src %q", path, got)
	}
	if got := words(policy, "script-src"); got != nil && !slices.Equal(got, []string{"'self'"}) {
		t.Errorf("%s: script-src %q", path, got)
	}
	if strings.HasPrefix(path, "/sandbox") {
		return // the provider's own
	}
	if got := words(policy, "base-uri"); !slices.Equal(got, []string{"'none'"}) {
		t.Errorf("%s: base-uri %q", path, got)
	}
	if got := words(policy, "frame-ancestors"); len(got) == 0 || got[0] != "'none'" && !strings.HasPrefix(path, "/embed/v1/") {
		t.Errorf("%s: frame-ancestors %q", path, got)
	}
}
