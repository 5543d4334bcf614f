package api

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"log/slog"
	"net"
	"net/http"
	"strings"
	"sync"
	"testing"
	"time"

	"go.uber.org/goleak"

	"plateia/core/account"
	"plateia/core/fault"
	"plateia/core/id"
)

func TestMain(m *testing.M) {
	goleak.VerifyTestMain(m,
		goleak.IgnoreAnyFunction("github.com/valyala/fasthttp.updateServerDate.func1"),
		goleak.IgnoreAnyFunction("github.com/valyala/fasthttp.(*workerPool).Start.func2"))
}

// oneSession knows one credential of each kind.
type oneSession struct {
	session account.Session
	access  account.Access
}

var errCredential = fault.New(fault.Unauthenticated, "sign in again")

func (o oneSession) Session(token string) (account.Session, error) {
	if token != "good-session" {
		return account.Session{}, errCredential
	}
	return o.session, nil
}

func (o oneSession) Access(token string) (account.Access, error) {
	if token != "good-access" {
		return account.Access{}, errCredential
	}
	return o.access, nil
}

func (oneSession) Ticket(string) (account.QueueTicket, error) {
	return account.QueueTicket{}, errCredential
}

func (oneSession) MintSession(id.ID) (string, account.Session, error) {
	return "good-session", account.Session{}, nil
}
func (oneSession) Proof(_, _, _, _ string) (string, error) { return "", errCredential }
func (oneSession) JWKS() []byte                            { return []byte(`{"keys":[]}`) }

// lockedBuffer is a log that several goroutines may write.
type lockedBuffer struct {
	mu sync.Mutex
	b  bytes.Buffer
}

func (l *lockedBuffer) Write(p []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.b.Write(p)
}

func (l *lockedBuffer) String() string {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.b.String()
}

// frame is an API of test routes, served on a real port.
type frame struct {
	api *API
	url string
	log *lockedBuffer
}

func serveFrame(t *testing.T, opts Options, routes ...route) *frame {
	t.Helper()
	f := &frame{log: &lockedBuffer{}}
	deps := Deps{Logger: slog.New(slog.NewTextHandler(f.log, nil)), Tokens: oneSession{session: account.Session{Account: id.New()}}}
	f.api = New(deps, opts)
	for _, r := range routes {
		f.api.register(r)
	}
	f.url = serve(t, f.api)
	return f
}

// serve runs an API on loopback until the test ends, and returns its base URL.
func serve(t *testing.T, a *API) string {
	t.Helper()
	ln, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	done := make(chan error, 1)
	go func() { done <- a.Serve(ln) }()
	t.Cleanup(func() {
		http.DefaultClient.CloseIdleConnections()
		ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
		defer cancel()
		if err := a.Stop(ctx); err != nil {
			t.Errorf("stop: %v", err)
		}
		if err := <-done; err != nil {
			t.Errorf("serve: %v", err)
		}
	})
	return "http://" + ln.Addr().String()
}

type reply struct {
	status int
	header http.Header
	body   []byte
}

func (r reply) problem(t *testing.T) map[string]any {
	t.Helper()
	if got := r.header.Get("Content-Type"); got != "application/problem+json" {
		t.Fatalf("Content-Type %q of %d %s", got, r.status, r.body)
	}
	var p map[string]any
	if err := json.Unmarshal(r.body, &p); err != nil {
		t.Fatalf("%v: %s", err, r.body)
	}
	return p
}

// send does one request; header is name, value, name, value, …
func send(t *testing.T, method, url string, body io.Reader, header ...string) reply {
	t.Helper()
	req, err := http.NewRequest(method, url, body)
	if err != nil {
		t.Fatal(err)
	}
	for i := 0; i < len(header); i += 2 {
		req.Header.Set(header[i], header[i+1])
	}
	res, err := http.DefaultClient.Do(req)
	if err != nil {
		t.Fatalf("%s %s: %v", method, url, err)
	}
	defer res.Body.Close()
	out, err := io.ReadAll(res.Body)
	if err != nil {
		t.Fatal(err)
	}
	return reply{res.StatusCode, res.Header, out}
}

