package httpcache

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"strings"
	"time"

	"plateia/edge/prefer"
)

// Kinds of answers that a document can have.
const (
	binaryType = "application/octet-stream"
	jsonType   = "application/json"
)

// keyOf names what is asked for. Whoever does not name the binary form, or likes JSON at least as well, gets JSON.
func keyOf(r *http.Request) key {
	accept := r.Header.Get("Accept")
	if accept == "" || !strings.Contains(accept, "octet-stream") {
		return key{path: r.URL.Path}
	}
	binary, named := prefer.Weight(accept, binaryType)
	json, _ := prefer.Weight(accept, jsonType)
	return key{r.URL.Path, named && binary > 0 && binary >= json}
}

// depart returns the entry's flight, and starts one when there is none.
func (c *Cache) depart(e *entry) *flight {
	if e.flight != nil {
		return e.flight
	}
	f := &flight{done: make(chan struct{})}
	e.flight = f
	known := e.kept
	c.flights.Go(func() {
		answer, err := c.fetch(e.key, known)
		c.land(e, f, answer, err)
	})
	return f
}

// land takes the outcome of a flight.
func (c *Cache) land(e *entry, f *flight, answer *document, err error) {
	now := c.opts.Now()
	c.mu.Lock()
	defer c.mu.Unlock()
	defer close(f.done)
	e.flight, f.outcome = nil, answer
	failed := err != nil || answer.status >= http.StatusInternalServerError
	e.failing = failed
	switch {
	case failed:
		c.stats.failed.Add(1)
		e.refusal, e.quietTo = answer, now.Add(c.opts.Brief)
		if e.kept != nil && e.kept.onError(now) {
			f.outcome = e.kept
		}
	case answer.keeps:
		e.kept, e.refusal, e.quietTo = answer, nil, time.Time{}
	case answer.status >= http.StatusBadRequest: // it is gone, or never was
		e.kept, e.refusal, e.quietTo = nil, answer, now.Add(c.opts.Brief)
	default: // good once, for those who waited
		e.kept, e.refusal, e.quietTo = nil, nil, time.Time{}
	}
	c.weigh(e)
}

// fetch asks the origin for a document, or whether the one that is known is still right.
func (c *Cache) fetch(k key, known *document) (*document, error) {
	ctx, cancel := context.WithTimeout(c.life, c.opts.Timeout)
	defer cancel()
	req, err := request(ctx, k, known)
	if err != nil {
		return nil, err
	}
	c.stats.fetched.Add(1)
	asked := c.opts.Now()
	res, err := c.origin.RoundTrip(req)
	if err != nil {
		return nil, err
	}
	defer res.Body.Close()
	body, err := io.ReadAll(io.LimitReader(res.Body, int64(c.opts.Largest)+1))
	switch {
	case err != nil:
		return nil, err
	case len(body) > c.opts.Largest:
		return nil, fmt.Errorf("httpcache: %s is larger than %d bytes", k.path, c.opts.Largest)
	case res.StatusCode == http.StatusNotModified && known == nil:
		return nil, errors.New("httpcache: the origin answered 304 to an unconditional request")
	case res.StatusCode == http.StatusNotModified:
		c.stats.unchanged.Add(1)
		return known.renewed(res.Header, asked, c.opts.Now()), nil
	}
	return newDocument(res, body, asked, c.opts.Now()), nil
}

// request is made of the key alone.
func request(ctx context.Context, k key, known *document) (*http.Request, error) {
	u := &url.URL{Scheme: "http", Host: "origin", Path: k.path}
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, u.String(), http.NoBody)
	if err != nil {
		return nil, err
	}
	req.Host = ""
	req.Header.Set("Accept", jsonType)
	if k.binary {
		req.Header.Set("Accept", binaryType)
	}
	if known != nil && known.etag != "" {
		req.Header.Set("If-None-Match", known.etag)
	}
	return req, nil
}
