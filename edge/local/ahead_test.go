package local

import (
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"testing"

	"plateia/core/id"
)

// The list says where the rules are, they are of the form that browsers take, and no other page has any.
func TestPagesOfEventsMayBeMadeReadyFromTheList(t *testing.T) {
	w := open(t, nil)
	for path, want := range map[string]string{"/": `"` + aheadPath + `"`, "/events/" + id.New().String(): "", "/orders": "", "/line/" + id.New().String(): ""} {
		res, _ := do(t, "GET", w.url+path, nil, "Accept", "text/html")
		if got := strings.Join(res.Header.Values("Speculation-Rules"), ","); got != want {
			t.Errorf("%s: Speculation-Rules %q, want %q", path, got, want)
		}
	}
	res, body := do(t, "GET", w.url+aheadPath, nil)
	if got := res.Header.Get("Content-Type"); res.StatusCode != 200 || got != "application/speculationrules+json" {
		t.Fatalf("%d %q", res.StatusCode, got)
	}
	var rules map[string][]struct {
		Where     map[string]string `json:"where"`
		Eagerness string            `json:"eagerness"`
	}
	if err := json.Unmarshal([]byte(body), &rules); err != nil {
		t.Fatal(err)
	}
	if r := rules["prerender"]; len(rules) != 1 || len(r) != 1 || r[0].Eagerness != "moderate" || r[0].Where["href_matches"] != "/events/*" {
		t.Errorf("%s", body)
	}
	if res, _ := do(t, "POST", w.url+aheadPath, nil); res.StatusCode != 405 || res.Header.Get("Allow") != "GET, HEAD" {
		t.Errorf("POST: %d, Allow %q", res.StatusCode, res.Header.Get("Allow"))
	}
}

// Once the edge has an event's document, the event's page says which chart that names, and no other page does. What a title says is no address.
func TestAnEventsPageNamesItsChart(t *testing.T) {
	title, _ := json.Marshal(`x","chart":{"url":"/v1/charts/bad/1"},"`)
	document := `{"title":` + string(title) + `,"chart":{"chartId":"c1","version":7,"url":"/v1/charts/c1/7"},"sections":[]}`
	origin := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Cache-Control", "public, max-age=1")
		w.Header().Set("Content-Type", "application/json")
		_, _ = w.Write([]byte(document))
	}))
	t.Cleanup(origin.Close)
	at, err := url.Parse(origin.URL)
	if err != nil {
		t.Fatal(err)
	}
	w := open(t, func(o *Options) { o.API = At(at) })
	for _, step := range []struct{ path, want string }{
		{"/events/" + showID.String(), ""},
		{"/v1/events/" + showID.String(), ""},
		{"/events/" + showID.String(), `chart;desc="/v1/charts/c1/7"`},
		{"/events/" + id.New().String(), ""},
		{"/orders/" + showID.String(), ""},
	} {
		res, _ := do(t, "GET", w.url+step.path, nil, "Accept", "text/html, application/json")
		if got := strings.Join(res.Header.Values("Server-Timing"), "; "); res.StatusCode != 200 || got != step.want {
			t.Errorf("%s: %d, Server-Timing %q, want %q", step.path, res.StatusCode, got, step.want)
		}
	}
}
