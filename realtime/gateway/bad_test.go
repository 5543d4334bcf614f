package gateway_test

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"io"
	"net"
	"net/http"
	"testing"
	"time"

	"github.com/coder/websocket"

	"plateia/core/account"
	"plateia/core/id"
	"plateia/core/inventory"
	"plateia/realtime/client"
	"plateia/realtime/gateway"
	"plateia/realtime/wire"
)

// raw opens a WebSocket without saying hello.
func (s *site) raw(url string, event id.ID, o *websocket.DialOptions) (*websocket.Conn, *http.Response, error) {
	if o == nil {
		o = &websocket.DialOptions{Subprotocols: []string{wire.Subprotocol}}
	}
	return websocket.Dial(s.t.Context(), url+"/v1/events/"+event.String()+"/live", o)
}

func TestBadInputEndsWithACode(t *testing.T) {
	s := newSite(t, 100, 4)
	_, url := s.gateway(counting)
	_, hasty := s.gateway(func(o *gateway.Options) { o.HelloTimeout = 300 * time.Millisecond })
	token, _ := s.admit()
	foreign, _ := s.admit(func(a *account.Access) { a.Event = id.New() })
	hello := func(h wire.Hello) []byte {
		if h.Event.IsZero() {
			h.Event = s.db.event
		}
		return wire.AppendHello(nil, h)
	}
	good := hello(wire.Hello{Token: token, View: whole})
	flood := [][]byte{good}
	for range 40 {
		flood = append(flood, wire.AppendView(nil, whole))
	}
	cases := map[string]struct {
		at       string // the gateway's address, unless it is the patient one's
		messages [][]byte
		text     bool
		code     int
	}{
		"hello too late":          {at: hasty, code: wire.ByeHelloLate.CloseCode()},
		"not a frame":             {messages: [][]byte{{0x11, 1, 2}}, code: wire.ByeProtocol.CloseCode()},
		"another version":         {messages: [][]byte{{0x21}}, code: wire.ByeVersion.CloseCode()},
		"text":                    {messages: [][]byte{[]byte("hello")}, text: true, code: wire.ByeProtocol.CloseCode()},
		"too long":                {messages: [][]byte{make([]byte, 64<<10)}, code: wire.ByeProtocol.CloseCode()},
		"a frame for viewers":     {messages: [][]byte{wire.AppendBye(nil, wire.Bye{})}, code: wire.ByeProtocol.CloseCode()},
		"view before hello":       {messages: [][]byte{wire.AppendView(nil, whole)}, code: wire.ByeProtocol.CloseCode()},
		"hello twice":             {messages: [][]byte{good, good}, code: wire.ByeProtocol.CloseCode()},
		"hello for another event": {messages: [][]byte{hello(wire.Hello{Event: id.New()})}, code: wire.ByeProtocol.CloseCode()},
		"unknown token":           {messages: [][]byte{hello(wire.Hello{Token: "x"})}, code: wire.ByeToken.CloseCode()},
		"another event's token":   {messages: [][]byte{hello(wire.Hello{Token: foreign})}, code: wire.ByeToken.CloseCode()},
		"no such section":         {messages: [][]byte{hello(wire.Hello{Token: token, View: wire.View{Mode: wire.Sections, Sections: []int{4}}})}, code: wire.ByeNoSection.CloseCode()},
		"flood":                   {messages: flood, code: wire.ByeFlood.CloseCode()},
	}
	watcher := s.dial(url, client.Options{Token: token, View: whole})
	next[wire.Snapshot](t, watcher)
	t.Run("all at once", func(t *testing.T) {
		for name, c := range cases {
			t.Run(name, func(t *testing.T) {
				t.Parallel()
				s.endsWith(t, cmp.Or(c.at, url), c.messages, c.text, c.code)
			})
		}
	})
	s.change(inventory.Held, 1)
	if d := next[wire.Delta](t, watcher); len(d.Changes) != 1 {
		t.Errorf("somebody else noticed: %+v", d)
	}
}

// endsWith sends messages on a connection of its own and expects a close code.
func (s *site) endsWith(t *testing.T, url string, messages [][]byte, text bool, code int) {
	t.Helper()
	ws, _, err := s.raw(url, s.db.event, nil)
	if err != nil {
		t.Fatal(err)
	}
	defer ws.CloseNow()
	ws.SetReadLimit(1 << 20)
	kind := websocket.MessageBinary
	if text {
		kind = websocket.MessageText
	}
	for _, m := range messages {
		if ws.Write(t.Context(), kind, m) != nil {
			break
		}
	}
	if got := closeCode(ws); got != code {
		t.Errorf("closed with %d, want %d", got, code)
	}
}

