package local

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"math/rand/v2"
	"net"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/coder/websocket"
)

// region is a role of one region on a real port. It can be killed, hang, drain and come back.
type region struct {
	t      *testing.T
	name   string
	addr   string
	server *httptest.Server
	status atomic.Int32 // of /readyz
	mu     sync.Mutex
	hung   chan struct{} // not nil: nothing is answered until it is closed
}

func openRegion(t *testing.T, name string) *region {
	t.Helper()
	r := &region{t: t, name: name}
	r.status.Store(http.StatusOK)
	r.start()
	t.Cleanup(func() { r.wakeUp(); r.server.Close() })
	return r
}

// start listens where it did before. Systems give none of these ports away by themselves, so it is still free then.
func (r *region) start() {
	r.t.Helper()
	ln, err := net.Listen("tcp", cmp.Or(r.addr, "127.0.0.1:"+strconv.Itoa(10_000+rand.N(20_000))))
	for tries := 0; err != nil && r.addr == "" && tries < 100; tries++ {
		ln, err = net.Listen("tcp", "127.0.0.1:"+strconv.Itoa(10_000+rand.N(20_000)))
	}
	if err != nil {
		r.t.Fatal(err)
	}
	r.addr = ln.Addr().String()
	r.server = &httptest.Server{Listener: ln, Config: &http.Server{Handler: r}} //nolint:gosec // a test
	r.server.Start()
}

// kill is the end of a process: its port is closed and its connections are cut.
func (r *region) kill() {
	r.server.Listener.Close()
	r.server.CloseClientConnections()
	r.server.Close()
}

// hang is a machine that is cut off: connections stay, nothing comes.
func (r *region) hang() {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.hung = make(chan struct{})
}

func (r *region) wakeUp() {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.hung != nil {
		close(r.hung)
		r.hung = nil
	}
}

func (r *region) ServeHTTP(w http.ResponseWriter, req *http.Request) {
	r.mu.Lock()
	hung := r.hung
	r.mu.Unlock()
	if hung != nil {
		select {
		case <-hung:
		case <-req.Context().Done():
		}
		return
	}
	switch {
	case req.URL.Path == "/readyz":
		w.WriteHeader(int(r.status.Load()))
	case strings.HasSuffix(req.URL.Path, "/live"):
		r.socket(w, req)
	default:
		if event, _ := eventPath(req.URL.Path); event == showID {
			w.Header().Set(HomeHeader, "west")
			w.Header().Set("Cache-Control", "public, max-age=60")
		}
		body, _ := io.ReadAll(req.Body)
		fmt.Fprintf(w, "%s %s", r.name, body)
	}
}

// socket echoes; one that is cut off does not even close.
func (r *region) socket(w http.ResponseWriter, req *http.Request) {
	c, err := websocket.Accept(w, req, &websocket.AcceptOptions{Subprotocols: []string{"plateia.v1"}})
	if err != nil {
		return
	}
	defer c.CloseNow()
	_ = c.Write(req.Context(), websocket.MessageText, []byte(r.name))
	_, _, _ = c.Read(context.WithoutCancel(req.Context()))
}

func (r *region) upstream() Upstream {
	return Upstream{Region: r.name, URL: &url.URL{Scheme: "http", Host: r.addr}}
}

// probes come quickly one after the other. Each has so long that a region that is only slow, as this machine may be, is not
// given up: whoever is dead refuses at once.
func probes(timeout time.Duration) Probes {
	return Probes{Every: 50 * time.Millisecond, Again: 10 * time.Millisecond, Timeout: timeout, Fall: 2, Rise: 2}
}

func openPair(t *testing.T, p Probes, change ...func(east *region)) (w *town, east, west *region) {
	t.Helper()
	east, west = openRegion(t, "east"), openRegion(t, "west")
	for _, f := range change {
		f(east)
	}
	w = open(t, func(o *Options) {
		o.API = []Upstream{east.upstream(), west.upstream()}
		o.Gateway, o.Probes = o.API, p
	})
	return w, east, west
}

// ask makes a request that may be repeated and returns who answered.
func (w *town) ask(t *testing.T) string {
	t.Helper()
	res, body := do(t, "POST", w.url+"/v1/sessions", strings.NewReader("x"), "Idempotency-Key", "k")
	if res.StatusCode != http.StatusOK {
		return fmt.Sprint(res.StatusCode)
	}
	if from := res.Header.Get(RegionHeader); from+" x" != body {
		t.Errorf("%q says it is of %q", body, from)
	}
	return res.Header.Get(RegionHeader)
}

