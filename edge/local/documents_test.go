package local

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"plateia/core/id"
)

// press is an origin of public documents that counts what it is asked, by path.
type press struct {
	mu    sync.Mutex
	asked map[string]int
	size  int
	down  atomic.Bool
}

func openPress(t testing.TB, size int) (*press, *url.URL) {
	t.Helper()
	p := &press{asked: map[string]int{}, size: size}
	s := httptest.NewServer(p)
	t.Cleanup(s.Close)
	u, err := url.Parse(s.URL)
	if err != nil {
		t.Fatal(err)
	}
	return p, u
}

func (p *press) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	p.mu.Lock()
	p.asked[r.URL.RequestURI()]++
	version := p.asked[r.URL.RequestURI()]
	p.mu.Unlock()
	switch {
	case p.down.Load():
		w.WriteHeader(http.StatusBadGateway)
	case strings.Contains(r.URL.Path, "/frontier") || strings.HasSuffix(r.URL.Path, "/availability"):
		w.Header().Set("Cache-Control", "public, max-age=1, stale-while-revalidate=30, stale-if-error=300")
		w.Header().Set("Set-Cookie", "spy=1")
		w.Header().Set("Content-Type", "application/json")
		w.Header().Set("ETag", fmt.Sprintf(`"%d"`, version))
		fmt.Fprintf(w, `{"path":%q,"version":%d,"rest":%q}`, r.URL.Path, version, strings.Repeat("x", p.size))
	default:
		fmt.Fprint(w, "api")
	}
}

func (p *press) of(path string) int {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.asked[path]
}

// poller keeps one connection and asks for paths in turn, many at a time, as fast as answers come.
func poller(ctx context.Context, addr string, paths []string, polls *atomic.Int64) error {
	c, err := net.Dial("tcp", addr)
	if err != nil {
		return err
	}
	defer c.Close()
	var batch strings.Builder
	for i := range 32 {
		fmt.Fprintf(&batch, "GET %s HTTP/1.1\r\nHost: x\r\nIf-None-Match: \"0\"\r\n\r\n", paths[i%len(paths)])
	}
	in := bufio.NewReaderSize(c, 64<<10)
	for ctx.Err() == nil {
		if _, err := io.WriteString(c, batch.String()); err != nil {
			return err
		}
		for range 32 {
			res, err := http.ReadResponse(in, nil)
			if err != nil {
				return err
			}
			_, err = io.Copy(io.Discard, res.Body)
			res.Body.Close()
			if err != nil || res.StatusCode != http.StatusOK || res.Header.Get("Set-Cookie") != "" || res.Header.Get("Age") == "" || res.Header.Get("Date") == "" {
				return fmt.Errorf("%d %v %w", res.StatusCode, res.Header, err)
			}
			polls.Add(1)
		}
	}
	return nil
}

// A crowd that polls as fast as the machine goes costs the origin one request a second for each document, of several events side by side.
func TestACrowdCostsTheOriginOneRequestASecond(t *testing.T) {
	origin, at := openPress(t, 8<<10)
	w := open(t, func(o *Options) { o.API = At(at) })
	var paths []string
	for range 3 {
		base := "/v1/events/" + id.New().String()
		paths = append(paths, base+"/frontier", base+"/availability")
	}
	ctx, cancel := context.WithTimeout(t.Context(), 4*time.Second)
	defer cancel()
	var polls atomic.Int64
	var crowd sync.WaitGroup
	start := time.Now()
	for range 8 {
		crowd.Go(func() {
			if err := poller(ctx, w.addr, paths, &polls); err != nil {
				t.Error(err)
			}
		})
	}
	crowd.Wait()
	took := time.Since(start)
	perSecond := float64(polls.Load()) / took.Seconds()
	most := int(took/time.Second) + 2
	for _, path := range paths {
		if asked := origin.of(path); asked < 1 || asked > most {
			t.Errorf("the origin was asked %d times in %v for %s", asked, took, path)
		}
	}
	s := w.cache.Stats()
	if polls.Load() < 5*s.Fetched {
		t.Errorf("%d polls cost %d requests", polls.Load(), s.Fetched)
	}
	t.Logf("%.0f polls/s of %d documents: %d origin requests in %v (%.2f a second and document)", perSecond, len(paths), s.Fetched, took.Round(time.Millisecond), float64(s.Fetched)/took.Seconds()/float64(len(paths)))
}