func closeCode(ws *websocket.Conn) int {
	ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
	defer cancel()
	for {
		if _, _, err := ws.Read(ctx); err != nil {
			return int(websocket.CloseStatus(err))
		}
	}
}

func TestUnknownEvent(t *testing.T) {
	s := newSite(t, 10, 1)
	_, url := s.gateway()
	if b := bye(t, s.dial(url, client.Options{Event: id.New(), View: whole})); b.Code != wire.ByeUnknownEvent {
		t.Errorf("%+v", b)
	}
}

func TestWithoutTheSubprotocol(t *testing.T) {
	s := newSite(t, 10, 1)
	_, url := s.gateway()
	ws, _, err := s.raw(url, s.db.event, &websocket.DialOptions{Subprotocols: []string{"plateia.v9"}})
	if err != nil {
		t.Fatal(err)
	}
	defer ws.CloseNow()
	if got := closeCode(ws); got != wire.ByeVersion.CloseCode() {
		t.Errorf("closed with %d", got)
	}
}

// venueAlone lets one origin show the site's event.
func (s *site) venueAlone(event id.ID, origin string) bool {
	return event == s.db.event && origin == "https://venue.example"
}

func TestRefusedBeforeTheUpgrade(t *testing.T) {
	s := newSite(t, 10, 1)
	_, url := s.gateway(func(o *gateway.Options) { o.Allows, o.MaxPerBlock = s.venueAlone, 3 })
	host := url[len("http://"):]
	header := func(origin string) *websocket.DialOptions {
		return &websocket.DialOptions{Subprotocols: []string{wire.Subprotocol}, HTTPHeader: http.Header{"Origin": {origin}}}
	}
	for origin, want := range map[string]int{
		"https://evil.example": 403, "null": 403, "https://venue.example.evil": 403, "http://" + host + ".evil": 403,
		"https://venue.example:8443": 403, "http://venue.example": 403, "HTTPS://VENUE.example": 403, // as a browser writes it, or not at all
		"https://venue.example": 101, "http://" + host: 101, "HTTP://" + host: 101,
	} {
		ws, resp, err := s.raw(url, s.db.event, header(origin))
		if err == nil {
			defer ws.CloseNow()
		}
		if resp.StatusCode != want {
			t.Errorf("origin %s: %d, want %d", origin, resp.StatusCode, want)
		}
	}
	if _, resp, err := s.raw(url, s.db.event, nil); err == nil || resp.StatusCode != 429 || resp.Header.Get("Retry-After") == "" {
		t.Errorf("a fourth connection of one network: %v", err)
	}
	for _, c := range []struct {
		method, path string
		want         int
	}{
		{"GET", "/v1/events/nonsense/live", 404},
		{"POST", "/v1/events/" + s.db.event.String() + "/live", 405},
		{"GET", "/v1/events/" + s.db.event.String() + "/live", 426},
	} {
		req, err := http.NewRequest(c.method, url+c.path, nil)
		if err != nil {
			t.Fatal(err)
		}
		resp, err := http.DefaultClient.Do(req)
		if err != nil {
			t.Fatal(err)
		}
		var problem struct{ Code, Detail string }
		err = json.NewDecoder(resp.Body).Decode(&problem)
		resp.Body.Close()
		if resp.StatusCode != c.want || err != nil || problem.Code == "" || problem.Detail == "" || resp.Header.Get("Content-Type") != "application/problem+json" {
			t.Errorf("%s %s: %d %+v %v, want a problem with %d", c.method, c.path, resp.StatusCode, problem, err, c.want)
		}
	}
}

// A message in endless empty pieces never becomes one that could be counted.
func TestEmptyPiecesAreBounded(t *testing.T) {
	s := newSite(t, 10, 1)
	_, url := s.gateway(counting)
	ws, _, err := s.raw(url, s.db.event, nil)
	if err != nil {
		t.Fatal(err)
	}
	defer ws.CloseNow()
	closed := make(chan int, 1)
	go func() { closed <- closeCode(ws) }()
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	message, err := ws.Writer(ctx, websocket.MessageBinary)
	if err != nil {
		t.Fatal(err)
	}
	pieces := 0
	for ; err == nil && pieces < 1_000_000; pieces++ {
		_, err = message.Write(nil)
	}
	if err == nil {
		t.Fatalf("%d empty pieces were taken", pieces)
	}
	if got := <-closed; got != wire.ByeFlood.CloseCode() {
		t.Errorf("closed with %d after %d pieces, want %d", got, pieces, wire.ByeFlood.CloseCode())
	}
}

