package api_test

import (
	"bytes"
	"compress/gzip"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"testing"
	"time"

	"plateia/core/event"
	"plateia/core/fault"
	"plateia/core/id"
	"plateia/core/secret"
	"plateia/edge/api"
)

func mustURL(req *http.Request) *url.URL {
	u := *req.URL
	u.Host, u.Scheme = "", ""
	return &u
}

func TestEventsAreListed(t *testing.T) {
	w := open(t, api.Options{})
	w.sell("Olinda", event.DefaultRules())
	w.sell("Olinda", event.DefaultRules())
	page := w.do("GET", "/v1/events?limit=2", "").must(200)
	events := page.json["events"].([]any)
	first := events[0].(map[string]any)
	if len(events) != 2 || first["eventId"] == "" || first["capacity"] != float64(40) || first["title"] != "São João 山田 🎉" || first["availability"] != "available" {
		t.Errorf("%s", page.raw)
	}
	rest := w.do("GET", "/v1/events?limit=2&cursor="+page.text("nextCursor"), "").must(200)
	if len(rest.json["events"].([]any)) != 1 || rest.json["nextCursor"] != nil {
		t.Errorf("%s", rest.raw)
	}
	if found := w.do("GET", "/v1/events?q=olinda+sao", "").must(200); len(found.json["events"].([]any)) != 2 {
		t.Errorf("%s", found.raw)
	}
	if none := w.do("GET", "/v1/events?q=nothing", "").must(200); string(none.raw) != `{"events":[],"nextCursor":null}` {
		t.Errorf("%s", none.raw)
	}
	for _, bad := range []string{"limit=0", "limit=101", "limit=x", "cursor=x", "cursor=" + strings.Repeat("A", 32) + "%3D", "q=" + strings.Repeat("a", 201), "q=%ff"} {
		w.do("GET", "/v1/events?"+bad, "").refused(400, fault.Invalid)
	}
	if cc := page.header.Get("Cache-Control"); !strings.HasPrefix(cc, "public, max-age=10") || strings.Contains(cc, "s-maxage") {
		t.Error(cc)
	}
	w.do("GET", "/v1/events?limit=2", "", "If-None-Match", page.header.Get("ETag")).must(304)
}

func TestEventAndChart(t *testing.T) {
	w := open(t, api.Options{})
	path := "/v1/events/" + w.event.ID.String()
	e := w.do("GET", path, "").must(200)
	if e.header.Get("Cache-Control") != "public, max-age=1, stale-while-revalidate=30, stale-if-error=300" {
		t.Error(e.header)
	}
	same := w.do("GET", path, "", "If-None-Match", "W/"+e.header.Get("ETag")).must(304)
	if home := w.event.HomeRegion; e.header.Get("Plateia-Home") != home || same.header.Get("Plateia-Home") != home {
		t.Errorf("the home region is not told: %v, %v", e.header, same.header)
	}
	chart := e.json["chart"].(map[string]any)["url"].(string)
	for _, accept := range []string{"application/octet-stream", "application/json, */*", "application/octet-stream;q=0, */*"} {
		got := w.do("GET", chart, "", "Accept", accept, "Accept-Encoding", "identity").must(200)
		binary := accept == "application/octet-stream"
		if binary != bytes.Equal(got.raw, w.chart.Geometry()) || binary == strings.HasSuffix(got.header.Get("Content-Type"), "json") {
			t.Errorf("%s: %s", accept, got.header)
		}
		if got.header.Get("Cache-Control") != "public, max-age=31536000, immutable" || !strings.Contains(got.header.Get("Vary"), "Accept") {
			t.Error(got.header)
		}
		w.do("GET", chart, "", "Accept", accept, "Accept-Encoding", "identity", "If-None-Match", got.header.Get("ETag")).must(304)
	}
	req := httptest.NewRequest("GET", w.url+chart, nil)
	req.RequestURI = ""
	req.Header.Set("Accept-Encoding", "gzip")
	res, err := http.DefaultTransport.RoundTrip(req)
	if err != nil {
		t.Fatal(err)
	}
	defer res.Body.Close()
	unzip, err := gzip.NewReader(res.Body)
	if err != nil {
		t.Fatal(err)
	}
	if plain, err := io.ReadAll(unzip); err != nil || !json.Valid(plain) {
		t.Error("gzip form is not the JSON", err)
	}
	for _, unknown := range []string{path[:len(path)-1] + "!", "/v1/events/" + id.New().String(), "/v1/events/" + id.ID{}.String(), "/v1/charts/" + id.New().String() + "/1",
		chart + "9", strings.TrimSuffix(chart, "1") + "x", strings.TrimSuffix(chart, "1") + "0",
		strings.TrimSuffix(chart, "1") + "01", strings.TrimSuffix(chart, "1") + "+1"} {
		w.do("GET", unknown, "").refused(404, fault.NotFound)
	}
}

