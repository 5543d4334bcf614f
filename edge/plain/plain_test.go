package plain

import (
	"context"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"html"
	"io"
	"net/http"
	"net/http/cookiejar"
	"net/http/httptest"
	"net/url"
	"reflect"
	"regexp"
	"strings"
	"testing"
	"time"

	"plateia/core/account"
	"plateia/core/fault"
	"plateia/core/id"
	"plateia/core/queue"
)

var show = id.New()

// town is the form on a real port, before an API whose answers the test chooses.
type town struct {
	t        *testing.T
	url      string
	fan      *http.Client
	place    map[string]any // what GET /v1/queue answers; nil: no credential
	document map[string]any // the frontier document
	refuses  error          // what entering says
	sign     int            // status of the next sign-ins
	entered  []string       // key thumbprints
	asked    queue.Asked
	left     int
}

func openTown(t *testing.T) *town {
	t.Helper()
	w := &town{t: t, sign: http.StatusCreated, document: map[string]any{"phase": "open"}}
	form := New(Options{
		API: http.HandlerFunc(w.api), Enter: w.enter, Secure: false,
		Session: func(token string) (account.Session, error) {
			if token != "session-1" && token != "session-2" {
				return account.Session{}, fault.New(fault.Unauthenticated, "no")
			}
			return account.Session{Account: id.ID{1}}, nil
		},
		Language: func(accept string) string { return map[string]string{"pt": "pt-BR", "es": "es"}[accept] },
	})
	s := httptest.NewServer(form)
	t.Cleanup(s.Close)
	jar, err := cookiejar.New(nil)
	if err != nil {
		t.Fatal(err)
	}
	w.url, w.fan = s.URL+Path(show), &http.Client{Jar: jar}
	return w
}

func (w *town) enter(_ context.Context, event id.ID, _ account.Session, thumb string, asked queue.Asked) (string, account.QueueTicket, error) {
	w.asked = asked
	if event != show || w.refuses != nil {
		return "", account.QueueTicket{}, w.refuses
	}
	w.entered = append(w.entered, thumb)
	return "ticket-1", account.QueueTicket{Event: event}, nil
}

func (w *town) api(rw http.ResponseWriter, r *http.Request) {
	answer := func(status int, v any) {
		rw.WriteHeader(status)
		_ = json.NewEncoder(rw).Encode(v)
	}
	switch r.Method + " " + r.URL.Path {
	case "GET /v1/events/" + show.String():
		answer(200, map[string]any{"title": "Noite <Clara>", "timeZone": "America/Sao_Paulo", "onSaleAt": "2026-01-01T00:00:00Z"})
	case "GET /v1/events/" + show.String() + "/frontier":
		payload, _ := json.Marshal(w.document)
		answer(200, map[string]any{"payload": base64.RawURLEncoding.EncodeToString(payload)})
	case "POST /v1/sessions/code":
		answer(202, map[string]any{"devInbox": "/dev/inbox"})
	case "POST /v1/sessions":
		answer(w.sign, map[string]any{"sessionToken": "session-1", "code": "UNAUTHENTICATED"})
	case "GET /v1/queue":
		if w.place == nil || r.Header.Get("Authorization") != "Bearer ticket-1" || r.Header.Get("Cookie") != "" {
			answer(401, map[string]any{"code": "UNAUTHENTICATED"})
			return
		}
		status, _ := w.place["http"].(int)
		answer(max(status, 200), w.place)
	case "DELETE /v1/queue":
		w.left++
		rw.WriteHeader(204)
	default:
		answer(404, map[string]any{"code": "NOT_FOUND"})
	}
}

func (w *town) get(header ...string) (*http.Response, string) {
	w.t.Helper()
	return w.send(http.MethodGet, nil, header...)
}

func (w *town) send(method string, fields url.Values, header ...string) (*http.Response, string) {
	w.t.Helper()
	req, err := http.NewRequest(method, w.url, strings.NewReader(fields.Encode()))
	if err != nil {
		w.t.Fatal(err)
	}
	if fields != nil {
		req.Header.Set("Content-Type", "application/x-www-form-urlencoded")
	}
	for i := 0; i < len(header); i += 2 {
		req.Header.Set(header[i], header[i+1])
	}
	res, err := w.fan.Do(req)
	if err != nil {
		w.t.Fatal(err)
	}
	defer res.Body.Close()
	body, err := io.ReadAll(res.Body)
	if err != nil || strings.Contains(string(body), "<script") {
		w.t.Fatalf("%v: a page with a script", err)
	}
	return res, string(body)
}

