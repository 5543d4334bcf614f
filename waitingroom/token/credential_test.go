package token

import (
	"crypto/ed25519"
	"encoding/json"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/golang-jwt/jwt/v5"

	"plateia/core/account"
	"plateia/core/event"
	"plateia/core/fault"
	"plateia/core/id"
)

func TestRoundTrip(t *testing.T) {
	c := newClock()
	a := newAuthority(t, c, 1)
	who, ev, sid := id.New(), id.New(), id.New()

	token, minted, err := a.MintSession(who)
	if err != nil {
		t.Fatal(err)
	}
	if s, err := a.Session(token); err != nil || s != minted || s.Account != who || s.ExpiresAt.Sub(s.IssuedAt) != 90*24*time.Hour {
		t.Errorf("%+v %v", s, err)
	}
	token, x, err := a.MintAccess(account.Access{Event: ev, Account: who, Session: sid, Channel: 3, KeyThumb: "k"})
	if err != nil {
		t.Fatal(err)
	}
	if got, err := a.Access(token); err != nil || got != x || x.ExpiresAt.Sub(c.t) != 15*time.Minute {
		t.Errorf("%+v %v", got, err)
	}
	token, q, err := a.MintTicket(account.QueueTicket{
		Event: ev, Epoch: 2, Pseudonym: a.Pseudonym(who, ev), Class: account.Lottery, Tier: 3, EnteredAt: c.t.Add(700 * time.Millisecond), KeyThumb: "k",
	})
	if err != nil {
		t.Fatal(err)
	}
	if got, err := a.Ticket(token); err != nil || got != q || !q.EnteredAt.Equal(c.t) || q.Tier != 3 {
		t.Errorf("%+v %v", got, err)
	}
	if strings.Contains(payload(t, token), who.String()) {
		t.Error("a queue ticket names its account")
	}
	if len(token) > MaxSize/2 {
		t.Errorf("a queue ticket has %d bytes", len(token))
	}
}

func payload(t *testing.T, token string) string {
	t.Helper()
	raw, err := b64.DecodeString(strings.Split(token, ".")[1])
	if err != nil {
		t.Fatal(err)
	}
	return string(raw)
}

// One kind can never stand for another.
func TestKindsAreNotInterchangeable(t *testing.T) {
	a := newAuthority(t, newClock(), 1)
	for minted, token := range mintAll(t, a) {
		for _, k := range []kind{sessionKind, ticketKind, accessKind} {
			if err := verifyAs(a, k, token); (err == nil) != (k == minted) {
				t.Errorf("%s taken as %s: %v", minted, k, err)
			}
		}
	}
}

// Any changed, lost or added byte is refused, with one and the same text.
func TestEveryByteCounts(t *testing.T) {
	a := newAuthority(t, newClock(), 1)
	for k, token := range mintAll(t, a) {
		for i := range len(token) {
			for _, b := range []byte{token[i] ^ 1, token[i] ^ 0x20, 'A', '_', '.', '\n', '=', 0} {
				if b == token[i] {
					continue
				}
				spoiled := token[:i] + string(rune(b)) + token[i+1:]
				checkRefused(t, verifyAs(a, k, spoiled), "%s byte %d to %q", k, i, b)
			}
			checkRefused(t, verifyAs(a, k, token[:i]+token[i+1:]), "%s without byte %d", k, i)
			checkRefused(t, verifyAs(a, k, token[:i]+"\n"+token[i:]), "%s with a line break at %d", k, i)
		}
		checkRefused(t, verifyAs(a, k, token+"="), "%s padded", k)
		checkRefused(t, verifyAs(a, k, token+strings.Repeat("A", MaxSize)), "%s over-long", k)
	}
	checkRefused(t, verifyAs(a, sessionKind, ""), "nothing")
}

func checkRefused(t *testing.T, err error, format string, args ...any) {
	t.Helper()
	if fault.CodeOf(err) != fault.Unauthenticated || fault.From(err).Text != "the credential is missing, not valid or has expired" {
		t.Fatalf("%s: %v", fmt.Sprintf(format, args...), err)
	}
}

