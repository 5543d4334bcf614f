package stream_test

import (
	"testing"
	"time"

	"github.com/nats-io/nats.go"

	"plateia/realtime/stream"
	"plateia/realtime/wire"
)

func TestFlows(t *testing.T) {
	p := newPlug(t)
	c := connect(t, p)
	f := follow(t, c, delta([16]byte{1}, 1, 1).Event)
	receive(t, f.starts)
	eventually(t, "it flows", c.Flows)
	p.out()
	eventually(t, "it does not flow without a server", func() bool { return !c.Flows() })
	p.in()
	eventually(t, "it flows again", c.Flows)
}

// leaderless: a cluster that has lost its majority keeps its connections and acknowledges nothing. Whoever follows
// knows, and what was published meanwhile does not stand in the way of what is published afterwards.
func (h *hall) leaderless(t *testing.T, admin *nats.Conn) {
	t.Helper()
	if _, err := admin.Subscribe("seat.*", func(*nats.Msg) {}); err != nil { // else the server says that nobody listens
		t.Fatal(err)
	}
	for _, i := range []int{1, 2} {
		if err := h.cluster.StopOne(t.Context(), i); err != nil {
			t.Fatal(err)
		}
	}
	eventually(t, "connected, and nothing flows", func() bool { return h.seller.Connected() && !h.seller.Flows() })
	c, err := stream.Connect(t.Context(), stream.Options{URL: h.url, Patience: time.Millisecond, MaxPending: 10_000})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(c.Close)
	say := func() error {
		d := h.db.commit()
		return c.Publish(t.Context(), d, wire.EncodeStream(d))
	}
	eventually(t, "connected", func() bool { return c.Connected() && say() == nil })
	for n := 0; n < 5000 && say() == nil; n++ { //nolint:revive // more than may be on its way, unless the machine is so slow that the first have been given up
	}
	if err := h.cluster.StartAll(t.Context()); err != nil {
		t.Fatal(err)
	}
	eventually(t, "it flows", h.seller.Flows)
	eventually(t, "it is published", func() bool { return say() == nil })
	h.converges(h.screen)
}
