package token

import (
	"strings"
	"testing"
)

func TestAStatementIsVerifiedByItsPublicKeyAlone(t *testing.T) {
	a := newAuthority(t, newClock(), 1, 2)
	s := a.Seal("frontier+jws", []byte(`{"version":7}`))
	keys, err := ParseJWKS(a.JWKS())
	if err != nil {
		t.Fatal(err)
	}
	payload, kid, err := keys.Open("frontier+jws", s)
	if err != nil || string(payload) != `{"version":7}` || kid != a.kid {
		t.Fatalf("%s %s %v", payload, kid, err)
	}
	if _, _, err := keys.Open("draw-reveal+jws", s); err == nil {
		t.Error("one kind of statement stands for another")
	}
	if _, _, err := newAuthority(t, newClock(), 9).Keys().Open("frontier+jws", s); err == nil {
		t.Error("an unknown key is believed")
	}
}

func TestEveryChangedByteOfAStatementIsRefused(t *testing.T) {
	a := newAuthority(t, newClock(), 1)
	s := a.Seal("frontier+jws", []byte(`{"version":7}`))
	for name, field := range map[string]*string{"protected": &s.Protected, "payload": &s.Payload, "signature": &s.Signature} {
		good := *field
		for i := range len(good) {
			other := "A"
			if good[i] == 'A' {
				other = "B"
			}
			*field = good[:i] + other + good[i+1:]
			if _, _, err := a.Keys().Open("frontier+jws", s); err == nil {
				t.Errorf("%s: byte %d changed and nobody saw it", name, i)
			}
		}
		*field = good
	}
	if _, _, err := a.Keys().Open("frontier+jws", s); err != nil {
		t.Fatal("the test has broken the statement: ", err)
	}
}

func TestKeySetsThatAreRefused(t *testing.T) {
	good := string(newAuthority(t, newClock(), 1).JWKS())
	for name, set := range map[string]string{
		"no JSON":       "keys",
		"another curve": strings.Replace(good, "Ed25519", "Ed448", 1),
		"another kid":   strings.Replace(good, `"kid":"`, `"kid":"x`, 1),
		"a short key":   strings.Replace(good, `"x":"`, `"x":"AAAA","ignored":"`, 1),
	} {
		if _, err := ParseJWKS([]byte(set)); err == nil {
			t.Errorf("%s: accepted", name)
		}
	}
}

// The set that an installation publishes also has the key of admission tickets, which is named in another way and opens nothing here.
func TestKeysOfOtherPurposesAreLeftOut(t *testing.T) {
	ours, theirs := newAuthority(t, newClock(), 1), newAuthority(t, newClock(), 2)
	other := strings.Replace(strings.TrimSuffix(strings.TrimPrefix(string(theirs.JWKS()), `{"keys":[`), "]}"), `"kid":"`, `"kid":"x`, 1)
	keys, err := ParseJWKS([]byte(strings.Replace(string(ours.JWKS()), "]}", ","+other+"]}", 1)))
	if err != nil || len(keys) != 1 {
		t.Fatalf("%d keys, %v", len(keys), err)
	}
	if _, _, err := keys.Open("x", ours.Seal("x", []byte("{}"))); err != nil {
		t.Error(err)
	}
	if _, _, err := keys.Open("x", theirs.Seal("x", []byte("{}"))); err == nil {
		t.Error("a statement by the other key is believed")
	}
}
