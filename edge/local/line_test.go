package local

import (
	"bytes"
	"context"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"strings"
	"sync"
	"testing"
	"time"

	"plateia/core/account"
	"plateia/core/fault"
	"plateia/core/id"
	"plateia/core/queue"
	"plateia/waitingroom/token"
)

// hall is an edge that answers those who wait itself, with real credentials.
type hall struct {
	*town
	mu       sync.Mutex
	now      time.Time
	tokens   *token.Authority
	status   account.QueueStatus // of every ticket
	refuses  error               // what the gate says
	mintFail error
	asked    queue.Asked
	session  string
	device   *ecdsa.PrivateKey
}

func seed(b byte) []byte { return bytes.Repeat([]byte{b}, 32) }

func authority(t testing.TB, now func() time.Time, kid byte) *token.Authority {
	t.Helper()
	a, err := token.New(token.Options{Current: seed(kid), PseudonymKey: seed(200), Now: now})
	if err != nil {
		t.Fatal(err)
	}
	return a
}

func openHall(t *testing.T) *hall {
	t.Helper()
	h := &hall{now: time.Now(), status: account.QueueWaiting}
	h.tokens = authority(t, h.clock, 1)
	h.town = open(t, func(o *Options) { o.Tokens, o.Room, o.Mint = h.tokens, h, mintOf{h} })
	var err error
	if h.session, _, err = h.tokens.MintSession(id.ID{1}); err != nil {
		t.Fatal(err)
	}
	if h.device, err = ecdsa.GenerateKey(elliptic.P256(), rand.Reader); err != nil {
		t.Fatal(err)
	}
	return h
}

func (h *hall) clock() time.Time { h.mu.Lock(); defer h.mu.Unlock(); return h.now }

func (h *hall) Status(_ context.Context, q account.QueueTicket) (account.Place, error) {
	return account.Place{Event: q.Event, Status: h.status, Class: q.Class, Known: true, Ahead: 7, Phase: "open"}, nil
}

func (h *hall) Gate(context.Context, account.QueueTicket) error { return h.refuses }

// mintOf enters everybody.
type mintOf struct{ *hall }

func (m mintOf) Enter(_ context.Context, event id.ID, who account.Session, keyThumb string, asked queue.Asked) (string, account.QueueTicket, error) {
	m.asked = asked
	if m.mintFail != nil {
		return "", account.QueueTicket{}, m.mintFail
	}
	return m.tokens.MintTicket(account.QueueTicket{
		Event: event, Epoch: 1, Pseudonym: m.tokens.Pseudonym(who.Account, event), Class: account.Late, EnteredAt: m.clock(), KeyThumb: keyThumb,
	})
}

func (h *hall) proof(t testing.TB, method, path string) string {
	t.Helper()
	p, err := token.Prove(h.device, method, "http://any.example"+path, h.clock())
	if err != nil {
		t.Fatal(err)
	}
	return p
}

const claimPath = "/v1/queue/claim"

func (h *hall) enter(t testing.TB, body string, header ...string) (*http.Response, string) {
	t.Helper()
	path := "/v1/events/" + showID.String() + "/queue"
	return do(t, "POST", h.url+path, strings.NewReader(body), append([]string{"Authorization", "Bearer " + h.session, "DPoP", h.proof(t, "POST", path)}, header...)...)
}

func (h *hall) claimWith(t testing.TB, queueToken string) (*http.Response, string) {
	t.Helper()
	body, _ := json.Marshal(map[string]string{"queueToken": queueToken})
	return do(t, "POST", h.url+claimPath, bytes.NewReader(body), "Authorization", "Bearer "+h.session, "DPoP", h.proof(t, "POST", claimPath))
}

func (h *hall) ticket(t testing.TB) string {
	t.Helper()
	var entered struct{ QueueToken string }
	res, body := h.enter(t, "")
	if err := json.Unmarshal([]byte(body), &entered); err != nil || res.StatusCode != 201 {
		t.Fatalf("%d %s", res.StatusCode, body)
	}
	return entered.QueueToken
}

// told checks that an answer is a refusal that helps: a problem with a way on, never our fault.
func told(t testing.TB, what string, res *http.Response, body string, status int, code, way string) {
	t.Helper()
	var p struct{ Code, WaitingRoom, RequestID string }
	if err := json.Unmarshal([]byte(body), &p); err != nil || res.StatusCode != status || p.Code != code || p.WaitingRoom != way || p.RequestID == "" || res.Header.Get("Content-Type") != "application/problem+json" || res.Header.Get("Cache-Control") != "no-store" {
		t.Errorf("%s: %d %s, want %d %s %s", what, res.StatusCode, body, status, code, way)
	}
}

