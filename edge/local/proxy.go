package local

import (
	"bytes"
	"context"
	"errors"
	"io"
	"log/slog"
	"net"
	"net/http"
	"net/http/httputil"
	"time"
)

// drainLimit is how much of an over-long body is read and thrown away, so that
// the sender gets to read its 413 instead of a reset connection.
const drainLimit = 16 << 20

func newTransport() *http.Transport {
	return &http.Transport{
		DialContext:           (&net.Dialer{Timeout: 2 * time.Second, KeepAlive: 30 * time.Second}).DialContext,
		MaxIdleConns:          1024,
		MaxIdleConnsPerHost:   512,
		IdleConnTimeout:       50 * time.Second, // less than what the API keeps, so that it never closes under a request
		ResponseHeaderTimeout: 25 * time.Second,
		DisableCompression:    true,
	}
}

// proxyTo passes requests and upgraded connections on. A pool without upstreams answers 404.
func proxyTo(p *pool, log *slog.Logger) http.Handler {
	if len(p.all) == 0 {
		return http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
			refuse(w, http.StatusNotFound, "NOT_FOUND", "no such resource")
		})
	}
	return &httputil.ReverseProxy{
		Transport: again{p, tries * len(p.all)},
		Rewrite: func(p *httputil.ProxyRequest) {
			p.Out.Host = p.In.Host     // the gateway compares it with Origin
			p.Out.Header.Del("Expect") // answered here already: the body has been read
			p.SetXForwarded()
		},
		ModifyResponse: keepTheirs,
		ErrorHandler:   func(w http.ResponseWriter, r *http.Request, err error) { proxyFailed(w, r, err, log) },
		ErrorLog:       slog.NewLogLogger(log.Handler(), slog.LevelDebug),
	}
}

// dataPolicy is for answers that are no pages.
const dataPolicy = "default-src 'none'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"

// keepTheirs lets a handler's own headers win over the edge's: ReverseProxy would send both.
func keepTheirs(res *http.Response) error {
	if res.Header.Get("Content-Security-Policy") == "" && res.StatusCode != http.StatusSwitchingProtocols {
		res.Header.Set("Content-Security-Policy", dataPolicy)
	}
	return nil
}

// overriding is a ResponseWriter whose edge headers give way to the same headers from behind.
type overriding struct{ http.ResponseWriter }

func (o overriding) Unwrap() http.ResponseWriter { return o.ResponseWriter }

func (o overriding) WriteHeader(status int) {
	h := o.Header()
	for name, values := range h {
		if _, ours := edgeHeaders[name]; ours && len(values) > 1 {
			h[name] = values[len(values)-1:]
		}
	}
	o.ResponseWriter.WriteHeader(status)
}

var edgeHeaders = map[string]struct{}{
	"Content-Security-Policy": {}, "X-Frame-Options": {}, "Referrer-Policy": {}, "X-Content-Type-Options": {},
	"Permissions-Policy": {}, "Cross-Origin-Opener-Policy": {}, "Cross-Origin-Resource-Policy": {}, "Strict-Transport-Security": {},
}

func proxyFailed(w http.ResponseWriter, r *http.Request, err error, log *slog.Logger) {
	if errors.Is(err, context.Canceled) { // the client has left
		w.WriteHeader(http.StatusBadGateway)
		return
	}
	log.Warn("edge: no answer from behind", "path", r.URL.Path, "error", err)
	refuseBusy(w)
}

// limited passes on requests whose body has arrived whole and is within the
// limit: a slow or endless sender occupies the edge and nobody behind it.
func (e *Edge) limited(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, err := e.readBody(r)
		var tooLong *http.MaxBytesError
		switch {
		case errors.As(err, &tooLong):
			refuseTooLarge(w, tooLong.Limit)
			return
		case err != nil:
			w.Header().Set("Connection", "close")
			refuse(w, http.StatusBadRequest, "INVALID", "the request's body did not arrive whole")
			return
		}
		if body != nil {
			// Sent again when a kept connection was closed under it and the request has an Idempotency-Key.
			r.GetBody = func() (io.ReadCloser, error) { return io.NopCloser(bytes.NewReader(body)), nil }
			r.Body, _ = r.GetBody()
			r.ContentLength, r.TransferEncoding = int64(len(body)), nil
		}
		next.ServeHTTP(overriding{w}, r)
	})
}

// readBody reads a body; nil when there is none. One over the limit is drained, up
// to a point, and is an http.MaxBytesError.
func (e *Edge) readBody(r *http.Request) ([]byte, error) {
	if r.Body == nil || r.Body == http.NoBody || r.ContentLength == 0 {
		return nil, nil
	}
	limit := e.opts.BodyLimit
	body, err := io.ReadAll(io.LimitReader(r.Body, limit+1))
	if err == nil && int64(len(body)) > limit {
		_, _ = io.CopyN(io.Discard, r.Body, drainLimit)
		return nil, &http.MaxBytesError{Limit: limit}
	}
	return body, err
}
