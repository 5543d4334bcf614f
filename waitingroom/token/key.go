package token

import (
	"crypto/ed25519"
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
)

var b64 = base64.RawURLEncoding.Strict()

// jwk is a public key (RFC 7517): Ed25519 (RFC 8037) or P-256 (RFC 7518).
type jwk struct {
	Kty string `json:"kty"`
	Crv string `json:"crv"`
	X   string `json:"x"`
	Y   string `json:"y,omitempty"`
	D   string `json:"d,omitempty"` // a private key; refused wherever it is seen
	Kid string `json:"kid,omitempty"`
	Alg string `json:"alg,omitempty"`
	Use string `json:"use,omitempty"`
}

// thumbprint is the key's name for ever (RFC 7638): SHA-256 over its required
// members in alphabetical order.
func (k jwk) thumbprint() string {
	required := map[string]string{"crv": k.Crv, "kty": k.Kty, "x": k.X}
	if k.Kty == "EC" {
		required["y"] = k.Y
	}
	canonical, _ := json.Marshal(required) // maps marshal in key order, without spaces
	sum := sha256.Sum256(canonical)
	return b64.EncodeToString(sum[:])
}

func publicJWK(pub ed25519.PublicKey) jwk {
	return jwk{Kty: "OKP", Crv: "Ed25519", X: b64.EncodeToString(pub)}
}

// KeyID is the kid under which a public key is published and named in tokens.
func KeyID(pub ed25519.PublicKey) string { return publicJWK(pub).thumbprint()[:16] }
