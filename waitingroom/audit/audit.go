package audit

import (
	"encoding/json"
	"errors"
	"fmt"

	"plateia/core/id"
	"plateia/waitingroom/beacon"
	"plateia/waitingroom/draw"
	"plateia/waitingroom/frontier"
	"plateia/waitingroom/token"
)

// Options are what the auditor knows from elsewhere.
type Options struct {
	Event   id.ID
	Chain   beacon.Chain      // the beacon that is believed
	Keys    token.Keys        // the operator's keys; nil: those that the record names
	Seen    []token.Statement // statements or frontier documents kept from an earlier day
	Account string            // a pseudonym whose rank is wanted
}

// Audit checks a record.
func Audit(record Record, o Options) Report {
	a := &auditor{Options: o, record: record, report: Report{Event: o.Event}}
	a.keys()
	a.statements()
	a.order()
	a.seen()
	for _, e := range a.epochs {
		a.epoch(e)
	}
	return a.report
}

type auditor struct {
	Options
	record Record
	report Report
	trust  token.Keys
	chain  []statement
	epochs []*epoch
}

// statement is one that was verified and read.
type statement struct {
	kind draw.Kind
	name draw.Digest
	head draw.Head
	body any
}

// epoch is what the statements say about one.
type epoch struct {
	number     int64
	commitment *draw.Commitment
	cut        *draw.CutOff
	reveal     *draw.Reveal
	reset      *draw.Reset
	names      map[draw.Kind]draw.Digest
	data       *Epoch
	ranks      map[string]ranked
	tiers      []int64 // entries of the lottery in each, once counted
	counted    bool
}

type ranked struct {
	entry draw.Entry
	rank  draw.Rank
}

func (a *auditor) keys() {
	var err error
	if a.record.Event != a.Event {
		err = fmt.Errorf("the record is of event %s", a.record.Event)
	}
	a.report.add(0, "event", err, "the record is of this event, version %d", a.record.Version)
	own, err := token.ParseJWKS(a.record.Keys)
	if a.Keys == nil {
		a.trust = own
		if err != nil {
			a.report.add(0, "keys", err, "")
			return
		}
		a.report.skip(0, "keys", "the keys are those that the record names; compare them with the operator's, or give --keys")
		return
	}
	a.trust = a.Keys
	a.report.add(0, "keys", nil, "%d keys of the operator", len(a.trust))
}

// statements verifies every signature and the chain of hashes.
func (a *auditor) statements() {
	var bad, broken error
	var previous draw.Digest
	for i, signed := range a.record.Statements {
		s, err := a.read(signed)
		if err != nil {
			bad = errors.Join(bad, fmt.Errorf("statement %d: %w", i+1, err))
			continue
		}
		if s.head.Previous != previous {
			broken = errors.Join(broken, fmt.Errorf("statement %d does not follow the one before it: something was taken out or changed", i+1))
		}
		previous = s.name
		a.chain = append(a.chain, s)
	}
	if len(a.record.Statements) == 0 {
		bad = errors.New("there are no statements")
	}
	a.report.add(0, "signatures", bad, "%d statements", len(a.chain))
	a.report.add(0, "chain", broken, "each statement names the one before it")
}

func (a *auditor) read(signed draw.Signed) (statement, error) {
	payload, _, err := a.trust.Open(string(signed.Kind), signed.Statement)
	if err != nil {
		return statement{}, err
	}
	s := statement{kind: signed.Kind, name: signed.Name()}
	switch signed.Kind {
	case draw.CommitmentKind:
		s.body = &draw.Commitment{}
	case draw.CutOffKind:
		s.body = &draw.CutOff{}
	case draw.RevealKind:
		s.body = &draw.Reveal{}
	case draw.ResetKind:
		s.body = &draw.Reset{}
	default:
		return statement{}, fmt.Errorf("no such kind: %q", signed.Kind)
	}
	if err := errors.Join(json.Unmarshal(payload, s.body), json.Unmarshal(payload, &s.head)); err != nil {
		return statement{}, err
	}
	if s.head.Version != draw.Version || s.head.Event != a.Event {
		return statement{}, errors.New("it is of another event or version")
	}
	return s, nil
}

// order checks that epochs follow each other, each with its statements once and in order.
func (a *auditor) order() {
	var err error
	last := draw.ResetKind
	for i, s := range a.chain {
		if follows[s.kind] != last && (s.kind != draw.ResetKind || last == draw.ResetKind) {
			err = errors.Join(err, fmt.Errorf("statement %d of epoch %d is a %s behind a %s: an epoch was drawn again, or left out", i+1, s.head.Epoch, s.kind, last))
		}
		if i > 0 && s.head.At.Before(a.chain[i-1].head.At) {
			err = errors.Join(err, fmt.Errorf("statement %d is older than the one before it", i+1))
		}
		last = s.kind
		if s.kind == draw.CommitmentKind {
			a.epochs = append(a.epochs, &epoch{number: s.head.Epoch, names: map[draw.Kind]draw.Digest{}})
		}
		if s.head.Epoch != int64(len(a.epochs)) {
			err = errors.Join(err, fmt.Errorf("statement %d is of epoch %d where %d is due", i+1, s.head.Epoch, max(len(a.epochs), 1)))
		}
		if len(a.epochs) > 0 {
			a.epochs[len(a.epochs)-1].take(s)
		}
	}
	for _, e := range a.epochs {
		for i := range a.record.Epochs {
			if a.record.Epochs[i].Epoch == e.number {
				e.data = &a.record.Epochs[i]
			}
		}
	}
	a.report.add(0, "epochs", err, "%d, none left out, each drawn at most once", len(a.epochs))
}

// follows says what comes directly before a kind; a reset may come behind all of them.
var follows = map[draw.Kind]draw.Kind{
	draw.CommitmentKind: draw.ResetKind, draw.CutOffKind: draw.CommitmentKind, draw.RevealKind: draw.CutOffKind, draw.ResetKind: draw.RevealKind,
}

func (e *epoch) take(s statement) {
	e.names[s.kind] = s.name
	switch body := s.body.(type) {
	case *draw.Commitment:
		e.commitment = body
	case *draw.CutOff:
		e.cut = body
	case *draw.Reveal:
		e.reveal = body
	case *draw.Reset:
		e.reset = body
	}
}

// seen looks for what the auditor has kept in what is shown today.
func (a *auditor) seen() {
	if len(a.Seen) == 0 {
		a.report.skip(0, "seen before", "nothing kept from before the draw was given (--seen)")
		return
	}
	known := map[draw.Digest]bool{}
	for _, s := range a.chain {
		known[s.name] = true
	}
	var err error
	for _, kept := range a.Seen {
		name := draw.Signed{Statement: kept}.Name()
		if d, bad := frontier.Verify(a.trust, kept); bad == nil {
			name = d.Commitment
		}
		if !known[name] {
			err = errors.Join(err, fmt.Errorf("%s was published once and is not in the record: an epoch was drawn again", name))
		}
	}
	a.report.add(0, "seen before", err, "%d documents kept from before agree with the record", len(a.Seen))
}
