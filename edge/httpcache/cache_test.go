package httpcache

import (
	"context"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"go.uber.org/goleak"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// The life of a document: fresh, stale while it is renewed, stale while the origin is broken, gone.
func TestFreshStaleBroken(t *testing.T) {
	s := openShop(t, Options{})
	s.check(s.get("/x"), 200, "one", "0", 1)
	s.clock.Advance(900 * time.Millisecond)
	s.check(s.get("/x"), 200, "one", "0", 1)
	s.serve("two")
	s.clock.Advance(20 * time.Second)
	w := s.get("/x") // at once, and renewed behind
	s.settle()
	s.check(w, 200, "one", "20", 2)
	s.check(s.get("/x"), 200, "two", "0", 2)
	s.clock.Advance(32 * time.Second) // older than may be shown without asking
	s.serve("three")
	s.check(s.get("/x"), 200, "three", "0", 3)

	s.fails(http.StatusBadGateway)
	s.clock.Advance(40 * time.Second)
	s.check(s.get("/x"), 200, "three", "40", 4) // asked, failed, shown all the same
	s.check(s.get("/x"), 200, "three", "40", 4) // not asked again within a second
	s.clock.Advance(200 * time.Second)
	w = s.get("/x") // nobody waits for it any more
	s.settle()
	s.check(w, 200, "three", "240", 5)
	s.clock.Advance(62 * time.Second)
	if w := s.get("/x"); w.Code != http.StatusBadGateway || w.Header().Get("Age") != "" {
		t.Errorf("a document of more than 301 s is still shown: %d %s", w.Code, w.Body)
	}
	s.serve("four")
	s.clock.Advance(2 * time.Second)
	if w := s.get("/x"); w.Body.String() != "four" {
		t.Errorf("after the origin came back: %d %s", w.Code, w.Body)
	}
}

func TestDateAndAgeMakeTheTime(t *testing.T) {
	s := openShop(t, Options{})
	s.get("/x")
	for range 40 {
		s.clock.Advance(700 * time.Millisecond)
		w := s.get("/x")
		s.settle()
		date, err := http.ParseTime(w.Header().Get("Date"))
		age, _ := time.ParseDuration(w.Header().Get("Age") + "s")
		if off := s.clock.Now().Sub(date.Add(age)); err != nil || off < 0 || off >= 2*time.Second {
			t.Fatalf("Date %s and Age %s are %v from the time", w.Header().Get("Date"), w.Header().Get("Age"), off)
		}
	}
	if unchanged := s.Stats().Unchanged; unchanged < 15 {
		t.Errorf("the origin was asked %d times whether it had changed", unchanged)
	}
}

func TestAgeOfTheOriginCounts(t *testing.T) {
	s := openShop(t, Options{})
	s.does(func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Cache-Control", "public, max-age=10")
		w.Header().Set("Age", "8")
		_, _ = io.WriteString(w, "x")
	})
	s.check(s.get("/x"), 200, "x", "8", 1)
	s.clock.Advance(1500 * time.Millisecond)
	s.check(s.get("/x"), 200, "x", "9", 1)
	s.clock.Advance(time.Second)
	s.check(s.get("/x"), 200, "x", "8", 2)
}

// A hundred who come together cost one request, also when the first of them leaves.
func TestRequestsAreCollapsed(t *testing.T) {
	s := openShop(t, Options{})
	gate := make(chan struct{})
	s.does(func(w http.ResponseWriter, _ *http.Request) {
		<-gate
		w.Header().Set("Cache-Control", rules)
		_, _ = io.WriteString(w, "x")
	})
	left, leave := context.WithCancel(t.Context())
	gone := make(chan struct{})
	go func() {
		defer close(gone)
		s.ServeHTTP(httptest.NewRecorder(), httptest.NewRequest(http.MethodGet, "/x", http.NoBody).WithContext(left))
	}()
	var all sync.WaitGroup
	var right atomic.Int64
	for range 100 {
		all.Go(func() {
			if s.get("/x").Body.String() == "x" {
				right.Add(1)
			}
		})
	}
	for s.Stats().Waited < 101 {
		time.Sleep(time.Millisecond)
	}
	leave()
	<-gone
	close(gate)
	all.Wait()
	if right.Load() != 100 || s.asked.Load() != 1 {
		t.Errorf("%d of 100 were answered by %d requests", right.Load(), s.asked.Load())
	}
}

