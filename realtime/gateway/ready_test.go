package gateway_test

import (
	"context"
	"net/http"
	"sync"
	"testing"
	"time"

	"plateia/core/id"
	"plateia/realtime/client"
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

func readyz(t *testing.T, url string) int {
	t.Helper()
	res, err := http.Get(url + "/readyz")
	if err != nil {
		t.Fatal(err)
	}
	res.Body.Close()
	return res.StatusCode
}
