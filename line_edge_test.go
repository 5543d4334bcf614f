package main

import (
	"bytes"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"encoding/json"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"net/http/cookiejar"
	"net/url"
	"regexp"
	"strings"
	"testing"
	"time"

	"plateia/core/account"
	"plateia/core/event"
	"plateia/core/id"
	"plateia/waitingroom/token"
)

// street is a whole `plateia dev` in this process, and events in front of which lines stand.
type street struct {
	t                        *testing.T
	h                        *house
	selling, coming, stopped event.Event
}

func openStreet(t *testing.T) *street {
	t.Helper()
	cfg := config{dev: true}
	if err := cfg.parse(env{io.Discard, io.Discard, func(string) string { return "" }}, "dev", []string{"--addr", "127.0.0.1:0", "--data", dataFolder(t), "--stop-timeout", "50s", "--database", demoSeed.URL(t)}); err != nil {
		t.Fatal(err)
	}
	h, err := open(t.Context(), cfg, slog.New(slog.DiscardHandler))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		http.DefaultClient.CloseIdleConnections()
		if err := h.close(); err != nil {
			t.Error(err)
		}
	})
	s := &street{t: t, h: h}
	if s.selling, err = h.catalog.Event(t.Context(), demoTheatre()); err != nil { // a small one: it is copied
		t.Fatal(err)
	}
	s.coming = s.another(event.Scheduled, time.Hour)
	s.stopped = s.another(event.OnSale, -time.Hour)
	if err := h.catalog.SetState(t.Context(), s.stopped.ID, event.Closed); err != nil {
		t.Fatal(err)
	}
	return s
}

// another is an event like the one that sells, in another state.
func (s *street) another(state event.State, onSale time.Duration) event.Event {
	s.t.Helper()
	e := s.selling
	e.ID, e.Title, e.State, e.OnSaleAt = id.New(), "Another", state, time.Now().Add(onSale).UTC().Truncate(time.Second)
	created, err := s.h.catalog.CreateEvent(s.t.Context(), e)
	if err != nil {
		s.t.Fatal(err)
	}
	return created
}

// queuer is a fan with a device.
type queuer struct {
	*street
	account id.ID
	session string
	key     *ecdsa.PrivateKey
}

// fan signs somebody in, as if some time ago.
func (s *street) fan(ago time.Duration) *queuer {
	s.t.Helper()
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		s.t.Fatal(err)
	}
	f := &queuer{street: s, account: id.New(), key: key}
	if f.session, _, err = s.authority(-ago, s.h.keys.token.current).MintSession(f.account); err != nil {
		s.t.Fatal(err)
	}
	return f
}

// authority signs with a seed, on a clock that is off.
func (s *street) authority(off time.Duration, seed []byte) *token.Authority {
	s.t.Helper()
	a, err := token.New(token.Options{Current: seed, PseudonymKey: s.h.keys.pseudonym, Now: func() time.Time { return time.Now().Add(off) }})
	if err != nil {
		s.t.Fatal(err)
	}
	return a
}

// problemOf is what a refusal says, or an answer.
type problemOf struct {
	Status                                                     any
	Code, Detail, Reason, QueueStatus, WaitingRoom, QueueToken string
	RetryAfterSeconds                                          int
	http                                                       int
}

func (f *queuer) ask(method, path, bearer string, body any) (out problemOf) {
	f.t.Helper()
	var sent []byte
	if body != nil {
		sent, _ = json.Marshal(body)
	}
	req, err := http.NewRequest(method, f.h.url()+path, bytes.NewReader(sent))
	if err != nil {
		f.t.Fatal(err)
	}
	proof, err := token.Prove(f.key, method, f.h.url()+path, time.Now())
	if err != nil {
		f.t.Fatal(err)
	}
	req.Header.Set("Authorization", "Bearer "+bearer)
	req.Header.Set("DPoP", proof)
	req.Header.Set("Content-Type", "application/json")
	res, err := http.DefaultClient.Do(req)
	if err != nil {
		f.t.Fatal(err)
	}
	defer res.Body.Close()
	text, err := io.ReadAll(res.Body)
	if err != nil {
		f.t.Fatal(err)
	}
	_ = json.Unmarshal(text, &out) // not every answer is JSON
	if out.http = res.StatusCode; out.http >= 500 {
		f.t.Errorf("%s %s: %d %s", method, path, res.StatusCode, text)
	}
	return out
}

