package token

import (
	"crypto/ecdsa"
	"time"

	"github.com/golang-jwt/jwt/v5"

	"plateia/core/id"
)

// Prove makes the DPoP proof (RFC 9449, ES256) of one request: what a fan's
// browser does. The key is on P-256; url is the request's without its query.
func Prove(key *ecdsa.PrivateKey, method, url string, now time.Time) (string, error) {
	point, err := key.PublicKey.Bytes() // 4, x, y (SEC 1, uncompressed)
	if err != nil {
		return "", err
	}
	t := jwt.NewWithClaims(jwt.SigningMethodES256, proofClaims{
		RegisteredClaims: jwt.RegisteredClaims{ID: id.New().String(), IssuedAt: jwt.NewNumericDate(now)},
		Method:           method, URL: url,
	})
	t.Header["typ"] = "dpop+jwt"
	t.Header["jwk"] = map[string]string{
		"kty": "EC", "crv": "P-256", "x": b64.EncodeToString(point[1:33]), "y": b64.EncodeToString(point[33:65]),
	}
	return t.SignedString(key)
}
