package local

import (
	"net/http"
)

// enter lets an account into a line, as often as an account may ask.
func (e *Edge) enter(w http.ResponseWriter, r *http.Request, who caller) {
	if err := e.mints.allow(who); err != nil {
		refuseFault(w, err)
		return
	}
	e.api.ServeHTTP(w, r)
}

// claim lets a claim through to the API.
func (e *Edge) claim(w http.ResponseWriter, r *http.Request, who caller) {
	if err := e.claims.allow(who); err != nil {
		refuseFault(w, err)
		return
	}
	e.api.ServeHTTP(w, r)
}
