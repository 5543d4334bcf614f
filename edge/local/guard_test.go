package local

import (
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/getkin/kin-openapi/openapi3"

	"plateia/core/fault"
	"plateia/core/id"
)

func TestHostsAreOnAList(t *testing.T) {
	w := open(t, func(o *Options) { o.Hosts = []string{"Tickets.Example"} })
	get := func(host, path string) string {
		return raw(t, w.addr, "GET "+path+" HTTP/1.1\r\nHost: "+host+"\r\nConnection: close\r\n\r\n")[:12]
	}
	port := w.addr[strings.LastIndexByte(w.addr, ':'):]
	for _, host := range []string{"tickets.example", "TICKETS.example:443", "tickets.example.", "localhost" + port, "127.0.0.1" + port, "[::1]", "a.localhost"} {
		if got := get(host, "/v1/me"); got != "HTTP/1.1 401" {
			t.Errorf("%s: %s", host, got)
		}
	}
	for _, host := range []string{"evil.example", "tickets.example.evil.example", "192.0.2.7", "10.0.0.1:8080", "tickets.example@evil.example", ""} {
		for _, path := range []string{"/", "/v1/events", "/v1/events/" + showID.String() + "/frontier"} {
			if got := get(host, path); got != "HTTP/1.1 421" && got != "HTTP/1.1 400" {
				t.Errorf("%s%s: %s", host, path, got)
			}
		}
	}
	if got := get("10.1.2.3", "/readyz"); got != "HTTP/1.1 200" {
		t.Errorf("a probe by address: %s", got)
	}
}

// What another site's page may make a browser send gets nowhere; programs, which say nothing of this kind, do.
func TestAnotherSitesPageChangesNothing(t *testing.T) {
	w := open(t, func(o *Options) { o.Origins = []string{"https://tickets.example"} })
	enter := w.url + "/v1/events/" + showID.String() + "/queue"
	for name, c := range map[string]struct {
		method string
		header []string
		passes bool
	}{
		"a program":            {"POST", nil, true},
		"our page":             {"POST", []string{"Origin", w.url, "Sec-Fetch-Site", "same-origin"}, true},
		"our other name":       {"POST", []string{"Origin", "https://tickets.example", "Sec-Fetch-Site", "cross-site"}, true},
		"typed by the fan":     {"POST", []string{"Sec-Fetch-Site", "none"}, true},
		"another site":         {"POST", []string{"Origin", "https://evil.example", "Sec-Fetch-Site", "cross-site"}, false},
		"another site, old":    {"POST", []string{"Origin", "https://evil.example"}, false},
		"a sibling":            {"POST", []string{"Origin", "https://x.tickets.example", "Sec-Fetch-Site", "same-site"}, false},
		"a sandboxed frame":    {"POST", []string{"Origin", "null"}, false},
		"another port of ours": {"POST", []string{"Origin", "http://127.0.0.1:1"}, false},
		"another site's PUT":   {"PUT", []string{"Sec-Fetch-Site", "cross-site"}, false},
		"DELETE":               {"DELETE", []string{"Sec-Fetch-Site", "cross-site"}, false},
		"a link to us":         {"GET", []string{"Sec-Fetch-Site", "cross-site", "Sec-Fetch-Mode", "navigate"}, true},
	} {
		before := len(w.seen)
		target := enter
		if c.method != "POST" {
			target = w.url + "/v1/sessions"
		}
		res, body := do(t, c.method, target, strings.NewReader("{}"), append(c.header, "Authorization", "Bearer session:"+name)...)
		if c.passes != (len(w.seen) > before) || !c.passes && (res.StatusCode != 403 || !strings.Contains(body, `"FORBIDDEN"`) || res.Header.Get("Content-Type") != "application/problem+json") {
			t.Errorf("%s: %d %s", name, res.StatusCode, body)
		}
	}
}

