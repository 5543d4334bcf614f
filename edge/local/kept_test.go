package local

import (
	"bufio"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/url"
	"strings"
	"sync"
	"testing"
)

// A kept connection may be closed by the other side at the very moment it is used.
// What may be repeated is: the fan does not see it.
func TestRepeatableRequestsOutliveAClosedConnection(t *testing.T) {
	behind, taken := closesKeptConnections(t)
	w := open(t, func(o *Options) { o.API = At(behind) })
	body := `{"holdId":"x"}`
	post := func(key ...string) int {
		res, _ := do(t, "POST", w.url+"/v1/sessions", strings.NewReader(body), key...)
		return res.StatusCode
	}
	post() // opens the connection that will be closed under the next request
	if status := post("Idempotency-Key", "k"); status != http.StatusOK {
		t.Errorf("a repeatable request got %d", status)
	}
	if got := taken(); got != body {
		t.Errorf("its body arrived as %q", got)
	}
}

// closesKeptConnections is a server that answers the first request of each connection
// and closes it when the second comes.
func closesKeptConnections(t *testing.T) (at *url.URL, lastBody func() string) {
	t.Helper()
	ln, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	var mu sync.Mutex
	var last string
	var conns sync.WaitGroup
	conns.Go(func() {
		for {
			c, err := ln.Accept()
			if err != nil {
				return
			}
			conns.Go(func() {
				defer c.Close()
				in := bufio.NewReader(c)
				req, err := http.ReadRequest(in)
				if err != nil {
					return
				}
				body, _ := io.ReadAll(req.Body)
				mu.Lock()
				last = string(body)
				mu.Unlock()
				fmt.Fprint(c, "HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n")
				_, _ = in.Peek(1)
			})
		}
	})
	t.Cleanup(func() { ln.Close(); conns.Wait() })
	return &url.URL{Scheme: "http", Host: ln.Addr().String()}, func() string {
		mu.Lock()
		defer mu.Unlock()
		return last
	}
}
