package linebench

import (
	"context"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"fmt"
	"net/http"
	"runtime"
	"sync"
	"syscall"
	"time"

	"plateia/core/account"
	"plateia/core/id"
	"plateia/waitingroom/draw"
	"plateia/waitingroom/frontier"
	"plateia/waitingroom/token"
)

// line is one event's, with an hour behind it.
type line struct {
	event  id.ID
	onSale time.Time
	seed   draw.Digest
	signer *token.Authority // knows whatever it has signed
	doc    *frontier.Document
}

func newAuthority() (*token.Authority, error) {
	return token.New(token.Options{Current: make([]byte, 32), PseudonymKey: make([]byte, 32)})
}

func newLine() (*line, error) {
	l := &line{event: id.New(), onSale: time.Now().Add(-time.Hour).Truncate(time.Second), seed: draw.Digest{1}}
	var err error
	if l.signer, err = newAuthority(); err != nil {
		return nil, err
	}
	l.doc = &frontier.Document{
		Version: 1, Event: l.event, Epoch: 1, Time: l.onSale.UnixMilli(), Phase: frontier.Open, OnSaleAt: l.onSale, Seed: &l.seed, Verifiable: true,
		ClaimWindow: 600, Poll: frontier.Poll{FloorMS: 2000, CeilingMS: 60_000, Divisor: 20},
		Line: frontier.Line{Tiers: []int64{6_000_000}, Late: frontier.Arrivals{{Second: l.onSale.Unix()}}}, Frontiers: frontier.Frontiers{Lottery: make([]draw.Rank, 1)},
	}
	for second := 5; second <= 3600; second += 5 {
		if err := l.step(l.onSale.Add(time.Duration(second)*time.Second), 200); err != nil {
			return nil, err
		}
	}
	return l, nil
}

// step moves the line on.
func (l *line) step(now time.Time, tickets float64) (err error) {
	l.doc, err = frontier.Next(l.doc, now, func(d *frontier.Document) {
		d.Line.Late = d.Line.Late.With(now.Unix(), int64(1000*now.Sub(l.onSale).Seconds()))
		d.Frontiers, _ = d.Line.Advance(d.Frontiers, tickets)
		d.Frontiers = d.Frontiers.Sweep(0.001)
	})
	return err
}

// newcomer is what one fan sends to enter.
type newcomer struct{ session, proof string }

const enterPath = "/v1/events/x/queue"

// newcomers are fans with sessions and proofs of their keys. Making them costs more than taking them in, so it is not measured.
func (l *line) newcomers(n int) ([]newcomer, error) {
	out := make([]newcomer, n)
	err := spread(n, func(i int) error {
		key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
		if err != nil {
			return err
		}
		if out[i].session, _, err = l.signer.MintSession(id.New()); err == nil {
			out[i].proof, err = token.Prove(key, http.MethodPost, "http://edge"+enterPath, time.Now())
		}
		return err
	})
	return out, err
}

// mints takes n fans in and returns how many a core takes in a second.
func (l *line) mints(ctx context.Context, n int) (float64, error) {
	fans, err := l.newcomers(n)
	if err != nil {
		return 0, err
	}
	edge, err := newAuthority() // which has seen none of them
	if err != nil {
		return 0, err
	}
	began := ownCPU()
	err = spread(n, func(i int) error {
		if ctx.Err() != nil {
			return ctx.Err()
		}
		return enter(edge, l.event, fans[i])
	})
	return rate(int64(n), ownCPU()-began), err
}

// enter is the token work of one fan who enters.
func enter(edge *token.Authority, event id.ID, fan newcomer) error {
	session, err := edge.Session(fan.session)
	if err != nil {
		return err
	}
	thumb, err := edge.Proof(fan.proof, http.MethodPost, enterPath, fan.session)
	if err != nil {
		return err
	}
	now := time.Now()
	e := draw.Entry{Pseudonym: edge.Pseudonym(session.Account, event), Class: draw.Lottery, EnteredAt: now.UnixMilli(), KeyThumb: thumb}
	if err := e.Check(); err != nil || e.Leaf() == (draw.Digest{}) {
		return fmt.Errorf("linebench: no entry: %w", err)
	}
	_, _, err = edge.MintTicket(account.QueueTicket{Event: event, Epoch: 1, Pseudonym: e.Pseudonym, Class: e.Class, EnteredAt: now, KeyThumb: thumb})
	return err
}

// gates asks for n tickets whether they may claim, twice, and returns how many a core answers in a second: unknown ones and known ones.
func (l *line) gates(ctx context.Context, n int) (unknown, known float64, err error) {
	tickets := make([]string, n)
	entered := l.onSale.Add(-time.Minute)
	if err := spread(n, func(i int) (err error) {
		tickets[i], _, err = l.signer.MintTicket(account.QueueTicket{
			Event: l.event, Epoch: 1, Pseudonym: l.signer.Pseudonym(id.New(), l.event), Class: draw.Lottery, EnteredAt: entered, KeyThumb: "k",
		})
		return err
	}); err != nil {
		return 0, 0, err
	}
	edge, err := newAuthority()
	if err != nil {
		return 0, 0, err
	}
	var rates [2]float64
	for round := range rates {
		began := ownCPU()
		if err := spread(n, func(i int) error {
			if ctx.Err() != nil {
				return ctx.Err()
			}
			return l.gate(edge, tickets[i])
		}); err != nil {
			return 0, 0, err
		}
		rates[round] = rate(int64(n), ownCPU()-began)
	}
	return rates[0], rates[1], nil
}

// gate answers one ticket.
func (l *line) gate(edge *token.Authority, text string) error {
	t, err := edge.Ticket(text)
	if err != nil {
		return err
	}
	at := frontier.Ticket{Event: t.Event, Epoch: t.Epoch, Class: t.Class, Tier: t.Tier, Second: t.EnteredAt.Unix(), Rank: draw.NewRanker(l.seed, t.Event, t.Epoch).Rank(t.Pseudonym)}
	reached := l.doc.Frontiers.Reaches(at)
	if state := l.doc.Gate(at, time.UnixMilli(l.doc.Time)).State; reached == (state == frontier.Waiting) {
		return fmt.Errorf("linebench: the gate says %s for %s", state, at.Rank)
	}
	return nil
}

// spread does n things on all cores and returns the first error.
func spread(n int, do func(i int) error) error {
	var wait sync.WaitGroup
	workers := runtime.GOMAXPROCS(0)
	errs := make([]error, workers)
	for w := range workers {
		wait.Go(func() {
			for i := w; i < n && errs[w] == nil; i += workers {
				errs[w] = do(i)
			}
		})
	}
	wait.Wait()
	for _, err := range errs {
		if err != nil {
			return err
		}
	}
	return nil
}

// ownCPU is the time that this process has used so far.
func ownCPU() time.Duration {
	var used syscall.Rusage
	_ = syscall.Getrusage(syscall.RUSAGE_SELF, &used)
	return time.Duration(used.Utime.Nano() + used.Stime.Nano())
}