var hidden = regexp.MustCompile(`name="form" value="([^"]+)"`)

// step fills in the form that the page shows.
func (w *town) step(do string, fields ...string) (*http.Response, string) {
	w.t.Helper()
	_, body := w.get()
	return w.submit(body, do, fields...)
}

func (w *town) submit(body, do string, fields ...string) (*http.Response, string) {
	w.t.Helper()
	word := hidden.FindStringSubmatch(body)
	if word == nil {
		w.t.Fatalf("no form in %s", body)
	}
	values := url.Values{"form": {word[1]}, "do": {do}}
	for i := 0; i < len(fields); i += 2 {
		values.Set(fields[i], fields[i+1])
	}
	return w.send(http.MethodPost, values)
}

func waiting(ahead int, more ...any) map[string]any {
	p := map[string]any{"status": "WAITING", "eventId": show.String(), "class": "lottery", "ahead": ahead, "standardError": 10.0, "etaSeconds": []int{600, 900}, "phase": "open"}
	for i := 0; i < len(more); i += 2 {
		p[more[i].(string)] = more[i+1]
	}
	return p
}

func (w *town) signIn() (*http.Response, string) {
	w.t.Helper()
	_, body := w.step(doCode, "email", "ana@example.org")
	return w.submit(body, doSignIn, "email", "ana@example.org", "code", "123456", "presale", "FAN-1")
}

func TestWalk(t *testing.T) {
	w := openTown(t)
	w.place = waiting(12_345)
	res, body := w.get()
	if res.StatusCode != 200 || !strings.Contains(body, "Noite &lt;Clara&gt;") || strings.Contains(body, "http-equiv") || !strings.Contains(res.Header.Get("Content-Security-Policy"), "default-src 'none'; style-src 'sha256-") {
		t.Fatalf("%d %v %s", res.StatusCode, res.Header, body)
	}
	res, body = w.signIn()
	if res.StatusCode != 200 || !strings.Contains(body, "12,325 to 12,365 ahead of you") || !strings.Contains(body, "10 to 15 minutes") {
		t.Fatalf("%d %s", res.StatusCode, body)
	}
	if refresh := regexp.MustCompile(`http-equiv="refresh" content="(\d+)"`).FindStringSubmatch(body); refresh == nil || len(refresh[1]) > 2 {
		t.Errorf("it does not reload itself: %s", body)
	}
	if w.asked.Code != "FAN-1" || w.asked.RemoteIP != "127.0.0.1" || len(w.entered) != 1 || len(w.entered[0]) != 43 {
		t.Errorf("%+v %v", w.asked, w.entered)
	}
	for _, secret := range []string{"session-1", "ticket-1", w.entered[0]} {
		if strings.Contains(body, secret) {
			t.Errorf("%s is in the page", secret)
		}
	}
	w.step(doEnter)
	if w.entered[1] != w.entered[0] {
		t.Error("entering again binds the place to another key")
	}
	w.step(doLeave)
	if _, body := w.get(); w.left != 1 || !strings.Contains(body, `name="email"`) {
		t.Errorf("left %d times: %s", w.left, body)
	}
}

func TestCookiesAreOutOfReach(t *testing.T) {
	w := openTown(t)
	_, body := w.step(doCode, "email", "ana@example.org")
	w.fan.CheckRedirect = func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }
	res, _ := w.submit(body, doSignIn, "email", "ana@example.org", "code", "123456")
	cookies := res.Cookies()
	if res.StatusCode != http.StatusSeeOther || res.Header.Get("Location") != Path(show) || len(cookies) != 2 {
		t.Fatalf("%d %v", res.StatusCode, res.Header)
	}
	for _, c := range cookies {
		if !c.HttpOnly || c.SameSite != http.SameSiteStrictMode || c.Path != Path(show) || c.MaxAge != day || c.Secure {
			t.Errorf("%+v", c)
		}
	}
	secure := httptest.NewRecorder()
	(&visit{Form: New(Options{Secure: true}), w: secure, event: show}).keep(sessionCookie, "x")
	if !strings.Contains(secure.Header().Get("Set-Cookie"), "; Secure") {
		t.Error(secure.Header())
	}
}

