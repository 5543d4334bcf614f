package gateway_test

import (
	"context"
	"errors"
	"net/http"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"plateia/core/id"
	"plateia/core/inventory"
	"plateia/realtime/client"
	"plateia/realtime/gateway"
	"plateia/realtime/wire"
)

// A gateway that drains says that it is not ready, and keeps saying it while viewers leave: an edge that
// got no answer would take it for dead and cut them all at once.
func TestADrainingGatewayIsNotReady(t *testing.T) {
	s := newSite(t, 100, 1)
	g, url := s.gateway()
	if status := readyz(t, url); status != http.StatusOK {
		t.Fatalf("a gateway that runs answers %d", status)
	}
	token, _ := s.admit()
	c := s.dial(url, client.Options{Event: s.db.event, Token: token, View: whole})
	next[wire.Snapshot](t, c)
	ctx, cancel := context.WithCancel(t.Context())
	var drained sync.WaitGroup
	drained.Go(func() { g.Drain(ctx, time.Minute) })
	eventually(t, "it is not ready", func() bool { return readyz(t, url) == http.StatusServiceUnavailable })
	if _, _, err := s.raw(url, id.New(), nil); err == nil {
		t.Error("it takes somebody new")
	}
	cancel()
	drained.Wait()
}

// Viewers of a gateway that changes do not reach any more are told to come back elsewhere, once each time that it happens:
// those who find nowhere else stay.
func TestViewersLeaveAGatewayThatIsCutOff(t *testing.T) {
	s := newSite(t, 100, 1)
	var cut atomic.Bool
	var asked atomic.Int64
	_, url := s.gateway(func(o *gateway.Options) {
		o.Away = 100 * time.Millisecond
		o.Ready = func(context.Context) error {
			asked.Add(1)
			if cut.Load() {
				return errors.New("cut off")
			}
			return nil
		}
	})
	token, _ := s.admit()
	look := func() *client.Conn {
		c := s.dial(url, client.Options{Event: s.db.event, Token: token, View: whole})
		next[wire.Snapshot](t, c)
		return c
	}
	looks := func(n int64) { // four of them are as long as it takes to be told
		until := asked.Load() + n
		eventually(t, "the gateway has looked", func() bool { return asked.Load() >= until })
	}
	first := look()
	for range 2 {
		cut.Store(true)
		if bye := next[wire.Bye](t, first); bye.Code != wire.ByeDrain || bye.Spread < 2*time.Second {
			t.Fatalf("told %+v", bye)
		}
		again := look()
		looks(12)
		s.change(inventory.Sold, 1)
		next[wire.Delta](t, again) // and no bye
		next[wire.Delta](t, first)
		cut.Store(false)
		looks(2)
		first = again
	}
}

func readyz(t *testing.T, url string) int {
	t.Helper()
	res, err := http.Get(url + "/readyz")
	if err != nil {
		t.Fatal(err)
	}
	res.Body.Close()
	return res.StatusCode
}
