package beacon

import (
	"context"
	"encoding/json"
	"errors"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync/atomic"
	"testing"
	"time"
)

// server answers like drand with the recorded round, after change has spoilt it.
func server(t *testing.T, change func(w http.ResponseWriter, r *Round) bool) string {
	t.Helper()
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, req *http.Request) {
		r := recorded(t)
		if change != nil && change(w, &r) {
			return
		}
		if req.URL.Path != "/"+quicknetHash+"/public/1000" {
			http.NotFound(w, req)
			return
		}
		_ = json.NewEncoder(w).Encode(r)
	}))
	t.Cleanup(s.Close)
	return s.URL
}

func TestTheClientGoesOnToAServerThatTellsTheTruth(t *testing.T) {
	forger := server(t, func(_ http.ResponseWriter, r *Round) bool { r.Randomness = strings.Repeat("0", 64); return false })
	other := server(t, func(_ http.ResponseWriter, r *Round) bool { r.Round = 999; return false })
	flood := server(t, func(w http.ResponseWriter, _ *Round) bool {
		_, _ = w.Write([]byte(`{"signature":"` + strings.Repeat("a", 1<<20)))
		return true
	})
	client := &Client{Chain: Quicknet(), Servers: []string{forger, other, flood, "http://127.0.0.1:1", server(t, nil)}}
	r, err := client.Get(t.Context(), 1000)
	if err != nil || r != recorded(t) {
		t.Fatalf("%+v, %v", r, err)
	}
	client.Servers = client.Servers[:4]
	if _, err := client.Get(t.Context(), 1000); err == nil {
		t.Error("nobody tells the truth, and the client has a round")
	}
}

func TestTheClientWaitsForALateRound(t *testing.T) {
	var asked atomic.Int32
	late := server(t, func(w http.ResponseWriter, _ *Round) bool {
		if asked.Add(1) < 2 {
			w.WriteHeader(http.StatusNotFound)
			return true
		}
		return false
	})
	c := Quicknet()
	client := &Client{Chain: c, Servers: []string{late}, Now: func() time.Time { return c.TimeOf(1000) }}
	r, skipped, err := client.Await(t.Context(), Rule{Round: 1000, WaitSeconds: 30, Tries: 3}, c.TimeOf(900))
	if err != nil || r.Round != 1000 || len(skipped) != 0 {
		t.Errorf("%+v, skipped %v, %v", r, skipped, err)
	}
}

func TestWithoutABeaconTheClientGivesUp(t *testing.T) {
	dead := server(t, func(w http.ResponseWriter, _ *Round) bool { w.WriteHeader(http.StatusBadGateway); return true })
	c := Quicknet()
	client := &Client{Chain: c, Servers: []string{dead}, Now: func() time.Time { return c.TimeOf(2000) }}
	_, skipped, err := client.Await(t.Context(), Rule{Round: 1000, WaitSeconds: 30, Tries: 3}, c.TimeOf(900))
	if !errors.Is(err, ErrNone) || len(skipped) != 3 {
		t.Errorf("skipped %v, %v", skipped, err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	client.Now = func() time.Time { return c.TimeOf(10) }
	if _, _, err := client.Await(ctx, Rule{Round: 1000, WaitSeconds: 30, Tries: 3}, c.TimeOf(900)); !errors.Is(err, context.Canceled) {
		t.Errorf("cancelled, and %v", err)
	}
}
