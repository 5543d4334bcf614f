package main

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"testing"
	"time"

	"plateia/core/id"
	"plateia/waitingroom/audit"
	"plateia/waitingroom/beacon"
	"plateia/waitingroom/draw"
	"plateia/waitingroom/frontier"
	"plateia/waitingroom/token"
)

// Enough for every tier to be let in over many documents; each forgery below makes and audits a sale of its own.
const (
	lotteryFans = 600
	documents   = 24
)

// publicSale is a sale with one reset and one draw, made by the code that makes real ones
// around a recorded round of the beacon, so that tests can change anything before it is signed.
type publicSale struct {
	t         *testing.T
	operator  *token.Authority
	book      draw.Book
	round     beacon.Round
	onSale    time.Time
	secret    draw.Digest
	entries   []draw.Entry
	frontiers []token.Statement
	admitted  []audit.Admission

	commitment draw.Commitment
	cut        draw.CutOff
	reveal     draw.Reveal

	// What a dishonest operator changes before signing.
	beforeCut, afterCut func(*publicSale)
	changeReveal        func(*draw.Reveal)
	changeDocument      func(version uint64, d *frontier.Document)
}

func newPublicSale(t *testing.T) *publicSale {
	t.Helper()
	text, err := os.ReadFile("waitingroom/beacon/testdata/quicknet-1000.json")
	if err != nil {
		t.Fatal(err)
	}
	s := &publicSale{t: t, secret: draw.Digest{42}}
	if err := json.Unmarshal(text, &s.round); err != nil {
		t.Fatal(err)
	}
	s.book.Event = id.ID{0xfe, 1}
	s.onSale = beacon.Quicknet().TimeOf(1000).Add(-20 * time.Second)
	if s.operator, err = token.New(token.Options{Current: make([]byte, 32), PseudonymKey: make([]byte, 32)}); err != nil {
		t.Fatal(err)
	}
	for i := range lotteryFans {
		tier := 0
		if i%4 == 0 {
			tier = 1
		}
		s.enter(i, s.onSale.Add(time.Duration(i-lotteryFans)*time.Second), tier)
	}
	return s
}

func (s *publicSale) enter(account int, at time.Time, tier int) {
	s.entries = append(s.entries, draw.Entry{
		Pseudonym: s.operator.Pseudonym(id.ID{byte(account >> 8), byte(account)}, s.book.Event), Class: draw.ClassAt(at, s.onSale),
		Tier: tier, EnteredAt: at.UnixMilli(), KeyThumb: fmt.Sprintf("key%d", account),
	})
}

func (s *publicSale) say(kind draw.Kind, epoch int64, at time.Time, make func(draw.Head) any) draw.Signed {
	s.t.Helper()
	signed, err := s.book.Append(s.operator, kind, epoch, at, make)
	if err != nil {
		s.t.Fatal(err)
	}
	return signed
}

