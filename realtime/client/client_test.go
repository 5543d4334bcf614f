package client

import (
	"context"
	"errors"
	"net/http"
	"net/http/httptest"
	"testing"
	"time"

	"github.com/coder/websocket"
	"go.uber.org/goleak"

	"plateia/core/id"
	"plateia/core/inventory"
	"plateia/realtime/wire"
)

func TestMain(m *testing.M) {
	goleak.VerifyTestMain(m, goleak.IgnoreTopFunction("net/http.(*persistConn).writeLoop"), goleak.IgnoreTopFunction("internal/poll.runtime_pollWait"))
}

var epoch = wire.Epoch{Event: 1, Stream: 9}

func snapshot(offset uint64, statuses ...inventory.Status) wire.Snapshot {
	return wire.Snapshot{Position: wire.Position{Epoch: epoch, Offset: offset}, Seats: len(statuses),
		Ranges: []wire.Range{{From: 0, To: 2}}, Statuses: statuses}
}

func delta(from, to uint64, changes ...wire.SeatStatus) wire.Delta {
	return wire.Delta{Mark: epoch.Mark(), From: from, To: to, Changes: changes}
}

// script is a gateway that plays one list of frames per connection and then closes,
// with the code of a last bye; it remembers the hellos.
func script(t *testing.T, connections ...[]wire.Frame) (url string, hellos chan wire.Hello) {
	t.Helper()
	hellos = make(chan wire.Hello, 10)
	next := make(chan []wire.Frame, len(connections))
	for _, c := range connections {
		next <- c
	}
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		ws, err := websocket.Accept(w, r, &websocket.AcceptOptions{Subprotocols: []string{wire.Subprotocol}})
		if err != nil {
			return
		}
		defer ws.CloseNow()
		_, raw, err := ws.Read(r.Context())
		if err != nil {
			return
		}
		if f, err := wire.Decode(raw); err == nil {
			hellos <- f.(wire.Hello)
		}
		for _, f := range <-next {
			ws.Write(r.Context(), websocket.MessageBinary, wire.Append(nil, f))
			if bye, ok := f.(wire.Bye); ok {
				ws.Close(websocket.StatusCode(bye.Code.CloseCode()), bye.Text)
			}
		}
	}))
	t.Cleanup(s.Close)
	return s.URL, hellos
}

func TestWatchResumesResyncsAndEndsWithAFinalBye(t *testing.T) {
	held := wire.SeatStatus{Ordinal: 1, Status: inventory.Held}
	url, hellos := script(t,
		[]wire.Frame{snapshot(5, 0, 0), delta(5, 6, held)},                              // breaks: resume at 6
		[]wire.Frame{delta(8, 9, held)},                                                 // a gap: start over
		[]wire.Frame{snapshot(9, 2, 2), wire.Bye{Code: wire.ByeDrain}},                  // sent away: resume at 9
		[]wire.Frame{wire.Bye{Code: wire.ByeToken}},                                     // goes on signed out
		[]wire.Frame{delta(9, 10, held), wire.Bye{Code: wire.ByeNotAllowed, Text: "x"}}, // final
	)
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	var m Map
	var received time.Time
	err := Watch(ctx, url, Options{Event: id.New(), Token: "token", View: wire.View{Mode: wire.Whole}}, &m, func(_ wire.Frame, at time.Time) { received = at })
	var closed *Closed
	if !errors.As(err, &closed) || closed.Bye.Code != wire.ByeNotAllowed || closed.Bye.Text != "x" {
		t.Fatalf("ended with %v", err)
	}
	for i, want := range []struct {
		token  string
		offset uint64
	}{{"token", 0}, {"token", 6}, {"token", 0}, {"token", 9}, {"", 9}} {
		h := <-hellos
		got := uint64(0)
		if h.Resume != nil {
			got = h.Resume.Offset
		}
		if h.Token != want.token || got != want.offset {
			t.Errorf("hello %d: token %q at %d, want %+v", i, h.Token, got, want)
		}
	}
	if m.Statuses[0] != inventory.Sold || m.Statuses[1] != inventory.Held || received.IsZero() {
		t.Errorf("the map says %v", m.Statuses)
	}
}

