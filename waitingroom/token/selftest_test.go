package token

import (
	"crypto/ed25519"
	"strings"
	"testing"
)

// Case 19: a public key that does not belong to the key that signs is found before anybody is refused.
func TestASelfTestFindsAMispairedKey(t *testing.T) {
	c := newClock()
	a, other := newAuthority(t, c, 1, 2), newAuthority(t, c, 3)
	if err := a.SelfTest(a.JWKS()); err != nil {
		t.Fatalf("our own keys: %v", err)
	}
	both := newAuthority(t, c, 3, 1)
	if err := a.SelfTest(both.JWKS()); err != nil {
		t.Errorf("a set that has our key among others: %v", err)
	}
	mispaired := strings.Replace(string(a.JWKS()), publicJWK(a.public[a.kid]).X, publicJWK(other.public[other.kid]).X, 1)
	for name, set := range map[string]string{
		"another installation's":     string(other.JWKS()),
		"our kid over another's key": mispaired,
		"nothing":                    `{"keys":[]}`,
		"no JSON":                    "<html>",
	} {
		if err := a.SelfTest([]byte(set)); err == nil {
			t.Errorf("%s: passes", name)
		}
	}
	if passed, failed := a.SelfTests(); passed != 2 || failed != 4 {
		t.Errorf("counted %d and %d", passed, failed)
	}
}

// The memory of what was minted here would say yes to a credential whose key is wrong: the test must not ask it.
func TestASelfTestDoesNotRelyOnMemory(t *testing.T) {
	a := newAuthority(t, newClock(), 1)
	for head, own := range a.headers {
		own.key = make(ed25519.PublicKey, ed25519.PublicKeySize)
		a.headers[head] = own
	}
	if err := a.SelfTest(a.JWKS()); err == nil {
		t.Error("a process that would refuse every credential passes")
	}
}
