package gateway_test

import (
	"bytes"
	"cmp"
	"context"
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

// Every refusal says what was wrong and whether, and when, to come back: in a bye and in the close code, over a real
// socket. A viewer who looks at the same map meanwhile is told of every change and of nothing else.
func TestBadInputIsToldWhetherToComeBack(t *testing.T) {
	s := newSite(t, 100, 4)
	_, url := s.gateway(func(o *gateway.Options) { o.HelloTimeout = 300 * time.Millisecond })
	token, _ := s.admit()
	foreign, _ := s.admit(func(a *account.Access) { a.Event = id.New() })
	expired, _ := s.admit(func(a *account.Access) { a.ExpiresAt = time.Now().Add(-time.Minute) })
	unknown := id.New()
	lost, _ := s.admit(func(a *account.Access) { a.Event = unknown })
	hello := func(token string, view wire.View) []byte {
		return wire.AppendHello(nil, wire.Hello{Event: s.db.event, Token: token, View: view})
	}
	flood := [][]byte{hello(token, whole)}
	for range 40 {
		flood = append(flood, wire.AppendView(nil, wire.View{Mode: wire.Sections, Sections: []int{1}}))
	}
	cases := map[string]struct {
		event    id.ID
		messages [][]byte
		kind     websocket.MessageType
		code     wire.ByeCode
	}{
		"unknown event":       {event: unknown, messages: [][]byte{wire.AppendHello(nil, wire.Hello{Event: unknown, Token: lost})}, code: wire.ByeUnknownEvent},
		"bad version":         {messages: [][]byte{{0x21}}, code: wire.ByeVersion},
		"hello too late":      {code: wire.ByeHelloLate},
		"text":                {messages: [][]byte{[]byte("hello")}, kind: websocket.MessageText, code: wire.ByeProtocol},
		"too long":            {messages: [][]byte{hello(token, whole), make([]byte, wire.MaxClientFrame+1)}, code: wire.ByeProtocol},
		"a hello too long":    {messages: [][]byte{append(hello(token, whole), make([]byte, 64<<10)...)}, code: wire.ByeProtocol},
		"far too long":        {messages: [][]byte{make([]byte, 1<<20)}, code: wire.ByeProtocol},
		"no such section":     {messages: [][]byte{hello(token, wire.View{Mode: wire.Sections, Sections: []int{4}})}, code: wire.ByeNoSection},
		"flood of views":      {messages: flood, code: wire.ByeFlood},
		"expired token":       {messages: [][]byte{hello(expired, whole)}, code: wire.ByeToken},
		"foreign token":       {messages: [][]byte{hello(foreign, whole)}, code: wire.ByeToken},
		"unreadable token":    {messages: [][]byte{hello("rubbish", whole)}, code: wire.ByeToken},
		"unknown hello flags": {messages: [][]byte{append(bytes.Clone(hello("", whole)[:18]), 8, 1)}, code: wire.ByeProtocol},
	}
	watcher := s.dial(url, client.Options{Token: token, View: whole})
	next[wire.Snapshot](t, watcher)
	t.Run("all at once", func(t *testing.T) {
		for name, c := range cases {
			t.Run(name, func(t *testing.T) {
				t.Parallel()
				if c.event.IsZero() {
					c.event = s.db.event
				}
				ws, _, err := s.raw(url, c.event, nil)
				if err != nil {
					t.Fatal(err)
				}
				defer ws.CloseNow()
				ws.SetReadLimit(1 << 20)
				for _, m := range c.messages {
					if ws.Write(t.Context(), cmp.Or(c.kind, websocket.MessageBinary), m) != nil {
						break
					}
				}
				said, code := lastWords(t, ws)
				if said.Code != c.code || code != c.code.CloseCode() || said.Text == "" {
					t.Errorf("said %+v and closed with %d, want code %d", said, code, c.code)
				}
				if !c.code.Final() && said.After+said.Spread == 0 {
					t.Errorf("does not say when to come back: %+v", said)
				}
			})
		}
	})
	s.change(inventory.Held, 1)
	if d := next[wire.Delta](t, watcher); len(d.Changes) != 1 || d.Changes[0].Ordinal != 1 {
		t.Errorf("somebody else noticed: %+v", d)
	}
}

// lastWords reads to the end and returns the bye and the close code.
func lastWords(t *testing.T, ws *websocket.Conn) (said wire.Bye, code int) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	for {
		_, raw, err := ws.Read(ctx)
		if err != nil {
			return said, int(websocket.CloseStatus(err))
		}
		if f, err := wire.Decode(raw); err != nil {
			t.Errorf("%x: %v", raw, err)
		} else if b, ok := f.(wire.Bye); ok {
			said = b
		}
	}
}
