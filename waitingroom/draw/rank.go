package draw

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"errors"
	"fmt"
	"hash"
	"math"
	"strconv"

	"plateia/core/id"
)

// Rank is a fan's lot, all values equally likely; lower is earlier. As text it is 16
// hex digits, whose order as text is their order as numbers, because JavaScript has no 64-bit numbers.
type Rank uint64

// LastRank is the highest there is.
const LastRank Rank = math.MaxUint64

// Fraction is the share of all ranks below r, in [0, 1].
func (r Rank) Fraction() float64 { return float64(r) / (1 << 64) }

// RankAt is the rank at a share of all ranks; below 0 and above 1 it is the first and the last.
func RankAt(share float64) Rank {
	switch {
	case !(share > 0):
		return 0
	case share >= 1:
		return LastRank
	}
	return Rank(share * (1 << 64))
}

func (r Rank) String() string { return fmt.Sprintf("%016x", uint64(r)) }

// MarshalText makes ranks JSON strings.
func (r Rank) MarshalText() ([]byte, error) { return []byte(r.String()), nil }

// UnmarshalText reads exactly what MarshalText wrote.
func (r *Rank) UnmarshalText(text []byte) error {
	v, err := strconv.ParseUint(string(text), 16, 64)
	if err != nil || Rank(v).String() != string(text) {
		return errors.New("draw: a rank is 16 lower-case hex digits")
	}
	*r = Rank(v)
	return nil
}

// Digest is a SHA-256 hash, or 32 bytes that stand for one; as text it is 64 hex digits.
type Digest [sha256.Size]byte

func (d Digest) String() string { return hex.EncodeToString(d[:]) }

// MarshalText makes digests JSON strings.
func (d Digest) MarshalText() ([]byte, error) { return []byte(d.String()), nil }

// UnmarshalText reads exactly what MarshalText wrote.
func (d *Digest) UnmarshalText(text []byte) error {
	var v Digest
	if len(text) != hex.EncodedLen(len(v)) {
		return errors.New("draw: a digest is 64 lower-case hex digits")
	}
	if _, err := hex.Decode(v[:], text); err != nil || v.String() != string(text) {
		return errors.New("draw: a digest is 64 lower-case hex digits")
	}
	*d = v
	return nil
}

// Ranker computes the ranks of one draw. It is not safe for concurrent use.
type Ranker struct {
	mac     hash.Hash
	message []byte // event|epoch|
	sum     [sha256.Size]byte
}

// NewRanker returns the ranker of a draw.
func NewRanker(seed Digest, event id.ID, epoch int64) *Ranker {
	message := append([]byte(event.String()), '|')
	message = append(strconv.AppendInt(message, epoch, 10), '|')
	return &Ranker{mac: hmac.New(sha256.New, seed[:]), message: message}
}

// Rank is the first 64 bits of HMAC-SHA256(seed, event|epoch|pseudonym). The message is text:
// the event's canonical id, the epoch in decimal and the pseudonym, with bars between.
func (r *Ranker) Rank(pseudonym string) Rank {
	r.mac.Reset()
	r.mac.Write(r.message)
	r.mac.Write([]byte(pseudonym))
	return Rank(binary.BigEndian.Uint64(r.mac.Sum(r.sum[:0])))
}
