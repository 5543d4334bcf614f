package gateway

import (
	"math/rand/v2"
	"net/http"
	"net/netip"
	"strings"
	"sync"
	"time"

	"plateia/core/fault"
	"plateia/core/id"
	"plateia/realtime/wire"
)

// eventsHead begins every stream. It has no length and ends with the connection.
const eventsHead = "HTTP/1.1 200 OK\r\n" +
	"Content-Type: text/event-stream\r\n" +
	"Cache-Control: no-store, no-transform\r\n" + // a proxy that compresses would also wait for more
	"X-Accel-Buffering: no\r\n" +
	"X-Content-Type-Options: nosniff\r\n" +
	"Connection: close\r\n\r\n"

// lastRead is how long a viewer has to read the bye of a stream.
const lastRead = 2 * time.Second

func wantsEvents(r *http.Request) bool {
	for part := range strings.SplitSeq(r.Header.Get("Accept"), ",") {
		kind, _, _ := strings.Cut(part, ";")
		if strings.EqualFold(strings.TrimSpace(kind), "text/event-stream") {
			return true
		}
	}
	return false
}

// stream begins a connection over server-sent events: a hello in the form of a request. It is the same to everything
// behind it, and as cheap: the handler returns, and the shards write.
func (g *Gateway) stream(w http.ResponseWriter, r *http.Request, event id.ID, from netip.Prefix) error {
	c := &conn{g: g, event: event, origin: foreignOrigin(r), block: from}
	hello, err := helloOf(r, event)
	if err != nil {
		g.refuse(w, http.StatusBadRequest, fault.Invalid, "view or Last-Event-ID is not in its form")
		return errRefused
	}
	if _, bye := c.verify(hello.Token); bye != nil {
		g.refuseBye(w, *bye)
		return errRefused
	}
	small := &smallBuffers{ResponseWriter: w, timeout: g.o.WriteTimeout}
	if _, _, err := small.Hijack(); err != nil {
		return err
	}
	l := &eventLine{net: small.conn, over: make(chan struct{})}
	if hello.Resume != nil {
		l.at = *hello.Resume
	}
	c.net, c.line = small.conn, l
	if err := l.write([]byte(eventsHead)); err != nil {
		l.drop()
		return err
	}
	return g.begin(c, func() { c.follow(l, hello) })
}

// helloOf reads from a request what a hello says.
func helloOf(r *http.Request, event id.ID) (wire.Hello, error) {
	h := wire.Hello{Event: event, View: wire.View{Mode: wire.Whole}}
	scheme, token, _ := strings.Cut(r.Header.Get("Authorization"), " ")
	if strings.EqualFold(scheme, "Bearer") {
		h.Token = strings.TrimSpace(token)
	}
	if last := r.Header.Get("Last-Event-ID"); last != "" {
		at, err := wire.ParsePosition(last)
		if err != nil {
			return h, err
		}
		h.Resume = &at
	}
	query := r.URL.Query()
	h.Inflates = query.Get("deflate") == "1"
	if view := query.Get("view"); view != "" {
		var err error
		if h.View, err = wire.ParseView(view); err != nil {
			return h, err
		}
	}
	return h, nil
}

// refuseBye says before a stream what a bye would say in it.
func (g *Gateway) refuseBye(w http.ResponseWriter, bye wire.Bye) {
	g.countBye(bye.Code)
	if bye.Code == wire.ByeToken {
		g.refuse(w, http.StatusUnauthorized, fault.Unauthenticated, bye.Text)
		return
	}
	g.refuse(w, http.StatusForbidden, fault.Forbidden, bye.Text)
}

// follow is the goroutine of a stream: it joins, and then waits for the viewer to leave. Nothing that a viewer sends
// after its request means anything; takes bounds it.
func (c *conn) follow(l *eventLine, hello wire.Hello) {
	defer c.close()
	defer close(l.over)
	c.g.count.streams.Add(1)
	defer c.g.count.streams.Add(-1)
	if bye := c.hello(hello); bye != nil {
		c.finish(*bye)
	}
	var waste [64]byte
	for {
		if _, err := c.net.Read(waste[:]); err != nil {
			return
		}
	}
}

// eventLine is a stream of events. One goroutine at a time sends.
type eventLine struct {
	net  *netConn
	over chan struct{} // closed when the viewer has left

	mu sync.Mutex
	at wire.Position // of the viewer, once it has what was sent
}

func (l *eventLine) send(frame []byte) error {
	l.mu.Lock()
	defer l.mu.Unlock()
	before := l.at
	l.at = wire.Reached(frame, before)
	var id wire.Position
	if l.at != before {
		id = l.at
	}
	return l.write(wire.AppendEvent(make([]byte, 0, 64+4*len(frame)/3), frame, id, retryOf(frame)))
}

func (l *eventLine) write(p []byte) error {
	_, err := l.net.Write(p)
	return err
}

// end closes our half when all has been taken, and gives the viewer a moment to close its own: a connection that is
// closed with bytes on their way is reset, and what was said at last is lost.
func (l *eventLine) end(wire.Bye) {
	ticker := time.NewTicker(10 * time.Millisecond)
	defer ticker.Stop()
	for l.net.stalled() { // its own deadline ends that
		select {
		case <-l.over:
			return
		case <-ticker.C:
		}
	}
	if half, ok := l.net.Conn.(interface{ CloseWrite() error }); ok {
		_ = half.CloseWrite()
	}
	select {
	case <-l.over:
	case <-time.After(lastRead):
	}
}

func (l *eventLine) drop() { _ = l.net.Close() }

// retryOf is what a browser's own client is told of a bye: in how many milliseconds to come back. 0: nothing.
func retryOf(frame []byte) int64 {
	bye, ok := wire.AsBye(frame)
	if !ok {
		return 0
	}
	wait := bye.After
	if bye.Spread > 0 {
		wait += rand.N(bye.Spread) //nolint:gosec // spreads reconnects, keeps no secret
	}
	return max(1, wait.Milliseconds())
}
