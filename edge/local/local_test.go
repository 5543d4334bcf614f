package local

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"sync"
	"testing"
	"testing/fstest"
	"time"

	"github.com/coder/websocket"
	"go.uber.org/goleak"

	"plateia/core/account"
	"plateia/core/fault"
	"plateia/core/id"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

var showID = id.New()

// town is an edge with something behind it, on real ports.
type town struct {
	*Edge
	url  string
	addr string
	mu   sync.Mutex
	seen []string // "API POST /v1/…", as the back ends saw it
}

func (w *town) note(s string) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.seen = append(w.seen, s)
}

func (w *town) last() string {
	w.mu.Lock()
	defer w.mu.Unlock()
	if len(w.seen) == 0 {
		return ""
	}
	return w.seen[len(w.seen)-1]
}

func (w *town) backend(t testing.TB, name string) *url.URL {
	t.Helper()
	s := httptest.NewServer(http.HandlerFunc(func(rw http.ResponseWriter, r *http.Request) {
		if _, err := io.Copy(io.Discard, r.Body); err != nil {
			return
		}
		w.note(name + " " + r.Method + " " + r.URL.EscapedPath() + " host=" + r.Host + " for=" + r.Header.Get("X-Forwarded-For"))
		if strings.HasSuffix(r.URL.Path, "/live") && r.Header.Get("Upgrade") != "" {
			echoSocket(rw, r)
			return
		}
		if name == "sandbox" {
			rw.Header().Set("Content-Security-Policy", "default-src 'none'; style-src 'nonce-x'")
		}
		if name == "gateway" { // nobody behind decides who may read
			rw.Header().Set("Access-Control-Allow-Origin", "*")
			rw.Header().Set("Access-Control-Allow-Credentials", "true")
		}
		rw.Header().Set("X-From", name)
		fmt.Fprint(rw, name)
	}))
	t.Cleanup(s.Close)
	u, err := url.Parse(s.URL)
	if err != nil {
		t.Fatal(err)
	}
	return u
}

func echoSocket(w http.ResponseWriter, r *http.Request) {
	c, err := websocket.Accept(w, r, &websocket.AcceptOptions{Subprotocols: []string{"plateia.v1"}})
	if err != nil {
		return
	}
	defer c.CloseNow()
	for {
		kind, data, err := c.Read(r.Context())
		if err != nil || c.Write(r.Context(), kind, data) != nil {
			return
		}
	}
}

func assets() fstest.MapFS {
	fs := fstest.MapFS{".gitkeep": {Data: nil}}
	for _, name := range []string{"index", "event", "pay", "orders", "order", "console", "line", "embed", "desk", "frame", "embed-pay"} {
		fs[name+".html"] = &fstest.MapFile{Data: []byte("<html>" + name)}
		fs[name+".es.html"] = &fstest.MapFile{Data: []byte("<html lang=es>" + name)}
		fs[name+".pt-BR.html"] = &fstest.MapFile{Data: []byte("<html lang=pt>" + name)}
	}
	fs["index.html.br"] = &fstest.MapFile{Data: []byte("BR-index")}
	fs["assets/app-1a2b.js"] = &fstest.MapFile{Data: []byte("let a = 1")}
	fs["assets/app-1a2b.js.br"] = &fstest.MapFile{Data: []byte("BR")}
	fs["assets/app-1a2b.js.gz"] = &fstest.MapFile{Data: []byte("GZ")}
	fs["embed/v1/loader.js"] = &fstest.MapFile{Data: []byte("let b = 2")}
	fs["partner/index.html"] = &fstest.MapFile{Data: []byte("somebody else's")}
	fs["assets/notes.secret"] = &fstest.MapFile{Data: []byte("no")}
	return fs
}

// tokens knows credentials by their words: "good" is one of showID, "session:NAME" an account's.
type tokens struct{}

var errToken = fault.New(fault.Unauthenticated, "the credential is missing, not valid or has expired")

func (tokens) Access(token string) (account.Access, error) {
	if token != "good" {
		return account.Access{}, errToken
	}
	return account.Access{Event: showID}, nil
}

func (tokens) Session(token string) (account.Session, error) {
	name, ok := strings.CutPrefix(token, "session:")
	if !ok {
		return account.Session{}, errToken
	}
	who := id.ID{1}
	copy(who[1:], name)
	return account.Session{Account: who}, nil
}

func (tokens) Ticket(token string) (account.QueueTicket, error) {
	name, ok := strings.CutPrefix(token, "ticket:")
	if !ok {
		return account.QueueTicket{}, errToken
	}
	return account.QueueTicket{Event: showID, Epoch: 1, Pseudonym: name}, nil
}

