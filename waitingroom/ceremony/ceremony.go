package ceremony

import (
	"cmp"
	"context"
	"crypto/rand"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"time"

	"plateia/core/event"
	"plateia/core/id"
	"plateia/core/queue"
	"plateia/waitingroom/beacon"
	"plateia/waitingroom/draw"
	"plateia/waitingroom/token"
)

// Chain keeps the statements about each event's draws, in order.
type Chain interface {
	Statements(ctx context.Context, event id.ID) ([]queue.Statement, error)
	// AppendStatement adds a statement at its number; false when that number is taken.
	AppendStatement(ctx context.Context, event id.ID, s queue.Statement) (appended bool, err error)
}

// Authority signs statements and knows its own.
type Authority interface {
	Seal(typ string, payload []byte) token.Statement
	Keys() token.Keys
}

// Rounds is a beacon.Client: it returns verified rounds.
type Rounds interface {
	Get(ctx context.Context, round uint64) (beacon.Round, error)
}

// Options of a Ceremony. Zero values mean the defaults named.
type Options struct {
	Wait   time.Duration // for each round after it was due; 30 s
	Tries  int           // rounds that are waited for; 3
	Logger *slog.Logger
	Now    func() time.Time
}

// Ceremony makes statements. Safe for concurrent use; Stop it once, for questions to the beacon may be on their way.
type Ceremony struct {
	chain     Chain
	authority Authority
	beacon    beacon.Chain
	asks      *asks
	opts      Options
	log       *slog.Logger
}

// New returns the ceremony of an installation, which believes one beacon.
func New(chain Chain, authority Authority, believed beacon.Chain, rounds Rounds, opts Options) *Ceremony {
	opts.Logger = cmp.Or(opts.Logger, slog.New(slog.DiscardHandler))
	if opts.Now == nil {
		opts.Now = time.Now
	}
	return &Ceremony{chain: chain, authority: authority, beacon: believed, asks: newAsks(rounds, opts.Logger), opts: opts, log: opts.Logger}
}

// Stop ends questions to the beacon and waits for them, or for ctx.
func (c *Ceremony) Stop(ctx context.Context) error { return c.asks.stop(ctx) }

// made are the statements of one epoch.
type made struct {
	book   draw.Book
	byKind map[draw.Kind]queue.Statement
	last   *queue.Statement // of all epochs; nil: there is none
}

func (c *Ceremony) read(ctx context.Context, event id.ID, epoch int64) (m made, err error) {
	all, err := c.chain.Statements(ctx, event)
	if err != nil {
		return m, err
	}
	m = made{book: draw.Book{Event: event}, byKind: map[draw.Kind]queue.Statement{}}
	if m.book.Statements, err = signedOf(all); err != nil {
		return m, err
	}
	for i, s := range all {
		if m.last = &all[i]; s.Epoch == epoch {
			m.byKind[draw.Kind(s.Kind)] = s
		}
	}
	return m, nil
}

func signedOf(all []queue.Statement) ([]draw.Signed, error) {
	out := make([]draw.Signed, len(all))
	for i, s := range all {
		out[i].Kind = draw.Kind(s.Kind)
		if err := json.Unmarshal(s.Body, &out[i].Statement); err != nil {
			return nil, fmt.Errorf("ceremony: statement %d: %w", i+1, err)
		}
	}
	return out, nil
}

// errNotYet is an answer of a maker: the statement cannot be made yet.
var errNotYet = errors.New("ceremony: not yet")

// errOver refuses a statement about an epoch that was ended: a leader that has not heard of it would draw behind its end.
var errOver = errors.New("ceremony: this epoch was started over")