func (f *queuer) enter(e event.Event, body any) problemOf {
	return f.ask("POST", "/v1/events/"+e.ID.String()+"/queue", f.session, body)
}

func (f *queuer) claim(ticket string) problemOf {
	return f.ask("POST", "/v1/queue/claim", f.session, map[string]string{"queueToken": ticket})
}

// refused wants a clear refusal that says where the way goes on.
func (s *street) refused(what string, p problemOf, status int, code string, way string) {
	s.t.Helper()
	if p.http != status || p.Code != code || p.WaitingRoom != way || p.Detail == "" {
		s.t.Errorf("%s: %+v, want %d %s %s", what, p, status, code, way)
	}
}

// The line of a whole installation over HTTP, by people and by whoever tries something else.
func TestTheLineAtTheEdge(t *testing.T) {
	t.Parallel()
	s := openStreet(t)
	t.Run("bad input", s.badInput)
	t.Run("without JavaScript", s.plainWalk)
}

// badInput is never our fault, never an open door, and always told a way on.
func (s *street) badInput(t *testing.T) {
	line := func(e event.Event) string { return "/line/" + e.ID.String() }
	ana, bia := s.fan(0), s.fan(0)
	early := ana.enter(s.coming, nil)
	if early.http != 201 || early.QueueToken == "" || early.Status != "WAITING" {
		t.Fatalf("a lottery entry: %+v", early)
	}
	waiting := ana.claim(early.QueueToken)
	s.refused("a claim before its turn", waiting, 409, "WAITING", line(s.coming))
	if waiting.RetryAfterSeconds < 1 || waiting.QueueStatus != "WAITING" {
		t.Errorf("%+v", waiting)
	}
	if again := ana.enter(s.coming, nil); again.http != 201 {
		t.Errorf("entering twice: %+v", again)
	}
	s.refused("after the end", ana.enter(s.stopped, nil), 409, "EVENT_STATE", line(s.stopped))
	nothing := event.Event{ID: id.New()}
	s.refused("of an event that is not", ana.enter(nothing, nil), 404, "NOT_FOUND", line(nothing))

	cold, old := s.fan(time.Hour), s.fan(time.Hour) // whose sign-in is too old to stand for a challenge
	if p := cold.enter(s.selling, nil); p.http != 403 || p.Code != "CHALLENGE_REQUIRED" || p.Reason != "missing" || p.WaitingRoom != line(s.selling) {
		t.Errorf("without a challenge: %+v", p)
	}
	if p := cold.enter(s.selling, map[string]string{"challenge": "dev:once"}); p.http != 201 {
		t.Errorf("with one: %+v", p)
	}
	if p := old.enter(s.selling, map[string]string{"challenge": "dev:once"}); p.http != 403 || p.Reason != "used" {
		t.Errorf("with a used one: %+v", p)
	}
	if p := ana.enter(s.selling, map[string]string{"code": "WRONG-CODE"}); p.http != 400 || p.Code != "INVALID" || p.WaitingRoom != line(s.selling) {
		t.Errorf("a wrong presale code: %+v", p)
	}

	mine := ana.enter(s.selling, nil)
	for deadline := time.Now().Add(time.Minute); ; time.Sleep(200 * time.Millisecond) {
		if p := ana.ask("GET", "/v1/queue", mine.QueueToken, nil); p.Status == "ADMITTED" {
			break
		} else if p.Status != "WAITING" || time.Now().After(deadline) {
			t.Fatalf("waiting: %+v", p)
		}
	}
	s.refused("another account's ticket", bia.claim(mine.QueueToken), 401, "UNAUTHENTICATED", line(s.selling))
	thief := *ana
	thief.key = bia.key
	s.refused("another device's key", thief.claim(mine.QueueToken), 401, "UNAUTHENTICATED", line(s.selling))
	stale, _, _ := s.h.tokens.MintTicket(account.QueueTicket{Event: s.selling.ID, Epoch: 0, Pseudonym: "p", Class: account.Late, EnteredAt: time.Now(), KeyThumb: "k"})
	if stale != "" {
		if p := ana.claim(stale); p.http < 400 || p.WaitingRoom == "" {
			t.Errorf("of an epoch before: %+v", p)
		}
	}
	for name, bad := range map[string]string{
		"a session": ana.session, "truncated": mine.QueueToken[:80], "doubled": mine.QueueToken + mine.QueueToken, "a changed byte": mine.QueueToken[:150] + "~" + mine.QueueToken[151:],
		"expired":         s.ticketBy(-25*time.Hour, s.h.keys.token.current),
		"from the future": s.ticketBy(24*time.Hour, s.h.keys.token.current), "by an unknown key": s.ticketBy(0, bytes.Repeat([]byte{7}, 32)),
	} {
		s.refused("a claim: "+name, ana.claim(bad), 401, "UNAUTHENTICATED", "/")
		s.refused("a look: "+name, ana.ask("GET", "/v1/queue", bad, nil), 401, "UNAUTHENTICATED", "/")
	}
	if p := ana.claim(mine.QueueToken); p.http != 200 {
		t.Errorf("the good one: %+v", p)
	}
}

