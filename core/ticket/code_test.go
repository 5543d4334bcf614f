package ticket

import (
	"bytes"
	"crypto/ed25519"
	"errors"
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"

	"plateia/core/id"
	"plateia/core/seatmap"
)

func testSigner(seed byte) *Signer {
	return NewSigner(ed25519.NewKeyFromSeed(bytes.Repeat([]byte{seed}, ed25519.SeedSize)))
}

func sample() Ticket {
	return Ticket{
		ID: id.ID{1, 2, 3}, Event: id.ID{9, 8, 7}, Order: id.ID{4}, Account: id.ID{5},
		Ordinal: 41_234, State: Valid, IssuedAt: time.Date(2026, 5, 1, 12, 0, 0, 0, time.UTC),
	}
}

func TestSignAndVerify(t *testing.T) {
	s := testSigner(1)
	code := s.Sign(sample())
	if len(code) != 181 {
		t.Errorf("a code is %d characters, want 181 (QR version 8 at level M)", len(code))
	}
	got, err := NewKeySet(testSigner(2).Public(), s.Public()).Verify(code)
	if err != nil {
		t.Fatal(err)
	}
	want := Claims{Key: s.KeyID(), Ticket: sample().ID, Event: sample().Event, Ordinal: 41_234, IssuedAt: sample().IssuedAt}
	if got != want {
		t.Errorf("claims = %+v, want %+v", got, want)
	}
	if code != s.Sign(sample()) {
		t.Error("signing is not deterministic")
	}
}

func TestCodeSaysNothingAboutTheFan(t *testing.T) {
	s := testSigner(1)
	other := sample()
	other.Account, other.Order = id.ID{99}, id.ID{98}
	if s.Sign(sample()) != s.Sign(other) {
		t.Error("account or order leaks into the code")
	}
}

func TestRefusals(t *testing.T) {
	s := testSigner(1)
	keys := NewKeySet(s.Public())
	code := s.Sign(sample())
	cases := map[string]struct {
		code string
		want error
	}{
		"empty":          {"", ErrMalformed},
		"prefix only":    {codePrefix, ErrMalformed},
		"lower case":     {strings.ToLower(code), ErrMalformed},
		"cut":            {code[:len(code)-1], ErrMalformed},
		"longer":         {code + "0", ErrMalformed},
		"trailing space": {code + " ", ErrMalformed},
		"huge":           {codePrefix + strings.Repeat("A", 1<<20), ErrMalformed},
		"other key":      {testSigner(2).Sign(sample()), ErrUnknownKey},
		"range":          {codePrefix + strings.Repeat(":", encodedLen45(codeBytes)), ErrMalformed},
	}
	for name, c := range cases {
		if _, err := keys.Verify(c.code); !errors.Is(err, c.want) {
			t.Errorf("%s: %v, want %v", name, err, c.want)
		}
	}
}

// The key's name is not secret: a forger signs with their own key and writes ours.
func TestForgedWithOurKeyID(t *testing.T) {
	ours, theirs := testSigner(1), testSigner(2)
	theirs.kid = ours.kid
	if _, err := NewKeySet(ours.Public()).Verify(theirs.Sign(sample())); !errors.Is(err, ErrForged) {
		t.Errorf("got %v", err)
	}
}

func TestEveryFlippedByteIsRefused(t *testing.T) {
	s := testSigner(1)
	keys := NewKeySet(s.Public())
	code := s.Sign(sample())
	for i := range code {
		for b := range 256 {
			if byte(b) == code[i] {
				continue
			}
			flipped := []byte(code)
			flipped[i] = byte(b)
			if _, err := keys.Verify(string(flipped)); err == nil {
				t.Fatalf("byte %d changed from %q to %#x and the code still verifies", i, code[i], b)
			}
		}
	}
}

func TestEveryTicketVerifies(t *testing.T) {
	s := testSigner(3)
	keys := NewKeySet(s.Public())
	rapid.Check(t, func(t *rapid.T) {
		tk := Ticket{
			ID:       id.ID(rapid.SliceOfN(rapid.Byte(), 16, 16).Draw(t, "ticket")),
			Event:    id.ID(rapid.SliceOfN(rapid.Byte(), 16, 16).Draw(t, "event")),
			Ordinal:  seatmap.Ordinal(rapid.Int32Min(0).Draw(t, "ordinal")),
			IssuedAt: time.Unix(rapid.Int64Range(0, 1<<40).Draw(t, "at"), 0).UTC(),
		}
		c, err := keys.Verify(s.Sign(tk))
		if err != nil || c.Ticket != tk.ID || c.Event != tk.Event || c.Ordinal != tk.Ordinal || !c.IssuedAt.Equal(tk.IssuedAt) {
			t.Fatalf("%+v came back as %+v, %v", tk, c, err)
		}
	})
}

func TestBase45(t *testing.T) {
	for raw, want := range map[string]string{"AB": "BB8", "Hello!!": "%69 VD92EX0", "base-45": "UJCLQE7W581", "ietf!": "QED8WEX0"} {
		if got := encode45([]byte(raw)); got != want { // vectors of RFC 9285, sections 4.3 and 4.4
			t.Errorf("encode45(%q) = %q, want %q", raw, got, want)
		}
		if back, ok := decode45(want); !ok || string(back) != raw {
			t.Errorf("decode45(%q) = %q, %v", want, back, ok)
		}
	}
	for _, bad := range []string{"A", "GGW", "::", "AB\x00", "ab8"} { // GGW is 65,536: RFC 9285, section 4.2
		if raw, ok := decode45(bad); ok {
			t.Errorf("decode45(%q) = %x, want a refusal", bad, raw)
		}
	}
}

func FuzzVerify(f *testing.F) {
	s := testSigner(1)
	keys := NewKeySet(s.Public())
	good := s.Sign(sample())
	f.Add(good)
	f.Add("")
	f.Add(codePrefix + strings.Repeat("0", 176))
	f.Fuzz(func(t *testing.T, code string) {
		c, err := keys.Verify(code)
		if err == nil && code != good {
			t.Fatalf("accepted %q as %+v", code, c)
		}
	})
}

func FuzzBase45(f *testing.F) {
	f.Add("QED8WEX0")
	f.Add(":::")
	f.Fuzz(func(t *testing.T, text string) {
		if raw, ok := decode45(text); ok && encode45(raw) != text {
			t.Fatalf("%q decodes to %x, which is spelled %q", text, raw, encode45(raw))
		}
	})
}