// step makes an epoch's statement of a kind, unless there is one, and returns the one that is there then and its name.
func (c *Ceremony) step(ctx context.Context, e event.Event, kind draw.Kind, secret []byte, make func(draw.Head, made) (any, error)) (queue.Statement, draw.Digest, error) {
	for {
		m, err := c.read(ctx, e.ID, e.Epoch)
		if err != nil {
			return queue.Statement{}, draw.Digest{}, err
		}
		if s, there := m.byKind[kind]; there {
			return s, m.book.Statements[s.Seq-1].Name(), nil
		}
		if _, over := m.byKind[draw.ResetKind]; over {
			return queue.Statement{}, draw.Digest{}, errOver
		}
		at, err := c.instant(m)
		if err != nil {
			return queue.Statement{}, draw.Digest{}, err
		}
		var failed error
		signed, err := m.book.Append(c.authority, kind, e.Epoch, at, func(h draw.Head) any {
			var statement any
			statement, failed = make(h, m)
			return statement
		})
		if err = errors.Join(failed, err); err != nil {
			return queue.Statement{}, draw.Digest{}, err
		}
		s := queue.Statement{Seq: int64(len(m.book.Statements)), Epoch: e.Epoch, Kind: string(kind), Secret: secret}
		if s.Body, err = json.Marshal(signed.Statement); err != nil {
			return s, draw.Digest{}, err
		}
		appended, err := c.chain.AppendStatement(ctx, e.ID, s)
		if err != nil {
			return s, draw.Digest{}, err
		}
		if appended {
			c.log.Info("draw: a statement was made", "event", e.ID, "epoch", e.Epoch, "kind", kind, "name", signed.Name())
			return s, signed.Name(), nil
		}
	}
}

// instant is now, but not before the last statement: another leader's clock may be ahead.
func (c *Ceremony) instant(m made) (time.Time, error) {
	now := c.opts.Now()
	if m.last == nil {
		return now, nil
	}
	var head draw.Head
	err := c.open(*m.last, &head)
	if head.At.After(now) {
		now = head.At
	}
	return now, err
}

// open reads a statement of ours.
func (c *Ceremony) open(s queue.Statement, into any) error {
	var signed token.Statement
	if err := json.Unmarshal(s.Body, &signed); err != nil {
		return fmt.Errorf("ceremony: %s: %w", s.Kind, err)
	}
	payload, _, err := c.authority.Keys().Open(s.Kind, signed)
	if err == nil {
		err = json.Unmarshal(payload, into)
	}
	if err != nil {
		return fmt.Errorf("ceremony: %s: %w", s.Kind, err)
	}
	return nil
}

// Arm commits to an epoch: to a fresh secret, to the rules of the line, and to the beacon round that will count. It returns the
// commitment's name. Where the sale has begun already there is no lottery, and the statement shows it.
func (c *Ceremony) Arm(ctx context.Context, e event.Event) (draw.Digest, error) {
	var secret draw.Digest
	_, _ = rand.Read(secret[:]) // it does not fail
	_, name, err := c.step(ctx, e, draw.CommitmentKind, secret[:], func(h draw.Head, _ made) (any, error) {
		configuration, err := json.Marshal(e.Rules.QueuePolicy())
		rule := c.beacon.NewRule(e.OnSaleAt)
		rule.WaitSeconds = cmp.Or(int64(c.opts.Wait/time.Second), rule.WaitSeconds)
		rule.Tries = cmp.Or(c.opts.Tries, rule.Tries)
		return draw.Commitment{
			Head: h, OnSaleAt: e.OnSaleAt.UTC(), Secret: draw.HashSecret(secret), Configuration: configuration, Chain: c.beacon.Hash, Rule: rule,
		}, errors.Join(err, c.beacon.Check(rule, e.OnSaleAt))
	})
	return name, err
}

// CutOff publishes what the log holds: its parts, read behind a mark (store.Tally.Cut), and how many entries in it are in the lottery.
func (c *Ceremony) CutOff(ctx context.Context, e event.Event, roots []draw.ShardRoot, lottery int64) (draw.Digest, error) {
	_, name, err := c.step(ctx, e, draw.CutOffKind, nil, func(h draw.Head, m made) (any, error) {
		if _, there := m.byKind[draw.CommitmentKind]; !there {
			return nil, errors.New("ceremony: there is no commitment to cut off for")
		}
		return draw.NewCutOff(h, roots, uint64(max(lottery, 0))), nil
	})
	return name, err
}