func want(t *testing.T, r reply, status int, code fault.Code) map[string]any {
	t.Helper()
	p := r.problem(t)
	if r.status != status || p["code"] != string(code) {
		t.Fatalf("got %d %s, want %d %s", r.status, r.body, status, code)
	}
	if p["requestId"] != r.header.Get("X-Request-Id") || p["requestId"] == "" {
		t.Errorf("request id %v differs from header %q", p["requestId"], r.header.Get("X-Request-Id"))
	}
	if p["detail"] == "" || p["title"] == "" || p["status"] != float64(status) {
		t.Errorf("incomplete problem %s", r.body)
	}
	if r.header.Get("Cache-Control") != "no-store" {
		t.Errorf("a problem must not be cached: %q", r.header.Get("Cache-Control"))
	}
	return p
}

func echo(c *call) error {
	var v struct {
		Name string `json:"name"`
		Size int    `json:"size"`
	}
	if err := c.decode(&v); err != nil {
		return err
	}
	return c.json(http.StatusOK, v)
}

func TestBadBodies(t *testing.T) {
	f := serveFrame(t, Options{}, route{method: "POST", path: "/t", do: echo})
	deep := strings.Repeat(`{"a":`, 40) + "1" + strings.Repeat("}", 40)
	for name, tt := range map[string]struct {
		body   string
		kind   string
		status int
		code   fault.Code
	}{
		"empty":           {"", "application/json", 400, fault.Invalid},
		"blank":           {"  \n", "application/json", 400, fault.Invalid},
		"truncated":       {`{"name":"a"`, "application/json", 400, fault.Invalid},
		"cut string":      {`{"name":"a`, "application/json", 400, fault.Invalid},
		"array":           {`[]`, "application/json", 400, fault.Invalid},
		"null":            {`null`, "application/json", 400, fault.Invalid},
		"trailing":        {`{"name":"a"}x`, "application/json", 400, fault.Invalid},
		"two objects":     {`{"name":"a"}{"name":"b"}`, "application/json", 400, fault.Invalid},
		"duplicate":       {`{"name":"a","name":"b"}`, "application/json", 400, fault.Invalid},
		"duplicate case":  {`{"name":"a","NAME":"b"}`, "application/json", 400, fault.Invalid},
		"duplicate fold":  {`{"size":1,"ſize":2}`, "application/json", 400, fault.Invalid}, // Go's decoder takes it for size
		"wrong type":      {`{"name":7}`, "application/json", 400, fault.Invalid},
		"float for int":   {`{"size":1.5}`, "application/json", 400, fault.Invalid},
		"huge int":        {`{"size":99999999999999999999}`, "application/json", 400, fault.Invalid},
		"not UTF-8":       {"{\"name\":\"\xff\"}", "application/json", 400, fault.Invalid},
		"deep":            {deep, "application/json", 400, fault.Invalid},
		"form":            {"name=a", "application/x-www-form-urlencoded", 415, fault.MediaType},
		"multipart":       {"--x\r\n", "multipart/form-data; boundary=x", 415, fault.MediaType},
		"over the limit":  {`{"name":"` + strings.Repeat("a", 65<<10) + `"}`, "application/json", 413, fault.TooLarge},
		"ten megabytes":   {`{"name":"` + strings.Repeat("a", 10<<20) + `"}`, "application/json", 413, fault.TooLarge},
		"megabytes, form": {strings.Repeat("a", 10<<20), "multipart/form-data; boundary=x", 413, fault.TooLarge},
	} {
		t.Run(name, func(t *testing.T) {
			want(t, send(t, "POST", f.url+"/t", strings.NewReader(tt.body), "Content-Type", tt.kind), tt.status, tt.code)
		})
	}
	t.Run("ten megabytes, chunked", func(t *testing.T) {
		body := io.MultiReader(strings.NewReader(strings.Repeat("a", 10<<20))) // hides the length
		want(t, send(t, "POST", f.url+"/t", body, "Content-Type", "application/json"), 413, fault.TooLarge)
	})
	t.Run("ten megabytes, no such route", func(t *testing.T) {
		want(t, send(t, "POST", f.url+"/nowhere", strings.NewReader(strings.Repeat("a", 10<<20))), 413, fault.TooLarge)
	})
	t.Run("unknown members and charset are fine", func(t *testing.T) {
		r := send(t, "POST", f.url+"/t", strings.NewReader(`{"name":"a","new":{"x":[1,{"y":2}]},"size":3}`), "Content-Type", "application/json; charset=utf-8")
		if r.status != 200 || string(r.body) != `{"name":"a","size":3}` {
			t.Fatalf("%d %s", r.status, r.body)
		}
	})
	for charset, status := range map[string]int{"UTF-8": 200, `"utf-8"`: 200, "us-ascii": 200, "utf-16": 415, "iso-8859-1": 415, "": 415} {
		t.Run("charset "+charset, func(t *testing.T) {
			r := send(t, "POST", f.url+"/t", strings.NewReader(`{"name":"a"}`), "Content-Type", "application/json; charset="+charset)
			if r.status != status {
				t.Fatalf("%d %s", r.status, r.body)
			}
		})
	}
	t.Run("compressed", func(t *testing.T) {
		r := send(t, "POST", f.url+"/t", strings.NewReader("x"), "Content-Encoding", "gzip", "Content-Type", "application/json")
		want(t, r, 415, fault.MediaType)
	})
}

