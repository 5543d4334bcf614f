package local

import (
	"errors"
	"net/http"
	"net/http/httptest"
	"testing"
)

type roundTrip func(*http.Request) (*http.Response, error)

func (f roundTrip) RoundTrip(r *http.Request) (*http.Response, error) { return f(r) }

// The first sending may have been heard: the second must not claim to be the first.
func TestARequestSentAgainSaysSo(t *testing.T) {
	var claimed []string
	lossy := again{roundTrip(func(r *http.Request) (*http.Response, error) {
		if claimed = append(claimed, r.Header.Get("Idempotency-Attempt")); len(claimed) == 1 {
			return nil, errors.New("the connection was closed")
		}
		return &http.Response{StatusCode: http.StatusOK, Body: http.NoBody}, nil
	}), tries}
	r := httptest.NewRequest(http.MethodPost, "/v1/events/x/holds", http.NoBody)
	r.Header.Set("Idempotency-Key", "k")
	r.Header.Set("Idempotency-Attempt", "1")
	answer, err := lossy.RoundTrip(r)
	if err != nil {
		t.Fatal(err)
	}
	answer.Body.Close()
	if len(claimed) != 2 || claimed[0] != "1" || claimed[1] != "" {
		t.Errorf("the sendings claimed %q", claimed)
	}
}

func TestOnlyWhatDoesNoHarmTwiceIsSentAgain(t *testing.T) {
	for _, c := range []struct {
		method, key string
		sendings    int
	}{
		{http.MethodGet, "", tries}, {http.MethodHead, "", tries}, {http.MethodDelete, "", tries}, {http.MethodPost, "k", tries},
		{http.MethodPost, "", 1}, {http.MethodPut, "", 1}, {http.MethodPatch, "", 1},
	} {
		sendings := 0
		dead := again{roundTrip(func(*http.Request) (*http.Response, error) {
			sendings++
			return nil, errors.New("the connection was closed")
		}), tries}
		r := httptest.NewRequest(c.method, "/v1/holds/x", http.NoBody)
		if c.key != "" {
			r.Header.Set("Idempotency-Key", c.key)
		}
		if answer, err := dead.RoundTrip(r); err == nil {
			answer.Body.Close()
			t.Errorf("%s: an answer of nobody", c.method)
		}
		if sendings != c.sendings {
			t.Errorf("%s with key %q was sent %d times, want %d", c.method, c.key, sendings, c.sendings)
		}
	}
}
