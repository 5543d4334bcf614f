package local

import (
	"net/http"
	"net/http/httptest"
	"net/url"
	"regexp"
	"strings"
	"testing"

	"plateia/core/id"
	"plateia/edge/httpcache"
)

// closed are the paths, as a lenient router would read them, that nobody may reach without a credential.
var closed = regexp.MustCompile(`^(GET /v1/(me|queue|orders|orders/.*|holds/.*|tickets/.*|events/[0-9a-f-]{36}/holds/mine)|POST /v1/(queue/claim|orders|holds/.*/extend|orders/.*|events/[0-9a-f-]{36}/(queue|holds))|DELETE /v1/(queue|holds/.*))$`)

// Whatever the path and however it is spelled, nothing that needs a credential reaches the API without one, and nothing that
// could be read in two ways reaches anybody.
func FuzzNoWayAround(f *testing.F) {
	ev := showID.String()
	for _, seed := range []string{
		"/v1/events/EV/holds", "/V1/events/EV/HOLDS", "/v1/events/EV/holds/", "//v1/events/EV/holds", "/v1/events/EV/./holds", "/v1/events/EV/%68olds", "/v1/events/EV/holds?x=/live",
		"/v1/events/EV/queue", "/v1/events/EV/Queue", "/v1/events/EV/queue/", "/v1/events/EV/queue//", "/v1/events/EV/queue%2f", "/v1/events/EV/queue%20", "/v1/events/EV/queue.", "/v1/events/EV/queue;a=b",
		"/v1/queue", "/v1/queue/", "/v1/queue/claim", "/v1/Queue/Claim", "/v1/queue/claim/", "/v1/queue/../queue/claim", "/v1/queue/%63laim", "/v1/queue\\claim", "/v1/queue/claim%00",
		"/v1/orders", "/v1/orders/EV", "/v1/ORDERS/EV/pay", "/v1/holds/EV", "/v1/holds/EV/extend/", "/v1/tickets/EV.png", "/v1/me", "/v1/me/", "/V1/ME", "/v1/events/EV/holds/mine", "/v1/events/EV/holds/MINE/",
		"/v1/events/EV/frontier", "/v1/events/EV/frontier/", "/v1/events/EV/FRONTIER", "/v1/events/EV/availability/A-1", "/v1/events/EV/draw/statements", "/v1/events/EV/live",
		"/Show", "/show", "/line/EV", "/Line/EV", "/line/EV/", "/line/EV/plain", "/line/EV/plain/", "/line/EV/PLAIN", "/line//EV", "/events/EV", "/sandbox/../v1/orders", "/sandbox//v1/orders", "/.well-known/../v1/me",
	} {
		for _, spelled := range []string{ev, strings.ToUpper(ev)} {
			f.Add(strings.ReplaceAll(seed, "EV", spelled), uint8(0))
			f.Add(strings.ReplaceAll(seed, "EV", spelled), uint8(1))
		}
	}
	guard, err := newGuard(nil, nil)
	if err != nil {
		f.Fatal(err)
	}
	var reached string
	behind := http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) { reached = r.URL.EscapedPath() })
	e := &Edge{opts: Options{Tokens: tokens{}}.withDefaults(), pages: &site{}, guard: guard, api: behind, gateway: behind}
	e.opts.API, e.sandboxes = At(&url.URL{Host: "x"}), map[string]http.Handler{"sandbox": behind}
	e.cache = httpcache.New(nil, httpcache.Options{})
	e.cache.Close() // it answers by itself and asks nobody
	e.mints, e.claims = newLimits(mintAllowance, 10, e.opts.Now), newLimits(claimAllowance, 10, e.opts.Now)
	f.Fuzz(func(t *testing.T, target string, kind uint8) {
		u, err := url.ParseRequestURI(target)
		if err != nil {
			return
		}
		reached = ""
		method := []string{"GET", "POST", "DELETE", "PUT"}[kind%4]
		answer := httptest.NewRecorder()
		e.ServeHTTP(answer, &http.Request{Method: method, URL: u, Header: http.Header{}, Body: http.NoBody})
		if answer.Code == http.StatusInternalServerError {
			t.Fatalf("%q is our fault", target)
		}
		lenient, err := url.PathUnescape(reached)
		if err != nil || lenient != reached || strings.Contains(reached, "//") || strings.Contains(reached+"/", "/../") || strings.Contains(reached+"/", "/./") {
			t.Fatalf("%q got through as %q", target, reached)
		}
		if strings.HasPrefix(reached, "/sandbox/") {
			return
		}
		if lenient = strings.ToLower(strings.TrimRight(reached, "/")); closed.MatchString(method + " " + lenient) {
			if name, _, _ := strings.Cut(strings.TrimPrefix(lenient, "/v1/events/"), "/"); strings.HasPrefix(lenient, "/v1/events/") {
				if _, err := id.Parse(name); err != nil { // of no event: the API knows nothing by this name
					return
				}
			}
			t.Fatalf("%s %q reached %q without a credential", method, target, reached)
		}
	})
}
