package token

import (
	"bytes"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"testing"
	"time"

	"github.com/golang-jwt/jwt/v5"

	"plateia/core/account"
	"plateia/core/id"
)

// clock is a hand-turned clock.
type clock struct{ t time.Time }

func (c *clock) now() time.Time { return c.t }

func newClock() *clock { return &clock{time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)} }

func seed(b byte) []byte { return bytes.Repeat([]byte{b}, 32) }

func newAuthority(t testing.TB, c *clock, current byte, others ...byte) *Authority {
	t.Helper()
	opts := Options{Current: seed(current), PseudonymKey: seed(200), Now: c.now}
	for _, o := range others {
		opts.Others = append(opts.Others, seed(o))
	}
	a, err := New(opts)
	if err != nil {
		t.Fatal(err)
	}
	return a
}

// mintAll returns one token of each kind, by kind: the same ones for the same keys and clock.
func mintAll(t testing.TB, a *Authority) map[kind]string {
	t.Helper()
	who, event := id.ID{1}, id.ID{2}
	session, _, err1 := a.MintSession(who)
	ticket, _, err2 := a.MintTicket(account.QueueTicket{
		Event: event, Epoch: 3, Pseudonym: a.Pseudonym(who, event), Class: account.Lottery, Tier: 1,
		EnteredAt: a.opts.Now(), KeyThumb: "thumb",
	})
	access, _, err3 := a.MintAccess(account.Access{Event: event, Account: who, Session: id.ID{3}, KeyThumb: "thumb"})
	if err1 != nil || err2 != nil || err3 != nil {
		t.Fatal(err1, err2, err3)
	}
	return map[kind]string{sessionKind: session, ticketKind: ticket, accessKind: access}
}

// verifyAs verifies a token as one kind.
func verifyAs(a *Authority, k kind, token string) (err error) {
	switch k {
	case sessionKind:
		_, err = a.Session(token)
	case ticketKind:
		_, err = a.Ticket(token)
	case accessKind:
		_, err = a.Access(token)
	}
	return err
}

// device is a browser's key pair.
type device struct{ *ecdsa.PrivateKey }

func newDevice(t testing.TB) device {
	t.Helper()
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	return device{key}
}

func (d device) jwk(t testing.TB) map[string]any {
	t.Helper()
	point, err := d.PublicKey.Bytes()
	if err != nil {
		t.Fatal(err)
	}
	return map[string]any{"kty": "EC", "crv": "P-256", "x": b64.EncodeToString(point[1:33]), "y": b64.EncodeToString(point[33:])}
}

// proof makes a DPoP proof; change may spoil header and claims first.
func (d device) proof(t testing.TB, at time.Time, method, url string, change func(header, claims map[string]any)) string {
	t.Helper()
	c := jwt.MapClaims{"jti": id.New().String(), "htm": method, "htu": url, "iat": at.Unix()}
	p := jwt.NewWithClaims(jwt.SigningMethodES256, c)
	p.Header["typ"] = "dpop+jwt"
	p.Header["jwk"] = d.jwk(t)
	if change != nil {
		change(p.Header, c)
	}
	out, err := p.SignedString(d.PrivateKey)
	if err != nil {
		t.Fatal(err)
	}
	return out
}
