package gateway_test

import (
	"bytes"
	"errors"
	"io"
	"net"
	"testing"
	"time"

	"plateia/core/inventory"
	"plateia/realtime/client"
	"plateia/realtime/gateway"
	"plateia/realtime/wire"
)

// FuzzConversation sends any bytes behind an upgrade. Whatever they are, the gateway closes the connection in the end,
// forgets it, and a viewer beside it gets its changes.
func FuzzConversation(f *testing.F) {
	f.Add([]byte{})
	f.Add([]byte{0x82, 0x80, 0, 0, 0, 0})                                              // an empty message
	f.Add([]byte{0x82, 0x05, 1, 2, 3, 4, 5})                                           // without a mask
	f.Add([]byte{0x82, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff})          // longer than there are numbers
	f.Add([]byte{0x82, 0xff, 0x7f, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 1, 2, 3}) // nearly as long
	f.Add([]byte{0xf2, 0x80, 0, 0, 0, 0})                                              // reserved bits
	f.Add([]byte{0x80, 0x80, 0, 0, 0, 0})                                              // goes on with what never began
	f.Add([]byte{0x09, 0x80, 0, 0, 0, 0})                                              // a ping in pieces
	f.Add([]byte{0x88, 0x81, 0, 0, 0, 0, 3})                                           // half a close code
	f.Add([]byte{0x8b, 0x80, 0, 0, 0, 0})                                              // an unknown kind of control
	f.Add(masked(wire.AppendHello(nil, wire.Hello{View: whole})))
	f.Add(masked(append(wire.AppendHello(nil, wire.Hello{View: whole}), 0)))
	f.Add(bytes.Repeat(masked(wire.AppendView(nil, whole)), 50))

	s := newSite(f, 60, 4)
	g, url := s.gateway(func(o *gateway.Options) {
		o.Anonymous = gateway.AnonymousSlow
		o.Hub.SlowTick, o.HelloTimeout = time.Millisecond, 5*time.Second
	})
	beside := s.dial(url, client.Options{View: whole})
	next[wire.Snapshot](f, beside)
	f.Fuzz(func(t *testing.T, b []byte) {
		s := &site{t: t, db: s.db, stream: s.stream}
		c := s.upgraded(url)
		defer c.Close()
		c.SetDeadline(time.Now().Add(time.Minute))
		c.Write(b) // it may be closed before it has taken all
		c.(*net.TCPConn).CloseWrite()
		if _, err := io.Copy(io.Discard, c); isTimeout(err) {
			t.Fatalf("%x keeps a connection open", b)
		}
		eventually(t, "it is forgotten", func() bool { return g.Stats().Viewers == 1 })
		s.change(inventory.Status(g.Stats().Accepted%3), 7)
		for d := next[wire.Delta](t, beside); len(d.Changes) == 0; d = next[wire.Delta](t, beside) {
		}
	})
}

func isTimeout(err error) bool {
	var e net.Error
	return errors.As(err, &e) && e.Timeout()
}

// masked is a message as a browser sends it, masked with zeros.
func masked(message []byte) []byte {
	return append([]byte{0x82, 0x80 | byte(len(message)), 0, 0, 0, 0}, message...)
}

// upgraded is a connection of bytes on which the gateway speaks WebSocket.
func (s *site) upgraded(url string) net.Conn {
	s.t.Helper()
	c, err := net.Dial("tcp", url[len("http://"):])
	if err != nil {
		s.t.Fatal(err)
	}
	io.WriteString(c, "GET /v1/events/"+s.db.event.String()+"/live HTTP/1.1\r\nHost: x\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n"+
		"Sec-WebSocket-Version: 13\r\nSec-WebSocket-Key: AAAAAAAAAAAAAAAAAAAAAA==\r\nSec-WebSocket-Protocol: plateia.v1\r\n\r\n")
	return c
}
