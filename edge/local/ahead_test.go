package local

import (
	"encoding/json"
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