func TestSignInByCode(t *testing.T) {
	w := open(t, api.Options{})
	if sent := w.do("POST", "/v1/sessions/code", `{"email":" Ana@Example.com","locale":"pt-BR"}`).must(202); sent.text("devInbox") != "/dev/inbox" {
		t.Errorf("%s", sent.raw)
	}
	code := w.lastCode("ana@example.com")
	limited := w.do("POST", "/v1/sessions/code", `{"email":"ana@example.com"}`).refused(429, fault.RateLimited)
	if limited.header.Get("Retry-After") == "" || limited.text("resetAt") == "" {
		t.Errorf("%s", limited.raw)
	}
	wrong := fmt.Sprintf("%06d", (atoi(t, code)+1)%1_000_000)
	no := w.do("POST", "/v1/sessions", `{"email":"ana@example.com","code":"`+wrong+`"}`).refused(401, fault.Unauthenticated)
	unknown := w.do("POST", "/v1/sessions", `{"email":"nobody@example.com","code":"`+wrong+`"}`).refused(401, fault.Unauthenticated)
	if no.text("detail") != unknown.text("detail") {
		t.Error("the answer tells who has asked for a code")
	}
	in := w.do("POST", "/v1/sessions", `{"email":"ana@example.com","code":"`+code+`"}`).must(201)
	w.do("POST", "/v1/sessions", `{"email":"ana@example.com","code":"`+code+`"}`).refused(401, fault.Unauthenticated)
	me := w.do("GET", "/v1/me", "", "Authorization", "Bearer "+in.text("sessionToken")).must(200)
	if me.text("email") != "ana@example.com" || me.header.Get("Cache-Control") != "no-store" {
		t.Errorf("%s", me.raw)
	}
	for _, bad := range []string{`{"email":"ana"}`, `{"email":7}`, `{}`, `{"email":"a@b.c","email":"d@e.f"}`} {
		w.do("POST", "/v1/sessions/code", bad).refused(400, fault.Invalid)
	}
	w.do("POST", "/v1/dev/sessions", `{"email":"ana@example.com"}`).refused(404, fault.NotFound)
	stranger, _, err := w.auth.MintSession(id.New())
	if err != nil {
		t.Fatal(err)
	}
	w.do("GET", "/v1/me", "", "Authorization", "Bearer "+stranger).refused(401, fault.Unauthenticated)
	for _, personal := range []string{"ana@example.com", code, in.text("sessionToken")} {
		if strings.Contains(w.log.String(), personal) {
			t.Errorf("%q is in the log", personal)
		}
	}
}

func atoi(t *testing.T, s string) (n int) {
	t.Helper()
	if _, err := fmt.Sscanf(s, "%d", &n); err != nil {
		t.Fatal(err)
	}
	return n
}

// lastCode reads the inbox like a person would.
func (w *world) lastCode(to string) string {
	w.t.Helper()
	r := httptest.NewRequest("GET", "/dev/inbox?to="+url.QueryEscape(to), nil)
	r.Header.Set("Accept", "application/json")
	rec := httptest.NewRecorder()
	w.inbox.ServeHTTP(rec, r)
	var box struct{ Mails []struct{ Code string } }
	if err := json.Unmarshal(rec.Body.Bytes(), &box); err != nil || len(box.Mails) == 0 {
		w.t.Fatalf("no mail: %s %v", rec.Body, err)
	}
	return box.Mails[0].Code
}