func (w *town) dial(t *testing.T) (*websocket.Conn, string) {
	t.Helper()
	c, _, err := websocket.Dial(t.Context(), w.url+"/v1/events/"+showID.String()+"/live", &websocket.DialOptions{Subprotocols: []string{"plateia.v1"}})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { c.CloseNow() })
	_, from, err := c.Read(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	return c, string(from)
}

func (w *town) state(region string) Health {
	for _, h := range w.Upstreams() {
		if h.Role == "api" && h.Region == region {
			return h
		}
	}
	return Health{}
}

func eventually(t *testing.T, what string, is func() bool) {
	t.Helper()
	for deadline := time.Now().Add(30 * time.Second); !is(); time.Sleep(5 * time.Millisecond) {
		if time.Now().After(deadline) {
			t.Fatalf("never: %s", what)
		}
	}
}

// A region is killed: not one request that may be repeated is refused, and it is used again when it is back for good.
func TestFansGoOnInTheOtherRegion(t *testing.T) {
	w, east, _ := openPair(t, probes(time.Minute))
	if from := w.ask(t); from != "east" {
		t.Fatalf("the preferred region is not used but %q", from)
	}
	east.kill()
	for range 20 {
		if from := w.ask(t); from != "west" {
			t.Errorf("after the kill %q answered", from)
		}
	}
	eventually(t, "east is called dead", func() bool { return w.state("east").State == "dead" })
	if took := w.state("east").DecidedInMs; took <= 0 {
		t.Errorf("decided in %v ms", took)
	}
	east.start()
	eventually(t, "east is used again", func() bool { return w.ask(t) == "east" })
}

// Whoever is in no position to repeat is refused, but only when somebody may have heard.
func TestWhatNobodyHeardIsSentElsewhere(t *testing.T) {
	// A probe's connection that is kept, and whose end the edge has not noticed yet, may have heard.
	w, east, _ := openPair(t, probes(time.Minute), func(east *region) { east.server.Config.SetKeepAlivesEnabled(false) })
	east.kill()
	res, body := do(t, "POST", w.url+"/v1/sessions", strings.NewReader("x")) // no key, but no connection either
	if res.StatusCode != http.StatusOK || body != "west x" {
		t.Errorf("%d %q", res.StatusCode, body)
	}
}

// A region that is cut off keeps its connections and says nothing: requests wait for the decision and go on
// elsewhere, and viewers are cut so that they come back elsewhere.
func TestASilentRegionIsLeft(t *testing.T) {
	w, east, _ := openPair(t, probes(2*time.Second)) // the silence takes two of them
	viewer, from := w.dial(t)
	if from != "east" {
		t.Fatalf("the viewer is at %q", from)
	}
	east.hang()
	if from := w.ask(t); from != "west" {
		t.Errorf("a request that waited was answered by %q", from)
	}
	if _, _, err := viewer.Read(t.Context()); err == nil {
		t.Error("the viewer still hears something")
	}
	if _, from := w.dial(t); from != "west" {
		t.Errorf("the viewer came back to %q", from)
	}
}

// A region that answers "not ready" gets nothing new and keeps what it has: it may be draining.
func TestADrainingRegionKeepsItsViewers(t *testing.T) {
	w, east, _ := openPair(t, probes(time.Minute))
	viewer, _ := w.dial(t)
	east.status.Store(http.StatusServiceUnavailable)
	eventually(t, "east gets nothing new", func() bool { return w.ask(t) == "west" })
	if s := w.state("east").State; s != "unready" {
		t.Errorf("it is called %s", s)
	}
	ended := make(chan error, 1)
	ctx, cancel := context.WithTimeout(t.Context(), 200*time.Millisecond)
	defer cancel()
	go func() { _, _, err := viewer.Read(ctx); ended <- err }()
	if err := <-ended; ctx.Err() == nil {
		t.Errorf("its viewer was cut: %v", err)
	}
}

// When nobody is well nobody is moved: a probe may be wrong about everybody.
func TestNobodyIsMovedToNowhere(t *testing.T) {
	w, east, west := openPair(t, probes(time.Minute))
	east.status.Store(http.StatusInternalServerError)
	west.kill()
	eventually(t, "both are called unwell", func() bool { return w.state("east").State == "unready" && w.state("west").State == "dead" })
	if from := w.ask(t); from != "east" {
		t.Errorf("%q answered", from)
	}
}

func TestHealthIsTold(t *testing.T) {
	w, _, _ := openPair(t, probes(time.Minute))
	rec := httptest.NewRecorder()
	w.HealthHandler().ServeHTTP(rec, httptest.NewRequest(http.MethodGet, "/upstreams", http.NoBody))
	var all []Health
	if err := json.Unmarshal(rec.Body.Bytes(), &all); err != nil || len(all) != 4 || all[0].Region != "east" || all[3].Role != "gateway" {
		t.Errorf("%v %+v", err, all)
	}
}