func TestDocumentsOverHTTP(t *testing.T) {
	origin, at := openPress(t, 10)
	var passed atomic.Int64
	began := time.Now() // the edge's clock is turned by hand, so that nothing ages by itself
	w := open(t, func(o *Options) {
		o.API, o.Now = At(at), func() time.Time { return began.Add(time.Duration(passed.Load())) }
	})
	path := DocumentsOf(showID)[1]
	first, body := do(t, "GET", w.url+path, nil, "Accept", "application/json, */*", "Cookie", "a=b", "Cache-Control", "no-cache")
	if first.StatusCode != 200 || first.Header.Get("Content-Type") != "application/json" || first.Header.Get("Set-Cookie") != "" || len(first.Header["Date"]) != 1 || first.Header.Get("X-Request-Id") == "" {
		t.Fatalf("%d %v %s", first.StatusCode, first.Header, body)
	}
	if got := first.Header.Values("Content-Security-Policy"); len(got) != 1 {
		t.Errorf("%q", got)
	}
	again, _ := do(t, "GET", w.url+path, nil, "If-None-Match", first.Header.Get("ETag"), "Cache-Control", "max-age=0")
	if again.StatusCode != 304 || again.Header.Get("Age") == "" || again.Header.Get("Date") == "" || again.Header.Get("X-Request-Id") == first.Header.Get("X-Request-Id") {
		t.Errorf("%d %v", again.StatusCode, again.Header)
	}
	if head, body := do(t, "HEAD", w.url+path, nil); head.StatusCode != 200 || body != "" || head.Header.Get("Content-Length") == "0" {
		t.Errorf("HEAD: %d %v", head.StatusCode, head.Header)
	}
	for _, query := range []string{"?", "?x=1", "?" + id.New().String()} {
		if res, body := do(t, "GET", w.url+path+query, nil); res.StatusCode != 400 || !strings.Contains(body, `"INVALID"`) {
			t.Errorf("%s: %d %s", query, res.StatusCode, body)
		}
	}
	if res, body := do(t, "GET", w.url+strings.Replace(path, showID.String(), "ABCDEF"+showID.String()[6:], 1), nil); res.StatusCode != 400 || !strings.Contains(body, `"INVALID"`) {
		t.Errorf("an id in capitals: %d %s", res.StatusCode, body)
	}
	if asked := origin.of(path); asked != 1 {
		t.Errorf("the origin was asked %d times", asked)
	}
	origin.down.Store(true)
	passed.Store(int64(1100 * time.Millisecond))
	for range 3 {
		if res, _ := do(t, "GET", w.url+path, nil); res.StatusCode != 200 || res.Header.Get("Age") == "0" {
			t.Errorf("with the origin down: %d, age %s", res.StatusCode, res.Header.Get("Age"))
		}
	}
	if res, body := do(t, "GET", w.url+DocumentsOf(id.New())[1], nil); res.StatusCode != 502 {
		t.Errorf("nothing kept: %d %s", res.StatusCode, body)
	}
}

// What is not a document of everybody goes to the API as it came.
func TestWhatIsNotCached(t *testing.T) {
	ev := "/v1/events/" + showID.String()
	for path, want := range map[string]bool{
		"/v1/events": true, ev: true, ev + "/frontier": true, ev + "/availability": true, ev + "/availability/A-1": true, ev + "/draw/statements": true,
		"/.well-known/jwks.json": true, "/v1/charts/" + showID.String() + "/1": true,
		"/v1/charts/" + showID.String() + "/views": true, "/v1/charts/" + showID.String() + "/views/0a": true, "/v1/charts/" + showID.String() + "/1/2": false,
		ev + "/": false, ev + "/draw": false, ev + "/queue": false, ev + "/holds": false, ev + "/holds/mine": false, ev + "/live": false, ev + "/frontier/": false,
		ev + "/availability/": false, ev + "/availability/A/b": false, "/v1/me": false, "/v1/orders": false, "/v1/queue": false, "/v1/events/x/frontier": false, "/v1/events/x": false, "/V1/events": false,
	} {
		if cached(path) != want {
			t.Errorf("%s: %v", path, !want)
		}
	}
	origin, at := openPress(t, 10)
	w := open(t, func(o *Options) { o.API = At(at) })
	for range 3 {
		do(t, "GET", w.url+"/v1/events?q=samba", nil)
		do(t, "POST", w.url+ev+"/frontier", nil)
	}
	if origin.of("/v1/events?q=samba") != 3 || origin.of(ev+"/frontier") != 3 {
		t.Errorf("%v", origin.asked)
	}
}

func TestWarmingBringsDocumentsBeforeTheCrowd(t *testing.T) {
	origin, at := openPress(t, 10)
	w := open(t, func(o *Options) { o.API = At(at) })
	w.Warm(t.Context(), DocumentsOf(showID)...)
	for _, path := range DocumentsOf(showID)[1:3] {
		if origin.of(path) != 1 {
			t.Errorf("%s was not brought", path)
		}
		if res, _ := do(t, "GET", w.url+path, nil); res.StatusCode != 200 {
			t.Errorf("%d", res.StatusCode)
		}
	}
}