// Those who wait cost the API nothing: entering, looking and claiming too early are answered here.
func TestTheLineIsAnsweredHere(t *testing.T) {
	h := openHall(t)
	line := "/line/" + showID.String()
	res, body := h.enter(t, `{"challenge":"c","code":"FAN"}`)
	var entered struct {
		QueueToken, Status, EventID string
		Ahead                       *int
	}
	if err := json.Unmarshal([]byte(body), &entered); err != nil || res.StatusCode != 201 || entered.Status != "WAITING" || *entered.Ahead != 7 || entered.EventID != showID.String() || res.Header.Get("Cache-Control") != "no-store" {
		t.Fatalf("%d %s", res.StatusCode, body)
	}
	if h.asked != (queue.Asked{Challenge: "c", Code: "FAN", RemoteIP: "127.0.0.1"}) {
		t.Errorf("%+v", h.asked)
	}
	if res, body = do(t, "GET", h.url+"/v1/queue", nil, "Authorization", "Bearer "+entered.QueueToken); res.StatusCode != 200 || !strings.Contains(body, `"status":"WAITING"`) {
		t.Errorf("%d %s", res.StatusCode, body)
	}
	h.refuses = fault.New(fault.Waiting, "not yet").With("reason", "").With("ahead", 7).After(90 * time.Second)
	res, body = h.claimWith(t, entered.QueueToken)
	told(t, "a claim before its turn", res, body, 409, "WAITING", line)
	if res.Header.Get("Retry-After") != "90" || !strings.Contains(body, `"ahead":7`) {
		t.Errorf("%v %s", res.Header, body)
	}
	if last := h.last(); last != "" {
		t.Fatalf("the API was asked: %s", last)
	}
	h.refuses = nil
	if res, body = h.claimWith(t, entered.QueueToken); res.StatusCode != 200 || body != "api" || !strings.HasPrefix(h.last(), "api POST "+claimPath) {
		t.Errorf("a claim in its turn: %d %s", res.StatusCode, body)
	}
	if s := h.Stats(); s.Entries.Done != 1 || s.Passed != 1 || s.Claims.Early != 1 || s.Places[account.QueueWaiting] != 1 {
		t.Errorf("%+v", s)
	}
}

func TestEnteringIsRefusedClearly(t *testing.T) {
	h := openHall(t)
	line := "/line/" + showID.String()
	res, body := do(t, "POST", h.url+"/v1/events/"+showID.String()+"/queue", nil, "DPoP", h.proof(t, "POST", "/v1/events/"+showID.String()+"/queue"))
	told(t, "without a session", res, body, 401, "UNAUTHENTICATED", line)
	for name, proof := range map[string]string{"no proof": "", "of another route": h.proof(t, "POST", claimPath), "nonsense": "x.y.z", "long": strings.Repeat("x", 20_000)} {
		res, body := h.enter(t, "", "DPoP", proof)
		told(t, name, res, body, 401, "UNAUTHENTICATED", line)
	}
	used := h.proof(t, "POST", "/v1/events/"+showID.String()+"/queue")
	h.enter(t, "", "DPoP", used)
	res, body = h.enter(t, "", "DPoP", used)
	told(t, "a proof twice", res, body, 401, "UNAUTHENTICATED", line)
	for name, bad := range map[string]string{"a list": "[]", "half": `{"code":`, "twice": `{"code":"a","code":"b"}`, "a number": `{"code":1}`} {
		res, body := h.enter(t, bad)
		told(t, name, res, body, 400, "INVALID", line)
	}
	res, body = h.enter(t, `{"code":"`+strings.Repeat("x", 1<<20)+`"}`)
	if res.StatusCode != 413 || !strings.Contains(body, `"TOO_LARGE"`) {
		t.Errorf("1 MB: %d %.100s", res.StatusCode, body)
	}
	for _, c := range []struct {
		err    error
		status int
		code   string
	}{
		{fault.New(fault.EventState, "over").With("reason", "ended"), 409, "EVENT_STATE"},
		{fault.New(fault.Forbidden, "used challenge"), 403, "FORBIDDEN"},
		{errors.New("a secret of ours"), 503, "BUSY"},
		{fmt.Errorf("log: %w", context.DeadlineExceeded), 503, "BUSY"},
	} {
		h.mintFail = c.err
		res, body := h.enter(t, "")
		told(t, c.err.Error(), res, body, c.status, c.code, line)
		if strings.Contains(body, "secret of ours") {
			t.Error(body)
		}
	}
	if last := h.last(); last != "" {
		t.Errorf("the API was asked: %s", last)
	}
}

