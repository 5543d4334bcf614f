package linebench

import (
	"bufio"
	"bytes"
	"compress/gzip"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"plateia/waitingroom/frontier"
	"plateia/waitingroom/token"
)

// polls lets connections ask an edge for the document as often as it answers.
func (l *line) polls(ctx context.Context, o Options, r *Report) (err error) {
	origin, err := l.open(ctx)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, origin.close()) }()
	edge, err := o.OpenEdge(ctx, "http://"+origin.listener.Addr().String())
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, edge.Stop()) }()
	path := "/v1/events/" + l.event.String() + "/frontier"
	all := make([]*poller, o.Clients)
	for i := range all {
		if all[i], err = dial(ctx, edge.Addr, path, l.signer.Keys()); err != nil {
			return err
		}
		defer all[i].conn.Close()
		if err := all[i].ask(true); err != nil { // also so that the cache is warm
			return fmt.Errorf("linebench: the first poll: %w", err)
		}
	}
	used, asked, began := edge.CPU(), origin.asked.Load(), time.Now()
	until := began.Add(o.Polling)
	var wait sync.WaitGroup
	for _, p := range all {
		wait.Go(func() { p.run(ctx, until) })
	}
	wait.Wait()
	took := time.Since(began)
	var samples []time.Duration
	for _, p := range all {
		r.Polls += p.polls
		r.PollErrors += p.errors
		samples = append(samples, p.took...)
	}
	slices.Sort(samples)
	r.PollsPerCoreSecond, r.PollsPerSecond = rate(r.Polls, edge.CPU()-used), rate(r.Polls, took)
	r.OriginRequestsPerSecond = float64(int(100*float64(origin.asked.Load()-asked)/took.Seconds()+0.5)) / 100
	r.PollP50Ms, r.PollP99Ms = quantile(samples, 0.5), quantile(samples, 0.99)
	r.DocumentBytes, r.Seconds = all[0].bytes, float64(took.Milliseconds())/1000
	return ctx.Err()
}

func quantile(sorted []time.Duration, q float64) float64 {
	if len(sorted) == 0 {
		return 0
	}
	return float64(sorted[int(q*float64(len(sorted)-1))].Microseconds()) / 1000
}

// origin signs a document every second and gives it to whoever asks, as the API does.
type origin struct {
	listener net.Listener
	server   *http.Server
	asked    atomic.Int64
	line     *line

	mu   sync.Mutex
	at   time.Time
	text []byte
	etag string
}

func (l *line) open(ctx context.Context) (*origin, error) {
	var config net.ListenConfig
	listener, err := config.Listen(ctx, "tcp", "127.0.0.1:0")
	if err != nil {
		return nil, err
	}
	o := &origin{listener: listener, line: l}
	o.server = &http.Server{Handler: o, ReadHeaderTimeout: 5 * time.Second}
	go func() { _ = o.server.Serve(listener) }() // until it is closed
	return o, nil
}

func (o *origin) close() error { return o.server.Close() }

// ServeHTTP gives out the document of the second.
func (o *origin) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	if r.URL.Path != "/v1/events/"+o.line.event.String()+"/frontier" {
		w.WriteHeader(http.StatusOK) // a probe
		return
	}
	o.asked.Add(1)
	text, etag, err := o.current(time.Now())
	if err != nil {
		http.Error(w, err.Error(), http.StatusInternalServerError)
		return
	}
	h := w.Header()
	h.Set("Cache-Control", "public, max-age=1, stale-while-revalidate=30, stale-if-error=300")
	h.Set("Content-Type", "application/jose+json")
	h.Set("ETag", etag)
	if r.Header.Get("If-None-Match") == etag {
		w.WriteHeader(http.StatusNotModified)
		return
	}
	_, _ = w.Write(text)
}

func (o *origin) current(now time.Time) (text []byte, etag string, err error) {
	o.mu.Lock()
	defer o.mu.Unlock()
	if now.Sub(o.at) < time.Second {
		return o.text, o.etag, nil
	}
	if err := o.line.step(now, 100); err != nil {
		return nil, "", err
	}
	signed, err := o.line.doc.Sign(o.line.signer)
	if err == nil {
		o.text, err = json.Marshal(signed)
	}
	o.at, o.etag = now, fmt.Sprintf(`"%d"`, o.line.doc.Version)
	return o.text, o.etag, err
}

// poller is one connection that asks again and again. It verifies a document of each second, and takes the others by their ETag.
type poller struct {
	conn    net.Conn
	in      *bufio.Reader
	request []byte
	keys    token.Keys
	body    bytes.Buffer
	bytes   int

	etag    string
	version uint64
	polls   int64
	errors  int64
	took    []time.Duration
}

func dial(ctx context.Context, addr, path string, keys token.Keys) (*poller, error) {
	var d net.Dialer
	conn, err := d.DialContext(ctx, "tcp", addr)
	if err != nil {
		return nil, err
	}
	return &poller{
		conn: conn, in: bufio.NewReaderSize(conn, 64<<10), keys: keys,
		request: []byte("GET " + path + " HTTP/1.1\r\nHost: " + addr + "\r\nAccept-Encoding: gzip\r\n\r\n"),
	}, nil
}

const answerPatience = 10 * time.Second

func (p *poller) run(ctx context.Context, until time.Time) {
	const maxSamples, leastPolls = 200_000, 3 // also where the time is over before anybody was woken
	for now := time.Now(); (now.Before(until) || p.polls < leastPolls) && ctx.Err() == nil; {
		if p.polls%1000 == 0 {
			_ = p.conn.SetDeadline(now.Add(answerPatience))
		}
		if err := p.ask(false); err != nil {
			p.errors++
			return
		}
		done := time.Now()
		if p.polls++; len(p.took) < maxSamples {
			p.took = append(p.took, done.Sub(now))
		}
		now = done
	}
}

// ask takes one answer.
func (p *poller) ask(verify bool) error {
	if _, err := p.conn.Write(p.request); err != nil {
		return err
	}
	answer, err := http.ReadResponse(p.in, nil)
	if err != nil {
		return err
	}
	defer answer.Body.Close() // read to its end below
	p.body.Reset()
	if _, err := p.body.ReadFrom(answer.Body); err != nil {
		return err
	}
	p.bytes = p.body.Len()
	if answer.StatusCode != http.StatusOK || answer.Header.Get("Age") == "" || p.bytes == 0 {
		return fmt.Errorf("answered %s", answer.Status)
	}
	if etag := answer.Header.Get("ETag"); etag != p.etag || verify {
		p.etag = etag
		return p.verify(answer.Header.Get("Content-Encoding"))
	}
	return nil
}

// verify reads the document as a page does.
func (p *poller) verify(coding string) error {
	var text io.Reader = &p.body
	if coding == "gzip" {
		z, err := gzip.NewReader(text)
		if err != nil {
			return err
		}
		text = z
	}
	var signed token.Statement
	if err := json.NewDecoder(text).Decode(&signed); err != nil {
		return err
	}
	d, err := frontier.Verify(p.keys, signed)
	if err != nil {
		return err
	}
	if d.Version < p.version {
		return fmt.Errorf("version %d after %d", d.Version, p.version)
	}
	p.version = d.Version
	return nil
}
