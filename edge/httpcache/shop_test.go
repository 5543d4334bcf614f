package httpcache

import (
	"io"
	"net/http"
	"net/http/httptest"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"plateia/core/clocktest"
)

// shop is a cache in front of a real origin, on a clock that is turned by hand.
type shop struct {
	*Cache
	t       *testing.T
	clock   *clocktest.Clock
	asked   atomic.Int64
	mu      sync.Mutex
	answer  func(w http.ResponseWriter, r *http.Request)
	lastAsk http.Header
}

const rules = "public, max-age=1, stale-while-revalidate=30, stale-if-error=300"

func openShop(t *testing.T, opts Options) *shop {
	t.Helper()
	s := &shop{t: t, clock: clocktest.At(time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC))}
	s.serve("one")
	origin := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		s.mu.Lock()
		s.asked.Add(1)
		answer := s.answer
		s.lastAsk = r.Header.Clone()
		w.Header().Set("Date", s.clock.Now().Format(http.TimeFormat))
		s.mu.Unlock()
		answer(w, r)
	}))
	opts.Now = s.clock.Now
	transport := &http.Transport{DisableCompression: true}
	s.Cache = New(roundTrip(func(r *http.Request) (*http.Response, error) {
		r = r.Clone(r.Context())
		r.URL.Host = origin.Listener.Addr().String()
		return transport.RoundTrip(r)
	}), opts)
	t.Cleanup(func() { s.Close(); transport.CloseIdleConnections(); origin.Close() })
	return s
}

type roundTrip func(*http.Request) (*http.Response, error)

func (f roundTrip) RoundTrip(r *http.Request) (*http.Response, error) { return f(r) }

func (s *shop) does(answer func(w http.ResponseWriter, r *http.Request)) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.answer = answer
}

// serve makes the origin give out a document, under an ETag of its text.
func (s *shop) serve(text string) {
	s.does(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Cache-Control", rules)
		w.Header().Set("Content-Type", "application/json")
		w.Header().Set("ETag", `"`+text+`"`)
		if r.Header.Get("If-None-Match") == `"`+text+`"` {
			w.WriteHeader(http.StatusNotModified)
			return
		}
		_, _ = io.WriteString(w, text)
	})
}

func (s *shop) fails(status int) {
	s.does(func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(status) })
}

func (s *shop) get(path string, header ...string) *httptest.ResponseRecorder {
	return s.do(http.MethodGet, path, header...)
}

func (s *shop) do(method, path string, header ...string) *httptest.ResponseRecorder {
	r := httptest.NewRequest(method, path, http.NoBody)
	for i := 0; i < len(header); i += 2 {
		r.Header.Set(header[i], header[i+1])
	}
	w := httptest.NewRecorder()
	s.ServeHTTP(w, r)
	return w
}

// settle waits until nothing is on its way to the origin.
func (s *shop) settle() {
	s.t.Helper()
	for deadline := time.Now().Add(30 * time.Second); time.Now().Before(deadline); time.Sleep(time.Millisecond) {
		s.Cache.mu.Lock()
		busy := false
		for el := s.recent.Front(); el != nil; el = el.Next() {
			busy = busy || el.Value.(*entry).flight != nil
		}
		s.Cache.mu.Unlock()
		if !busy {
			return
		}
	}
	s.t.Fatal("a request to the origin does not end")
}

func (s *shop) check(w *httptest.ResponseRecorder, status int, body, age string, asked int64) {
	s.t.Helper()
	if w.Code != status || w.Body.String() != body || w.Header().Get("Age") != age {
		s.t.Errorf("%d %q age %q, want %d %q age %q", w.Code, w.Body, w.Header().Get("Age"), status, body, age)
	}
	if got := s.asked.Load(); got != asked {
		s.t.Errorf("the origin was asked %d times, want %d", got, asked)
	}
}
