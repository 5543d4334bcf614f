package gateway

import (
	"context"
	"errors"
	"io"
	"net/netip"
	"sync"
	"sync/atomic"
	"time"

	"github.com/coder/websocket"

	"plateia/core/account"
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
