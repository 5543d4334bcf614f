package rehearse

import (
	"context"
	"crypto/ecdsa"
	"crypto/elliptic"
	crand "crypto/rand"
	"errors"
	"fmt"
	"math/rand/v2"
	"net/http"
	"time"
)

// The ways a fan's evening can end.
type ending string

const (
	bought  ending = "bought"
	refused ending = "refused" // a clear no: sold out, taken too often, closed
	gaveUp  ending = "gaveUp"  // patience ran out
	// undecided is a fan who leaves with a payment that nobody has decided: banks with faults are late.
	undecided ending = "undecided"
	leftLine  ending = "leftLine" // was not let in for as long as fans wait in this rehearsal
	broken    ending = "broken"   // an answer nobody could make sense of
)

// result is one fan's evening.
type result struct {
	admitted bool
	held     bool
	ending   ending
	seats    []string // of valid tickets
	err      error
}

// fan is one person with one phone.
type fan struct {
	*crowd
	number  int
	rand    *rand.Rand
	key     *ecdsa.PrivateKey
	session string
	ticket  string // of the place in the line
	entered time.Time
	etag    string // of the line's document that this fan has
	missed  bool   // the turn has passed
	access  string
	hot     bool // wants what everybody wants
	want    int  // seats
}

func newFan(c *crowd, n int) *fan {
	f := &fan{crowd: c, number: n, rand: rand.New(rand.NewPCG(uint64(n), uint64(len(c.run))))}
	f.hot, f.want = f.rand.IntN(100) < c.opts.Hot, 1+f.rand.IntN(min(4, c.house.max))
	if c.opts.SellOut && f.rand.IntN(4) > 0 { // most take what they may have, so that the last seat comes soon
		f.want = c.house.max
	}
	return f
}

// play goes from the street to the seat. The map stays open until watching ends.
func (f *fan) play(ctx, watching context.Context) (r result) {
	if r.err = f.enter(ctx); r.err != nil {
		return r.end(ctx)
	}
	defer func() {
		if r.ending != bought {
			f.leave(ctx)
		}
	}()
	r.admitted = true
	f.tally.admitted.Add(1)
	f.watch(watching)
	hold, err := f.hold(ctx)
	if r.err = err; err != nil {
		return r.end(ctx)
	}
	r.held = true
	f.tally.held.Add(1)
	began := time.Now()
	if r.seats, r.err = f.buy(ctx, hold); r.err == nil {
		f.tally.order(time.Since(began))
	}
	return r.end(ctx)
}

// end sorts an evening by what stopped it.
func (r result) end(ctx context.Context) result {
	var p *problem
	switch {
	case r.err == nil:
		r.ending = bought
	case errors.Is(r.err, errUndecided):
		r.ending = undecided
	case errors.Is(r.err, errLeftLine):
		r.ending = leftLine
	case errors.As(r.err, &p) && p.Status < 500 && p.Status != http.StatusNotFound:
		r.ending = refused
	case ctx.Err() != nil:
		r.ending = gaveUp
	default:
		r.ending = broken
	}
	return r
}

// enter signs in, joins the line, waits for the turn and claims it.
func (f *fan) enter(ctx context.Context) error {
	var err error
	if f.key, err = ecdsa.GenerateKey(elliptic.P256(), crand.Reader); err != nil {
		return err
	}
	var session struct {
		SessionToken string `json:"sessionToken"`
	}
	email := fmt.Sprintf("rehearsal-%s-%d@fans.example", f.run, f.number)
	if err := f.api.do(ctx, call{method: http.MethodPost, path: "/v1/dev/sessions", body: map[string]string{"email": email}}, &session); err != nil {
		return err
	}
	f.session = session.SessionToken
	if err := f.join(ctx); err != nil {
		return err
	}
	return f.stand(ctx)
}

// proved posts with the session and a fresh proof of the fan's key.
func (f *fan) proved(ctx context.Context, path string, body, out any) error {
	for wait := time.Second; ; wait = min(2*wait, longestBackoff) {
		proof, err := f.opts.Prover(f.key, http.MethodPost, f.api.base+path)
		if err != nil {
			return err
		}
		// A proof is for one request: a repeat after 503 or a lost connection needs a new one.
		err = f.api.once(ctx, call{method: http.MethodPost, path: path, bearer: f.session, proof: proof, body: body}, out)
		var p *problem
		switch {
		case errors.As(err, &p):
			f.tally.refusedWith(p)
			if p.Status != http.StatusServiceUnavailable || p.RetryAfter == 0 {
				return err
			}
		case err == nil || ctx.Err() != nil:
			return err
		default:
			f.tally.refusedWith(&problem{Code: connectionLost})
		}
		if !pause(ctx, wait) {
			return err
		}
	}
}