func TestPinnedHeaderAndClaims(t *testing.T) {
	c := newClock()
	a := newAuthority(t, c, 1)
	private := ed25519.NewKeyFromSeed(seed(1))
	good := func() (jwt.MapClaims, map[string]any) {
		return jwt.MapClaims{"iss": "plateia", "aud": "plateia/account", "sub": id.New().String(), "iat": c.t.Unix(), "exp": c.t.Add(time.Hour).Unix()},
			map[string]any{"alg": "EdDSA", "typ": "account+jwt", "kid": a.kid}
	}
	sign := func(method jwt.SigningMethod, key any, change func(jwt.MapClaims, map[string]any)) string {
		claims, header := good()
		change(claims, header)
		token := jwt.NewWithClaims(method, claims)
		token.Header = header
		out, err := token.SignedString(key)
		if err != nil {
			t.Fatal(err)
		}
		return out
	}
	if _, err := a.Session(sign(jwt.SigningMethodEdDSA, private, func(jwt.MapClaims, map[string]any) {})); err != nil {
		t.Fatalf("the unchanged one: %v", err)
	}
	for name, change := range map[string]func(jwt.MapClaims, map[string]any){
		"typ":           func(_ jwt.MapClaims, h map[string]any) { h["typ"] = "JWT" },
		"no typ":        func(_ jwt.MapClaims, h map[string]any) { delete(h, "typ") },
		"kid":           func(_ jwt.MapClaims, h map[string]any) { h["kid"] = "other" },
		"no kid":        func(_ jwt.MapClaims, h map[string]any) { delete(h, "kid") },
		"kid not text":  func(_ jwt.MapClaims, h map[string]any) { h["kid"] = 7 },
		"crit":          func(_ jwt.MapClaims, h map[string]any) { h["crit"] = []string{"b64"} },
		"iss":           func(c jwt.MapClaims, _ map[string]any) { c["iss"] = "evil" },
		"no iss":        func(c jwt.MapClaims, _ map[string]any) { delete(c, "iss") },
		"aud":           func(c jwt.MapClaims, _ map[string]any) { c["aud"] = "plateia/access" },
		"two aud":       func(c jwt.MapClaims, _ map[string]any) { c["aud"] = []string{"plateia/account", "x"} },
		"no aud":        func(c jwt.MapClaims, _ map[string]any) { delete(c, "aud") },
		"no exp":        func(c jwt.MapClaims, _ map[string]any) { delete(c, "exp") },
		"expired":       func(m jwt.MapClaims, _ map[string]any) { m["exp"] = c.t.Add(-6 * time.Second).Unix() },
		"from tomorrow": func(m jwt.MapClaims, _ map[string]any) { m["iat"] = c.t.Add(24 * time.Hour).Unix() },
		"no iat":        func(c jwt.MapClaims, _ map[string]any) { delete(c, "iat") },
		"sub":           func(c jwt.MapClaims, _ map[string]any) { c["sub"] = "somebody" },
		"zero sub":      func(c jwt.MapClaims, _ map[string]any) { c["sub"] = id.ID{}.String() },
	} {
		_, err := a.Session(sign(jwt.SigningMethodEdDSA, private, change))
		checkRefused(t, err, "%s", name)
	}
	pub := private.Public().(ed25519.PublicKey)
	_, err := a.Session(sign(jwt.SigningMethodHS256, []byte(pub), func(_ jwt.MapClaims, h map[string]any) { h["alg"] = "HS256" }))
	checkRefused(t, err, "HS256 with the public key as secret")
	_, err = a.Session(sign(jwt.SigningMethodNone, jwt.UnsafeAllowNoneSignatureType, func(_ jwt.MapClaims, h map[string]any) { h["alg"] = "none" }))
	checkRefused(t, err, "alg none")
	_, err = a.Session(sign(jwt.SigningMethodEdDSA, ed25519.NewKeyFromSeed(seed(9)), func(jwt.MapClaims, map[string]any) {}))
	checkRefused(t, err, "another signer")
}

func TestTicketsThatSayNoPlaceAreRefused(t *testing.T) {
	a := newAuthority(t, newClock(), 1)
	for name, q := range map[string]account.QueueTicket{
		"no class":          {},
		"another class":     {Class: "vip"},
		"a tier too many":   {Class: account.Lottery, Tier: event.MaxTiers},
		"a tier below":      {Class: account.Late, Tier: -1},
		"a class of before": {Class: "fifo"},
	} {
		q.Event, q.Epoch, q.Pseudonym, q.EnteredAt, q.KeyThumb = id.New(), 1, "p", a.opts.Now(), "k"
		token, _, err := a.MintTicket(q)
		if err != nil {
			t.Fatal(err)
		}
		_, err = a.Ticket(token)
		checkRefused(t, err, "%s", name)
	}
}