// Pings are answered by the library, out of sight of the limit on messages.
func TestPingsCountAsMessages(t *testing.T) {
	s := newSite(t, 10, 1)
	_, url := s.gateway(counting)
	ws, _, err := s.raw(url, s.db.event, nil)
	if err != nil {
		t.Fatal(err)
	}
	defer ws.CloseNow()
	closed := make(chan int, 1)
	go func() { closed <- closeCode(ws) }()
	for range 60 {
		ctx, cancel := context.WithTimeout(t.Context(), 30*time.Second)
		err := ws.Ping(ctx)
		cancel()
		if err != nil {
			break
		}
	}
	if got := <-closed; got != wire.ByeFlood.CloseCode() {
		t.Errorf("closed with %d, want %d", got, wire.ByeFlood.CloseCode())
	}
}

func TestLimitPerAccountAndExpiry(t *testing.T) {
	s := newSite(t, 10, 1)
	g, url := s.gateway(func(o *gateway.Options) { o.MaxPerAccount = 2 })
	token, _ := s.admit()
	for range 2 {
		next[wire.Summary](t, s.dial(url, client.Options{Token: token}))
	}
	if b := bye(t, s.dial(url, client.Options{Token: token})); b.Code != wire.ByeTooMany {
		t.Errorf("a third connection: %+v", b)
	}
	short, _ := s.admit(func(a *account.Access) { a.ExpiresAt = time.Now().Add(3 * time.Second) }) // it is looked at on a machine that may be slower
	if b := bye(t, s.dial(url, client.Options{Token: short})); b.Code != wire.ByeToken {
		t.Errorf("an expired token: %+v", b)
	}
	if n := g.Stats().Byes[wire.ByeTooMany]; n != 1 {
		t.Errorf("%+v", g.Stats())
	}
}

// TestViewerThatDoesNotRead (case 25): it is dropped for what it has missed, nobody else waits for it (or would an hour),
// and it finds the right map when it comes back.
func TestViewerThatDoesNotRead(t *testing.T) {
	s := newSite(t, 60_000, 1)
	g, url := s.gateway(func(o *gateway.Options) {
		o.Hub.MinTick, o.Hub.QueueFrames = time.Millisecond, 8
		o.Writers = 1
	})
	token, _ := s.admit()
	deaf := deafViewer(t, s, url, token)
	defer deaf.Close()
	quick := s.dial(url, client.Options{Token: token, View: whole})
	next[wire.Snapshot](t, quick)
	deadline := time.Now().Add(time.Minute)
	for g.Stats().Viewers > 1 {
		if time.Now().After(deadline) {
			t.Fatalf("the deaf viewer is still there: %+v", g.Stats())
		}
		g.NotifyAll(s.db.event, wire.Notice{Kind: wire.NoticeEvent, Body: bytes.Repeat([]byte{'1'}, wire.MaxNotice)})
		next[wire.Notice](t, quick)
	}
	if st := g.Stats(); st.Stalled == 0 {
		t.Errorf("%+v", st)
	}
	s.change(inventory.Sold, 59_999)
	for d := next[wire.Delta](t, quick); len(d.Changes) == 0; d = next[wire.Delta](t, quick) {
	}
	back := next[wire.Snapshot](t, s.dial(url, client.Options{Token: token, View: whole})) // its network is good again
	if back.Statuses[59_999] != inventory.Sold {
		t.Error("the viewer that was dropped came back to an old map")
	}
}

// deafViewer says hello on a socket with a small receive buffer and never reads.
func deafViewer(t *testing.T, s *site, url, token string) net.Conn {
	t.Helper()
	c, err := net.Dial("tcp", url[len("http://"):])
	if err != nil {
		t.Fatal(err)
	}
	c.(*net.TCPConn).SetReadBuffer(4096)
	io.WriteString(c, "GET /v1/events/"+s.db.event.String()+"/live HTTP/1.1\r\nHost: x\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n"+
		"Sec-WebSocket-Version: 13\r\nSec-WebSocket-Key: AAAAAAAAAAAAAAAAAAAAAA==\r\nSec-WebSocket-Protocol: plateia.v1\r\n\r\n")
	hello := wire.AppendHello(nil, wire.Hello{Event: s.db.event, Token: token, View: whole})
	frame := append([]byte{0x82, 0x80 | byte(len(hello)), 0, 0, 0, 0}, hello...) // masked with zeros
	if len(hello) > 125 {
		t.Fatal("hello too long for a short frame")
	}
	c.Write(frame)
	return c
}