// A gateway that drains serves on until its viewers go, each at its own moment.
func TestWatchLeavesADrainingGateway(t *testing.T) {
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	resumed := make(chan *wire.Position, 10)
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		ws, err := websocket.Accept(w, r, &websocket.AcceptOptions{Subprotocols: []string{wire.Subprotocol}})
		if err != nil {
			return
		}
		defer ws.CloseNow()
		_, raw, err := ws.Read(ctx)
		if f, _ := wire.Decode(raw); err == nil {
			resumed <- f.(wire.Hello).Resume
		}
		for _, f := range []wire.Frame{snapshot(5, 0, 0), wire.Bye{Code: wire.ByeDrain, After: 20 * time.Millisecond, Spread: 20 * time.Millisecond}} {
			ws.Write(ctx, websocket.MessageBinary, wire.Append(nil, f))
		}
		ws.Read(ctx) // until it goes
	}))
	defer s.Close()
	ended := make(chan error, 1)
	watching, stop := context.WithCancel(ctx)
	go func() {
		ended <- Watch(watching, s.URL, Options{Event: id.New()}, &Map{}, func(wire.Frame, time.Time) {})
	}()
	for _, want := range []uint64{0, 5, 5} {
		select {
		case p := <-resumed:
			if (p == nil) != (want == 0) || (p != nil && p.Offset != want) {
				t.Errorf("came with %+v, want %d", p, want)
			}
		case <-ctx.Done():
			t.Fatal("it stayed at the gateway that drains")
		}
	}
	stop()
	if err := <-ended; err != nil {
		t.Error(err)
	}
}

func TestMapInEveryOrder(t *testing.T) {
	frames := []wire.Frame{snapshot(10, 0, 0),
		delta(10, 12, wire.SeatStatus{Ordinal: 0, Status: inventory.Held}),
		delta(12, 15, wire.SeatStatus{Ordinal: 0, Status: inventory.Sold}),
		delta(14, 16, wire.SeatStatus{Ordinal: 1, Status: inventory.Held})}
	permute(frames, func(order []wire.Frame) {
		var m Map
		for _, f := range append(order, order[0]) {
			m.Apply(f)
		}
		if m.Statuses[0] != inventory.Sold || m.Statuses[1] != inventory.Held || m.Position.Offset != 16 {
			t.Errorf("in order %+v: %v at %+v", order, m.Statuses, m.Position)
		}
	})
}

func permute(frames []wire.Frame, visit func([]wire.Frame)) {
	var rec func(done, rest []wire.Frame)
	rec = func(done, rest []wire.Frame) {
		if len(rest) == 0 {
			visit(append([]wire.Frame(nil), done...))
		}
		for i := range rest {
			others := append(append([]wire.Frame(nil), rest[:i]...), rest[i+1:]...)
			rec(append(done, rest[i]), others)
		}
	}
	rec(nil, frames)
}

func TestMapBoundsWhatWaits(t *testing.T) {
	var m Map
	for i := range uint64(1000) {
		m.Apply(delta(i, i+1))
	}
	if len(m.early) != maxEarly {
		t.Errorf("%d deltas wait", len(m.early))
	}
	m.Apply(snapshot(999, 0, 0))
	if _, gap := m.Apply(delta(2000, 2001)); !gap {
		t.Error("a gap was not seen")
	}
}

func TestDialFails(t *testing.T) {
	s := httptest.NewServer(http.NotFoundHandler())
	defer s.Close()
	if _, err := Dial(t.Context(), s.URL, Options{}); err == nil {
		t.Error("connected to a server without a gateway")
	}
}
