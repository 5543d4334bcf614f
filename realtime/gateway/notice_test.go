package gateway_test

import (
	"encoding/json"
	"fmt"
	"testing"
	"time"

	"plateia/core/account"
	"plateia/core/id"
	"plateia/core/notice"
	"plateia/realtime/client"
	"plateia/realtime/gateway"
	"plateia/realtime/wire"
)

// What one process tells reaches all screens of the account at every gateway, over a real NATS server and real
// sockets, and nobody else's: what the others see next is the notice for everybody that was sent afterwards.
func TestNoticesReachTheirOwnerAlone(t *testing.T) {
	s := newSite(t, 10, 1)
	_, here := s.gateway(func(o *gateway.Options) { o.Anonymous = gateway.AnonymousSlow })
	_, there := s.gateway()
	mine, me := s.admit()
	theirs, _ := s.admit()
	elsewhere := func(a *account.Access) { a.Event = id.New() }
	foreign, _ := s.admit(elsewhere)
	screens := map[string]*client.Conn{
		"mine": s.dial(here, client.Options{Token: mine}), "mine again": s.dial(here, client.Options{Token: mine, View: whole}),
		"mine there": s.dial(there, client.Options{Token: mine}),
		"a stranger": s.dial(here, client.Options{Token: theirs}), "a stranger there": s.dial(there, client.Options{Token: theirs}),
		"nobody": s.dial(here, client.Options{View: whole}),
	}
	for _, c := range screens {
		if _, err := c.Next(t.Context()); err != nil {
			t.Fatal(err)
		}
	}
	if b := bye(t, s.dial(here, client.Options{Token: foreign})); b.Code != wire.ByeToken {
		t.Fatalf("another event's token: %+v", b)
	}
	hold, order, end := id.New(), id.New(), time.Now().Add(time.Minute).UTC()
	s.stream.Tell(id.New(), []notice.News{{Account: me, About: notice.Hold, ID: id.New(), State: "ACTIVE"}}) // of another event
	s.stream.Tell(s.db.event, []notice.News{
		{About: notice.Hold, ID: id.New(), State: "EXPIRED"}, // nobody's
		{Account: me, About: notice.Hold, ID: hold, State: "CONVERTED", ExpiresAt: end, Version: 3},
		{Account: me, About: notice.Order, ID: order, State: "CONFIRMED", Version: 2},
	})
	eventually(t, "the news is sent", func() bool { return s.stream.Stats().NoticesSent == 3 })
	s.stream.TellAll(s.db.event, wire.Notice{Kind: wire.NoticeEvent, Body: []byte(`{"state":"paused"}`)})
	for name, c := range screens {
		if name == "mine" || name == "mine again" || name == "mine there" {
			var h struct {
				HoldID, State string
				ExpiresAt     time.Time
				Version       int
			}
			var o struct{ OrderID, Status string }
			told(t, c, wire.NoticeHold, &h)
			told(t, c, wire.NoticeOrder, &o)
			if h.HoldID != hold.String() || h.State != "CONVERTED" || !h.ExpiresAt.Equal(end) || h.Version != 3 || o.OrderID != order.String() || o.Status != "CONFIRMED" {
				t.Errorf("%s: %+v %+v", name, h, o)
			}
		}
		var e struct{ State string }
		if told(t, c, wire.NoticeEvent, &e); e.State != "paused" {
			t.Errorf("%s: %+v", name, e)
		}
	}
}

// told reads the next notice, which must be of a kind.
func told(t *testing.T, c *client.Conn, kind wire.NoticeKind, into any) {
	t.Helper()
	n := next[wire.Notice](t, c)
	if n.Kind != kind {
		t.Fatalf("notice %d %s, want kind %d", n.Kind, n.Body, kind)
	}
	if err := json.Unmarshal(n.Body, into); err != nil {
		t.Fatalf("%s: %v", n.Body, err)
	}
}

// A viewer that left is told no more, and the account's other screens still are, whichever left.
func TestNoticesAfterSomeLeft(t *testing.T) {
	s := newSite(t, 10, 1)
	g, url := s.gateway()
	token, me := s.admit()
	for leaves := range 3 {
		var all []*client.Conn
		for range 3 {
			c := s.dial(url, client.Options{Token: token})
			next[wire.Summary](t, c)
			all = append(all, c)
		}
		all[leaves].Close()
		eventually(t, "one has left", func() bool { return g.Stats().Hub.Viewers == 2 })
		before := g.Stats().Hub.Notices
		g.Notify(s.db.event, me, wire.Notice{Kind: wire.NoticeHold, Body: fmt.Appendf(nil, `{"version":%d}`, leaves)})
		for i, c := range all {
			if i == leaves {
				continue
			}
			var n struct{ Version int }
			if told(t, c, wire.NoticeHold, &n); n.Version != leaves {
				t.Errorf("round %d: %+v", leaves, n)
			}
			c.Close()
		}
		if told := g.Stats().Hub.Notices - before; told != 2 {
			t.Errorf("told %d times", told)
		}
		eventually(t, "all have left", func() bool { return g.Stats().Hub.Viewers == 0 })
	}
}