func TestCredentials(t *testing.T) {
	ok := func(c *call) error { return c.noContent() }
	f := serveFrame(t, Options{}, route{method: "GET", path: "/s", needs: bySession, do: ok},
		route{method: "POST", path: "/v1/events/:eventId/seats", needs: byAccess, repeat: true, do: ok})
	for _, header := range []string{"", "good-session", "Basic good-session", "Bearer", "Bearer  ", "Bearer bad", "Bearer good-access"} {
		r := send(t, "GET", f.url+"/s", nil, "Authorization", header)
		want(t, r, 401, fault.Unauthenticated)
		if r.header.Get("WWW-Authenticate") == "" {
			t.Error("401 without WWW-Authenticate")
		}
	}
	if r := send(t, "GET", f.url+"/s", nil, "Authorization", "bearer good-session"); r.status != 204 {
		t.Errorf("%d %s", r.status, r.body)
	}
	eventID := id.New()
	hold := f.url + "/v1/events/" + eventID.String() + "/seats"
	for _, header := range []string{"", "Bearer good-session", "Bearer good-access"} { // the last is for another event
		p := want(t, send(t, "POST", hold, nil, "Authorization", header), 401, fault.QueueRequired)
		if p["waitingRoom"] != "/events/"+eventID.String() {
			t.Errorf("waitingRoom %v", p["waitingRoom"])
		}
	}
	want(t, send(t, "POST", f.url+"/v1/events/nonsense/seats", nil), 404, fault.NotFound)
}

func TestIdempotencyKey(t *testing.T) {
	hash := func(c *call) error {
		return c.json(http.StatusOK, map[string]any{"key": c.idem.Key, "hash": c.idem.BodyHash[:]})
	}
	f := serveFrame(t, Options{}, route{method: "POST", path: "/k/:x", repeat: true, do: hash})
	want(t, send(t, "POST", f.url+"/k/1", nil), 400, fault.KeyMissing)
	for _, bad := range []string{strings.Repeat("k", 256), "kéy", "a\tb"} {
		want(t, send(t, "POST", f.url+"/k/1", nil, "Idempotency-Key", bad), 400, fault.Invalid)
	}
	same := send(t, "POST", f.url+"/k/1", strings.NewReader("a"), "Idempotency-Key", strings.Repeat("k", 255))
	if same.status != 200 {
		t.Fatalf("%d %s", same.status, same.body)
	}
	for name, other := range map[string]reply{
		"path": send(t, "POST", f.url+"/k/2", strings.NewReader("a"), "Idempotency-Key", strings.Repeat("k", 255)),
		"body": send(t, "POST", f.url+"/k/1", strings.NewReader("b"), "Idempotency-Key", strings.Repeat("k", 255)),
	} {
		if bytes.Equal(other.body, same.body) {
			t.Errorf("another %s has the same hash", name)
		}
	}
}

