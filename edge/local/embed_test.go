package local

import (
	"context"
	"slices"
	"strings"
	"testing"
	"testing/fstest"

	"plateia/core/id"
	"plateia/core/partner"
)

// guests is a list of partners: all.example shows everything, one.example the event showID.
type guests struct{ *partner.List }

func newGuests() guests {
	return guests{partner.NewList("1", []partner.Grant{
		{Origins: []partner.Origin{"https://all.example"}, AllEvents: true},
		{Origins: []partner.Origin{"https://one.example", "http://localhost:8081"}, Events: []id.ID{showID}},
	}, nil)}
}

func withGuests(o *Options) { o.Partners = newGuests() }

// words of a directive of a policy.
func words(policy, directive string) []string {
	for d := range strings.SplitSeq(policy, ";") {
		if w := strings.Fields(d); len(w) > 0 && w[0] == directive {
			return w[1:]
		}
	}
	return nil
}

func TestPagesOfTheWidget(t *testing.T) {
	w := open(t, withGuests)
	other := id.New().String()
	for path, c := range map[string]struct {
		page      string
		ancestors []string
	}{
		"/embed/v1/desk/" + showID.String():  {"desk", []string{"'self'", "http://localhost:8081", "https://all.example", "https://one.example"}},
		"/embed/v1/frame/" + showID.String(): {"frame", []string{"'self'", "http://localhost:8081", "https://all.example", "https://one.example"}},
		"/embed/v1/desk/" + other:            {"desk", []string{"'self'", "https://all.example"}},
		"/embed/v1/frame/" + other:           {"frame", []string{"'self'", "https://all.example"}},
		"/embed/v1/pay":                      {"embed-pay", []string{"'none'"}},
		"/embed":                             {"embed", []string{"'none'"}},
	} {
		res, body := do(t, "GET", w.url+path, nil, "Accept-Encoding", "identity")
		h := res.Header
		policies := h.Values("Content-Security-Policy")
		if res.StatusCode != 200 || body != "<html>"+c.page || len(policies) != 1 || !slices.Equal(words(policies[0], "frame-ancestors"), c.ancestors) {
			t.Errorf("%s: %d %q %q", path, res.StatusCode, body, policies)
		}
		framed := c.ancestors[0] == "'self'"
		if framed == (h.Get("X-Frame-Options") != "") || framed != (h.Get("Cross-Origin-Embedder-Policy") == "require-corp") || framed != (h.Get("Cross-Origin-Resource-Policy") == "cross-origin") {
			t.Errorf("%s: %v", path, h)
		}
		if opener := h.Get("Cross-Origin-Opener-Policy"); (opener == "unsafe-none") != (path == "/embed/v1/pay") || opener != "unsafe-none" && opener != "same-origin" {
			t.Errorf("%s: opener policy %q", path, opener)
		}
	}
	for _, path := range []string{"/embed/", "/embed/v1", "/embed/v1/", "/embed/v1/desk", "/embed/v1/desk/", "/embed/v1/desk/x", "/embed/v1/desk/" + other + "/x", "/embed/v2/desk/" + other, "/embed/v1/pay/" + other, "/desk", "/desk.html", "/partner/index.html"} {
		if res, _ := do(t, "GET", w.url+path, nil); res.StatusCode == 200 {
			t.Errorf("%s: %d", path, res.StatusCode)
		}
	}
	if res, _ := do(t, "POST", w.url+"/embed/v1/desk/"+other, nil); res.StatusCode != 405 {
		t.Errorf("POST: %d", res.StatusCode)
	}
	for query, want := range map[string]string{"?lang=pt-BR": "<html lang=pt>desk", "?lang=es": "<html lang=es>desk", "?lang=pt": "<html lang=pt>desk", "?lang=en": "<html>desk", "?lang=../x": "<html>desk", "": "<html lang=es>desk"} {
		if _, body := do(t, "GET", w.url+"/embed/v1/desk/"+other+query, nil, "Accept-Language", "es", "Accept-Encoding", "identity"); body != want {
			t.Errorf("%s: %q", query, body)
		}
	}
}

