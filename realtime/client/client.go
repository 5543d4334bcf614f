package client

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"strings"
	"time"

	"github.com/coder/websocket"

	"plateia/core/id"
	"plateia/realtime/wire"
)

// Options of a viewer.
type Options struct {
	Event      id.ID
	Token      string // access token; empty: signed out
	View       wire.View
	Resume     *wire.Position // what the viewer shows already in this view
	Inflates   bool           // takes snapshots deflated; Next returns them inflated
	Header     http.Header    // more request headers
	HTTPClient *http.Client   // nil: http.DefaultClient
	Events     bool           // over server-sent events instead of a WebSocket
}

// maxFrame is the longest message a gateway has reason to send.
const maxFrame = 1 << 20

// Closed ends a connection that the gateway ended. Bye is what it said; its Code is
// 0 when the connection ended without a word.
type Closed struct {
	Bye wire.Bye
	err error
}

func (c *Closed) Error() string {
	return fmt.Sprintf("client: gateway closed with code %d (%s): %v", c.Bye.Code, c.Bye.Text, c.err)
}

// Unwrap returns the transport's error.
func (c *Closed) Unwrap() error { return c.err }

// Conn is a viewer's connection. Next must be called by one goroutine.
type Conn struct {
	ws     *websocket.Conn
	events *eventReader // nil: a WebSocket
	bye    wire.Bye
}

// Dial connects to the gateway behind base ("http://host:port") and says hello. A
// stream of events that does not begin is a *Refused.
func Dial(ctx context.Context, base string, o Options) (*Conn, error) {
	url := strings.TrimSuffix(base, "/") + "/v1/events/" + o.Event.String() + "/live"
	if o.Events {
		events, err := dialEvents(ctx, url, o)
		if err != nil {
			return nil, err
		}
		return &Conn{events: events}, nil
	}
	//nolint:bodyclose // the library reads and closes the body of a refusal, and takes over the one of an upgrade
	ws, _, err := websocket.Dial(ctx, url, &websocket.DialOptions{
		HTTPClient: o.HTTPClient, HTTPHeader: o.Header, Subprotocols: []string{wire.Subprotocol},
	})
	if err != nil {
		return nil, fmt.Errorf("client: %w", err)
	}
	ws.SetReadLimit(maxFrame)
	c := &Conn{ws: ws}
	hello := wire.Hello{Event: o.Event, Token: o.Token, Resume: o.Resume, Inflates: o.Inflates, View: o.View}
	if err := c.send(ctx, wire.AppendHello(nil, hello)); err != nil {
		_ = ws.CloseNow()
		return nil, err
	}
	return c, nil
}

func (c *Conn) send(ctx context.Context, b []byte) error {
	if err := c.ws.Write(ctx, websocket.MessageBinary, b); err != nil {
		return fmt.Errorf("client: %w", err)
	}
	return nil
}

// SetView changes what is looked at. A stream of events refuses: dial another one.
func (c *Conn) SetView(ctx context.Context, v wire.View) error {
	if c.events != nil {
		return errors.New("client: a stream of events keeps its view")
	}
	return c.send(ctx, wire.AppendView(nil, v))
}

// Next returns the next frame. A bye is returned as a frame; when the connection
// ends afterwards the error is a *Closed that carries it.
func (c *Conn) Next(ctx context.Context) (wire.Frame, error) {
	raw, err := c.read(ctx)
	if errors.Is(err, wire.ErrMalformed) {
		return nil, err
	}
	if err != nil {
		return nil, c.closed(ctx, err)
	}
	f, err := wire.Decode(raw)
	switch f := f.(type) {
	case wire.Bye:
		c.bye = f
	case wire.Deflated:
		return f.Inflate()
	}
	return f, err
}

func (c *Conn) read(ctx context.Context) ([]byte, error) {
	if c.events != nil {
		return c.events.next(ctx)
	}
	_, raw, err := c.ws.Read(ctx)
	return raw, err
}

func (c *Conn) closed(ctx context.Context, err error) error {
	if ctx.Err() != nil {
		return ctx.Err()
	}
	closed := &Closed{Bye: c.bye, err: err}
	var ce websocket.CloseError
	if closed.Bye.Code == 0 && errors.As(err, &ce) && ce.Code > 4000 {
		closed.Bye = wire.Bye{Code: wire.ByeCode(ce.Code - 4000), Text: ce.Reason}
	}
	return closed
}

// Close leaves at once.
func (c *Conn) Close() {
	if c.events != nil {
		c.events.close()
		return
	}
	_ = c.ws.CloseNow()
}

// Watch is a viewer that does not give up: it keeps m up to date until ctx ends,
// reconnecting by position, and calls each for every frame, after m has it, with the
// time it was received. It returns nil when ctx ends and a *Closed for a final bye.
func Watch(ctx context.Context, base string, o Options, m *Map, each func(f wire.Frame, receivedAt time.Time)) error {
	wait := 100 * time.Millisecond
	for {
		if m.Position == nil {
			m.Reset() // what waited for a snapshot was of another connection
		}
		o.Resume = m.Position
		err := watchOnce(ctx, base, o, m, each)
		if ctx.Err() != nil {
			return nil //nolint:nilerr // being asked to end is no failure
		}
		var closed *Closed
		if errors.As(err, &closed) {
			if closed.Bye.Code.Final() {
				return err
			}
			if closed.Bye.Code == wire.ByeToken {
				o.Token = ""
			}
		}
		select {
		case <-ctx.Done():
			return nil
		case <-time.After(pause(closed, wait)):
		}
		wait = min(2*wait, 10*time.Second)
		if m.Position != nil && closed != nil {
			wait = 100 * time.Millisecond
		}
	}
}

func watchOnce(ctx context.Context, base string, o Options, m *Map, each func(wire.Frame, time.Time)) error {
	c, err := Dial(ctx, base, o)
	if err != nil {
		return err
	}
	defer c.Close()
	ctx, leave := context.WithCancel(ctx)
	defer leave()
	for {
		f, err := c.Next(ctx)
		if errors.Is(err, wire.ErrMalformed) || errors.Is(err, wire.ErrVersion) {
			m.Reset()
		}
		if err != nil {
			return err
		}
		at := time.Now()
		if bye, ok := f.(wire.Bye); ok && bye.Code == wire.ByeDrain { // it serves until we go, which is not to be all at once
			time.AfterFunc(pause(&Closed{Bye: bye}, 0), leave)
		}
		_, gap := m.Apply(f)
		each(f, at)
		if gap { // frames of one connection are in order: it will not fill
			m.Reset()
			return errors.New("client: a delta is missing")
		}
	}
}