// Whatever is done to a ticket, it is no credential: for a look, for leaving and for a claim, and the API never sees it.
func TestSpoiltTicketsAreNoCredential(t *testing.T) {
	h := openHall(t)
	good := h.ticket(t)
	parts := strings.Split(good, ".")
	header := func(text string) string {
		return base64.RawURLEncoding.EncodeToString([]byte(text)) + "." + parts[1] + "." + parts[2]
	}
	at := func(d time.Duration, kid byte) string {
		a := authority(t, func() time.Time { return h.now.Add(d) }, kid)
		ticket, _, err := a.MintTicket(account.QueueTicket{Event: showID, Epoch: 1, Pseudonym: "p", Class: account.Late, EnteredAt: h.now.Add(d), KeyThumb: "k"})
		if err != nil {
			t.Fatal(err)
		}
		return ticket
	}
	spoilt := map[string]string{
		"nothing": "", "a word": "x", "dots": "..", "another typ": h.session, "alg none": header(`{"alg":"none","typ":"queue+jwt"}`), "HS256": header(`{"alg":"HS256","typ":"queue+jwt"}`),
		"no signature": parts[0] + "." + parts[1] + ".", "truncated": good[:len(good)/2], "doubled": good + good, "doubled with a dot": good + "." + good, "expired": at(-25*time.Hour, 1),
		"from the future": at(24*time.Hour, 1), "an unknown key": at(0, 9), "padded": good + "=", "long": strings.Repeat("A", 20<<10),
	}
	for i := range len(good) {
		if i%7 == 0 {
			spoilt[fmt.Sprintf("byte %d", i)] = good[:i] + string(rune(good[i]^1)) + good[i+1:]
		}
	}
	for name, bad := range spoilt {
		for _, method := range []string{"GET", "DELETE"} {
			res, body := do(t, method, h.url+"/v1/queue", nil, "Authorization", "Bearer "+bad)
			told(t, method+" "+name, res, body, 401, "UNAUTHENTICATED", "/")
		}
		if len(h.claims.byWho) > 0 { // the account's own limit is another test's
			h.claims.byWho[id.ID{1}].Value.(*spent).until = time.Time{}
		}
		res, body := h.claimWith(t, bad)
		told(t, "a claim: "+name, res, body, 401, "UNAUTHENTICATED", "/")
	}
	if res, body := h.claimWith(t, strings.Repeat("A", 1<<20)); res.StatusCode != 413 || !strings.Contains(body, `"TOO_LARGE"`) {
		t.Errorf("1 MB in a body: %d %.100s", res.StatusCode, body)
	}
	// net/http hangs up on the rest of a header of 1 MB, which may cost its answer on the way.
	long := raw(t, h.addr, "GET /v1/queue HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer "+strings.Repeat("A", 1<<20)+"\r\n\r\n")
	if long != "" && !strings.HasPrefix(long, "HTTP/1.1 431") {
		t.Errorf("1 MB in a header: %.100s", long)
	}
	if last := h.last(); last != "" {
		t.Errorf("the API was asked: %s", last)
	}
	if res, body := do(t, "GET", h.url+"/v1/queue", nil, "Authorization", "Bearer "+good); res.StatusCode != 200 {
		t.Errorf("the good one: %d %s", res.StatusCode, body)
	}
}

// Case 12: whoever takes JSON gets JSON, however else they would be served.
func TestAcceptIsOrdinaryNegotiation(t *testing.T) {
	h := openHall(t)
	good := h.ticket(t)
	for _, accept := range []string{"application/json, */*", "application/json", "*/*", "", "text/html, application/json;q=0.9"} {
		res, body := do(t, "GET", h.url+"/v1/queue", nil, "Accept", accept, "Authorization", "Bearer "+good)
		if res.StatusCode != 200 || res.Header.Get("Content-Type") != "application/json" || !json.Valid([]byte(body)) {
			t.Errorf("%q: %d %s", accept, res.StatusCode, body)
		}
		if res, body := do(t, "GET", h.url+"/v1/queue", nil, "Accept", accept); res.Header.Get("Content-Type") != "application/problem+json" || !json.Valid([]byte(body)) {
			t.Errorf("a refusal for %q: %d %s", accept, res.StatusCode, body)
		}
	}
}
