package local

import "net/http"

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
