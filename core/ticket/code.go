package ticket

import (
	"crypto/ed25519"
	"crypto/sha256"
	"encoding/base64"
	"encoding/binary"
	"errors"
	"strings"
	"time"

	"plateia/core/id"
	"plateia/core/seatmap"
)

// A ticket's code is what its QR shows: "PLT1." and, in base45 (RFC 9285, the
// QR alphanumeric alphabet, so that the picture stays small),
//
//	1 byte   version, 1
//	8 bytes  key id: the first bytes of the SHA-256 of the public key
//	16       ticket id
//	16       event id
//	4        ordinal, big endian
//	8        issued at, Unix seconds, big endian
//	64       Ed25519 signature of codeContext and the 53 bytes before
//
// 181 characters: QR version 8 at level M. Nothing in it says who the fan is.
const (
	codePrefix  = "PLT1."
	codeVersion = 1
	signedBytes = 1 + 8 + 16 + 16 + 4 + 8
	codeBytes   = signedBytes + ed25519.SignatureSize
)

// codeContext keeps a ticket's signature from standing for anything else the key may sign.
const codeContext = "plateia ticket code v1\x00"

// Refusals of Verify. A gate shows one of them; none says more to a forger.
var (
	ErrMalformed  = errors.New("ticket: not a ticket code")
	ErrUnknownKey = errors.New("ticket: signed with a key that is not ours")
	ErrForged     = errors.New("ticket: the signature does not match")
)

// KeyID names a ticket key inside codes.
type KeyID [8]byte

// KeyIDOf derives a key's name from the key itself, so that names cannot be confused.
func KeyIDOf(key ed25519.PublicKey) KeyID {
	sum := sha256.Sum256(key)
	return KeyID(sum[:8])
}

// String is the form used as "kid" in the published key set.
func (k KeyID) String() string { return base64.RawURLEncoding.EncodeToString(k[:]) }

// Claims is what a verified code says.
type Claims struct {
	Key      KeyID
	Ticket   id.ID
	Event    id.ID
	Ordinal  seatmap.Ordinal
	IssuedAt time.Time // whole seconds, UTC
}

// Signer issues codes.
type Signer struct {
	key ed25519.PrivateKey
	kid KeyID
}

// NewSigner returns a signer for an Ed25519 private key.
func NewSigner(key ed25519.PrivateKey) *Signer {
	return &Signer{key: key, kid: KeyIDOf(key.Public().(ed25519.PublicKey))}
}

// KeyID is the name of the signer's key.
func (s *Signer) KeyID() KeyID { return s.kid }

// Public is the key that verifies what the signer signs.
func (s *Signer) Public() ed25519.PublicKey { return s.key.Public().(ed25519.PublicKey) }

// Sign returns the code of a ticket. It is deterministic: a code is computed when
// it is shown and stored nowhere.
func (s *Signer) Sign(t Ticket) string {
	raw := make([]byte, 0, codeBytes)
	raw = append(raw, codeVersion)
	raw = append(raw, s.kid[:]...)
	raw = append(raw, t.ID[:]...)
	raw = append(raw, t.Event[:]...)
	raw = binary.BigEndian.AppendUint32(raw, uint32(t.Ordinal))
	raw = binary.BigEndian.AppendUint64(raw, uint64(t.IssuedAt.Unix()))
	raw = append(raw, ed25519.Sign(s.key, message(raw))...)
	return codePrefix + encode45(raw)
}

// KeySet is the public keys that codes may be signed with.
type KeySet map[KeyID]ed25519.PublicKey

// NewKeySet collects keys under their names.
func NewKeySet(keys ...ed25519.PublicKey) KeySet {
	set := make(KeySet, len(keys))
	for _, k := range keys {
		set[KeyIDOf(k)] = k
	}
	return set
}

// Verify reads a code and checks its signature. Every code has exactly one
// spelling: anything else, however close, is refused. That a ticket is still
// valid and not yet used is not in the code; the gate asks for that.
func (keys KeySet) Verify(code string) (Claims, error) {
	body, ok := strings.CutPrefix(code, codePrefix)
	if !ok || len(body) != encodedLen45(codeBytes) {
		return Claims{}, ErrMalformed
	}
	raw, ok := decode45(body)
	if !ok || raw[0] != codeVersion {
		return Claims{}, ErrMalformed
	}
	claims := parse(raw)
	key, ok := keys[claims.Key]
	if !ok {
		return Claims{}, ErrUnknownKey
	}
	if !ed25519.Verify(key, message(raw[:signedBytes]), raw[signedBytes:]) {
		return Claims{}, ErrForged
	}
	return claims, nil
}

func parse(raw []byte) Claims {
	return Claims{
		Key:      KeyID(raw[1:9]),
		Ticket:   id.ID(raw[9:25]),
		Event:    id.ID(raw[25:41]),
		Ordinal:  seatmap.Ordinal(binary.BigEndian.Uint32(raw[41:45])),
		IssuedAt: time.Unix(int64(binary.BigEndian.Uint64(raw[45:53])), 0).UTC(),
	}
}

func message(signed []byte) []byte { return append([]byte(codeContext), signed...) }
