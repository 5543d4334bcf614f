package token

import (
	"encoding/binary"
	"testing"
	"time"

	"plateia/core/account"
	"plateia/core/id"
)

// A remembered credential is refused when its time has passed, like any other.
func TestMemoryKeepsTime(t *testing.T) {
	c := newClock()
	a := newAuthority(t, c, 1)
	minted := mintAll(t, newAuthority(t, c, 1)) // by another process
	for k, token := range minted {
		for range 2 {
			if err := verifyAs(a, k, token); err != nil {
				t.Fatalf("%s: %v", k, err)
			}
		}
	}
	token := minted[accessKind]
	first, err := a.Access(token)
	if err != nil {
		t.Fatal(err)
	}
	c.t = first.ExpiresAt.Add(4 * time.Second) // within the leeway
	if again, err := a.Access(token); err != nil || again != first {
		t.Errorf("%+v %v, want %+v", again, err, first)
	}
	c.t = first.ExpiresAt.Add(5 * time.Second)
	_, err = a.Access(token)
	checkRefused(t, err, "a remembered token whose time has passed")
}

// Nothing that was refused is remembered, and one kind is not remembered as another.
func TestMemoryHoldsOnlyTheGenuine(t *testing.T) {
	c := newClock()
	a := newAuthority(t, c, 1)
	for k, token := range mintAll(t, newAuthority(t, c, 1)) {
		for _, other := range []kind{sessionKind, ticketKind, accessKind} {
			for range 2 {
				if err := verifyAs(a, other, token); (err == nil) != (k == other) {
					t.Errorf("%s as %s: %v", k, other, err)
				}
			}
		}
	}
	for range 2 {
		checkRefused(t, verifyAs(a, sessionKind, "a.b.c"), "nonsense")
	}
	if n := len(a.sessions.young) + len(a.tickets.young) + len(a.accesses.young); n != 3 {
		t.Errorf("%d credentials are remembered, want the 3 that were genuine", n)
	}
}

// What the signer remembers at once is what anybody else finds out by verifying.
func TestMintedIsWhatWouldBeVerified(t *testing.T) {
	c := newClock()
	c.t = c.t.Add(123456 * time.Microsecond) // tokens carry whole seconds
	signer, other := newAuthority(t, c, 1), newAuthority(t, c, 1)
	minted := mintAll(t, signer)
	for k, same := range map[kind]bool{
		sessionKind: both(signer.Session, other.Session, minted[sessionKind]),
		ticketKind:  both(signer.Ticket, other.Ticket, minted[ticketKind]),
		accessKind:  both(signer.Access, other.Access, minted[accessKind]),
	} {
		if !same {
			t.Errorf("%s: the signer and another disagree", k)
		}
	}
	token, _, err := signer.MintSession(id.ID{})
	if err != nil {
		t.Fatal(err)
	}
	checkRefused(t, verifyAs(signer, sessionKind, token), "nobody's session, by its signer")
}

func both[T comparable](one, other func(string) (T, error), token string) bool {
	a, errA := one(token)
	b, errB := other(token)
	return a == b && errA == nil && errB == nil
}

func TestMemoryIsBounded(t *testing.T) {
	var m memory[account.Access]
	key := func(n int) (k [32]byte) { binary.BigEndian.PutUint64(k[:], uint64(n)); return k }
	now := time.Now()
	for n := range 5*memoryRoom + 7 {
		m.keep(key(n), account.Access{}, now.Add(time.Minute))
		if _, ok := m.find(key(0), now); !ok { // used all the time
			t.Fatalf("forgotten after %d others", n)
		}
	}
	if kept := len(m.young) + len(m.old); kept > 2*memoryRoom {
		t.Errorf("%d are kept", kept)
	}
	if _, ok := m.find(key(1), now); ok {
		t.Error("one that nobody used is still there")
	}
}