// A change needs the word of the page, and a form.
func TestForgedForms(t *testing.T) {
	w := openTown(t)
	w.place = waiting(5)
	w.signIn()
	entered := len(w.entered)
	for name, fields := range map[string]url.Values{
		"no word": {"do": {doLeave}}, "another word": {"do": {doLeave}, "form": {digest("form", "x")}}, "empty": {"do": {doLeave}, "form": {""}},
	} {
		if res, _ := w.send(http.MethodPost, fields); res.StatusCode != http.StatusForbidden {
			t.Errorf("%s: %d", name, res.StatusCode)
		}
	}
	if res, _ := w.send(http.MethodPost, nil, "Content-Type", "application/json"); res.StatusCode != 400 {
		t.Errorf("JSON: %d", res.StatusCode)
	}
	if res, _ := w.step("rob"); res.StatusCode != 400 {
		t.Errorf("no such step: %d", res.StatusCode)
	}
	if res, _ := w.step(doCode, "email", strings.Repeat("x", formLimit)); res.StatusCode != 400 {
		t.Errorf("too long: %d", res.StatusCode)
	}
	if res, _ := w.send(http.MethodDelete, nil); res.StatusCode != 405 {
		t.Errorf("DELETE: %d", res.StatusCode)
	}
	if w.left != 0 || len(w.entered) != entered {
		t.Error("something was changed")
	}
}

// What the page says in each state, in three languages.
func TestStates(t *testing.T) {
	w := openTown(t)
	w.place = waiting(5)
	w.signIn()
	for name, c := range map[string]struct {
		place, document map[string]any
		says            []string
		reloads         bool
	}{
		"before the draw": {waiting(0, "ahead", nil, "etaSeconds", nil, "phase", "before"), nil, []string{"drawn by lot"}, true},
		"drawing":         {waiting(0, "ahead", nil, "phase", "draw"), nil, []string{"are being drawn"}, true},
		"one ahead":       {waiting(1, "standardError", 0, "etaSeconds", []int{1, 30}), nil, []string{"1 ahead of you", "within a minute"}, true},
		"turn": {waiting(0, "status", "ADMITTED", "claimBy", "2026-03-01T12:10:00Z"), nil,
			[]string{"It is your turn", "09:10 (America/Sao_Paulo)", `href="/line/` + show.String() + `"`, "same e-mail"}, true},
		"missed": {waiting(0, "status", "SECOND_CHANCE"), nil, []string{"another turn comes by"}, true},
		"paused": {waiting(5), map[string]any{"phase": "paused", "message": map[string]any{"reason": "payment", "text": map[string]string{"en": "The bank is slow.", "pt-BR": "O banco está lento."}, "nextUpdate": "2026-03-01T12:30:00Z"}},
			[]string{"paused", "The bank is slow.", "09:30 (America/Sao_Paulo)"}, true},
		"over":       {waiting(0, "status", "CLOSED", "reason", "soldout"), nil, []string{"closed", `href="/"`}, false},
		"restarted":  {waiting(0, "status", "CLOSED", "reason", "restarted"), nil, []string{"started over", `value="enter"`}, false},
		"unreached":  {map[string]any{"http": 503}, nil, []string{"One moment", "kept"}, true},
		"no ticket":  {nil, nil, []string{`value="enter"`}, false},
		"of another": {waiting(0, "eventId", id.New().String()), nil, []string{`value="enter"`}, false},
	} {
		w.place, w.document = waiting(5), map[string]any{"phase": "open"}
		w.step(doEnter)
		if w.place = c.place; c.document != nil {
			w.document = c.document
		}
		_, body := w.get()
		text := html.UnescapeString(body)
		for _, want := range c.says {
			if !strings.Contains(text, want) {
				t.Errorf("%s does not say %q: %s", name, want, body)
			}
		}
		if strings.Contains(body, "http-equiv") != c.reloads {
			t.Errorf("%s: reloads itself: %v", name, !c.reloads)
		}
	}
	w.place = waiting(12_345)
	w.step(doEnter)
	w.document = map[string]any{"phase": "paused", "message": map[string]any{"text": map[string]string{"en": "The bank is slow.", "pt-BR": "O banco está lento."}}}
	for language, says := range map[string][]string{"pt": {`lang="pt-BR"`, "12.325 a 12.365 à sua frente", "O banco está lento."}, "es": {`lang="es"`, "De 12.325 a 12.365 delante", "The bank is slow."}} {
		_, body := w.get("Accept-Language", language)
		for _, want := range says {
			if !strings.Contains(html.UnescapeString(body), want) {
				t.Errorf("%s does not say %q: %s", language, want, body)
			}
		}
	}
}

