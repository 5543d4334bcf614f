package token

import (
	"crypto/ed25519"
	"errors"
	"fmt"
	"strings"
	"sync/atomic"
	"time"

	"plateia/core/account"
	"plateia/core/id"
)

// selfTests counts how the tests of the keys ended.
type selfTests struct{ passed, failed atomic.Int64 }

// SelfTests are how many tests of the keys passed and failed so far.
func (a *Authority) SelfTests() (passed, failed int64) {
	return a.tests.passed.Load(), a.tests.failed.Load()
}

// SelfTest signs one credential of each kind and a statement, and reads them as the gates do who know nothing but the
// published key set. A key set that does not belong to the key that signs would refuse everybody without a word: it is
// to be found when an event is armed, not when its fans come. The memories of genuine credentials are not asked.
func (a *Authority) SelfTest(published []byte) error {
	err := a.selfTest(published)
	if err != nil {
		a.tests.failed.Add(1)
		return fmt.Errorf("token: the self-test of the keys failed: %w", err)
	}
	a.tests.passed.Add(1)
	return nil
}

func (a *Authority) selfTest(published []byte) error {
	keys, err := ParseJWKS(published)
	if err != nil {
		return err
	}
	for k, c := range a.samples() {
		token, err := a.sign(k, c)
		if err == nil {
			err = keys.credential(token, a.kid)
		}
		if err == nil {
			_, err = a.verify(k, token)
		}
		if err != nil {
			return fmt.Errorf("%s: %w", k, err)
		}
		last := token[len(token)-2:]
		if _, err := a.verify(k, strings.TrimSuffix(token, last)+flipped(last)); err == nil {
			return fmt.Errorf("%s: a changed signature is accepted", k)
		}
	}
	const typ = "selftest+jws"
	_, _, err = keys.Open(typ, a.Seal(typ, []byte("{}")))
	return err
}

// samples are claims of each kind, of nobody.
func (a *Authority) samples() map[kind]claims {
	now := a.opts.Now().UTC().Truncate(time.Second)
	who, key := id.ID{1}, &confirmation{"self-test"}
	until := now.Add(time.Minute)
	return map[kind]claims{
		sessionKind: {RegisteredClaims: registered(who.String(), now, until)},
		ticketKind:  {RegisteredClaims: registered(a.Pseudonym(who, who), now, until), Event: &who, Epoch: 1, Class: account.Late, Key: key},
		accessKind:  {RegisteredClaims: registered(who.String(), now, until), Event: &who, Session: &who, Key: key},
	}
}

// credential checks a credential's signature with the key that kid names.
func (k Keys) credential(token, kid string) error {
	key, known := k[kid]
	if !known {
		return fmt.Errorf("the published set lacks the key that signs, %s", kid)
	}
	at := strings.LastIndexByte(token, '.')
	signature, err := b64.DecodeString(token[at+1:])
	if err != nil || !ed25519.Verify(key, []byte(token[:at]), signature) {
		return errors.New("the published key does not verify what we sign")
	}
	return nil
}

// flipped is two other characters of base64url; the last of a signature may not carry all its bits, so both change.
func flipped(pair string) string {
	if pair[0] == 'A' {
		return "BA"
	}
	return "AA"
}