// What a request asks may have a shorter deadline than the request: that is no fault of the program's either.
func TestAnInnerDeadlineSaysTryAgain(t *testing.T) {
	late := func(c *call) error {
		ctx, cancel := context.WithTimeout(c.ctx, time.Millisecond)
		defer cancel()
		<-ctx.Done()
		return fmt.Errorf("loading: %w", ctx.Err())
	}
	f := serveFrame(t, Options{Timeout: time.Minute},
		route{method: "GET", path: "/late", do: late}, route{method: "POST", path: "/late", do: late})
	for method, code := range map[string]fault.Code{"GET": fault.Busy, "POST": fault.OutcomeUnknown} {
		r := send(t, method, f.url+"/late", strings.NewReader("{}"), "Content-Type", "application/json")
		want(t, r, 503, code)
		if p := r.problem(t); p["retryable"] != true || r.header.Get("Retry-After") == "" {
			t.Errorf("%s is not to be asked again: %v %v", method, p, r.header)
		}
	}
}

func TestFrameFaults(t *testing.T) {
	block := make(chan struct{})
	f := serveFrame(t, Options{InFlight: 1, Timeout: 50 * time.Millisecond},
		route{method: "GET", path: "/panic", do: func(*call) error { panic("secret detail") }},
		route{method: "GET", path: "/slow", do: func(c *call) error { <-c.ctx.Done(); return c.ctx.Err() }},
		route{method: "POST", path: "/slow", do: func(c *call) error { <-c.ctx.Done(); return c.ctx.Err() }},
		route{method: "GET", path: "/unknown", do: func(*call) error { return fault.New(fault.OutcomeUnknown, "who knows") }},
		route{method: "GET", path: "/block", do: func(c *call) error { block <- struct{}{}; <-block; return c.noContent() }},
		route{method: "GET", path: "/internal", do: func(*call) error { return io.ErrUnexpectedEOF }})
	r := send(t, "GET", f.url+"/panic?secret=1", nil, "Authorization", "Bearer SECRET-TOKEN")
	want(t, r, 500, fault.Internal)
	if bytes.Contains(r.body, []byte("secret")) || !strings.Contains(f.log.String(), "secret detail") {
		t.Error("a panic belongs in the log, not in the answer")
	}
	if strings.Contains(f.log.String(), "SECRET-TOKEN") || strings.Contains(f.log.String(), "secret=1") {
		t.Errorf("a secret is in the log: %s", f.log)
	}
	want(t, send(t, "GET", f.url+"/internal", nil), 500, fault.Internal)
	if r := send(t, "GET", f.url+"/slow", nil); r.header.Get("Retry-After") == "" {
		t.Errorf("no Retry-After: %v", r.header)
	} else {
		want(t, r, 503, fault.Busy) // a read has no outcome
	}
	want(t, send(t, "GET", f.url+"/unknown", nil), 503, fault.Busy)
	want(t, send(t, "POST", f.url+"/slow", strings.NewReader("{}"), "Content-Type", "application/json"), 503, fault.OutcomeUnknown)
	want(t, send(t, "GET", f.url+"/nowhere", nil), 404, fault.NotFound)
	want(t, send(t, "GET", f.url+"/healthz/", nil), 404, fault.NotFound)
	want(t, send(t, "GET", f.url+"/HEALTHZ", nil), 404, fault.NotFound)
	if r := send(t, "PUT", f.url+"/slow", nil); r.header.Get("Allow") == "" {
		t.Error("405 without Allow")
	} else {
		want(t, r, 405, fault.MethodNotAllowed)
	}
	want(t, send(t, "GET", f.url+"/slow", nil, "X-Big", strings.Repeat("x", 20<<10)), 413, fault.TooLarge)
	blocked := make(chan struct{})
	go func() {
		defer close(blocked)
		if res, err := http.Get(f.url + "/block"); err == nil {
			res.Body.Close()
		}
	}()
	<-block
	p := want(t, send(t, "GET", f.url+"/healthz", nil), 503, fault.Busy)
	if p["retryAfterSeconds"] != float64(1) || p["retryable"] != true {
		t.Errorf("%v", p)
	}
	block <- struct{}{}
	<-blocked
}

func TestRequestIDIsKeptWhenWellFormed(t *testing.T) {
	f := serveFrame(t, Options{})
	if r := send(t, "GET", f.url+"/healthz", nil, "X-Request-Id", "trace-0123456789"); r.header.Get("X-Request-Id") != "trace-0123456789" {
		t.Errorf("%v", r.header)
	}
	if r := send(t, "GET", f.url+"/healthz", nil, "X-Request-Id", "a b<script>"); strings.Contains(r.header.Get("X-Request-Id"), "<") {
		t.Errorf("%v", r.header)
	}
}