func TestExpiry(t *testing.T) {
	c := newClock()
	a := newAuthority(t, c, 1)
	tokens := mintAll(t, a)
	c.t = c.t.Add(15*time.Minute + 6*time.Second)
	checkRefused(t, verifyAs(a, accessKind, tokens[accessKind]), "an access token after 15 minutes")
	if err := verifyAs(a, ticketKind, tokens[ticketKind]); err != nil {
		t.Errorf("the queue ticket outlives it: %v", err)
	}
	c.t = c.t.Add(90 * 24 * time.Hour)
	checkRefused(t, verifyAs(a, sessionKind, tokens[sessionKind]), "a session after 90 days")
}

// Rotation: the next key is known before it signs, the old one stays known while its tokens live.
func TestRotation(t *testing.T) {
	c := newClock()
	before, after, later := newAuthority(t, c, 1, 2), newAuthority(t, c, 2, 1, 3), newAuthority(t, c, 3, 2)
	old := mintAll(t, before)[sessionKind]
	next := mintAll(t, after)[sessionKind]
	for name, err := range map[string]error{"old by new": verifyAs(after, sessionKind, old), "new by old": verifyAs(before, sessionKind, next)} {
		if err != nil {
			t.Errorf("%s: %v", name, err)
		}
	}
	checkRefused(t, verifyAs(later, sessionKind, old), "a key that was given up")
	var set struct{ Keys []map[string]string }
	if err := json.Unmarshal(after.JWKS(), &set); err != nil || len(set.Keys) != 3 {
		t.Fatalf("%s %v", after.JWKS(), err)
	}
	for _, k := range set.Keys {
		if k["kty"] != "OKP" || k["crv"] != "Ed25519" || k["alg"] != "EdDSA" || k["use"] != "sig" || k["kid"] == "" || k["d"] != "" {
			t.Errorf("%v", k)
		}
	}
}

func TestPseudonymsDifferByEventAndAccount(t *testing.T) {
	a := newAuthority(t, newClock(), 1)
	x, y, e1, e2 := id.New(), id.New(), id.New(), id.New()
	first, again := a.Pseudonym(x, e1), a.Pseudonym(x, e1)
	if first != again || first == a.Pseudonym(x, e2) || first == a.Pseudonym(y, e1) {
		t.Error("pseudonyms must be stable per account and event, and different across them")
	}
}

func TestNewRefusesBadKeys(t *testing.T) {
	for name, o := range map[string]Options{
		"short seed":   {Current: seed(1)[:31], PseudonymKey: seed(2)},
		"no seed":      {PseudonymKey: seed(2)},
		"short secret": {Current: seed(1), PseudonymKey: seed(2)[:8]},
		"bad next":     {Current: seed(1), Others: [][]byte{{1}}, PseudonymKey: seed(2)},
	} {
		if _, err := New(o); err == nil {
			t.Errorf("%s accepted", name)
		}
	}
}

func FuzzVerify(f *testing.F) {
	a := newAuthority(f, newClock(), 1)
	minted := map[string]bool{}
	for _, token := range mintAll(f, a) {
		f.Add(token)
		minted[token] = true
	}
	f.Fuzz(func(t *testing.T, token string) {
		for _, k := range []kind{sessionKind, ticketKind, accessKind} {
			if err := verifyAs(a, k, token); err == nil && !minted[token] {
				t.Fatalf("accepted %q as %s", token, k)
			}
		}
	})
}

func BenchmarkSession(b *testing.B) {
	a := newAuthority(b, newClock(), 1)
	token := mintAll(b, a)[sessionKind]
	b.Run("mint", func(b *testing.B) {
		for b.Loop() {
			_, _, _ = a.MintSession(id.ID{1})
		}
	})
	b.Run("first", func(b *testing.B) {
		for b.Loop() {
			if _, err := a.verify(sessionKind, token); err != nil {
				b.Fatal(err)
			}
		}
	})
	b.Run("again", func(b *testing.B) {
		for b.Loop() {
			if _, err := a.Session(token); err != nil {
				b.Fatal(err)
			}
		}
	})
}