// Nothing of who asks reaches the origin, and nothing personal comes back.
func TestNobodyIsKnownToTheOrigin(t *testing.T) {
	s := openShop(t, Options{})
	s.does(func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Cache-Control", rules)
		w.Header().Set("Set-Cookie", "who=me")
		w.Header().Set("X-Request-Id", "of-one-request")
		_, _ = io.WriteString(w, "x")
	})
	w := s.get("/x?who=me", "Cookie", "a=b", "Authorization", "Bearer t", "X-Forwarded-For", "1.2.3.4", "User-Agent", "me", "Accept-Language", "pt")
	if w.Header().Get("Set-Cookie") != "" || w.Header().Get("X-Request-Id") != "" {
		t.Errorf("%v", w.Header())
	}
	for _, name := range []string{"Cookie", "Authorization", "X-Forwarded-For", "Accept-Language"} {
		if got := s.lastAsk.Get(name); got != "" {
			t.Errorf("the origin was told %s: %s", name, got)
		}
	}
	s.check(s.get("/x"), 200, "x", "0", 1) // the query named nothing
}

func TestWhatIsNotKept(t *testing.T) {
	for name, header := range map[string][2]string{
		"nothing said": {"X-A", "b"}, "no-store": {"Cache-Control", "no-store"}, "private": {"Cache-Control", "private, max-age=9"},
		"private and public": {"Cache-Control", "public, private, max-age=9"}, "no life": {"Cache-Control", "public, max-age=0"},
		"s-maxage alone": {"Cache-Control", "public, s-maxage=9"}, "nonsense": {"Cache-Control", "public, max-age=soon"},
	} {
		s := openShop(t, Options{})
		s.does(func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set(header[0], header[1])
			_, _ = io.WriteString(w, "x")
		})
		s.check(s.get("/x"), 200, "x", "", 1)
		s.check(s.get("/x"), 200, "x", "", 2)
		if t.Failed() {
			t.Fatal(name)
		}
	}
	s := openShop(t, Options{})
	s.does(func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Cache-Control", rules)
		w.Header().Set("Vary", "Accept, Cookie")
		_, _ = io.WriteString(w, "x")
	})
	s.get("/x")
	s.check(s.get("/x"), 200, "x", "", 2)
}

// A wrong address and a broken origin are asked about once a second, however many ask.
func TestRefusalsAreRemembered(t *testing.T) {
	for _, status := range []int{404, 500, 503} {
		s := openShop(t, Options{})
		s.fails(status)
		for i := range 30 {
			if w := s.get("/x"); w.Code != status {
				t.Fatalf("%d: %d", i, w.Code)
			}
			s.clock.Advance(100 * time.Millisecond)
		}
		if asked := s.asked.Load(); asked != 3 {
			t.Errorf("%d: the origin was asked %d times in three seconds", status, asked)
		}
	}
	s := openShop(t, Options{})
	s.get("/x")
	s.fails(404)
	s.clock.Advance(40 * time.Second)
	if w := s.get("/x"); w.Code != 404 {
		t.Errorf("a document that is gone is still shown: %d", w.Code)
	}
}

func TestForms(t *testing.T) {
	s := openShop(t, Options{})
	long := strings.Repeat(`{"a":1}`, 500)
	s.does(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Cache-Control", rules)
		w.Header().Set("Vary", "Accept")
		w.Header().Set("Content-Type", r.Header.Get("Accept"))
		w.Header().Set("ETag", `"`+r.Header.Get("Accept")+`"`)
		_, _ = io.WriteString(w, long)
	})
	for accept, want := range map[string]string{
		"": jsonType, "*/*": jsonType, "application/json, */*": jsonType, "text/html": jsonType, "application/octet-stream": binaryType,
		"application/octet-stream;q=0.5, application/json": jsonType, "application/octet-stream, application/json": binaryType, "application/octet-stream;q=0": jsonType,
	} {
		if w := s.get("/x", "Accept", accept); w.Header().Get("Content-Type") != want || w.Body.String() != long {
			t.Errorf("%q: %v", accept, w.Header())
		}
	}
	if s.asked.Load() != 2 {
		t.Errorf("two forms were fetched by %d requests", s.asked.Load())
	}
	w := s.get("/x", "Accept-Encoding", "gzip, br")
	if w.Header().Get("Content-Encoding") != "gzip" || w.Header().Get("ETag") != `"application/json-gz"` || w.Body.Len() > len(long)/4 || strings.Join(w.Header().Values("Vary"), ", ") != "Accept, Accept-Encoding" {
		t.Errorf("packed: %v, %d bytes", w.Header(), w.Body.Len())
	}
	for _, tag := range []string{`"application/json"`, `W/"application/json"`, `"application/json-gz"`, `"z", "application/json"`, "*"} {
		if w := s.get("/x", "If-None-Match", tag); w.Code != 304 || w.Body.Len() != 0 || w.Header().Get("Age") != "0" || w.Header().Get("Date") == "" || w.Header().Get("Cache-Control") != rules {
			t.Errorf("%s: %d %v", tag, w.Code, w.Header())
		}
	}
	if w := s.get("/x", "If-None-Match", `"else"`); w.Code != 200 {
		t.Errorf("another ETag: %d", w.Code)
	}
	if w := s.do(http.MethodHead, "/x"); w.Body.Len() != 0 || w.Header().Get("Content-Length") != fmt.Sprint(len(long)) {
		t.Errorf("HEAD: %v", w.Header())
	}
}

