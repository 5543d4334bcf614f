package local

import (
	"context"
	"net"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"
)

// fullPort listens and never accepts: whoever comes when its queue of one is full waits for a connection.
func fullPort(t *testing.T) *url.URL {
	t.Helper()
	fd, err := syscall.Socket(syscall.AF_INET, syscall.SOCK_STREAM|syscall.SOCK_CLOEXEC, 0)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = syscall.Close(fd) })
	if err := syscall.Bind(fd, &syscall.SockaddrInet4{Addr: [4]byte{127, 0, 0, 1}}); err != nil {
		t.Fatal(err)
	}
	if err := syscall.Listen(fd, 0); err != nil {
		t.Fatal(err)
	}
	name, err := syscall.Getsockname(fd)
	if err != nil {
		t.Fatal(err)
	}
	host := "127.0.0.1:" + strconv.Itoa(name.(*syscall.SockaddrInet4).Port)
	for {
		ctx, cancel := context.WithTimeout(t.Context(), 300*time.Millisecond)
		c, err := (&net.Dialer{}).DialContext(ctx, "tcp", host)
		cancel()
		if err != nil {
			return &url.URL{Scheme: "http", Host: host}
		}
		t.Cleanup(func() { c.Close() })
	}
}

// A region that takes no connections any more is found dead while requests wait for one: nobody can have heard them.
func TestWhoWaitsForAConnectionIsSentElsewhere(t *testing.T) {
	west := openRegion(t, "west")
	w := open(t, func(o *Options) {
		o.API = []Upstream{{Region: "east", URL: fullPort(t)}, west.upstream()}
		o.Gateway, o.Probes = o.API, probes(500*time.Millisecond)
	})
	res, body := do(t, "POST", w.url+"/v1/sessions", strings.NewReader("x")) // no key
	if res.StatusCode != http.StatusOK || body != "west x" {
		t.Errorf("%d %q", res.StatusCode, body)
	}
}
