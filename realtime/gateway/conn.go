package gateway

import (
	"context"
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"net/netip"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/coder/websocket"

	"plateia/core/account"
	"plateia/core/fault"
	"plateia/core/id"
	"plateia/realtime/hub"
	"plateia/realtime/wire"
)

// conn is one viewer's connection.
type conn struct {
	// What every frame touches comes first, in one line of the processor's cache.
	viewer atomic.Pointer[hub.Viewer] // nil until the hello was accepted
	net    *netConn
	ws     *websocket.Conn // nil: the line is a stream of events
	line   line
	shard  *shard
	g      *Gateway
	queued atomic.Bool // in one of the shard's rounds
	afar   atomic.Bool // sees no seats, free ones by section only

	event   id.ID
	origin  string // of another site's page; "": of none
	block   netip.Prefix
	account id.ID        // set by the hello
	expires atomic.Int64 // Unix seconds of the access token's end; 0: none
	ending  sync.Once
	rate    bucket // of the reader
	pings   bucket // of whoever reads frames, one at a time
	bytes   bucket // of the same
}

// line is how frames reach a viewer.
type line interface {
	send(frame []byte) error // does not wait for the viewer
	end(bye wire.Bye)        // after the last frame; waits a moment for the viewer to read it
	drop()                   // at once
}

// live begins a connection. Refusals before that are cheap; of those of a WebSocket
// a page cannot read anything and simply tries again later.
func (g *Gateway) live(w http.ResponseWriter, r *http.Request) {
	event, err := id.Parse(r.PathValue("eventId"))
	switch {
	case err != nil:
		g.refuse(w, http.StatusNotFound, fault.NotFound, "no such event")
		return
	case r.Method != http.MethodGet:
		w.Header().Set("Allow", http.MethodGet)
		g.refuse(w, http.StatusMethodNotAllowed, fault.MethodNotAllowed, "the live map is opened with GET")
		return
	case !isUpgrade(r) && !wantsEvents(r):
		w.Header().Set("Upgrade", "websocket")
		w.Header().Set("Connection", "Upgrade")
		g.refuse(w, http.StatusUpgradeRequired, fault.Invalid, "the live map is a WebSocket, or text/event-stream")
		return
	case !g.originAllowed(r, event):
		g.count.badOrigin.Add(1)
		g.refuse(w, http.StatusForbidden, fault.Forbidden, "this origin may not show the map")
		return
	}
	from := block(g.o.ClientIP(r))
	if g.full() {
		w.Header().Set("Retry-After", "5")
		g.refuse(w, http.StatusServiceUnavailable, fault.Busy, "this gateway is full or stops")
		return
	}
	if !g.limits.takeBlock(from) {
		w.Header().Set("Retry-After", "30")
		g.refuse(w, http.StatusTooManyRequests, fault.RateLimited, "too many connections of this network")
		return
	}
	begin := g.accept
	if !isUpgrade(r) {
		begin = g.stream
	}
	if err := begin(w, r, event, from); err != nil {
		g.limits.give(from, id.ID{})
		if !errors.Is(err, errRefused) {
			g.count.refused.Add(1)
		}
	}
}

func isUpgrade(r *http.Request) bool {
	return strings.EqualFold(r.Header.Get("Upgrade"), "websocket")
}

// errRefused is of a request that was refused, and counted, in words.
var errRefused = errors.New("gateway: refused")

// refuse answers with a problem (RFC 9457), like the API does.
func (g *Gateway) refuse(w http.ResponseWriter, status int, code fault.Code, text string) {
	g.count.refused.Add(1)
	w.Header().Set("Content-Type", "application/problem+json")
	w.Header().Set("Cache-Control", "no-store")
	w.WriteHeader(status)
	_ = json.NewEncoder(w).Encode(map[string]any{ // the client is gone: nothing to be done
		"type": "about:blank", "title": http.StatusText(status), "status": status,
		"code": code, "detail": text, "retryable": code == fault.Busy || code == fault.RateLimited,
	})
}

func (g *Gateway) full() bool {
	g.mu.Lock()
	defer g.mu.Unlock()
	return g.draining || len(g.conns) >= g.o.MaxConns
}

func (g *Gateway) accept(w http.ResponseWriter, r *http.Request, event id.ID, from netip.Prefix) error {
	small := &smallBuffers{ResponseWriter: w, timeout: g.o.WriteTimeout}
	c := &conn{g: g, event: event, origin: foreignOrigin(r), block: from}
	ws, err := websocket.Accept(small, r, &websocket.AcceptOptions{
		OnPingReceived: func(context.Context, []byte) bool { return c.ping() },
		Subprotocols:   []string{wire.Subprotocol}, CompressionMode: websocket.CompressionDisabled,
		InsecureSkipVerify: true, // originAllowed has checked it, with a list that patterns cannot widen
	})
	if err != nil {
		return err
	}
	ws.SetReadLimit(-1) // the library would close without a bye; see read, and takes behind it
	c.ws, c.net, c.line = ws, small.conn, socketLine{ws, small.conn}
	return g.begin(c, c.read)
}

