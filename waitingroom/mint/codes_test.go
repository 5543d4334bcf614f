package mint

import (
	"math/rand/v2"
	"strings"
	"testing"

	"plateia/core/event"
	"plateia/core/id"
	"plateia/waitingroom/draw"
)

func TestACodeIsReadHoweverItIsTyped(t *testing.T) {
	c, ev := NewCodes(make([]byte, 32)), id.New()
	names := map[draw.Digest]bool{}
	for tier := range event.MaxTiers {
		for _, serial := range []uint32{0, 1, 77, 1 << 31, 1<<32 - 1} {
			code := c.Make(ev, tier, serial)
			if len(code) != 23 {
				t.Fatalf("%q", code)
			}
			typed := []string{code, strings.ToLower(code), strings.ReplaceAll(code, "-", ""), " " + strings.ReplaceAll(code, "-", " ") + " ",
				strings.ReplaceAll(code, "0", "O"), strings.ReplaceAll(strings.ToLower(code), "1", "l")}
			for _, text := range typed {
				got, name, ok := c.Read(ev, text)
				if !ok || got != tier {
					t.Errorf("%q of %q is read as %d, %v", text, code, got, ok)
				}
				names[name] = true
			}
		}
	}
	if len(names) != 5*event.MaxTiers {
		t.Errorf("%d names of %d codes", len(names), 5*event.MaxTiers)
	}
}

func TestNoOtherCodeIsAccepted(t *testing.T) {
	c, ev := NewCodes(make([]byte, 32)), id.New()
	code := c.Make(ev, 2, 1234)
	const alphabet = "0123456789ABCDEFGHJKMNPQRSTVWXYZ"
	for at := range code {
		for _, other := range alphabet {
			spoiled := code[:at] + string(other) + code[at+1:]
			if _, _, ok := c.Read(ev, spoiled); ok && spoiled != code && code[at] != '-' {
				t.Errorf("%s is accepted for %s", spoiled, code)
			}
		}
	}
	for _, text := range []string{"", "-", code + "0", code[:22], strings.Repeat("0", 20), strings.Repeat("Z", 1000), "Ünïcödé", code + code} {
		if _, _, ok := c.Read(ev, text); ok {
			t.Errorf("%q is accepted", text)
		}
	}
	if _, _, ok := c.Read(id.New(), code); ok {
		t.Error("it is accepted for another event")
	}
	key := make([]byte, 32)
	key[0] = 1
	if _, _, ok := NewCodes(key).Read(ev, code); ok {
		t.Error("it is accepted under another secret")
	}
	random := rand.New(rand.NewPCG(1, 2))
	for range 10_000 {
		text := make([]byte, 20)
		for i := range text {
			text[i] = alphabet[random.IntN(32)]
		}
		if _, _, ok := c.Read(ev, string(text)); ok {
			t.Fatalf("%s was guessed", text)
		}
	}
}
