package local

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"net/url"
	"testing"
	"time"
)

// ticking is a gateway that sends an event whenever it is told to.
func ticking(t *testing.T) (*url.URL, chan<- string) {
	t.Helper()
	tell := make(chan string)
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "text/event-stream")
		control := http.NewResponseController(w)
		for {
			select {
			case <-r.Context().Done():
				return
			case word := <-tell:
				fmt.Fprintf(w, "data: %s\n\n", word)
				_ = control.Flush()
			}
		}
	}))
	t.Cleanup(s.Close)
	u, err := url.Parse(s.URL)
	if err != nil {
		t.Fatal(err)
	}
	return u, tell
}

// Each event arrives when it is sent, also after more time than a request may take, and Stop does not wait.
func TestStreamsPassUnbuffered(t *testing.T) {
	gateway, tell := ticking(t)
	w := open(t, func(o *Options) { o.Gateway, o.ReadTimeout, o.WriteTimeout = At(gateway), time.Second, time.Second })
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, w.url+"/v1/events/"+showID.String()+"/live?view=whole", nil)
	if err != nil {
		t.Fatal(err)
	}
	req.Header.Set("Accept", "text/event-stream")
	go func() { tell <- "first" }()
	res, err := http.DefaultClient.Do(req)
	if err != nil {
		t.Fatal(err)
	}
	defer res.Body.Close()
	lines := bufio.NewReader(res.Body)
	for i, word := range []string{"first", "second", "third"} {
		if i == 2 {
			time.Sleep(1200 * time.Millisecond) // longer than a request may take
		}
		if i > 0 {
			tell <- word
		}
		if line, err := lines.ReadString('\n'); err != nil || line != "data: "+word+"\n" {
			t.Fatalf("%q %v", line, err)
		}
		if _, err := lines.ReadString('\n'); err != nil {
			t.Fatal(err)
		}
	}
	if err := w.Stop(ctx); err != nil {
		t.Fatal(err)
	}
	if _, err := io.Copy(io.Discard, lines); errors.Is(err, context.DeadlineExceeded) {
		t.Error("the stream is still open")
	}
}
