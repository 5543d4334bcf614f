package local

import (
	"context"
	"encoding/json"
	"errors"
	"io"
	"net"
	"net/http"
	"sync/atomic"
	"time"

	"plateia/core/account"
	"plateia/core/fault"
	"plateia/edge/httpcache"
	"plateia/edge/line"
)

// Room is what the edge itself knows of the waiting rooms, from their documents: no question to the API for anybody who waits.
type Room interface {
	// Status is what a ticket means now.
	Status(ctx context.Context, ticket account.QueueTicket) (account.Place, error)
	// Gate is nil when a claim with this ticket may be for the API to decide, else what it would say.
	Gate(ctx context.Context, ticket account.QueueTicket) error
}

// lineTimeout is how long entering or a look may take.
const lineTimeout = 5 * time.Second

// enter lets an account into a line, as often as an account may ask: here where this process can write the log of entries, else at the API.
func (e *Edge) enter(w http.ResponseWriter, r *http.Request, who caller) {
	if e.opts.Mint == nil || e.opts.Room == nil || e.opts.Tokens == nil {
		if err := e.mints.allow(who); err != nil {
			e.refuseLine(w, r, &e.counts.entries, err)
			return
		}
		e.api.ServeHTTP(w, r)
		return
	}
	e.limited(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		entered, err := e.mint(r, who)
		if err != nil {
			e.refuseLine(w, r, &e.counts.entries, err)
			return
		}
		e.counts.entries.Note(nil)
		answer(w, http.StatusCreated, entered)
	})).ServeHTTP(w, r)
}

// mint makes a place of a request: the device's key is proved, then the entry is written or found.
func (e *Edge) mint(r *http.Request, who caller) (out line.Entered, err error) {
	path := r.URL.EscapedPath()
	event, _ := eventPath(path)
	body, err := io.ReadAll(r.Body)
	if err != nil {
		return out, err
	}
	asked, err := line.ReadEntering(r.Header.Get("Content-Type"), body)
	if err != nil {
		return out, err
	}
	proof := r.Header.Get("DPoP")
	if proof == "" {
		return out, line.ErrNoProof()
	}
	keyThumb, err := e.opts.Tokens.Proof(proof, r.Method, path, bearer(r))
	if err != nil {
		return out, err
	}
	ctx, cancel := context.WithTimeout(r.Context(), lineTimeout)
	defer cancel()
	asked.RemoteIP = hostOf(r.RemoteAddr)
	token, ticket, err := e.enterAs(ctx, event, who.session, keyThumb, asked)
	if err != nil {
		return out, err
	}
	place, err := e.opts.Room.Status(ctx, ticket)
	return line.EnteredOf(token, ticket, place), err
}

// status answers what a ticket means now.
func (e *Edge) status(w http.ResponseWriter, r *http.Request, who caller) {
	if e.opts.Room == nil || e.opts.Tokens == nil {
		e.api.ServeHTTP(w, r)
		return
	}
	ctx, cancel := context.WithTimeout(r.Context(), lineTimeout)
	defer cancel()
	place, err := e.opts.Room.Status(ctx, who.ticket)
	if err != nil {
		e.refuseLine(w, r, nil, line.WayBack(inTime(err), who.ticket.Event))
		return
	}
	e.counts.place(place.Status)
	answer(w, http.StatusOK, line.PlaceOf(place))
}

// claim lets claims through to the API that it may take; those before their turn are told how long, here.
func (e *Edge) claim(w http.ResponseWriter, r *http.Request, who caller) {
	if err := e.claims.allow(who); err != nil {
		e.refuseLine(w, r, &e.counts.claims, err)
		return
	}
	if e.opts.Room == nil || e.opts.Tokens == nil {
		e.api.ServeHTTP(w, r)
		return
	}
	e.limited(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if err := e.gate(r); err != nil {
			e.refuseLine(w, r, &e.counts.claims, err)
			return
		}
		e.counts.passed.Add(1)
		if r.GetBody != nil { // read above; the API reads it again
			r.Body, _ = r.GetBody()
		}
		e.api.ServeHTTP(w, r)
	})).ServeHTTP(w, r)
}