// A browser that has a page is sent it again when others may frame it: of a 304 not every browser takes the policy.
func TestAPageOfTheWidgetIsAnotherOneWhenOthersMayFrameIt(t *testing.T) {
	origins := []partner.Origin{"https://one.example"}
	book := partner.NewBook(func(context.Context, string) (string, []partner.Grant, bool, error) {
		return string(origins[0]), []partner.Grant{{Origins: origins, AllEvents: true}}, false, nil
	}, nil)
	refresh := func() {
		if err := book.Refresh(t.Context()); err != nil {
			t.Fatal(err)
		}
	}
	refresh()
	w := open(t, func(o *Options) { o.Partners = book })
	for _, coding := range []string{"identity", "gzip"} {
		for _, page := range []string{"desk", "frame"} {
			url := w.url + "/embed/v1/" + page + "/" + showID.String()
			first, _ := do(t, "GET", url, nil, "Accept-Encoding", coding)
			same, _ := do(t, "GET", url, nil, "Accept-Encoding", coding, "If-None-Match", first.Header.Get("ETag"))
			origins = []partner.Origin{origins[0] + "x"}
			refresh()
			other, body := do(t, "GET", url, nil, "Accept-Encoding", coding, "If-None-Match", first.Header.Get("ETag"))
			may := words(other.Header.Get("Content-Security-Policy"), "frame-ancestors")
			if same.StatusCode != 304 || other.StatusCode != 200 || body == "" || !slices.Equal(may, []string{"'self'", string(origins[0])}) {
				t.Errorf("%s, %s: %d, and with another list %d %q %v", page, coding, same.StatusCode, other.StatusCode, body, may)
			}
		}
	}
}

func TestTheLoader(t *testing.T) {
	w := open(t, withGuests)
	for _, path := range []string{"/embed/v1/loader.js", "/assets/app-1a2b.js"} {
		res, _ := do(t, "GET", w.url+path, nil, "Origin", "https://anybody.example", "Accept-Encoding", "identity")
		if res.StatusCode != 200 || res.Header.Get("Access-Control-Allow-Origin") != "*" || res.Header.Get("Cross-Origin-Resource-Policy") != "cross-origin" || !strings.HasPrefix(res.Header.Get("Content-Type"), "text/javascript") {
			t.Errorf("%s: %d %v", path, res.StatusCode, res.Header)
		}
		if short := strings.Contains(res.Header.Get("Cache-Control"), "max-age=300,"); short != strings.HasPrefix(path, "/embed/") {
			t.Errorf("%s: %q", path, res.Header.Get("Cache-Control"))
		}
	}
	w = open(t, func(o *Options) { o.Partners, o.Assets = newGuests(), fstest.MapFS{"index.html": {Data: []byte("x")}} })
	for path, want := range map[string]string{"/embed/v1/loader.js": "make web", "/embed/v1/desk/" + showID.String(): "make web", "/embed/v1/pay": "make web", "/embed": "make web"} {
		if res, body := do(t, "GET", w.url+path, nil); res.StatusCode != 503 || !strings.Contains(body, want) {
			t.Errorf("not built, %s: %d %s", path, res.StatusCode, body)
		}
	}
}

// The document is the edge's own list: nobody behind is asked, for whatever event, and every page may read why it may not.
func TestTheDocumentOfAnEvent(t *testing.T) {
	w := open(t, withGuests)
	path := "/v1/events/" + showID.String() + "/embed"
	res, body := do(t, "GET", w.url+path, nil, "Origin", "https://anybody.example")
	if body != `{"origins":["http://localhost:8081","https://all.example","https://one.example"]}` || res.Header.Get("Access-Control-Allow-Origin") != "*" || res.Header.Get("Cache-Control") != "public, max-age=5" {
		t.Errorf("%s %v", body, res.Header)
	}
	if again, _ := do(t, "GET", w.url+path, nil, "If-None-Match", res.Header.Get("ETag")); again.StatusCode != 304 {
		t.Errorf("with its ETag: %d", again.StatusCode)
	}
	kept := w.cache.Stats()
	for range 300 {
		event := id.New().String()
		if res, body := do(t, "GET", w.url+"/v1/events/"+event+"/embed", nil); res.StatusCode != 200 || body != `{"origins":["https://all.example"]}` {
			t.Fatalf("%d %s", res.StatusCode, body)
		}
		if res, _ := do(t, "GET", w.url+"/embed/v1/desk/"+event, nil); res.StatusCode != 200 {
			t.Fatalf("%d", res.StatusCode)
		}
	}
	if got := w.cache.Stats(); got != kept || len(w.seen) != 0 {
		t.Errorf("unknown events were kept (%+v, %+v) or asked about: %v", kept, got, w.seen)
	}
	if res, _ := do(t, "POST", w.url+path, nil); res.StatusCode != 405 {
		t.Errorf("POST: %d", res.StatusCode)
	}
	if res, _ := do(t, "GET", w.url+"/v1/partners", nil); res.StatusCode != 404 {
		t.Errorf("the whole list is public: %d", res.StatusCode)
	}
}

func TestAPolicyTakesNoForeignWords(t *testing.T) {
	if got := policy("x; script-src *", "'none'"); strings.Contains(got, "script-src *") {
		t.Errorf("a Host header changed the policy: %s", got)
	}
	for _, host := range []string{"a.example:8080", "[::1]:80"} {
		if !strings.Contains(policy(host, "'none'"), " wss://"+host) {
			t.Errorf("%s is not in the policy", host)
		}
	}
}
