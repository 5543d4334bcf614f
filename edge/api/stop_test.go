package api

import (
	"context"
	"io"
	"net"
	"net/http"
	"testing"
	"time"
)

// Stop ends idle kept-alive connections, waits for the request in flight and answers it.
func TestStop(t *testing.T) {
	begun, proceed := make(chan struct{}), make(chan struct{})
	a := New(Deps{Tokens: oneSession{}}, Options{})
	a.register(route{method: "GET", path: "/slow", do: func(c *call) error { close(begun); <-proceed; return c.noContent() }})
	ln, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	served := make(chan error, 1)
	go func() { served <- a.Serve(ln) }()
	idle := &http.Client{Transport: &http.Transport{}}
	res, err := idle.Get("http://" + ln.Addr().String() + "/healthz")
	if err != nil {
		t.Fatal(err)
	}
	_, _ = io.Copy(io.Discard, res.Body)
	res.Body.Close() // and the connection stays open, idle
	answered := make(chan int, 1)
	busy := &http.Client{Transport: &http.Transport{}}
	go func() {
		res, err := busy.Get("http://" + ln.Addr().String() + "/slow")
		if err != nil {
			answered <- 0
			return
		}
		res.Body.Close()
		answered <- res.StatusCode
	}()
	<-begun
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	stopped := make(chan error, 1)
	go func() { stopped <- a.Stop(ctx) }()
	select {
	case err := <-stopped:
		t.Fatalf("stopped under a request: %v", err)
	case <-time.After(200 * time.Millisecond):
	}
	close(proceed)
	if status := <-answered; status != 204 {
		t.Errorf("the request in flight got %d", status)
	}
	busy.CloseIdleConnections()
	start := time.Now()
	if err := <-stopped; err != nil || time.Since(start) > 20*time.Second {
		t.Errorf("stop took %v: %v", time.Since(start), err)
	}
	if err := <-served; err != nil {
		t.Error(err)
	}
	idle.CloseIdleConnections()
	if err := a.Stop(ctx); err != nil {
		t.Errorf("stopped twice: %v", err)
	}
	if err := New(Deps{Tokens: oneSession{}}, Options{}).Stop(ctx); err != nil {
		t.Errorf("stopped before it served: %v", err)
	}
}