// gate refuses what the ticket in a claim's body and the event's document refuse. A body that cannot be read is the API's to refuse.
func (e *Edge) gate(r *http.Request) error {
	body, err := io.ReadAll(r.Body)
	if err != nil {
		return err
	}
	token, err := line.ReadClaim(r.Header.Get("Content-Type"), body)
	if err != nil {
		return err
	}
	ticket, err := e.opts.Tokens.Ticket(token)
	if err != nil {
		return err
	}
	ctx, cancel := context.WithTimeout(r.Context(), lineTimeout)
	defer cancel()
	return line.WayBack(e.opts.Room.Gate(ctx, ticket), ticket.Event)
}

// inTime turns time that ran out into a refusal that says so: all that is done here may be asked for again.
func inTime(err error) error {
	var f *fault.Error
	if !errors.As(err, &f) && errors.Is(err, context.DeadlineExceeded) {
		return fault.Wrap(err, fault.Busy, "this took too long; try again, nothing is lost").After(time.Second)
	}
	return err
}

// refuseLine answers with a refusal about a place, counts it, and says where the way goes on.
func (e *Edge) refuseLine(w http.ResponseWriter, r *http.Request, count *line.Counter, err error) {
	if count != nil {
		count.Note(err)
	}
	event, _ := eventPath(r.URL.EscapedPath())
	err = line.WayBack(inTime(err), event)
	if f := fault.From(err); f.Code == fault.Internal {
		if r.Context().Err() == nil { // else nobody waits for the answer any more, which is no failure
			e.opts.Logger.Error("edge: the line failed", "path", r.URL.Path, "error", err)
		}
		err = line.WayBack(fault.Wrap(err, fault.Busy, "this part of the service does not answer right now; your place is kept").After(time.Second), event)
	}
	refuseFault(w, err)
}

// answer writes JSON that is nobody else's.
func answer(w http.ResponseWriter, status int, v any) {
	h := w.Header()
	h.Set("Content-Type", "application/json")
	h.Set("Cache-Control", "no-store")
	h.Set("Content-Security-Policy", dataPolicy)
	named(h)
	w.WriteHeader(status)
	_ = json.NewEncoder(w).Encode(v)
}

func hostOf(addr string) string {
	if host, _, err := net.SplitHostPort(addr); err == nil {
		return host
	}
	return addr
}

// counts of what the edge itself answers.
type counts struct {
	entries, claims                   line.Counter
	passed, noCredential              atomic.Int64
	waiting, admitted, missed, closed atomic.Int64
}

// of is the count that a request without a credential belongs to; nil: none of the line's.
func (c *counts) of(path, resource, method string) *line.Counter {
	switch {
	case method == http.MethodPost && resource == "queue":
		return &c.entries
	case method == http.MethodPost && path == "/v1/queue/claim":
		return &c.claims
	}
	return nil
}

func (c *counts) place(s account.QueueStatus) {
	switch s {
	case account.QueueWaiting:
		c.waiting.Add(1)
	case account.QueueAdmitted:
		c.admitted.Add(1)
	case account.QueueSecondChance:
		c.missed.Add(1)
	case account.QueueClosed:
		c.closed.Add(1)
	}
}

// Stats are numbers for metrics, since the start.
type Stats struct {
	Documents    httpcache.Stats
	Entries      line.Outcomes                 // answered here
	Claims       line.Outcomes                 // answered here, all of them refusals
	Passed       int64                         // claims passed on to the API
	NoCredential int64                         // requests refused for want of a good credential
	Places       map[account.QueueStatus]int64 // answers to "where do I stand"
}

// Stats returns the numbers of now.
func (e *Edge) Stats() Stats {
	c := &e.counts
	return Stats{
		Documents: e.cache.Stats(), Entries: c.entries.Now(), Claims: c.claims.Now(), Passed: c.passed.Load(),
		NoCredential: c.noCredential.Load(), Places: map[account.QueueStatus]int64{
			account.QueueWaiting: c.waiting.Load(), account.QueueAdmitted: c.admitted.Load(), account.QueueSecondChance: c.missed.Load(), account.QueueClosed: c.closed.Load(),
		},
	}
}