// begin makes the connection one of the gateway's. The handler returns: its
// goroutine, its stack and net/http's buffers are free.
func (g *Gateway) begin(c *conn, read func()) error {
	c.shard = g.shards[g.count.accepted.Add(1)%int64(len(g.shards))]
	c.net.flushed, c.net.intake = c.wake, c.takes
	g.mu.Lock()
	defer g.mu.Unlock()
	if g.draining {
		c.line.drop()
		return errors.New("gateway: stopping")
	}
	g.conns[c] = struct{}{}
	g.done.Go(read)
	return nil
}

// read is the connection's goroutine: hello, then views until the end.
func (c *conn) read() {
	defer c.close()
	late := time.AfterFunc(c.g.o.HelloTimeout, func() {
		c.finish(wire.Bye{Code: wire.ByeHelloLate, After: time.Second, Spread: 5 * time.Second, Text: "no hello in time"})
	})
	defer late.Stop()
	if c.ws.Subprotocol() != wire.Subprotocol {
		c.finish(wire.Bye{Code: wire.ByeVersion, Text: "speak " + wire.Subprotocol})
	}
	for {
		kind, r, err := c.ws.Reader(context.Background())
		if err != nil {
			return
		}
		raw, err := io.ReadAll(io.LimitReader(r, wire.MaxClientFrame+1))
		if err != nil {
			return
		}
		if bye := c.message(kind, raw); bye != nil {
			c.finish(*bye)
		}
		if len(raw) > wire.MaxClientFrame { // the rest passes by, as much of it as takes allows: unread, it would reset the bye
			_, _ = io.Copy(io.Discard, r) // the next read fails too
		}
		if c.viewer.Load() != nil {
			late.Stop()
		}
	}
}

func (c *conn) message(kind websocket.MessageType, raw []byte) *wire.Bye {
	c.g.count.received.Add(1)
	if !c.rate.take(time.Now(), c.g.o.MessageBurst, c.g.o.MessageEvery) {
		bye := floodBye()
		return &bye
	}
	if kind != websocket.MessageBinary {
		return protocolBye("text message")
	}
	if len(raw) > wire.MaxClientFrame {
		return protocolBye("message too long")
	}
	frame, err := wire.Decode(raw)
	if errors.Is(err, wire.ErrVersion) {
		return &wire.Bye{Code: wire.ByeVersion, Text: "speak " + wire.Subprotocol}
	}
	if err != nil {
		return protocolBye(err.Error())
	}
	v := c.viewer.Load()
	switch f := frame.(type) {
	case wire.Hello:
		if v != nil {
			return protocolBye("hello twice")
		}
		return c.hello(f)
	case wire.View:
		if v == nil {
			return protocolBye("view before hello")
		}
		v.SetView(c.looks(f))
		return nil
	}
	return protocolBye("not for gateways")
}

// ping answers a viewer's ping unless there are too many: they count like messages.
func (c *conn) ping() bool {
	if c.pings.take(time.Now(), c.g.o.MessageBurst, c.g.o.MessageEvery) {
		return true
	}
	c.finish(floodBye())
	return false
}

// takes bounds what comes in by its bytes: the library counts neither messages' frames, which may be empty and without
// end, nor pongs. There is room for as many of the longest messages as there may be messages.
func (c *conn) takes(n int) bool {
	if c.bytes.spend(time.Now(), n, (c.g.o.MessageBurst+1)*wire.MaxClientFrame, wire.MaxClientFrame, c.g.o.MessageEvery) {
		return true
	}
	c.finish(floodBye())
	return false
}

func floodBye() wire.Bye {
	return wire.Bye{Code: wire.ByeFlood, After: 10 * time.Second, Spread: 10 * time.Second, Text: "too many messages"}
}

func protocolBye(text string) *wire.Bye {
	return &wire.Bye{Code: wire.ByeProtocol, After: 10 * time.Second, Spread: 20 * time.Second, Text: text}
}

