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
	_, url := s.gateway(counting)
	_, hasty := s.gateway(func(o *gateway.Options) { o.HelloTimeout = 300 * time.Millisecond })
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
		at       string // the gateway's address, unless it is the patient one's
		event    id.ID
		messages [][]byte
		kind     websocket.MessageType
		code     wire.ByeCode
	}{
		"unknown event":       {event: unknown, messages: [][]byte{wire.AppendHello(nil, wire.Hello{Event: unknown, Token: lost})}, code: wire.ByeUnknownEvent},
		"bad version":         {messages: [][]byte{{0x21}}, code: wire.ByeVersion},
		"hello too late":      {at: hasty, code: wire.ByeHelloLate},
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
				ws, _, err := s.raw(cmp.Or(c.at, url), c.event, nil)
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

// counting gateways know how many messages somebody may send, however slowly they come.
func counting(o *gateway.Options) { o.MessageEvery = time.Hour }

// A flood of views is a flood also where the viewer's queue has less room than one answer takes: who is told "too slow"
// comes back at once, and floods again.
func TestFloodOfViewsIsNotSlowness(t *testing.T) {
	s := newSite(t, 100, 4)
	g, url := s.gateway(counting, func(o *gateway.Options) { o.Hub.QueueFrames, o.Hub.QueueBytes = 1, 1 })
	token, _ := s.admit()
	next[wire.Snapshot](t, s.dial(url, client.Options{Token: token, View: whole})) // the map is there: each view has an answer
	ws, _, err := s.raw(url, s.db.event, nil)
	if err != nil {
		t.Fatal(err)
	}
	defer ws.CloseNow()
	view := wire.View{Mode: wire.Sections, Sections: []int{1}}
	message := wire.AppendHello(nil, wire.Hello{Event: s.db.event, Token: token, View: view})
	for range 41 {
		if ws.Write(t.Context(), websocket.MessageBinary, message) != nil {
			break
		}
		message = wire.AppendView(nil, view)
	}
	if said, code := lastWords(t, ws); said.Code != wire.ByeFlood || code != wire.ByeFlood.CloseCode() {
		t.Errorf("said %+v and closed with %d", said, code)
	}
	if st := g.Stats(); st.Hub.Slow != 0 {
		t.Errorf("%+v", st)
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
