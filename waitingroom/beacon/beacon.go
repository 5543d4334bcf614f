// Package beacon reads drand, a public randomness beacon: a network of independent
// organizations that signs the number of each round together. Nobody can know a round's
// signature before it is due, and everybody can verify it afterwards.
//
// Invariants:
//   - The chain's key, period and genesis are pinned in the program. What a server says about
//     its chain is never asked, so a server can withhold a round but not invent one.
//   - A Round that came out of Client is verified.
package beacon

import (
	"crypto/sha256"
	"crypto/subtle"
	"encoding/binary"
	"encoding/hex"
	"errors"
	"fmt"
	"time"

	"github.com/cloudflare/circl/sign/bls"
)

// Chain is a drand chain with signatures on G1 and its key on G2 (scheme bls-unchained-g1-rfc9380).
type Chain struct {
	Hash    string // lower-case hex; names the chain in addresses
	Period  time.Duration
	Genesis time.Time // of round 1

	key *bls.PublicKey[bls.KeyG2SigG1]
}

// The quicknet chain of the League of Entropy.
const (
	quicknetHash    = "52db9ba70e0cc0f6eaf7803dd07447a1f5477735fd3f661792ba94600c84e971"
	quicknetGenesis = 1692803367
	quicknetKey     = "83cf0f2896adee7eb8b5f01fcad3912212c437e0073e911fb90022d3e760183c8c4b450b6a0a6c3ac6a5776a2d106451" +
		"0d1fec758c921cc22b0e17e63aaf4bcb5ed66304de9cf809bd274ca73bab4af5a6e9c76a4bc09e76eae8991ef5ece45a"
)

// Quicknet is drand's public chain with a round every three seconds.
func Quicknet() Chain {
	c, err := NewChain(quicknetHash, quicknetKey, 3*time.Second, time.Unix(quicknetGenesis, 0))
	if err != nil {
		panic(err) // the constants are tested
	}
	return c
}

// NewChain pins a chain. hash and key (96 bytes, compressed) are hex; period is in whole seconds.
func NewChain(hash, key string, period time.Duration, genesis time.Time) (Chain, error) {
	raw, err := hex.DecodeString(key)
	if err != nil {
		return Chain{}, fmt.Errorf("beacon: the chain's key is not hex: %w", err)
	}
	c := Chain{Hash: hash, Period: period, Genesis: genesis.UTC(), key: new(bls.PublicKey[bls.KeyG2SigG1])}
	if err := c.key.UnmarshalBinary(raw); err != nil || !c.key.Validate() {
		return Chain{}, errors.New("beacon: the chain's key is not a point of its group")
	}
	if period < time.Second || period%time.Second != 0 {
		return Chain{}, errors.New("beacon: the period is not in whole seconds")
	}
	return c, nil
}

// Round is one round as drand answers it; the two texts are lower-case hex.
type Round struct {
	Round      uint64 `json:"round"`
	Randomness string `json:"randomness"`
	Signature  string `json:"signature"`
}

// Verify checks a round's signature and that the randomness is its hash.
func (c Chain) Verify(r Round) error {
	signature, err := hex.DecodeString(r.Signature)
	if err != nil || r.Round == 0 {
		return errors.New("beacon: not a round")
	}
	var number [8]byte
	binary.BigEndian.PutUint64(number[:], r.Round)
	message := sha256.Sum256(number[:])
	if !bls.Verify(c.key, message[:], signature) {
		return fmt.Errorf("beacon: the signature of round %d is not the chain's", r.Round)
	}
	sum := sha256.Sum256(signature)
	if subtle.ConstantTimeCompare([]byte(hex.EncodeToString(sum[:])), []byte(r.Randomness)) != 1 {
		return fmt.Errorf("beacon: the randomness of round %d is not the hash of its signature", r.Round)
	}
	return nil
}

// TimeOf is the instant at which a round is due.
func (c Chain) TimeOf(round uint64) time.Time {
	return c.Genesis.Add(time.Duration(round-1) * c.Period)
}

// FirstAt is the first round that is due at or after t.
func (c Chain) FirstAt(t time.Time) uint64 {
	since := t.Sub(c.Genesis)
	if since <= 0 {
		return 1
	}
	return uint64((since+c.Period-1)/c.Period) + 1
}
