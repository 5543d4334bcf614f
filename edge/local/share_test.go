package local

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"net/url"
	"slices"
	"strings"
	"testing"

	"github.com/coder/websocket"

	"plateia/core/id"
)

// varies reports whether a cache between us knows that the answer depends on Origin.
func varies(h http.Header) bool {
	return slices.Contains(strings.Split(strings.ReplaceAll(strings.Join(h.Values("Vary"), ","), " ", ""), ","), "Origin")
}

func TestPartnersReadPublicData(t *testing.T) {
	w := open(t, withGuests)
	show, other := "/v1/events/"+showID.String(), "/v1/events/"+id.New().String()
	chart := "/v1/charts/" + id.New().String() + "/1"
	for origin, may := range map[string][]string{
		"https://all.example":          {show, other, chart, "/v1/events"},
		"https://one.example":          {show, chart, "/v1/events"},
		"http://localhost:8081":        {show, chart, "/v1/events"},
		"http://localhost:8082":        nil,
		"https://evil.example":         nil,
		"https://all.example.evil":     nil,
		"https://ALL.example":          nil, // not as a browser writes it
		"https://all.example:443":      nil,
		"http://all.example":           nil,
		"https://all.example/":         nil,
		"null":                         nil,
		"*":                            nil,
		"":                             nil,
		"https://all.example, https:x": nil,
	} {
		for _, path := range []string{show, other, chart, "/v1/events", show + "/availability", show + "/availability/A", show + "/frontier", show + "/live"} {
			base, _, _ := strings.Cut(strings.TrimPrefix(path, "/v1/events/"), "/")
			want := ""
			if slices.Contains(may, path) || slices.Contains(may, show) && "/v1/events/"+base == show {
				want = origin
			}
			res, _ := do(t, "GET", w.url+path, nil, "Origin", origin)
			h := res.Header
			if got := h.Get("Access-Control-Allow-Origin"); got != want || len(h.Values("Access-Control-Allow-Origin")) > 1 || h.Get("Access-Control-Allow-Credentials") != "" || !varies(h) {
				t.Errorf("%q reads %s: %v, want %q", origin, path, h, want)
			}
		}
	}
	twice := "GET " + show + " HTTP/1.1\r\nHost: x\r\nConnection: close\r\nOrigin: https://one.example\r\nOrigin: https://one.example\r\n\r\n"
	if got := raw(t, w.addr, twice); !strings.HasPrefix(got, "HTTP/1.1 200") || strings.Contains(got, "Access-Control") {
		t.Errorf("with two origins: %s", got)
	}
	if res, _ := do(t, "GET", w.url+show, nil); !varies(res.Header) {
		t.Errorf("an answer without Origin does not vary: %v", res.Header)
	}
}

// Twice the same document, from the cache, to one who may read it and one who may not.
func TestACachedDocumentIsSharedWithThoseWhoMay(t *testing.T) {
	api := httptest.NewServer(http.HandlerFunc(func(rw http.ResponseWriter, _ *http.Request) {
		rw.Header().Set("Cache-Control", "public, max-age=60")
		rw.Header().Set("Access-Control-Allow-Origin", "https://evil.example") // nobody behind decides that
		rw.Header().Set("Access-Control-Allow-Credentials", "true")
		rw.Header().Set("ETag", `"1"`)
		fmt.Fprint(rw, strings.Repeat("document ", 300))
	}))
	defer api.Close()
	behind, _ := url.Parse(api.URL)
	w := open(t, func(o *Options) { o.Partners, o.API = newGuests(), At(behind) })
	path := w.url + "/v1/events/" + showID.String()
	for range 2 {
		for origin, want := range map[string]string{"https://one.example": "https://one.example", "https://evil.example": "", "https://all.example": "https://all.example"} {
			res, body := do(t, "GET", path, nil, "Origin", origin)
			if got := res.Header.Get("Access-Control-Allow-Origin"); got != want || res.Header.Get("Access-Control-Allow-Credentials") != "" || !varies(res.Header) || !strings.HasPrefix(body, "document") {
				t.Errorf("%s: %q %v", origin, got, res.Header)
			}
			not, _ := do(t, "GET", path, nil, "Origin", origin, "If-None-Match", `"1"`)
			if got := not.Header.Get("Access-Control-Allow-Origin"); got != want || not.StatusCode != 304 {
				t.Errorf("%s, %d: %q", origin, not.StatusCode, got)
			}
		}
	}
	if got := w.cache.Stats(); got.Fetched != 1 {
		t.Errorf("%d requests behind", got.Fetched)
	}
}

