package local

import (
	"errors"
	"net"
	"net/http"
)

// tries is how often a repeatable request is sent at most: behind one connection
// that was closed under it there may be another.
const tries = 3

// again sends a request once more, on another connection, when the one it used was
// closed under it and it may be repeated: it only reads, or its Idempotency-Key
// makes the second harmless. http.Transport does the same for a failed read, but
// not for a failed write, and which of the two it is, is chance.
type again struct{ next http.RoundTripper }

// RoundTrip implements http.RoundTripper.
func (a again) RoundTrip(r *http.Request) (*http.Response, error) {
	res, err := a.next.RoundTrip(r)
	for try := 1; err != nil && try < tries && mayRepeat(r, err); try++ {
		next := r.Clone(r.Context())
		next.Header.Del("Idempotency-Attempt") // it may have been heard
		if r.GetBody != nil {
			if next.Body, err = r.GetBody(); err != nil {
				return nil, err
			}
		}
		res, err = a.next.RoundTrip(next)
	}
	return res, err
}

func mayRepeat(r *http.Request, err error) bool {
	var slow net.Error
	if r.Context().Err() != nil || errors.As(err, &slow) && slow.Timeout() {
		return false
	}
	bodiless := r.Body == nil || r.Body == http.NoBody
	reads := r.Method == http.MethodGet || r.Method == http.MethodHead
	return (bodiless || r.GetBody != nil) && (reads || r.Header.Get("Idempotency-Key") != "")
}