// Reveal draws: it returns the seed and whether a beacon round is in it. done is false while a round is waited for, which
// this never does for longer than a second: ask again.
func (c *Ceremony) Reveal(ctx context.Context, e event.Event) (seed draw.Digest, verifiable, done bool, err error) {
	s, _, err := c.step(ctx, e, draw.RevealKind, nil, func(h draw.Head, m made) (any, error) { return c.reveal(ctx, h, m) })
	if errors.Is(err, errNotYet) {
		return draw.Digest{}, false, false, nil
	}
	var r draw.Reveal
	if err == nil {
		err = c.open(s, &r)
	}
	return r.Seed, r.Beacon != nil, err == nil, err
}

func (c *Ceremony) reveal(ctx context.Context, h draw.Head, m made) (any, error) {
	var commitment draw.Commitment
	var cut draw.CutOff
	if err := errors.Join(c.open(m.byKind[draw.CommitmentKind], &commitment), c.open(m.byKind[draw.CutOffKind], &cut)); err != nil {
		return nil, err
	}
	secret := m.byKind[draw.CommitmentKind].Secret
	if len(secret) != len(draw.Digest{}) {
		return nil, errors.New("ceremony: the commitment's secret is not there")
	}
	if cut.Lottery == 0 { // nothing is drawn
		return draw.NewReveal(h, commitment, cut, draw.Digest(secret), nil, nil)
	}
	round, skipped, err := c.round(ctx, h.At, commitment, cut)
	if err != nil {
		return nil, err
	}
	return draw.NewReveal(h, commitment, cut, draw.Digest(secret), round, skipped)
}

// round is the beacon round that counts; nil: none came in the time that the rule gives. errNotYet: wait. at is what the
// statement will say: asking takes up to a second, and nobody may read that a round was given up before its time.
func (c *Ceremony) round(ctx context.Context, at time.Time, commitment draw.Commitment, cut draw.CutOff) (*beacon.Round, []uint64, error) {
	if commitment.Chain != c.beacon.Hash {
		return nil, nil, fmt.Errorf("ceremony: the commitment names the beacon %s", commitment.Chain)
	}
	rounds := c.beacon.Rounds(commitment.Rule, cut.At)
	for i, number := range rounds {
		if c.opts.Now().Before(c.beacon.TimeOf(number)) {
			return nil, nil, errNotYet
		}
		if r := c.asks.get(ctx, number); r != nil {
			return r, rounds[:i], nil
		}
		if at.Before(c.beacon.GivenUpAt(commitment.Rule, number)) {
			return nil, nil, errNotYet
		}
	}
	c.log.Error("draw: no beacon round came in the time that the rule gives: this draw is not publicly verifiable", "event", cut.Event, "rounds", rounds)
	return nil, rounds, nil
}

// Reset ends an epoch. It stays in the record for ever.
func (c *Ceremony) Reset(ctx context.Context, e event.Event, reason string) error {
	_, _, err := c.step(ctx, e, draw.ResetKind, nil, func(h draw.Head, m made) (any, error) {
		if len(m.book.Statements) == 0 {
			return nil, errors.New("ceremony: there is nothing to reset")
		}
		return draw.Reset{Head: h, Reason: reason}, nil
	})
	return err
}

// Ended says whether a statement has ended an epoch, why and when.
func (c *Ceremony) Ended(ctx context.Context, e event.Event) (reason string, at time.Time, ended bool, err error) {
	m, err := c.read(ctx, e.ID, e.Epoch)
	if err != nil {
		return "", at, false, err
	}
	s, ended := m.byKind[draw.ResetKind]
	if !ended {
		return "", at, false, nil
	}
	var r draw.Reset
	err = c.open(s, &r)
	return r.Reason, r.At, err == nil, err
}
