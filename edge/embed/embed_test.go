package embed

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"testing"

	"plateia/core/fault"
	"plateia/core/id"
	"plateia/core/partner"
)

func TestOriginsAsPeopleTypeThem(t *testing.T) {
	for text, want := range map[string]partner.Origin{
		"https://venue.example": "https://venue.example", "https://straße.example": "https://xn--strae-oqa.example", "HTTPS://STRASSE.example": "https://strasse.example",
		"https://Ção.example:8443/": "https://xn--o-xfal.example:8443", "https://山田.jp": "https://xn--rhtu98c.jp", "https://москва.рф": "https://xn--80adxhks.xn--p1ai",
		"https://venue。example": "https://venue.example", "https://ｖｅｎｕｅ.example": "https://venue.example", "https://XN--STRAE-OQA.example": "https://xn--strae-oqa.example",
		"https://vеnue.example":   "https://xn--vnue-v4d.example", // a Cyrillic е: it shows as what it is
		"https://a\u0301.example": "https://xn--1ca.example", "https://á.example": "https://xn--1ca.example",
		"http://localhost:8081": "http://localhost:8081", "http://[::1]:8081": "http://[::1]:8081",
	} {
		if got, err := ParseOrigin(text); err != nil || got != want {
			t.Errorf("%q: %q, %v, want %q", text, got, err, want)
		}
	}
	if got, err := ParseOrigin(" https://venue.example\n"); err != nil || got != "https://venue.example" {
		t.Errorf("pasted with spaces: %q, %v", got, err)
	}
	for _, text := range []string{"", "null", "https://*.straße.example", "https://straße.example/x", "https://u@straße.example", "https://xn--a.example", "https://xn--.example", "https://a\u202eb.example", "https://אa.example", "http://straße.example", "https://ß" + strings.Repeat("ß", 80) + ".example", "https://\x80.example", strings.Repeat("é", 4000) + "://"} {
		if got, err := ParseOrigin(text); fault.CodeOf(err) != fault.Invalid {
			t.Errorf("%.40q is taken for %q (%v)", text, got, err)
		}
	}
}

// Whatever a person types becomes an origin in its one form, or is refused.
func FuzzParseOrigin(f *testing.F) {
	for _, seed := range []string{"https://straße.example", "https://山田.jp:443/", "https://xn--1ca", "http://localhost", "https://a。b", "HTTP://[::1]:80"} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, text string) {
		o, err := ParseOrigin(text)
		if err != nil {
			return
		}
		if again, err := partner.ParseOrigin(string(o)); err != nil || again != o || !ascii(string(o)) {
			t.Fatalf("%q became %q, and that %q, %v", text, o, again, err)
		}
	})
}

func TestTheListTravels(t *testing.T) {
	grants := []partner.Grant{{Origins: []partner.Origin{"https://a.example"}, AllEvents: true}, {Origins: []partner.Origin{"https://b.example", "http://localhost:1"}, Events: []id.ID{id.New(), id.New()}}}
	version, got, err := Decode(Encode("12", grants))
	if err != nil || version != "12" || fmt.Sprint(got) != fmt.Sprint(grants) {
		t.Errorf("%s %v, %v", version, got, err)
	}
	for _, text := range []string{"", "null", "{}", `{"version":""}`, `[]`, `{"version":"1","grants":[{"origins":["*"]}]}`, `{"version":"1","grants":[{"origins":["https://A.example"]}]}`,
		`{"version":"1","grants":[{"origins":["https://a.example; script-src *"]}]}`, `{"version":"1","grants":[{"events":["x"]}]}`} {
		if version, got, err := Decode([]byte(text)); err == nil {
			t.Errorf("%s is a list: %s %v", text, version, got)
		}
	}
}

// The first API that answers well tells; what is not a list changes nothing.
func TestAnEdgeAsksTheAPIs(t *testing.T) {
	var asked []string
	api := func(name, body string, status int) *url.URL {
		s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			asked = append(asked, name+r.URL.Path+r.Header.Get("If-None-Match"))
			w.WriteHeader(status)
			_, _ = w.Write([]byte(body))
		}))
		t.Cleanup(s.Close)
		u, _ := url.Parse(s.URL)
		return u
	}
	list := string(Encode("3", []partner.Grant{{Origins: []partner.Origin{"https://a.example"}, AllEvents: true}}))
	down, odd, good := api("down", "", 503), api("odd", "<html>", 200), api("good", list, 200)
	version, grants, unchanged, err := Follow(http.DefaultClient, []*url.URL{down, odd, good})(t.Context(), "2")
	if err != nil || version != "3" || unchanged || len(grants) != 1 || fmt.Sprint(asked) != `[down/v1/partners"2" odd/v1/partners"2" good/v1/partners"2"]` {
		t.Errorf("%s %v %v %v, asked %v", version, grants, unchanged, err, asked)
	}
	if version, _, unchanged, err := Follow(http.DefaultClient, []*url.URL{api("same", "", 304)})(t.Context(), "3"); err != nil || !unchanged || version != "3" {
		t.Errorf("%s %v %v", version, unchanged, err)
	}
	for _, apis := range [][]*url.URL{nil, {down, odd}} {
		if _, _, _, err := Follow(http.DefaultClient, apis)(t.Context(), ""); err == nil {
			t.Errorf("%d APIs that tell nothing told a list", len(apis))
		}
	}
}
