package draw

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"

	"plateia/waitingroom/beacon"
)

// Labels keep hashes of different things apart.
const (
	seedLabel   = "plateia draw seed 1"
	secretLabel = "plateia draw secret 1"
)

// HashSecret is what is published of the operator's secret before the room opens.
func HashSecret(secret Digest) Digest {
	return sha256.Sum256(append([]byte(secretLabel), secret[:]...))
}

// Seed is SHA-256(label ‖ secret ‖ beacon randomness ‖ configuration hash ‖ log root). Without a
// beacon its randomness is 32 zero bytes, and the draw is not publicly verifiable.
func Seed(secret Digest, round *beacon.Round, configuration, root Digest) (Digest, error) {
	var randomness Digest
	if round != nil {
		raw, err := hex.DecodeString(round.Randomness)
		if err != nil || len(raw) != len(randomness) {
			return Digest{}, errors.New("draw: the round's randomness is not 32 bytes")
		}
		randomness = Digest(raw)
	}
	text := []byte(seedLabel)
	for _, part := range []Digest{secret, randomness, configuration, root} {
		text = append(text, part[:]...)
	}
	return sha256.Sum256(text), nil
}
