package local

import (
	"net/http"
	"strings"
	"testing"
	"time"

	"plateia/core/id"
)

// An event's changes go to its home region once its document has told which that is; what reads, and what is about
// other events, stays nearby; and health comes first.
func TestChangesGoHome(t *testing.T) {
	w, east, west := openPair(t, probes(time.Minute))
	show, other := showID.String(), id.New().String()
	from := func(method, path string, header ...string) string {
		t.Helper()
		res, body := do(t, method, w.url+path, strings.NewReader("x"), append(header, "Idempotency-Key", "k")...)
		if res.StatusCode != http.StatusOK {
			t.Fatalf("%s %s: %d %s", method, path, res.StatusCode, body)
		}
		if res.Header.Get(HomeHeader) != "" {
			t.Errorf("%s %s tells everybody of the home region", method, path)
		}
		return res.Header.Get(RegionHeader)
	}
	hold := func() string { return from("POST", "/v1/events/"+show+"/holds", "Authorization", "Bearer good") }
	if got := hold(); got != "east" {
		t.Errorf("before anything is known %s sells", got)
	}
	for range 2 { // the second comes from the edge's memory
		if got := from("GET", "/v1/events/"+show); got != "east" {
			t.Errorf("the document comes from %s", got)
		}
	}
	if got := hold(); got != "west" {
		t.Errorf("the event is at home in west, and %s sells", got)
	}
	mine := "/v1/holds/" + id.NewIn(showID).String()
	for path, want := range map[string]string{
		"DELETE " + mine: "west", "POST " + mine + "/extend": "west", "GET " + mine: "east",
		"DELETE /v1/holds/" + id.NewIn(id.New()).String(): "east", "POST /v1/sessions": "east",
		"DELETE /v1/events/" + show + "/watch": "west", "DELETE /v1/events/" + other + "/watch": "east",
	} {
		method, path, _ := strings.Cut(path, " ")
		if got := from(method, path, "Authorization", "Bearer session:me"); got != want {
			t.Errorf("%s %s went to %s", method, path, got)
		}
	}
	west.status.Store(http.StatusServiceUnavailable) // it asks for no new work
	eventually(t, "the other region sells", func() bool { return hold() == "east" })
	west.status.Store(http.StatusOK)
	eventually(t, "it sells at home again", func() bool { return hold() == "west" })
	west.kill()
	for range 20 {
		if got := hold(); got != "east" {
			t.Errorf("after the kill %s sells", got)
		}
	}
	east.status.Store(http.StatusServiceUnavailable)
	eventually(t, "both are called unwell", func() bool { return w.state("east").State == "unready" && w.state("west").State == "dead" })
	if got := hold(); got != "east" {
		t.Errorf("one is dead and the other asks for no work: %s", got)
	}
}

func TestHomesAreBounded(t *testing.T) {
	h := newHomes()
	for range homesKept + 10 {
		h.learn("/v1/events/"+id.New().String(), http.Header{HomeHeader: {"west"}})
	}
	if n := len(h.region); n > homesKept || n == 0 {
		t.Errorf("%d homes are kept", n)
	}
}
