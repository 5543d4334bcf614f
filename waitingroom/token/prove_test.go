package token

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"testing"
)

func TestProveIsAcceptedOnceForItsRequestOnly(t *testing.T) {
	c := newClock()
	a := newAuthority(t, c, 1)
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	proof, err := Prove(key, "POST", "https://tickets.example/v1/queue/claim", c.now())
	if err != nil {
		t.Fatal(err)
	}
	if _, err := a.Proof(proof, "POST", "/v1/queue", ""); err == nil {
		t.Error("accepted for another path")
	}
	if _, err := a.Proof(proof, "GET", "/v1/queue/claim", ""); err == nil {
		t.Error("accepted for another method")
	}
	if thumb, err := a.Proof(proof, "POST", "/v1/queue/claim", ""); err != nil || thumb == "" {
		t.Errorf("refused: %v", err)
	}
	if _, err := a.Proof(proof, "POST", "/v1/queue/claim", ""); err == nil {
		t.Error("accepted twice")
	}
}