func (tokens) Proof(proof, method, path, token string) (string, error) {
	if proof != method+" "+path+" "+token {
		return "", errToken
	}
	return "thumb", nil
}

func open(t testing.TB, change func(*Options)) *town {
	t.Helper()
	w := &town{}
	opts := Options{
		API: At(w.backend(t, "api")), Gateway: At(w.backend(t, "gateway")), Sandboxes: map[string]*url.URL{"sandbox": w.backend(t, "sandbox"), "sandbox2": w.backend(t, "sandbox2")}, Tokens: tokens{}, Assets: assets(),
		Inbox: http.HandlerFunc(func(rw http.ResponseWriter, _ *http.Request) { fmt.Fprint(rw, "inbox") }),
	}
	if change != nil {
		change(&opts)
	}
	var err error
	if w.Edge, err = New(opts); err != nil {
		t.Fatal(err)
	}
	ln, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	w.addr, w.url = ln.Addr().String(), "http://"+ln.Addr().String()
	done := make(chan error, 1)
	go func() { done <- w.Serve(ln) }()
	t.Cleanup(func() {
		http.DefaultClient.CloseIdleConnections()
		ctx, cancel := context.WithTimeout(context.Background(), 30*time.Second)
		defer cancel()
		if err := w.Stop(ctx); err != nil {
			t.Errorf("stop: %v", err)
		}
		if err := <-done; err != nil {
			t.Errorf("serve: %v", err)
		}
	})
	return w
}

var client = &http.Client{CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }, Transport: http.DefaultTransport}

func do(t testing.TB, method, target string, body io.Reader, header ...string) (*http.Response, string) {
	t.Helper()
	req, err := http.NewRequest(method, target, body)
	if err != nil {
		t.Fatal(err)
	}
	for i := 0; i < len(header); i += 2 {
		req.Header.Set(header[i], header[i+1])
	}
	res, err := client.Do(req)
	if err != nil {
		t.Fatalf("%s %s: %v", method, target, err)
	}
	defer res.Body.Close()
	out, err := io.ReadAll(res.Body)
	if err != nil {
		t.Fatal(err)
	}
	return res, string(out)
}

func TestRoutes(t *testing.T) {
	w := open(t, nil)
	ev := "/v1/events/" + showID.String()
	for path, want := range map[string]string{
		"/v1/events": "api", ev: "api", ev + "/availability": "api", ev + "/live": "gateway", "/healthz": "api", "/readyz": "api",
		"/.well-known/jwks.json": "api", "/sandbox/pay/x1": "sandbox", "/sandbox2/pay/x1": "sandbox2", "/sandbox": "sandbox", "/dev/inbox": "inbox",
		"/": "<html>index", "/orders": "<html>orders", "/events/" + showID.String(): "<html>event",
		"/pay/" + showID.String(): "<html>pay", "/orders/" + showID.String(): "<html>order", "/assets/app-1a2b.js": "let a = 1",
		"/v1/events/not-an-id/live": "api",
	} {
		if res, body := do(t, "GET", w.url+path, nil, "Accept-Encoding", "identity"); res.StatusCode != 200 || body != want {
			t.Errorf("%s: %d %q, want %q", path, res.StatusCode, body, want)
		}
	}
	for _, path := range []string{"/events", "/events/x", "/nowhere", "/assets/", "/assets/notes.secret", "/assets/app-1a2b.js.br", "/index.html", "/metrics", "/.gitkeep", "/ORDERS", "/V1/events", "/sandboxed"} {
		if res, body := do(t, "GET", w.url+path, nil); res.StatusCode != 404 {
			t.Errorf("%s: %d %q", path, res.StatusCode, body)
		}
	}
	if res, _ := do(t, "GET", w.url+"/orders/", nil); res.StatusCode != 308 || res.Header.Get("Location") != "/orders" {
		t.Errorf("trailing slash: %d %v", res.StatusCode, res.Header)
	}
	if res, _ := do(t, "POST", w.url+"/orders", nil); res.StatusCode != 405 || res.Header.Get("Allow") == "" {
		t.Errorf("POST to a page: %d", res.StatusCode)
	}
	if !strings.Contains(w.lastFor(t, "/v1/sessions"), "host="+w.addr+" for=127.0.0.1") {
		t.Errorf("behind: %s", w.last())
	}
}

func (w *town) lastFor(t *testing.T, path string) string {
	t.Helper()
	do(t, "GET", w.url+path, nil, "X-Forwarded-For", "6.6.6.6")
	return w.last()
}

