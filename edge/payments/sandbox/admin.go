package sandbox

import (
	"io"
	"net/http"
	"strings"
	"time"

	"plateia/core/fault"
)

// chaosView is the script and how often each fault has happened under it.
type chaosView struct {
	Script
	Done map[Fault]int `json:"done"`
}

// ledgerView is a page of the ledger.
type ledgerView struct {
	Entries []Entry `json:"entries"`
	Next    string  `json:"next"` // cursor of the next page; "" for the last one
}

// outageBody takes the server down.
type outageBody struct {
	ForMS int64 `json:"forMs"` // 0 ends it
}

// rotationView tells a new webhook secret, once.
type rotationView struct {
	Secret string `json:"secret"`
	Active int    `json:"active"` // secrets that sign now
}

// maxOutage is the longest outage that can be asked for.
const maxOutage = time.Hour

func (s *Server) showChaos(w http.ResponseWriter, _ *http.Request) error {
	answer(w, http.StatusOK, chaosView{Script: s.chaos.current(), Done: s.chaos.counts()})
	return nil
}

func (s *Server) changeChaos(w http.ResponseWriter, r *http.Request) error {
	var script Script
	if _, err := readBody(r, &script); err != nil {
		return err
	}
	if err := script.check(); err != nil {
		return err
	}
	s.chaos.change(script)
	return s.showChaos(w, r)
}

func (s *Server) takeDown(w http.ResponseWriter, r *http.Request) error {
	var body outageBody
	if _, err := readBody(r, &body); err != nil {
		return err
	}
	d := time.Duration(body.ForMS) * time.Millisecond
	if d < 0 || d > maxOutage {
		return fault.New(fault.Invalid, "forMs is 0 to %d", maxOutage.Milliseconds())
	}
	s.chaos.takeDown(d)
	answer(w, http.StatusOK, body)
	return nil
}

func (s *Server) showLedger(w http.ResponseWriter, r *http.Request) error {
	entries, next, err := s.bank.book(r.URL.Query().Get("cursor"))
	if err != nil {
		return err
	}
	if entries == nil {
		entries = []Entry{}
	}
	answer(w, http.StatusOK, ledgerView{Entries: entries, Next: next})
	return nil
}

// rotate adds a webhook secret and retires all but the last one before it.
// From now on both sign, so that the merchant has until the next rotation.
func (s *Server) rotate(w http.ResponseWriter, _ *http.Request) error {
	fresh, active, err := s.secrets.rotate(s.opts.KeepSecrets)
	if err != nil {
		return err
	}
	answer(w, http.StatusCreated, rotationView{Secret: fresh.Reveal(), Active: active})
	return nil
}

// weather is what every request passes first: outages and slowness. The calls that change the weather are spared.
func (s *Server) weather(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if strings.HasSuffix(r.URL.Path, "/v1/chaos") || strings.HasSuffix(r.URL.Path, "/v1/outage") {
			next.ServeHTTP(w, r)
			return
		}
		if until, over, down := s.chaos.down(); down {
			_, _ = io.Copy(io.Discard, io.LimitReader(r.Body, maxBody)) // only then is a caller that leaves noticed
			s.hang(r, time.Until(until), over)
		}
		if ms := s.chaos.current().LatencyMS; ms > 0 {
			_, over, _ := s.chaos.down()
			wait(r, time.Duration(ms)*time.Millisecond, over)
		}
		next.ServeHTTP(w, r)
	})
}

// Callers that are left waiting: at most maxHanging at a time, for at most hangFor.
const (
	maxHanging = 1024
	hangFor    = 30 * time.Second
)

// hang leaves a caller without an answer; it does not return. When it is over the connection is cut.
func (s *Server) hang(r *http.Request, d time.Duration, over <-chan struct{}) {
	select {
	case s.hanging <- struct{}{}:
		wait(r, min(d, hangFor), over)
		<-s.hanging
	default: // too many wait already
	}
	panic(http.ErrAbortHandler)
}

func wait(r *http.Request, d time.Duration, over <-chan struct{}) {
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-timer.C:
	case <-over:
	case <-r.Context().Done():
	}
}
