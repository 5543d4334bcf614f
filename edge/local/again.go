package local

import (
	"errors"
	"net"
	"net/http"
)

// tries is how often a repeatable request is sent at most, for each upstream there is:
// behind one connection that was closed under it there may be another.
const tries = 3

// again sends a request once more, on another connection, when the one it used was
// closed under it and it may be repeated: it only reads, or gives back what can be given back
// but once, or its Idempotency-Key makes the second harmless, or nobody can have heard it. http.Transport does the same
// for a failed read, but not for a failed write, and which of the two it is, is chance.
type again struct {
	next  http.RoundTripper
	tries int
}

// RoundTrip implements http.RoundTripper.
func (a again) RoundTrip(r *http.Request) (*http.Response, error) {
	res, err := a.next.RoundTrip(r)
	for try := 1; err != nil && try < a.tries && mayRepeat(r, err); try++ {
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
	bodiless := r.Body == nil || r.Body == http.NoBody
	switch {
	case r.Context().Err() != nil || !bodiless && r.GetBody == nil:
		return false
	case unsent(err):
		return true
	case errors.As(err, &slow) && slow.Timeout():
		return false
	}
	switch r.Method {
	case http.MethodGet, http.MethodHead, http.MethodDelete:
		return true
	}
	return r.Header.Get("Idempotency-Key") != ""
}
