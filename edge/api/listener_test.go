package api

import (
	"context"
	"io"
	"net"
	"strings"
	"testing"
	"time"
)

// A proxy keeps connections that it opened and has not used yet. One of them
// must not receive an answer before it has asked anything.
func TestUnusedConnectionsAreClosedWithoutAWord(t *testing.T) {
	asks := route{method: "GET", path: "/t", do: func(c *call) error { return c.noContent() }}
	late := dialFrame(t, serveFrame(t, Options{ReadTimeout: 50 * time.Millisecond, IdleTimeout: time.Minute}, asks))
	silent := dialFrame(t, serveFrame(t, Options{ReadTimeout: 50 * time.Millisecond, IdleTimeout: 300 * time.Millisecond}, asks))
	time.Sleep(150 * time.Millisecond) // longer than a request may take
	if _, err := late.Write([]byte("GET /t HTTP/1.1\r\nHost: x\r\n\r\n")); err != nil {
		t.Fatal(err)
	}
	answer := make([]byte, 12)
	if _, err := io.ReadFull(late, answer); err != nil || string(answer) != "HTTP/1.1 204" {
		t.Errorf("a first request after a while got %q, %v", answer, err)
	}
	if said, err := io.ReadAll(silent); err != nil || len(said) > 0 {
		t.Errorf("the unused connection was told %q, %v", said, err)
	}
}

// A request that has begun still has to arrive in time, and is told when it does not.
func TestSlowFirstRequestIsRefused(t *testing.T) {
	f := serveFrame(t, Options{ReadTimeout: 50 * time.Millisecond, IdleTimeout: time.Minute})
	c := dialFrame(t, f)
	if _, err := c.Write([]byte("GET /t HT")); err != nil {
		t.Fatal(err)
	}
	said, err := io.ReadAll(c)
	if err != nil || !strings.HasPrefix(string(said), "HTTP/1.1 400") || !strings.Contains(string(said), "INVALID") {
		t.Errorf("told %q, %v", said, err)
	}
}

func TestStopDoesNotWaitForUnusedConnections(t *testing.T) {
	f := serveFrame(t, Options{ReadTimeout: time.Minute, IdleTimeout: time.Minute})
	dialFrame(t, f)
	send(t, "GET", f.url+"/t", nil) // by now the first one has been accepted
	ctx, cancel := context.WithTimeout(t.Context(), 30*time.Second)
	defer cancel()
	if err := f.api.Stop(ctx); err != nil {
		t.Error(err)
	}
}

func dialFrame(t *testing.T, f *frame) net.Conn {
	t.Helper()
	c, err := net.Dial("tcp", strings.TrimPrefix(f.url, "http://"))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { c.Close() })
	if err := c.SetDeadline(time.Now().Add(40 * time.Second)); err != nil {
		t.Fatal(err)
	}
	return c
}