// make holds the sale: epoch 1 is reset before its draw, epoch 2 is drawn and sold.
func (s *publicSale) make() audit.Record {
	s.t.Helper()
	chain := beacon.Quicknet()
	commit := func(head draw.Head, onSale time.Time) any {
		s.commitment = draw.Commitment{
			Head: head, OnSaleAt: onSale, Secret: draw.HashSecret(s.secret), Configuration: json.RawMessage(`{"window":600}`),
			Chain: chain.Hash, Rule: beacon.Rule{Round: 1000, WaitSeconds: 30, Tries: 3},
		}
		return s.commitment
	}
	early := s.onSale.Add(-time.Hour)
	s.say(draw.CommitmentKind, 1, early, func(h draw.Head) any { return commit(h, s.onSale.Add(-time.Minute)) })
	s.say(draw.ResetKind, 1, early.Add(time.Minute), func(h draw.Head) any { return draw.Reset{Head: h, Reason: "wrong venue"} })
	first := s.say(draw.CommitmentKind, 2, early.Add(2*time.Minute), func(h draw.Head) any { return commit(h, s.onSale) })
	interfere(s.beforeCut, s)
	var log draw.Log
	lottery := uint64(0)
	for _, e := range s.entries {
		log.Add(e)
		if e.Class == draw.Lottery {
			lottery++
		}
	}
	cut := s.say(draw.CutOffKind, 2, s.onSale.Add(time.Second), func(h draw.Head) any {
		s.cut = draw.NewCutOff(h, log.Roots(), lottery)
		return s.cut
	})
	interfere(s.afterCut, s)
	s.say(draw.RevealKind, 2, s.onSale.Add(25*time.Second), func(h draw.Head) any {
		reveal, err := draw.NewReveal(h, s.commitment, s.cut, s.secret, &s.round, nil)
		if err != nil {
			s.t.Fatal(err)
		}
		if s.changeReveal != nil {
			s.changeReveal(&reveal)
		}
		s.reveal = reveal
		return reveal
	})
	s.open(first.Name(), cut.Name())
	return audit.Record{
		Version: draw.Version, Event: s.book.Event, Keys: s.operator.JWKS(), Statements: s.book.Statements,
		Epochs: []audit.Epoch{{Epoch: 2, Entries: s.entries, Frontiers: s.frontiers, Admissions: s.admitted}},
	}
}

func interfere(f func(*publicSale), s *publicSale) {
	if f != nil {
		f(s)
	}
}

// open moves the frontier until everybody is behind it, and lets in whoever is.
func (s *publicSale) open(commitment, cut draw.Digest) {
	tiers := make([]int64, 2)
	for _, e := range s.entries[:s.cut.Count] {
		tiers[e.Tier]++
	}
	now := s.onSale.Add(30 * time.Second)
	d := &frontier.Document{
		Version: 1, Event: s.book.Event, Epoch: 2, Time: now.UnixMilli(), Phase: frontier.Open, OnSaleAt: s.onSale, Commitment: commitment,
		CutOff: cut, Seed: &s.reveal.Seed, Verifiable: true, ClaimWindow: 600, Line: frontier.Line{Tiers: tiers},
		Frontiers: frontier.Frontiers{Lottery: make([]draw.Rank, 2)},
	}
	ranker := draw.NewRanker(s.reveal.Seed, s.book.Event, 2)
	waiting := make([]frontier.Ticket, len(s.entries)) // of all who entered
	for i, e := range s.entries {
		waiting[i] = frontier.Ticket{Event: d.Event, Epoch: 2, Class: e.Class, Tier: e.Tier, Second: e.EnteredAt / 1000, Rank: ranker.Rank(e.Pseudonym)}
	}
	in := make([]bool, len(waiting))
	for range documents {
		now = now.Add(10 * time.Second)
		next, err := frontier.Next(d, now, func(d *frontier.Document) { d.Frontiers, _ = d.Line.Advance(d.Frontiers, 30) })
		if err != nil {
			s.t.Fatal(err)
		}
		d = next
		s.publish(*d)
		for i, t := range waiting {
			if !in[i] && d.Gate(t, now).State == frontier.MayClaim {
				in[i] = true
				s.admitted = append(s.admitted, audit.Admission{Pseudonym: s.entries[i].Pseudonym, Version: d.Version})
			}
		}
	}
}

func (s *publicSale) publish(d frontier.Document) {
	if s.changeDocument != nil {
		s.changeDocument(d.Version, &d)
	}
	signed, err := d.Sign(s.operator)
	if err != nil {
		s.t.Fatal(err)
	}
	s.frontiers = append(s.frontiers, signed)
}

// file writes anything as JSON and returns its name.
func file(t *testing.T, v any) string {
	t.Helper()
	text, err := json.Marshal(v)
	if err != nil {
		t.Fatal(err)
	}
	name := filepath.Join(t.TempDir(), "file.json")
	if err := os.WriteFile(name, text, 0o600); err != nil {
		t.Fatal(err)
	}
	return name
}
