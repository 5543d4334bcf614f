package gateway_test

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"io"
	"net"
	"net/http"
	"strings"
	"testing"
	"time"

	"plateia/core/account"
	"plateia/core/id"
	"plateia/core/inventory"
	"plateia/realtime/client"
	"plateia/realtime/gateway"
	"plateia/realtime/wire"
)

// events keeps no idle connections, which the leak check would find.
func events(token string) client.Options {
	return client.Options{Events: true, Token: token, View: whole, HTTPClient: &http.Client{Transport: &http.Transport{DisableKeepAlives: true}}}
}

func TestEventsShowWhatASocketShows(t *testing.T) {
	s := newSite(t, 60_000, 100)
	g, url := s.gateway()
	token, me := s.admit()
	c, ws := s.dial(url, events(token)), s.dial(url, client.Options{Token: token, View: whole})
	var a, b client.Map
	a.Apply(next[wire.Snapshot](t, c))
	b.Apply(next[wire.Snapshot](t, ws))
	s.change(inventory.Held, 7, 59_999)
	a.Apply(next[wire.Delta](t, c))
	b.Apply(next[wire.Delta](t, ws))
	if *a.Position != *b.Position || a.Statuses[59_999] != inventory.Held || b.Statuses[59_999] != inventory.Held {
		t.Errorf("stream at %v, socket at %v", a.Position, b.Position)
	}
	g.Notify(s.db.event, me, wire.Notice{Kind: wire.NoticeHold, Body: []byte(`{}`)})
	next[wire.Notice](t, c)
	if st := g.Stats(); st.Streams != 1 || st.Viewers != 2 {
		t.Errorf("%d streams of %d viewers", st.Streams, st.Viewers)
	}
	c.Close()
	eventually(t, "the stream is given back", func() bool { st := g.Stats(); return st.Streams == 0 && st.Viewers == 1 })
}

// A break, and what comes after Last-Event-ID at another gateway is exactly what was missed.
func TestEventsResumeByTheirID(t *testing.T) {
	s := newSite(t, 1000, 10)
	_, first := s.gateway()
	_, second := s.gateway()
	token, _ := s.admit()
	keeper := s.dial(second, client.Options{Token: token, View: whole})
	next[wire.Snapshot](t, keeper)

	lines := s.lines(first, http.Header{"Authorization": {"Bearer " + token}})
	eventually(t, "snapshot", func() bool { return strings.HasPrefix(lines.last("data: "), "data: ") })
	before := lines.last("id: ")
	s.change(inventory.Held, 1)
	eventually(t, "delta", func() bool { return lines.last("id: ") != before })
	at, err := wire.ParsePosition(strings.TrimPrefix(lines.last("id: "), "id: "))
	if err != nil {
		t.Fatal(err)
	}
	lines.close()
	s.change(inventory.Held, 2)
	sees(t, keeper, 2)

	o := events(token)
	o.Resume = &at
	d := next[wire.Delta](t, s.dial(second, o))
	if d.From != at.Offset || len(d.Changes) != 1 || d.Changes[0].Ordinal != 2 {
		t.Errorf("resumed at %v with %+v", at, d)
	}
}

func TestEventsOfAView(t *testing.T) {
	s := newSite(t, 1000, 10)
	_, url := s.gateway()
	token, _ := s.admit()
	o := events(token)
	o.View = wire.View{Mode: wire.Sections, Sections: []int{3, 9}}
	c := s.dial(url, o)
	if snap := next[wire.Snapshot](t, c); len(snap.Statuses) != 200 {
		t.Errorf("%d seats of two sections", len(snap.Statuses))
	}
	next[wire.Summary](t, c)
	if sum := next[wire.Summary](t, s.dial(url, events(""))); len(sum.Free) != 10 { // signed out: free seats by section only
		t.Errorf("%+v", sum)
	}
	o.View.Sections = []int{10}
	if b := bye(t, s.dial(url, o)); b.Code != wire.ByeNoSection {
		t.Errorf("%+v", b)
	}
	o = events(token)
	o.Event = id.New()
	var refused *client.Refused
	if _, err := client.Dial(t.Context(), url, o); !errors.As(err, &refused) || refused.Status != 401 {
		t.Errorf("another event's token: %v", err)
	}
	o.Token = ""
	if b := bye(t, s.dial(url, o)); b.Code != wire.ByeUnknownEvent {
		t.Errorf("%+v", b)
	}
}

func TestEventsRefused(t *testing.T) {
	s := newSite(t, 10, 1)
	g, url := s.gateway(func(o *gateway.Options) { o.Anonymous = gateway.AnonymousNone; o.MaxPerBlock = 1 })
	foreign, _ := s.admit(func(a *account.Access) { a.Event = id.New() })
	mine, _ := s.admit()
	path := "/v1/events/" + s.db.event.String() + "/live"
	for name, c := range map[string]struct {
		query  string
		header http.Header
		want   int
		code   string
	}{
		"a view that is none":    {"?view=everything", http.Header{"Authorization": {"Bearer " + mine}}, 400, "INVALID"},
		"a position that isn't":  {"", http.Header{"Last-Event-Id": {"9"}}, 400, "INVALID"},
		"another event's token":  {"", http.Header{"Authorization": {"Bearer " + foreign}}, 401, "UNAUTHENTICATED"},
		"only for admitted fans": {"", nil, 403, "FORBIDDEN"},
		"a foreign page":         {"", http.Header{"Origin": {"https://evil.example"}}, 403, "FORBIDDEN"},
	} {
		res := s.get(url+path+c.query, c.header)
		var problem struct{ Code string }
		err := json.NewDecoder(res.Body).Decode(&problem)
		res.Body.Close()
		if err != nil || res.StatusCode != c.want || problem.Code != c.code {
			t.Errorf("%s: %d %s %v, want %d %s", name, res.StatusCode, problem.Code, err, c.want, c.code)
		}
	}
	if n := g.Stats().Refused; n != 5 {
		t.Errorf("%d refusals are counted", n)
	}
	next[wire.Snapshot](t, s.dial(url, events(mine))) // what was refused has given its place back
	res := s.get(url+path, http.Header{"Authorization": {"Bearer " + mine}})
	defer res.Body.Close()
	if res.StatusCode != 429 || res.Header.Get("Retry-After") == "" {
		t.Errorf("a second stream of one network: %d", res.StatusCode)
	}
}