// Case 10: no second spelling reaches anybody.
func TestPathsHaveOneSpelling(t *testing.T) {
	w := open(t, nil)
	ev := showID.String()
	for _, path := range []string{
		"//v1/events/" + ev + "/holds", "/v1//events/" + ev + "/holds", "/v1/./events", "/v1/x/../events/" + ev + "/holds", "/v1/events/" + ev + "/h%6flds",
		"/v1/events/" + ev + "%2fholds", "/v1/events/" + ev + "/holds%00", "/v1/events/" + ev + "/holds%20", "/%76%31/events", "/v1\\events", "/assets/..%2findex.html",
		"/assets/../index.html", "/v1/events/" + ev + "/holds;x=1", "//evil.example/", "/v1/events/%e2%84%aa",
	} {
		if got := raw(t, w.addr, "POST "+path+" HTTP/1.1\r\nHost: x\r\nConnection: close\r\nContent-Length: 0\r\n\r\n"); !strings.HasPrefix(got, "HTTP/1.1 400") {
			t.Errorf("%s: %.60q", path, got)
		}
	}
	if len(w.seen) != 0 {
		t.Errorf("reached: %v", w.seen)
	}
}

// raw sends bytes as they are.
func raw(t testing.TB, addr, request string) string {
	t.Helper()
	c, err := net.Dial("tcp", addr)
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	_ = c.SetDeadline(time.Now().Add(time.Minute))
	_, _ = io.WriteString(c, request) // may be cut short by an early answer
	out, _ := io.ReadAll(c)
	return string(out)
}

func TestHoldsNeedAToken(t *testing.T) {
	w := open(t, nil)
	holds := w.url + "/v1/events/" + showID.String() + "/holds"
	for _, header := range []string{"", "good", "Bearer", "Bearer bad", "Basic good"} {
		res, body := do(t, "POST", holds, strings.NewReader("{}"), "Authorization", header)
		var p map[string]any
		_ = json.Unmarshal([]byte(body), &p)
		if res.StatusCode != 401 || p["code"] != "QUEUE_REQUIRED" || p["waitingRoom"] != "/events/"+showID.String() || res.Header.Get("Content-Type") != "application/problem+json" {
			t.Errorf("%q: %d %s", header, res.StatusCode, body)
		}
	}
	if res, _ := do(t, "POST", w.url+"/v1/events/"+id.New().String()+"/holds", nil, "Authorization", "Bearer good"); res.StatusCode != 401 {
		t.Errorf("another event's token: %d", res.StatusCode)
	}
	if w.last() != "" {
		t.Errorf("reached: %s", w.last())
	}
	if _, body := do(t, "POST", holds, strings.NewReader("{}"), "Authorization", "bearer good"); body != "api" {
		t.Errorf("a good token: %s", body)
	}
	if _, body := do(t, "GET", holds+"/mine", nil, "Authorization", "Bearer session:ana"); body != "api" {
		t.Errorf("reading one's hold needs a session: %s", body)
	}
}

func TestLiveConnections(t *testing.T) {
	w := open(t, func(o *Options) { o.ReadTimeout, o.WriteTimeout = time.Second, time.Second })
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	c, _, err := websocket.Dial(ctx, "ws://"+w.addr+"/v1/events/"+showID.String()+"/live", &websocket.DialOptions{Subprotocols: []string{"plateia.v1"}})
	if err != nil {
		t.Fatal(err)
	}
	defer c.CloseNow()
	if c.Subprotocol() != "plateia.v1" {
		t.Errorf("subprotocol %q", c.Subprotocol())
	}
	for i := range 3 {
		if i == 2 {
			time.Sleep(1200 * time.Millisecond) // longer than a request may take
		}
		if err := c.Write(ctx, websocket.MessageBinary, []byte{byte(i)}); err != nil {
			t.Fatal(err)
		}
		if _, data, err := c.Read(ctx); err != nil || data[0] != byte(i) {
			t.Fatal(data, err)
		}
	}
	// Stop must not wait for it, nor leave it open.
	if err := w.Stop(ctx); err != nil {
		t.Fatal(err)
	}
	if _, _, err := c.Read(ctx); err == nil || ctx.Err() != nil {
		t.Errorf("still open: %v", err)
	}
}

func TestNothingBehind(t *testing.T) {
	w := open(t, func(o *Options) {
		o.API = At(&url.URL{Scheme: "http", Host: "127.0.0.1:1"}) // where nobody listens
		o.Sandboxes, o.Inbox = nil, nil
	})
	res, body := do(t, "GET", w.url+"/v1/events", nil)
	if res.StatusCode != 503 || res.Header.Get("Retry-After") != "1" || !strings.Contains(body, `"BUSY"`) {
		t.Errorf("%d %v %s", res.StatusCode, res.Header, body)
	}
	for _, path := range []string{"/sandbox/x", "/dev/inbox"} {
		if res, _ := do(t, "GET", w.url+path, nil); res.StatusCode != 404 {
			t.Errorf("%s: %d", path, res.StatusCode)
		}
	}
}