// longestBackoff is how long a page waits at most before it asks again somebody who did not answer: whoever is overrun gets a chance to recover.
const longestBackoff = 16 * time.Second

// watch opens the live map, as far as sockets go round, until the rehearsal ends.
func (f *fan) watch(ctx context.Context) {
	if f.opts.Viewer == nil || !f.tally.takeViewer(f.opts.Viewers) {
		return
	}
	f.viewers.Go(func() {
		if err := f.opts.Viewer(ctx, f.access, f.tally.delta); err != nil && ctx.Err() == nil {
			f.tally.refusedWith(&problem{Code: "LIVE_MAP", Detail: err.Error()})
		}
	})
}

type orderAnswer struct {
	OrderID string `json:"orderId"`
	Status  string `json:"status"`
	Reason  string `json:"reason"`
	Payment *struct {
		Status    string  `json:"status"`
		ActionURL *string `json:"actionUrl"`
	} `json:"payment"`
	Tickets []struct {
		SeatID string `json:"seatId"`
		State  string `json:"state"`
	} `json:"tickets"`
}

// buy orders the hold, pays on the provider's page and waits for the tickets.
func (f *fan) buy(ctx context.Context, h hold) ([]string, error) {
	var o orderAnswer
	if err := f.api.do(ctx, call{method: http.MethodPost, path: "/v1/orders", bearer: f.session, key: f.newKey("order", 0),
		body: map[string]string{"holdId": h.HoldID}}, &o); err != nil {
		return nil, err
	}
	if f.opts.Chaos > 0 || f.opts.keepOrders {
		defer func() { f.tally.ordered(placed{o.OrderID, f.session, o.Status}) }()
	}
	paid, from := time.Time{}, ""
	for wait := 200 * time.Millisecond; ; wait = min(2*wait, 2*time.Second) {
		if err := f.api.do(ctx, call{method: http.MethodGet, path: "/v1/orders/" + o.OrderID, bearer: f.session, from: &from}, &o); err != nil {
			return nil, err
		}
		switch o.Status {
		case "CONFIRMED":
			f.tally.sold(f.api.base, from)
			return f.tickets(h, o)
		case "PENDING_PAYMENT":
			if paid.IsZero() && o.Payment != nil && o.Payment.ActionURL != nil {
				if err := f.api.pressApprove(ctx, *o.Payment.ActionURL); err != nil && !f.oddPage(err) {
					return nil, err
				}
				paid, wait = time.Now(), 50*time.Millisecond
			}
		default:
			return nil, &problem{Status: http.StatusConflict, Code: "ORDER_" + o.Status, Detail: o.Reason}
		}
		if f.opts.Chaos > 0 && !paid.IsZero() && time.Since(paid) > leaveAfter {
			return nil, errUndecided
		}
		if !pause(ctx, wait) {
			return nil, ctx.Err()
		}
	}
}

// leaveAfter is how long a fan who has paid waits for tickets at a bank with faults.
const leaveAfter = 15 * time.Second

var errUndecided = errors.New("nobody has decided the payment yet")

// oddPage reports whether a bank with faults has shown a page of errors: it may have charged all the same.
func (f *fan) oddPage(err error) bool {
	var p *problem
	return f.opts.Chaos > 0 && errors.As(err, &p) && p.Code == paymentPage
}

// tickets checks that the fan got exactly the seats that were held.
func (f *fan) tickets(h hold, o orderAnswer) ([]string, error) {
	held := map[string]bool{}
	for _, s := range h.Seats {
		held[s.SeatID] = true
	}
	var seats []string
	for _, t := range o.Tickets {
		if t.State != "VALID" || !held[t.SeatID] {
			return nil, fmt.Errorf("order %s: ticket for %s (%s) was not held", o.OrderID, t.SeatID, t.State)
		}
		seats = append(seats, t.SeatID)
	}
	if len(seats) != len(h.Seats) {
		return nil, fmt.Errorf("order %s: %d tickets for %d held seats", o.OrderID, len(seats), len(h.Seats))
	}
	return seats, nil
}

// newKey is the Idempotency-Key of one wish; repeats of the request reuse it.
func (f *fan) newKey(what string, try int) string {
	return fmt.Sprintf("%s-%s-%d-%d", what, f.run, f.number, try)
}

func problemOf(err error) (*problem, bool) {
	var p *problem
	ok := errors.As(err, &p)
	return p, ok
}

func codeOf(err error) string {
	if p, ok := problemOf(err); ok {
		return p.Code
	}
	if err != nil {
		return connectionLost
	}
	return ""
}