func TestRefusals(t *testing.T) {
	w := openTown(t)
	w.sign = 401
	if res, body := w.signIn(); res.StatusCode != 401 || !strings.Contains(body, "not right") || !strings.Contains(body, `name="code"`) {
		t.Errorf("a wrong code: %d %s", res.StatusCode, body)
	}
	w.sign = 500
	if res, body := w.signIn(); res.StatusCode != 503 || !strings.Contains(body, "One moment") {
		t.Errorf("a failure behind: %d %s", res.StatusCode, body)
	}
	w.sign = 201
	for name, c := range map[string]struct {
		err    error
		status int
		says   string
	}{
		"presale":   {fault.New(fault.Invalid, "no").With("field", "code"), 400, "presale code is not valid"},
		"moved":     {fault.New(fault.Forbidden, "no").With("reason", "moved"), 403, "fresh code"},
		"early":     {fault.New(fault.EventState, "no").With("reason", "early"), 200, "not open yet"},
		"over":      {fault.New(fault.EventState, "no").With("reason", "ended"), 200, "closed"},
		"too often": {fault.New(fault.RateLimited, "no"), 429, "One moment"},
		"broken":    {fmt.Errorf("secret detail"), 503, "One moment"},
	} {
		w.refuses = c.err
		res, body := w.signIn()
		if res.StatusCode != c.status || !strings.Contains(body, c.says) || strings.Contains(body, "secret") {
			t.Errorf("%s: %d %s", name, res.StatusCode, body)
		}
		w.fan.Jar, _ = cookiejar.New(nil)
	}
	w.url = strings.Replace(w.url, show.String(), id.New().String(), 1)
	if res, body := w.get(); res.StatusCode != 404 || !strings.Contains(body, "no such event") {
		t.Errorf("no such event: %d %s", res.StatusCode, body)
	}
}

func TestTimesInSentences(t *testing.T) {
	one := time.Date(2030, 5, 2, 1, 5, 0, 0, time.UTC)
	for tag, want := range map[string][2]string{
		"en": {"01:05 (UTC)", "13:05 (UTC)"}, "pt-BR": {"01:05 (UTC)", "13:05 (UTC)"}, "es": {"la 01:05 (UTC)", "las 13:05 (UTC)"},
	} {
		if got := [2]string{wordsOf(tag).clock(one, time.UTC), wordsOf(tag).clock(one.Add(12*time.Hour), time.UTC)}; got != want {
			t.Errorf("%s: %q, want %q", tag, got, want)
		}
	}
}

// Every language says everything, with a place for the same figures.
func TestWordsAreComplete(t *testing.T) {
	figures := func(text string) int { return strings.Count(text, "%s") }
	english := reflect.ValueOf(wordsOf("en"))
	for _, tag := range []string{"en", "pt-BR", "es"} {
		words := reflect.ValueOf(wordsOf(tag))
		for i := range words.NumField() {
			name := words.Type().Field(i).Name
			if words.Field(i).Kind() == reflect.String {
				if text := words.Field(i).String(); text == "" || figures(text) != figures(english.Field(i).String()) {
					t.Errorf("%s: %s is %q", tag, name, text)
				}
				continue
			}
			for _, step := range english.Field(i).MapKeys() {
				if text := words.Field(i).MapIndex(step); !text.IsValid() || text.String() == "" {
					t.Errorf("%s: %s says nothing at %v", tag, name, step)
				}
			}
		}
	}
}