// ticketBy is a ticket that was made at another time, or by another key.
func (s *street) ticketBy(off time.Duration, seed []byte) string {
	s.t.Helper()
	ticket, _, err := s.authority(off, seed).MintTicket(account.QueueTicket{
		Event: s.selling.ID, Epoch: s.selling.Epoch, Pseudonym: "p", Class: account.Late, EnteredAt: time.Now().Add(off), KeyThumb: "k",
	})
	if err != nil {
		s.t.Fatal(err)
	}
	return ticket
}

var (
	formWord = regexp.MustCompile(`name="form" value="([^"]+)"`)
	mailCode = regexp.MustCompile(`class="code">([0-9]{6})<`)
)

// plainWalk is a fan without JavaScript, who signs in, takes a place, waits and is told how to go on.
func (s *street) plainWalk(t *testing.T) {
	jar, err := cookiejar.New(nil)
	if err != nil {
		t.Fatal(err)
	}
	browser := &http.Client{Jar: jar}
	defer browser.CloseIdleConnections()
	page := "/line/" + s.selling.ID.String()
	read := func(res *http.Response, err error) string {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
		defer res.Body.Close()
		body, err := io.ReadAll(res.Body)
		if err != nil || res.StatusCode >= 400 {
			t.Fatalf("%s: %d %s %v", res.Request.URL, res.StatusCode, body, err)
		}
		return string(body)
	}
	submit := func(body string, fields url.Values) string {
		t.Helper()
		word := formWord.FindStringSubmatch(body)
		if word == nil {
			t.Fatalf("no form in %s", body)
		}
		fields.Set("form", word[1])
		return read(browser.PostForm(s.h.url()+page+"/plain", fields))
	}
	mail := fmt.Sprintf("plain-%s@example.org", id.New())
	body := read(browser.Get(s.h.url() + page + "?plain=1"))
	body = submit(body, url.Values{"do": {"code"}, "email": {mail}})
	code := mailCode.FindStringSubmatch(read(browser.Get(s.h.url() + "/dev/inbox?to=" + url.QueryEscape(mail))))
	if code == nil {
		t.Fatal("no code came")
	}
	body = submit(body, url.Values{"do": {"signin"}, "email": {mail}, "code": {code[1]}})
	for deadline := time.Now().Add(2 * time.Minute); !strings.Contains(body, "It is your turn"); time.Sleep(500 * time.Millisecond) {
		if !strings.Contains(body, `http-equiv="refresh"`) || time.Now().After(deadline) {
			t.Fatalf("neither waiting nor in: %s", body)
		}
		body = read(browser.Get(s.h.url() + page + "/plain"))
	}
	if !strings.Contains(body, `href="`+page+`"`) || strings.Contains(body, "<script") {
		t.Errorf("it does not say how to go on: %s", body)
	}
	if body = submit(body, url.Values{"do": {"leave"}}); !strings.Contains(body, `name="email"`) {
		t.Errorf("after leaving: %s", body)
	}
}