func TestWhatIsNotShared(t *testing.T) {
	w := open(t, withGuests)
	show := "/v1/events/" + showID.String()
	for _, c := range []struct{ method, path string }{
		{"GET", "/v1/events/" + showID.String() + "/holds/mine"}, {"GET", "/v1/me"}, {"GET", "/v1/orders"}, {"GET", "/v1/queue"}, {"GET", "/v1/tickets/x"},
		{"GET", "/"}, {"GET", "/events/" + showID.String()}, {"GET", "/embed/v1/desk/" + showID.String()}, {"GET", "/v1/partners"}, {"GET", "/v1/ops/partners"}, {"GET", "/v1/chartsx"},
		{"POST", show + "/holds"}, {"POST", show}, {"DELETE", show}, {"PUT", show + "/availability"},
	} {
		res, _ := do(t, c.method, w.url+c.path, nil, "Origin", "https://all.example", "Sec-Fetch-Site", "cross-site")
		for name := range res.Header {
			if strings.HasPrefix(name, "Access-Control-") {
				t.Errorf("%s %s: %s", c.method, c.path, name)
			}
		}
		if c.method != "GET" && res.StatusCode != http.StatusForbidden {
			t.Errorf("%s %s by another site's page: %d", c.method, c.path, res.StatusCode)
		}
	}
}

func TestPreflights(t *testing.T) {
	w := open(t, withGuests)
	show := w.url + "/v1/events/" + showID.String()
	for _, c := range []struct {
		path, origin, method string
		allowed              bool
	}{
		{show + "/live", "https://one.example", "GET", true}, {show, "https://one.example", "HEAD", true},
		{show, "https://one.example", "POST", false}, {show, "https://one.example", "get", false}, {show, "https://evil.example", "GET", false}, {show, "null", "GET", false},
		{w.url + "/v1/events/" + id.New().String(), "https://one.example", "GET", false},
	} {
		res, body := do(t, "OPTIONS", c.path, nil, "Origin", c.origin, "Access-Control-Request-Method", c.method, "Access-Control-Request-Headers", "authorization")
		h := res.Header
		if res.StatusCode != 204 || body != "" || (h.Get("Access-Control-Allow-Origin") == c.origin) != c.allowed || !varies(h) {
			t.Errorf("%s %s by %s: %d %v", c.method, c.path, c.origin, res.StatusCode, h)
		}
		if c.allowed && (h.Get("Access-Control-Allow-Methods") != "GET, HEAD" || strings.Contains(strings.ToLower(h.Get("Access-Control-Allow-Headers")), "authorization")) {
			t.Errorf("%s: %v", c.path, h)
		}
	}
	for _, path := range []string{show + "/holds", w.url + "/v1/me", w.url + "/embed/v1/pay"} {
		if res, _ := do(t, "OPTIONS", path, nil, "Origin", "https://one.example", "Access-Control-Request-Method", "POST"); res.Header.Get("Access-Control-Allow-Origin") != "" {
			t.Errorf("%s: %v", path, res.Header)
		}
	}
	if len(w.seen) > 3 {
		t.Errorf("preflights of public data reached %v", w.seen)
	}
}

// The live map goes through with the Origin it came with: the gateway decides. Its upgrade is not in the way of the headers.
func TestASocketOfAPartner(t *testing.T) {
	w := open(t, withGuests)
	ws, res, err := websocket.Dial(t.Context(), "ws://"+w.addr+"/v1/events/"+showID.String()+"/live", &websocket.DialOptions{
		Subprotocols: []string{"plateia.v1"}, HTTPHeader: http.Header{"Origin": {"http://" + w.addr}},
	})
	if err != nil {
		t.Fatal(err)
	}
	defer ws.CloseNow()
	if res.StatusCode != http.StatusSwitchingProtocols || ws.Write(t.Context(), websocket.MessageText, []byte("hello")) != nil {
		t.Errorf("%d", res.StatusCode)
	}
	if _, got, err := ws.Read(t.Context()); err != nil || string(got) != "hello" {
		t.Errorf("%s, %v", got, err)
	}
}
