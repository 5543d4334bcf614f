package draw

import (
	"crypto/sha256"
	"encoding/json"
	"time"

	"plateia/core/id"
	"plateia/waitingroom/beacon"
	"plateia/waitingroom/token"
)

// Version is that of the statements and of the record.
const Version = 1

// Kind is the typ of a statement's signature.
type Kind string

// The kinds, in the order in which an epoch makes them.
const (
	CommitmentKind Kind = "draw-commitment+jws"
	CutOffKind     Kind = "draw-cutoff+jws"
	RevealKind     Kind = "draw-reveal+jws"
	ResetKind      Kind = "draw-reset+jws"
)

// Head is what every statement begins with. Previous is the Name of the statement before it in the
// event's chain, over all epochs; zero in the first.
type Head struct {
	Version  int       `json:"version"`
	Event    id.ID     `json:"event"`
	Epoch    int64     `json:"epoch"` // from 1
	Previous Digest    `json:"previous"`
	At       time.Time `json:"at"`
}

// Commitment is published before the room opens. Whoever has seen it will notice any other.
type Commitment struct {
	Head
	OnSaleAt      time.Time       `json:"onSaleAt"`      // entries before it are in the lottery; the log is cut off here
	Secret        Digest          `json:"secret"`        // HashSecret of the operator's secret
	Configuration json.RawMessage `json:"configuration"` // of the queue; its bytes are hashed as they stand
	Chain         string          `json:"chain"`         // of the beacon
	Rule          beacon.Rule     `json:"rule"`
}

// CutOff is published when the log of the lottery is complete, before the beacon round.
type CutOff struct {
	Head
	Count   uint64      `json:"count"`
	Lottery uint64      `json:"lottery"` // entries among them that take part in the draw
	Root    Digest      `json:"root"`
	Shards  []ShardRoot `json:"shards"`
}

// Reveal is published when the draw is done. Beacon is nil when no round came: then the draw is
// not publicly verifiable.
type Reveal struct {
	Head
	Secret  Digest        `json:"secret"`
	Beacon  *beacon.Round `json:"beacon"`
	Skipped []uint64      `json:"skipped,omitempty"` // rounds that did not come in time
	Seed    Digest        `json:"seed"`
}

// Reset ends an epoch. It stays in the record for ever, as does everything before it.
type Reset struct {
	Head
	Reason string `json:"reason"`
}

// Signed is one statement of an event's chain.
type Signed struct {
	Kind      Kind            `json:"kind"`
	Statement token.Statement `json:"statement"`
}

// Name is the statement's hash, by which the next one refers to it.
func (s Signed) Name() Digest { return sha256.Sum256(s.Statement.Signed()) }

// sealer is token.Authority.
type sealer interface {
	Seal(typ string, payload []byte) token.Statement
}

// Sign seals a statement: a Commitment, CutOff, Reveal or Reset.
func Sign(by sealer, kind Kind, statement any) (Signed, error) {
	payload, err := json.Marshal(statement)
	if err != nil {
		return Signed{}, err
	}
	return Signed{kind, by.Seal(string(kind), payload)}, nil
}

// NewCutOff is the statement about a log's parts, and how many entries in it are in the lottery. Count and root
// follow from the parts.
func NewCutOff(head Head, shards []ShardRoot, lottery uint64) CutOff {
	root, count := LogRoot(shards)
	return CutOff{Head: head, Count: count, Lottery: lottery, Root: root, Shards: shards}
}

// NewReveal draws: it computes the seed from what was committed and the beacon's round, which is
// nil when none came.
func NewReveal(head Head, c Commitment, cut CutOff, secret Digest, round *beacon.Round, skipped []uint64) (Reveal, error) {
	seed, err := Seed(secret, round, sha256.Sum256(c.Configuration), cut.Root)
	return Reveal{Head: head, Secret: secret, Beacon: round, Skipped: skipped, Seed: seed}, err
}

// Book is the chain of an event's statements as it grows.
type Book struct {
	Event      id.ID
	Statements []Signed
}

// Append signs the next statement: make puts the head that it is given into it.
func (b *Book) Append(by sealer, kind Kind, epoch int64, at time.Time, make func(Head) any) (Signed, error) {
	head := Head{Version: Version, Event: b.Event, Epoch: epoch, At: at.UTC()}
	if n := len(b.Statements); n > 0 {
		head.Previous = b.Statements[n-1].Name()
	}
	s, err := Sign(by, kind, make(head))
	if err == nil {
		b.Statements = append(b.Statements, s)
	}
	return s, err
}
