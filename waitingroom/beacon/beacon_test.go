package beacon

import (
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"encoding/json"
	"os"
	"testing"
	"time"
)

// recorded is a round of quicknet as drand answered it.
func recorded(t testing.TB) Round {
	t.Helper()
	text, err := os.ReadFile("testdata/quicknet-1000.json")
	if err != nil {
		t.Fatal(err)
	}
	var r Round
	if err := json.Unmarshal(text, &r); err != nil {
		t.Fatal(err)
	}
	return r
}

func TestARecordedRoundVerifies(t *testing.T) {
	if err := Quicknet().Verify(recorded(t)); err != nil {
		t.Fatal(err)
	}
}

func TestEveryBitOfTheSignatureCounts(t *testing.T) {
	chain, good := Quicknet(), recorded(t)
	signature, _ := hex.DecodeString(good.Signature)
	for bit := range len(signature) * 8 {
		forged := append([]byte(nil), signature...)
		forged[bit/8] ^= 1 << (bit % 8)
		sum := sha256.Sum256(forged) // the randomness fits, so only the signature can tell
		r := Round{good.Round, hex.EncodeToString(sum[:]), hex.EncodeToString(forged)}
		if chain.Verify(r) == nil {
			t.Errorf("bit %d changed and the signature is good", bit)
		}
	}
}

func TestRoundsThatAreRefused(t *testing.T) {
	chain, good := Quicknet(), recorded(t)
	for name, change := range map[string]func(*Round){
		"another round":      func(r *Round) { r.Round++ },
		"round zero":         func(r *Round) { r.Round = 0 },
		"another randomness": func(r *Round) { r.Randomness = "00" + r.Randomness[2:] },
		"no signature":       func(r *Round) { r.Signature = "" },
		"identity":           func(r *Round) { r.Signature = "c0" + hex.EncodeToString(make([]byte, 47)) },
		"not hex":            func(r *Round) { r.Signature = "zz" },
	} {
		r := good
		change(&r)
		if chain.Verify(r) == nil {
			t.Errorf("%s: accepted", name)
		}
	}
}

// The chain's name is the hash of what we pinned, so none of the constants can be wrong alone.
func TestTheChainsNameFollowsFromItsParameters(t *testing.T) {
	const seed = "f477d5c89f21a17c863a7f937c6a6d15859414d2be09cd448d4279af331c5d3e" // of the group that began it
	hash := sha256.New()
	chain := Quicknet()
	_ = binary.Write(hash, binary.BigEndian, uint32(chain.Period/time.Second))
	_ = binary.Write(hash, binary.BigEndian, chain.Genesis.Unix())
	for _, part := range []string{quicknetKey, seed} {
		raw, _ := hex.DecodeString(part)
		hash.Write(raw)
	}
	hash.Write([]byte("quicknet"))
	if got := hex.EncodeToString(hash.Sum(nil)); got != chain.Hash {
		t.Errorf("%s, pinned is %s", got, chain.Hash)
	}
}

func TestRoundsAndInstants(t *testing.T) {
	c := Quicknet()
	for round := uint64(1); round < 5; round++ {
		due := c.TimeOf(round)
		if c.FirstAt(due) != round || c.FirstAt(due.Add(1)) != round+1 || c.FirstAt(due.Add(-1)) != round {
			t.Errorf("round %d is not the first at %v", round, due)
		}
	}
	if c.FirstAt(time.Unix(0, 0)) != 1 {
		t.Error("before genesis the first round is 1")
	}
}