func TestRoomIsBounded(t *testing.T) {
	s := openShop(t, Options{Room: 100_000, Largest: 20_000})
	s.does(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Cache-Control", "public, max-age=1000")
		n := 5000
		if r.URL.Path == "/large" {
			n = 20_001
		}
		_, _ = io.WriteString(w, strings.Repeat("x", n))
	})
	for i := range 200 {
		s.get(fmt.Sprintf("/%d", i))
		s.get("/0") // always wanted
		if got := s.Stats(); got.Bytes > 100_000 {
			t.Fatalf("%+v", got)
		}
	}
	if asked := s.asked.Load(); asked != 200 {
		t.Errorf("what is asked for all the time went: %d requests", asked)
	}
	s.fails(404)
	for i := range 1000 {
		s.get(fmt.Sprintf("/nothing/%d", i))
	}
	if got := s.Stats(); got.Bytes > 100_000 || got.Documents > 90 {
		t.Errorf("%+v", got)
	}
	if w := s.get("/large"); w.Code != 404 {
		t.Errorf("%d", w.Code)
	}
}

func TestTooLargeAndUnreachable(t *testing.T) {
	s := openShop(t, Options{Largest: 100})
	s.serve(strings.Repeat("x", 101))
	if w := s.get("/x"); w.Code != http.StatusServiceUnavailable {
		t.Errorf("too large: %d", w.Code)
	}
	s.does(func(w http.ResponseWriter, _ *http.Request) { // an answer that is cut off is none
		w.Header().Set("Cache-Control", rules)
		w.Header().Set("Content-Length", "90")
		_, _ = io.WriteString(w, "half")
	})
	if w := s.get("/y"); w.Code != http.StatusServiceUnavailable || w.Body.Len() != 0 {
		t.Errorf("cut off: %d %s", w.Code, w.Body)
	}
}

func TestWarm(t *testing.T) {
	s := openShop(t, Options{})
	s.Warm(t.Context(), "/a", "/b", "/a")
	s.check(s.get("/a"), 200, "one", "0", 2)
	s.check(s.get("/b"), 200, "one", "0", 2)
	s.Warm(t.Context(), "/a")
	s.check(s.get("/a"), 200, "one", "0", 2)
	s.clock.Advance(2 * time.Second)
	s.Warm(t.Context(), "/a")
	s.check(s.get("/a"), 200, "one", "0", 3)
	s.Close()
	s.clock.Advance(20 * time.Second)
	s.check(s.get("/a"), 200, "one", "20", 3)
	if w := s.get("/c"); w.Code != http.StatusServiceUnavailable {
		t.Errorf("after Close: %d", w.Code)
	}
}

// To look at what is kept asks nobody, and a refusal is nothing that is kept.
func TestKept(t *testing.T) {
	s := openShop(t, Options{})
	if got := s.Kept("/doc"); got != nil || s.asked.Load() != 0 {
		t.Errorf("%q after %d questions", got, s.asked.Load())
	}
	s.Warm(t.Context(), "/doc")
	if got := string(s.Kept("/doc")); got != "one" || s.asked.Load() != 1 {
		t.Errorf("%q after %d questions", got, s.asked.Load())
	}
	s.mu.Lock()
	s.answer = func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(http.StatusNotFound) }
	s.mu.Unlock()
	s.Warm(t.Context(), "/none")
	if got := s.Kept("/none"); got != nil {
		t.Errorf("%q", got)
	}
}
