package local

import (
	"bufio"
	"fmt"
	"io"
	"log/slog"
	"net"
	"net/http"
	"strings"
	"testing"
	"time"
)

func TestBigBodies(t *testing.T) {
	w := open(t, nil)
	big := strings.Repeat("a", 10<<20)
	for name, body := range map[string]io.Reader{"with a length": strings.NewReader(big), "chunked": io.MultiReader(strings.NewReader(big))} {
		res, text := do(t, "POST", w.url+"/v1/sessions", body)
		if res.StatusCode != 413 || !strings.Contains(text, `"TOO_LARGE"`) {
			t.Errorf("%s: %d %.200s", name, res.StatusCode, text)
		}
	}
	if res, _ := do(t, "POST", w.url+"/v1/sessions", strings.NewReader(strings.Repeat("a", 64<<10))); res.StatusCode != 200 {
		t.Errorf("64 KiB: %d", res.StatusCode)
	}
	// net/http answers over-long headers itself and hangs up on the rest of them.
	if got := raw(t, w.addr, "GET / HTTP/1.1\r\nHost: x\r\nX-Big: "+strings.Repeat("x", 64<<10)+"\r\n\r\n"); !strings.HasPrefix(got, "HTTP/1.1 431") {
		t.Errorf("big header: %.60q", got)
	}
}

// Slow senders are cut off, headers and body alike.
func TestSlowSenders(t *testing.T) {
	w := open(t, func(o *Options) { o.HeaderTimeout, o.ReadTimeout = 200*time.Millisecond, 400*time.Millisecond })
	for name, start := range map[string]string{
		"headers": "GET / HTTP/1.1\r\nHost: x\r\nX-A: ",
		"body":    "POST /v1/sessions HTTP/1.1\r\nHost: x\r\nContent-Length: 100\r\n\r\n{",
	} {
		quickest := time.Hour
		for try := 0; try < 3 && quickest > 3*time.Second; try++ { // the machine may be busy: the best of some counts
			began := time.Now()
			raw(t, w.addr, start)
			quickest = min(quickest, time.Since(began))
		}
		if quickest > 3*time.Second {
			t.Errorf("%s: still connected after %v", name, quickest)
		}
	}
}

func TestConnectionLimit(t *testing.T) {
	w := open(t, func(o *Options) { o.MaxConns = 2; o.Logger = slog.New(slog.DiscardHandler) })
	var held []net.Conn
	for range 2 {
		c, err := net.Dial("tcp", w.addr)
		if err != nil {
			t.Fatal(err)
		}
		_, _ = io.WriteString(c, "GET /healthz HTTP/1.1\r\nHost: x\r\n\r\n")
		if _, err := http.ReadResponse(bufio.NewReader(c), nil); err != nil {
			t.Fatal(err)
		}
		held = append(held, c)
	}
	third, err := net.Dial("tcp", w.addr)
	if err != nil {
		t.Fatal(err)
	}
	defer third.Close()
	_, _ = io.WriteString(third, "GET /healthz HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n")
	_ = third.SetReadDeadline(time.Now().Add(200 * time.Millisecond))
	if n, err := third.Read(make([]byte, 1)); err == nil {
		t.Errorf("answered %d bytes over the limit", n)
	}
	held[0].Close()
	_ = third.SetReadDeadline(time.Now().Add(30 * time.Second))
	if _, err := third.Read(make([]byte, 1)); err != nil {
		t.Errorf("not answered after a place became free: %v", err)
	}
	held[1].Close()
}

func TestUnknownMethodsGoNoFurther(t *testing.T) {
	w := open(t, nil)
	for _, path := range []string{"/v1/events", "/v1/events/" + showID.String() + "/live", "/sandbox/pay/x", "/"} {
		for _, method := range []string{"BREW", "get", "PROPFIND"} {
			res, body := do(t, method, w.url+path, nil)
			if res.StatusCode != http.StatusMethodNotAllowed || res.Header.Get("Content-Type") != "application/problem+json" || !strings.Contains(body, "METHOD_NOT_ALLOWED") {
				t.Errorf("%s %s got %d %s", method, path, res.StatusCode, body)
			}
		}
	}
	if last := w.last(); last != "" {
		t.Errorf("%q reached what is behind", last)
	}
}

// 100-continue is between the sender and the edge, which reads the body itself.
func TestExpectEndsAtTheEdge(t *testing.T) {
	w := open(t, nil)
	c, err := net.Dial("tcp", w.addr)
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	fmt.Fprint(c, "POST /v1/sessions HTTP/1.1\r\nHost: x\r\nContent-Length: 2\r\nExpect: 100-continue\r\nConnection: close\r\n\r\n{}")
	said, err := io.ReadAll(c)
	if err != nil || strings.Count(string(said), "HTTP/1.1 100 ") != 1 {
		t.Errorf("%v: %s", err, said)
	}
}