// hello checks who it is and joins the hub.
func (c *conn) hello(h wire.Hello) *wire.Bye {
	if h.Event != c.event {
		return protocolBye("hello for another event")
	}
	access, bye := c.verify(h.Token)
	if bye != nil {
		return bye
	}
	if !c.g.limits.takeAccount(access.Account) {
		return &wire.Bye{Code: wire.ByeTooMany, After: 30 * time.Second, Spread: 30 * time.Second, Text: "too many connections of this account"}
	}
	c.account = access.Account
	a := hub.Arrival{Account: c.account, View: c.looks(h.View), Resume: h.Resume, Inflates: h.Inflates}
	if c.account.IsZero() {
		a.Pace = hub.Slow
	} else if !access.ExpiresAt.IsZero() {
		c.expires.Store(access.ExpiresAt.Unix())
	}
	v, bye := c.g.hub.Join(c.event, a, c.wake)
	if bye != nil {
		return bye
	}
	c.viewer.Store(v)
	c.wake() // what came between Join and Store
	return nil
}

func (c *conn) verify(token string) (account.Access, *wire.Bye) {
	if token == "" {
		if c.g.o.Anonymous == AnonymousNone {
			return account.Access{}, &wire.Bye{Code: wire.ByeNotAllowed, Text: "only for admitted fans"}
		}
		return account.Access{}, nil
	}
	access, err := c.g.o.Verify(token)
	switch {
	case err != nil:
	case access.Event != c.event || access.Account.IsZero():
		err = errors.New("another event's token")
	case !access.ExpiresAt.IsZero() && !time.Now().Before(access.ExpiresAt):
		err = errors.New("an expired token")
	}
	if err != nil {
		c.g.count.badToken.Add(1)
		return account.Access{}, &wire.Bye{Code: wire.ByeToken, After: time.Second, Spread: 2 * time.Second, Text: "access token not valid here"}
	}
	return access, nil
}

// looks is what this viewer will look at, and remembers how soon it is to be told.
func (c *conn) looks(v wire.View) wire.View {
	v = c.allowed(v)
	c.afar.Store(v.Mode == wire.Overview)
	return v
}

// allowed is what this viewer may look at of what it asks for.
func (c *conn) allowed(v wire.View) wire.View {
	if c.account.IsZero() && c.g.o.Anonymous != AnonymousSlow {
		return wire.View{Mode: wire.Overview}
	}
	return v
}

// wake has the shard write what is waiting. It does not wait.
func (c *conn) wake() {
	if c.queued.CompareAndSwap(false, true) {
		c.shard.add(c)
	}
}

// turn is how many frames a connection may write before the others of its shard have theirs.
const turn = 4

// write writes waiting frames until there are none, the viewer does not take them or its turn is over.
func (c *conn) write(wrote *written) {
	c.queued.Store(false)
	v := c.viewer.Load()
	if v == nil {
		return
	}
	for frames := 0; !c.net.stalled(); frames++ {
		if frames == turn {
			c.wake()
			return
		}
		frame, bye := v.Next()
		if frame == nil {
			if bye != nil {
				c.finish(*bye)
			}
			return
		}
		if c.deliver(frame) != nil {
			return
		}
		wrote.frames++
		wrote.bytes += int64(len(frame))
	}
	c.g.count.stalled.Add(1)
	if bye := v.Bye(); bye != nil { // so far behind that it is to start over; it reads this when it reads again
		c.finish(*bye)
	}
}

// deliver gives a frame to the line and counts only what fails.
func (c *conn) deliver(frame []byte) error {
	var err error
	if c.ws != nil { // the line itself would be one more trip to memory
		err = c.net.message(frame)
	} else {
		err = c.line.send(frame)
	}
	if err != nil {
		c.g.count.writeErrors.Add(1)
		c.line.drop()
	}
	return err
}

// tell sends a frame in its turn; a connection without a hello is told to come back.
func (c *conn) tell(frame []byte) {
	if v := c.viewer.Load(); v != nil {
		v.Tell(frame)
		return
	}
	c.finish(wire.Bye{Code: wire.ByeDrain, Text: "gateway restarts"})
}

// finish says goodbye and closes, in a goroutine of its own because the closing
// handshake waits for the viewer.
func (c *conn) finish(bye wire.Bye) {
	c.ending.Do(func() {
		c.g.countBye(bye.Code)
		c.g.done.Go(func() {
			last := wire.AppendBye(nil, bye)
			if c.deliver(last) == nil {
				c.g.count.wrote(written{1, int64(len(last))})
				c.line.end(bye)
			}
			c.line.drop()
		})
	})
}

// close gives back everything the connection held. It ends the reader.
func (c *conn) close() {
	c.line.drop()
	if v := c.viewer.Load(); v != nil {
		v.Leave()
	}
	c.g.mu.Lock()
	delete(c.g.conns, c)
	c.g.mu.Unlock()
	c.g.limits.give(c.block, c.account)
}