// Every operation of the API that needs a credential is refused here without one, and with another kind's: the API never hears of it.
func TestEveryCredentialIsCheckedBeforeTheAPI(t *testing.T) {
	w := open(t, nil)
	doc, err := openapi3.NewLoader().LoadFromFile("../openapi.yaml")
	if err != nil {
		t.Fatal(err)
	}
	words := map[string]string{"session": "session:ana", "access": "good", "queueTicket": "ticket:ana"}
	checked := 0
	for path, item := range doc.Paths.Map() {
		for method, operation := range item.Operations() {
			if operation.Security == nil || len(*operation.Security) == 0 || (*operation.Security)[0]["operator"] != nil {
				continue
			}
			target := w.url + strings.NewReplacer("{eventId}", showID.String(), "{holdId}", id.New().String(), "{orderId}", id.New().String(), "{ticketId}", id.New().String()).Replace(path)
			for _, token := range []string{"", "Bearer", "Bearer x", "Bearer session:ana", "Bearer ticket:ana", "Bearer good", "Basic session:ana", "Bearer session"} {
				scheme := ""
				for kind, word := range words {
					if token == "Bearer "+word {
						scheme = kind
					}
				}
				if _, right := (*operation.Security)[0][scheme]; right {
					continue
				}
				before := len(w.seen)
				res, body := do(t, method, target, nil, "Authorization", token)
				if res.StatusCode != 401 || len(w.seen) != before || res.Header.Get("WWW-Authenticate") == "" || res.Header.Get("Content-Type") != "application/problem+json" {
					t.Errorf("%s %s with %q: %d %s", method, path, token, res.StatusCode, body)
				}
				checked++
			}
		}
	}
	if checked < 100 {
		t.Errorf("only %d requests were tried", checked)
	}
}

// An account that asks all the time is told when to come back; the limit is its own, and never its address's.
func TestLimitsAreOfAnAccount(t *testing.T) {
	now := time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)
	w := open(t, func(o *Options) { o.Now = func() time.Time { return now } })
	enter, claim := w.url+"/v1/events/"+showID.String()+"/queue", w.url+"/v1/queue/claim"
	for target, a := range map[string]allowance{enter: mintAllowance, claim: claimAllowance} {
		for i := range a.burst {
			if res, body := do(t, "POST", target, strings.NewReader(`{}`), "Authorization", "Bearer session:ana"); res.StatusCode != 200 {
				t.Fatalf("%d: %d %s", i, res.StatusCode, body)
			}
		}
		res, body := do(t, "POST", target, strings.NewReader(`{}`), "Authorization", "Bearer session:ana")
		var p struct {
			Code    string
			ResetAt time.Time
		}
		if err := json.Unmarshal([]byte(body), &p); err != nil || res.StatusCode != 429 || p.Code != "RATE_LIMITED" || !p.ResetAt.Equal(now.Add(a.pace)) || res.Header.Get("Retry-After") != fmt.Sprint(int(a.pace.Seconds())) {
			t.Errorf("%s: %d %s %v", target, res.StatusCode, body, res.Header)
		}
		if res, _ := do(t, "POST", target, strings.NewReader(`{}`), "Authorization", "Bearer session:bob"); res.StatusCode != 200 {
			t.Errorf("somebody else: %d", res.StatusCode)
		}
	}
	now = now.Add(mintAllowance.pace)
	if res, _ := do(t, "POST", enter, strings.NewReader(`{}`), "Authorization", "Bearer session:ana"); res.StatusCode != 200 {
		t.Errorf("after the pace: %d", res.StatusCode)
	}
}

func TestLimitsForgetTheIdle(t *testing.T) {
	now := time.Unix(0, 0)
	l := newLimits(allowance{burst: 1, pace: time.Hour}, 3, func() time.Time { return now })
	for i := range byte(4) {
		if err := l.take(id.ID{1, i}); err != nil {
			t.Fatal(err)
		}
	}
	if err := l.take(id.ID{1, 3}); fault.CodeOf(err) != fault.RateLimited {
		t.Errorf("%v", err)
	}
	if len(l.byWho) != 3 || l.recent.Len() != 3 || l.take(id.ID{1, 0}) != nil {
		t.Errorf("%d accounts are remembered", len(l.byWho))
	}
}

// Case 9: five thousand fans behind one address enter, ask for the document and claim, and nobody is refused.
func TestFansBehindOneAddressAreNotRefused(t *testing.T) {
	_, at := openPress(t, 10)
	w := open(t, func(o *Options) { o.API = At(at) })
	passed := 0
	w.api = http.HandlerFunc(func(http.ResponseWriter, *http.Request) { passed++ })
	ev := "/v1/events/" + showID.String()
	const fans = 5000
	for fan := range fans {
		for _, ask := range []string{"POST " + ev + "/queue", "GET " + ev + "/frontier", "POST /v1/queue/claim"} {
			method, path, _ := strings.Cut(ask, " ")
			r := httptest.NewRequest(method, path, strings.NewReader(`{}`))
			r.RemoteAddr = fmt.Sprintf("198.51.100.7:%d", 1024+fan)
			r.Header.Set("Authorization", fmt.Sprintf("Bearer session:%d", fan))
			answer := httptest.NewRecorder()
			w.ServeHTTP(answer, r)
			if answer.Code != http.StatusOK {
				t.Fatalf("fan %d: %s: %d %s", fan, ask, answer.Code, answer.Body)
			}
		}
	}
	if passed != 2*fans {
		t.Errorf("%d of %d requests passed", passed, 2*fans)
	}
}
