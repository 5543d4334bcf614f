package local

import (
	"net/http"
	"regexp"

	"plateia/edge/httpcache"
)

// aheadPath is where browsers find which pages they may make ready before their links are pressed.
const aheadPath = "/ahead.json"

// ahead says that a page of an event may be made ready once somebody rests on its link or begins to press it: it is there
// then when they let go. Such a page asks for public documents only, until it is seen (web/src/base/dom.ts, visited).
const ahead = `{"prerender":[{"where":{"href_matches":"/events/*"},"eagerness":"moderate"}]}`

// lookAhead tells the browser of a list of events where the rules are. A header, because a policy without inline code has no
// place for them in the page.
func lookAhead(h http.Header, page string) {
	if page == "index" {
		h.Set("Speculation-Rules", `"`+aheadPath+`"`)
	}
}

func sendAhead(w http.ResponseWriter, r *http.Request) {
	if !reads(w, r) {
		return
	}
	h := w.Header()
	h.Set("Content-Type", "application/speculationrules+json")
	h.Set("Cache-Control", "public, max-age=3600")
	asFile(h)
	serveBytes(w, r, "ahead-1", []byte(ahead))
}

// tellChart says with an event's page which chart the event has, as far as that is known here: the page asks for it at once then, and not
// after the event's document has come (web/src/event/early-chart.ts). Server-Timing, because scripts can read it and no other header.
func tellChart(h http.Header, page, path string, kept *httpcache.Cache) {
	if page != "event" || kept == nil {
		return
	}
	if found := chartOf.FindSubmatch(kept.Kept("/v1" + path)); found != nil {
		h.Set("Server-Timing", `chart;desc="`+string(found[1])+`"`)
	}
}

// chartOf finds the address of an event's chart in its document. No text can look like it: quotes in texts are written with a backslash.
var chartOf = regexp.MustCompile(`[^\\]"chart":\{[^{}]*"url":"(/v1/charts/[0-9a-f-]+/[0-9]+)"`)
