package local

import (
	"context"
	"net/http"
	"strings"
	"time"
)

// streams lets server-sent events of the live map through: an answer without an end, which the deadlines of requests
// would cut. Each piece has a deadline instead, so that a viewer that does not read is let go; Stop does not wait for
// streams, whose viewers come back by themselves.
func (e *Edge) streams(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.Method != http.MethodGet || !strings.Contains(r.Header.Get("Accept"), "text/event-stream") {
			next.ServeHTTP(w, r)
			return
		}
		ctx, cancel := context.WithCancel(r.Context())
		defer cancel()
		defer context.AfterFunc(e.stopping, cancel)() //nolint:contextcheck // the stream ends with the request or with the edge
		control := http.NewResponseController(w)
		_ = control.SetReadDeadline(time.Time{}) // not every writer has one: a test's recorder
		next.ServeHTTP(piecewise{w, control, e.opts.WriteTimeout}, r.WithContext(ctx))
	})
}

// piecewise is a ResponseWriter whose deadline counts for each piece.
type piecewise struct {
	http.ResponseWriter
	control *http.ResponseController
	timeout time.Duration
}

func (p piecewise) Unwrap() http.ResponseWriter { return p.ResponseWriter }

func (p piecewise) Write(b []byte) (int, error) {
	_ = p.control.SetWriteDeadline(time.Now().Add(p.timeout))
	return p.ResponseWriter.Write(b)
}