// What ends in the middle says why, also to a browser's own client, and the answer ends.
func TestEventsEnd(t *testing.T) {
	s := newSite(t, 10, 1)
	g, url := s.gateway(func(o *gateway.Options) { o.MaxPerAccount = 1 })
	token, _ := s.admit()
	c := s.dial(url, events(token))
	next[wire.Snapshot](t, c)
	lines := s.lines(url, http.Header{"Authorization": {"Bearer " + token}})
	eventually(t, "the account's second stream ends", lines.ended)
	if !strings.HasPrefix(lines.last("retry: "), "retry: ") || lines.last("data: ") == "" {
		t.Errorf("it was not told when to come back")
	}
	if err := g.Stop(context.Background()); err != nil {
		t.Fatal(err)
	}
	if b := bye(t, c); b.Code != wire.ByeDrain {
		t.Errorf("%+v", b)
	}
}

// A stream that sends on after its request is bounded, and one that does not read is dropped, also when there is nothing
// more to tell it; nobody else waits.
func TestEventsAbused(t *testing.T) {
	s := newSite(t, 60_000, 1)
	g, url := s.gateway(func(o *gateway.Options) {
		o.Hub.QueueBytes, o.WriteTimeout, o.Writers = 64<<20, time.Second, 1
		o.Hub.QueueFrames = o.Hub.QueueBytes / wire.MaxNotice
	})
	token, _ := s.admit()
	flooder, deaf := s.openEvents(url, token), s.openEvents(url, token)
	eventually(t, "both are there", func() bool { return g.Stats().Accepted == 2 })
	go func() {
		junk := make([]byte, 32<<10)
		for {
			if _, err := flooder.Write(junk); err != nil {
				return
			}
		}
	}()
	defer deaf.Close()
	quick := s.dial(url, client.Options{Token: token, View: whole})
	next[wire.Snapshot](t, quick)
	eventually(t, "the flood has ended", func() bool { return g.Stats().Byes[wire.ByeFlood] == 1 && g.Stats().Viewers == 2 })
	for deadline := time.Now().Add(time.Minute); g.Stats().Stalled == 0; {
		if time.Now().After(deadline) {
			t.Fatalf("whoever does not read is never behind: %+v", g.Stats())
		}
		g.NotifyAll(s.db.event, wire.Notice{Kind: wire.NoticeEvent, Body: bytes.Repeat([]byte{'1'}, wire.MaxNotice)})
		next[wire.Notice](t, quick)
	}
	eventually(t, "who does not read is gone", func() bool { return g.Stats().Viewers == 1 })
	if st := g.Stats(); st.Hub.Slow != 0 {
		t.Errorf("for what it has missed: %+v", st)
	}
}

// openEvents asks for events on a socket of its own, with a small receive buffer, and reads nothing.
func (s *site) openEvents(url, token string) net.Conn {
	s.t.Helper()
	c, err := net.Dial("tcp", url[len("http://"):])
	if err != nil {
		s.t.Fatal(err)
	}
	s.t.Cleanup(func() { c.Close() })
	c.(*net.TCPConn).SetReadBuffer(4096)
	io.WriteString(c, "GET /v1/events/"+s.db.event.String()+"/live HTTP/1.1\r\nHost: x\r\nAccept: text/event-stream\r\nAuthorization: Bearer "+token+"\r\n\r\n")
	return c
}

func (s *site) get(url string, header http.Header) *http.Response {
	s.t.Helper()
	req, err := http.NewRequestWithContext(s.t.Context(), http.MethodGet, url, nil)
	if err != nil {
		s.t.Fatal(err)
	}
	for name, values := range header {
		req.Header[name] = values
	}
	req.Header.Set("Accept", "text/event-stream")
	res, err := (&http.Transport{DisableKeepAlives: true}).RoundTrip(req)
	if err != nil {
		s.t.Fatal(err)
	}
	return res
}

// lines is a stream as a browser's own client reads them.
type lines struct {
	seen chan string
	body io.Closer
	kept map[string]string
	over bool
}

func (s *site) lines(url string, header http.Header) *lines {
	s.t.Helper()
	res := s.get(url+"/v1/events/"+s.db.event.String()+"/live", header)
	if kind := res.Header.Get("Content-Type"); res.StatusCode != 200 || kind != "text/event-stream" {
		s.t.Fatalf("%d %s", res.StatusCode, kind)
	}
	l := &lines{seen: make(chan string, 1000), body: res.Body, kept: map[string]string{}}
	s.t.Cleanup(l.close)
	go func() {
		defer close(l.seen)
		for r := bufio.NewScanner(res.Body); r.Scan(); {
			l.seen <- r.Text()
		}
	}()
	return l
}

// last is the last line so far that begins with a word.
func (l *lines) last(word string) string {
	for {
		select {
		case line, ok := <-l.seen:
			if !ok {
				l.over = true
				return l.kept[word]
			}
			before, _, _ := strings.Cut(line, ": ")
			l.kept[before+": "] = line
		default:
			return l.kept[word]
		}
	}
}

func (l *lines) ended() bool { l.last(""); return l.over }

func (l *lines) close() { l.body.Close() }
