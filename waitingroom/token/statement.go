package token

import (
	"crypto/ed25519"
	"encoding/json"
	"errors"
	"fmt"

	"github.com/golang-jwt/jwt/v5"
)

// Statement is a public document with its signature: a JWS in flattened JSON form
// (RFC 7515, 7.2.2). Unlike a credential it proves something about its author to
// everybody and opens nothing.
type Statement struct {
	Protected string `json:"protected"`
	Payload   string `json:"payload"`
	Signature string `json:"signature"`
}

// statementHeader has its members in the one order in which they are signed.
type statementHeader struct {
	Alg string `json:"alg"`
	Kid string `json:"kid"`
	Typ string `json:"typ"`
}

// Seal signs payload as a statement of a kind, such as "frontier+jws". Kinds are
// pinned by the reader, so one kind can never stand for another.
func (a *Authority) Seal(typ string, payload []byte) Statement {
	header, _ := json.Marshal(statementHeader{jwt.SigningMethodEdDSA.Alg(), a.kid, typ}) // three strings always marshal
	s := Statement{Protected: b64.EncodeToString(header), Payload: b64.EncodeToString(payload)}
	s.Signature = b64.EncodeToString(ed25519.Sign(a.private, s.Signed()))
	return s
}

// Signed is the bytes under the signature; hashing them names the statement.
func (s Statement) Signed() []byte { return []byte(s.Protected + "." + s.Payload) }

// Keys are public keys by kid.
type Keys map[string]ed25519.PublicKey

// Keys are the public keys whose statements and credentials are accepted.
func (a *Authority) Keys() Keys { return a.public }

// ParseJWKS reads a JSON Web Key Set. Every key must be Ed25519. A key counts when its kid is the one that follows from it, so that a
// kid in a document names one key for ever; others in the set are for other purposes, such as admission tickets, and are
// left out. It fails when none of the set's keys counts.
func ParseJWKS(set []byte) (Keys, error) {
	var parsed struct {
		Keys []jwk `json:"keys"`
	}
	if err := json.Unmarshal(set, &parsed); err != nil {
		return nil, fmt.Errorf("token: no JSON Web Key Set: %w", err)
	}
	keys := make(Keys, len(parsed.Keys))
	for _, k := range parsed.Keys {
		public, err := b64.DecodeString(k.X)
		if err != nil || k.Kty != "OKP" || k.Crv != "Ed25519" || k.D != "" || len(public) != ed25519.PublicKeySize {
			return nil, errors.New("token: the key set holds something else than Ed25519 public keys")
		}
		if k.Kid == KeyID(public) {
			keys[k.Kid] = public
		}
	}
	if len(keys) == 0 && len(parsed.Keys) > 0 {
		return nil, errors.New("token: none of the kids in the key set is its key's own")
	}
	return keys, nil
}

// Open verifies a statement of a kind and returns its payload and the kid that signed it.
// The error says what is wrong: statements are public, there is nothing to hide.
func (k Keys) Open(typ string, s Statement) (payload []byte, kid string, err error) {
	var header statementHeader
	text, err := b64.DecodeString(s.Protected)
	if err != nil || json.Unmarshal(text, &header) != nil {
		return nil, "", errors.New("the statement has no readable header")
	}
	if canonical, _ := json.Marshal(statementHeader{jwt.SigningMethodEdDSA.Alg(), header.Kid, typ}); string(canonical) != string(text) {
		return nil, "", fmt.Errorf("the header is not that of a %s", typ)
	}
	key, known := k[header.Kid]
	if !known {
		return nil, "", fmt.Errorf("kid %q is not known", header.Kid)
	}
	signature, err := b64.DecodeString(s.Signature)
	if err != nil || !ed25519.Verify(key, s.Signed(), signature) {
		return nil, "", errors.New("the signature is not good")
	}
	if payload, err = b64.DecodeString(s.Payload); err != nil {
		return nil, "", errors.New("the payload is not base64url")
	}
	return payload, header.Kid, nil
}