func TestDevSessionsBehindASecret(t *testing.T) {
	w := open(t, api.Options{DevSessions: true, DevSecret: secret.New("s3cret")})
	for _, given := range []string{"", "wrong", "s3cre", "s3cret "} {
		header := []string{"Plateia-Dev-Secret", given}
		if a := w.do("POST", "/v1/dev/sessions", `{"email":"ana@example.com"}`, header...); given != "s3cret " {
			a.refused(403, fault.Forbidden)
		}
	}
	w.do("POST", "/v1/dev/sessions", `{"email":"ana@example.com"}`, "Plateia-Dev-Secret", "s3cret").must(201)
}

func TestThroughTheDoor(t *testing.T) {
	w := open(t, api.Options{DevSessions: true})
	f := w.fan("ana@example.com").signIn()
	entered := f.enter(w.event.ID).must(201)
	f.queue = entered.text("queueToken")
	if entered.json["class"] != "late" || entered.text("enteredAt") == "" {
		t.Errorf("%s", entered.raw)
	}
	if again := f.enter(w.event.ID).must(201); again.text("enteredAt") != entered.text("enteredAt") {
		t.Errorf("%s", again.raw)
	}
	f.comeIn()
	if renewed := f.claim().must(200); renewed.text("eventId") != w.event.ID.String() {
		t.Errorf("%s", renewed.raw)
	}
	path := "/v1/events/" + w.event.ID.String() + "/queue"
	session := "Bearer " + f.session
	w.do("POST", path, "", "Authorization", session).refused(401, fault.Unauthenticated)
	w.do("POST", path, "", "Authorization", session, "DPoP", "x.y.z").refused(401, fault.Unauthenticated)
	w.do("POST", path, "", "Authorization", session, "DPoP", f.proof("POST", "/v1/queue/claim")).refused(401, fault.Unauthenticated)
	proof := f.proof("POST", path)
	w.do("POST", path, "", "Authorization", session, "DPoP", proof).must(201)
	w.do("POST", path, "", "Authorization", session, "DPoP", proof).refused(401, fault.Unauthenticated)
	w.do("POST", path, "", "DPoP", f.proof("POST", path)).refused(401, fault.Unauthenticated)
	f.enter(id.New()).refused(404, fault.NotFound)
	thief := w.fan("bob@example.com").signIn()
	thief.queue = f.queue
	thief.claim().refused(401, fault.Unauthenticated)
	phone := w.fan("ana@example.com")
	phone.session = f.session
	phone.enter(w.event.ID).refused(403, fault.Forbidden)
	w.do("DELETE", "/v1/queue", "", "Authorization", "Bearer "+f.queue).must(204)
	f.claim().must(200) // within the window the place is still there
	phone.signInAgain()
	phone.queue = phone.enter(w.event.ID).must(201).text("queueToken")
	phone.claim().must(200)
	if moved := f.claim().refused(403, fault.Forbidden); moved.text("reason") != "moved" {
		t.Errorf("%s", moved.raw)
	}
	w.do("GET", "/v1/events/"+w.event.ID.String()+"/frontier", "").must(200)
}

// signInAgain is a session that is newer than every second before.
func (f *fan) signInAgain() {
	f.w.t.Helper()
	time.Sleep(1100 * time.Millisecond) // sessions are told apart by whole seconds
	f.signIn()
}

func TestTheDoorOfAClosedEvent(t *testing.T) {
	w := open(t, api.Options{DevSessions: true})
	f := w.fan("ana@example.com").signIn()
	w.exec("update event set state = 'closed' where event_id = $1", [16]byte(w.event.ID))
	closed := f.enter(w.event.ID).refused(409, fault.EventState)
	if closed.text("state") != "closed" || closed.text("reason") != "ended" {
		t.Errorf("%s", closed.raw)
	}
}

func TestProbes(t *testing.T) {
	w := open(t, api.Options{})
	w.do("GET", "/healthz", "").must(200)
	w.do("GET", "/readyz", "").must(200)
	keys := w.do("GET", "/.well-known/jwks.json", "").must(200)
	if len(keys.json["keys"].([]any)) == 0 {
		t.Errorf("%s", keys.raw)
	}
	w.db.Close()
	if down := w.do("GET", "/readyz", "").refused(503, fault.Busy); down.header.Get("Retry-After") == "" {
		t.Error(down.header)
	}
	w.do("GET", "/healthz", "").must(200)

}
