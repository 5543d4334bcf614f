package vectors

import (
	"bytes"
	"crypto/ecdsa"
	"crypto/ed25519"
	"crypto/elliptic"
	"crypto/rand"
	"encoding/hex"
	"encoding/json"
	"maps"
	mathrand "math/rand/v2"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/golang-jwt/jwt/v5"

	"plateia/core/account"
	"plateia/core/id"
	"plateia/waitingroom/draw"
	"plateia/waitingroom/frontier"
	"plateia/waitingroom/mint"
	"plateia/waitingroom/token"
)

var (
	theEvent = id.ID{0xe0, 1}
	ana      = id.ID{0xa0, 1}
)

// verify reads a credential as the servers do, and returns what it says as JSON.
func verify(t *testing.T, kind, text string, now time.Time) (claims json.RawMessage, err error) {
	t.Helper()
	a := authority(t, now, 1, 2)
	var said any
	switch kind {
	case "session":
		said, err = a.Session(text)
	case "ticket":
		said, err = a.Ticket(text)
	case "access":
		said, err = a.Access(text)
	}
	if err != nil {
		return nil, err
	}
	claims, err = json.Marshal(said)
	return claims, err
}

func compact(t *testing.T, text []byte) string {
	t.Helper()
	var out bytes.Buffer
	if err := json.Compact(&out, text); err != nil {
		t.Fatal(err)
	}
	return out.String()
}

func bytesOf(t *testing.T, text string) []byte {
	t.Helper()
	raw, err := hex.DecodeString(text)
	if err != nil {
		t.Fatal(err)
	}
	return raw
}

// good mints one credential of each kind.
func good(t *testing.T, a *token.Authority) map[string]string {
	t.Helper()
	session, _, err1 := a.MintSession(ana)
	ticket, _, err2 := a.MintTicket(account.QueueTicket{
		Event: theEvent, Epoch: 1, Pseudonym: a.Pseudonym(ana, theEvent), Class: account.Lottery, Tier: 1, EnteredAt: instant.Add(-time.Hour), KeyThumb: "thumb",
	})
	access, _, err3 := a.MintAccess(account.Access{Event: theEvent, Account: ana, Session: id.ID{0x51}, Channel: 2, KeyThumb: "thumb"})
	if err1 != nil || err2 != nil || err3 != nil {
		t.Fatal(err1, err2, err3)
	}
	return map[string]string{"session": session, "ticket": ticket, "access": access}
}

func makeCredentials(t *testing.T) credentialFile {
	f := credentialFile{Issuer: "plateia", Keys: authority(t, instant, 1, 2).JWKS(), Leeway: 5, MaxSize: token.MaxSize}
	kinds := []string{"session", "ticket", "access"}
	for _, kind := range kinds {
		f.Credentials = append(f.Credentials, entry(t, "as minted", kind, good(t, authority(t, instant, 1))[kind], instant))
	}
	for _, kind := range kinds {
		f.Credentials = append(f.Credentials, refusals(t, kind)...)
	}
	random := mathrand.New(mathrand.NewPCG(6, 6))
	for n := range 1000 {
		of := n % len(kinds)
		f.Mutated = append(f.Mutated, mutate(random, of, f.Credentials[of].Token))
	}
	f.Proofs = makeProofs(t)
	f.Codes = makeCodes()
	return f
}

func entry(t *testing.T, name, kind, text string, now time.Time) credential {
	c := credential{Name: name, Kind: kind, Token: text, Now: now.Unix()}
	claims, err := verify(t, kind, text, now)
	c.Good, c.Claims = err == nil, claims
	return c
}

// mutate changes, takes out or puts in a byte, or exchanges a stretch.
func mutate(random *mathrand.Rand, of int, text string) mutation {
	const letters = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_."
	for {
		from := random.IntN(len(text))
		m := mutation{Of: of, From: from, To: from + 1, Put: string(letters[random.IntN(len(letters))])}
		switch random.IntN(4) {
		case 0:
			m.Put = ""
		case 1:
			m.To = from
		case 2:
			m.To = min(len(text), from+1+random.IntN(20))
			m.Put = strings.ToUpper(text[from:m.To])
		}
		if m.apply(text) != text {
			return m
		}
	}
}

// refusals is every kind of refusal of one kind of credential.
func refusals(t *testing.T, kind string) (all []credential) {
	a := authority(t, instant, 1)
	text := good(t, a)[kind]
	head, rest, _ := strings.Cut(text, ".")
	payload, signature, _ := strings.Cut(rest, ".")
	add := func(name, spoiled string, now time.Time) {
		c := entry(t, name, kind, spoiled, now)
		if c.Good && !strings.HasPrefix(name, "good: ") {
			t.Fatalf("%s %s is accepted", kind, name)
		}
		all = append(all, c)
	}
	for _, other := range []string{"session", "ticket", "access"} {
		if other != kind {
			add("another kind: "+other, good(t, a)[other], instant)
		}
	}
	life := map[string]time.Duration{"session": 90 * 24 * time.Hour, "ticket": 24 * time.Hour, "access": 15 * time.Minute}[kind]
	add("good: in the last second", text, instant.Add(life-time.Second))
	add("expired", text, instant.Add(life+6*time.Second))
	add("from the future", good(t, authority(t, instant.Add(2*time.Hour), 1))["session"], instant)
	add("good: signed by the other key", good(t, authority(t, instant, 2))[kind], instant)
	add("signed by a key that is not known", good(t, authority(t, instant, 3))[kind], instant)
	add("truncated", text[:len(text)/2], instant)
	add("without its signature", head+"."+payload+".", instant)
	add("without a payload", head+".."+signature, instant)
	add("doubled", text+text, instant)
	add("padded", text+"=", instant)
	add("with a line break", text+"\n", instant)
	add("four parts", text+".x", instant)
	add("nothing", "", instant)
	all = append(all, credential{Name: "a megabyte", Kind: kind, Token: text, Times: 1<<20/len(text) + 1, Now: instant.Unix()})
	wrong := signedWrongly(t, payload, head)
	for _, name := range slices.Sorted(maps.Keys(wrong)) {
		add(name, wrong[name], instant)
	}
	return all
}

// signedWrongly are the same claims under other headers, some of them with our own key.
func signedWrongly(t *testing.T, payload, head string) map[string]string {
	var header map[string]any
	if raw, err := jwt.NewParser().DecodeSegment(head); err != nil || json.Unmarshal(raw, &header) != nil {
		t.Fatal(err)
	}
	var claims jwt.MapClaims
	if raw, err := jwt.NewParser().DecodeSegment(payload); err != nil || json.Unmarshal(raw, &claims) != nil {
		t.Fatal(err)
	}
	own := ed25519.NewKeyFromSeed(seedOf(1))
	sign := func(method jwt.SigningMethod, key any, change func(h, c map[string]any)) string {
		h, c := map[string]any{}, jwt.MapClaims{}
		for k, v := range header {
			h[k] = v
		}
		for k, v := range claims {
			c[k] = v
		}
		change(h, c)
		text := jwt.NewWithClaims(method, c)
		text.Header = h
		out, err := text.SignedString(key)
		if err != nil {
			t.Fatal(err)
		}
		return out
	}
	set := func(part int, name string, value any) func(h, c map[string]any) {
		return func(h, c map[string]any) { []map[string]any{h, c}[part][name] = value }
	}
	ed := jwt.SigningMethodEdDSA
	return map[string]string{
		"alg none":                   sign(jwt.SigningMethodNone, jwt.UnsafeAllowNoneSignatureType, set(0, "alg", "none")),
		"HS256 with the public key":  sign(jwt.SigningMethodHS256, []byte(own.Public().(ed25519.PublicKey)), set(0, "alg", "HS256")),
		"signed by somebody":         sign(ed, ed25519.NewKeyFromSeed(seedOf(7)), func(map[string]any, map[string]any) {}),
		"another typ":                sign(ed, own, set(0, "typ", "JWT")),
		"an unknown kid":             sign(ed, own, set(0, "kid", "AAAAAAAAAAAAAAAA")),
		"no kid":                     sign(ed, own, func(h, _ map[string]any) { delete(h, "kid") }),
		"crit":                       sign(ed, own, set(0, "crit", []string{"b64"})),
		"another issuer":             sign(ed, own, set(1, "iss", "elsewhere")),
		"another audience":           sign(ed, own, set(1, "aud", []string{"plateia/other"})),
		"two audiences":              sign(ed, own, set(1, "aud", []string{"plateia/account", "plateia/queue", "plateia/access"})),
		"no expiry":                  sign(ed, own, func(_, c map[string]any) { delete(c, "exp") }),
		"no time of issue":           sign(ed, own, func(_, c map[string]any) { delete(c, "iat") }),
		"no subject":                 sign(ed, own, func(_, c map[string]any) { delete(c, "sub") }),
		"from tomorrow":              sign(ed, own, set(1, "iat", instant.Add(24*time.Hour).Unix())),
		"claims that are not claims": sign(ed, own, set(1, "exp", "never")),
	}
}

// device is a key of a browser.
func device(t *testing.T) *ecdsa.PrivateKey {
	t.Helper()
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	return key
}

const claimPath = "/v1/queue/claim"

func makeProofs(t *testing.T) (all []proof) {
	key := device(t)
	text := func(url string, at time.Time) string {
		p, err := token.Prove(key, "POST", url, at)
		if err != nil {
			t.Fatal(err)
		}
		return p
	}
	const url = "https://tickets.example" + claimPath
	for _, p := range []proof{
		{Name: "as made", Good: true, Proof: text(url, instant)},
		{Name: "half a minute old", Good: true, Proof: text(url, instant.Add(-30*time.Second))},
		{Name: "two minutes old", Proof: text(url, instant.Add(-2*time.Minute))},
		{Name: "from the future", Proof: text(url, instant.Add(2*time.Minute))},
		{Name: "of another path", Proof: text("https://tickets.example/v1/holds", instant)},
		{Name: "of another method", Proof: text(url, instant), Method: "GET"},
		{Name: "shown again", Proof: text(url, instant), Replay: true},
		{Name: "not a proof", Proof: "x.y.z"},
		{Name: "a credential", Proof: good(t, authority(t, instant, 1))["session"]},
		{Name: "nothing"},
	} {
		if p.Method == "" {
			p.Method = "POST"
		}
		p.Path, p.Now = claimPath, instant.Unix()
		if p.Good {
			p.Thumb, _ = authority(t, instant, 1).Proof(p.Proof, p.Method, p.Path, "")
		}
		all = append(all, p)
	}
	return all
}

func makeCodes() codes {
	f := codes{Secret: hex.EncodeToString(seedOf(50)), Event: theEvent}
	c := mint.NewCodes(seedOf(50))
	for tier, serial := range []uint32{0, 1, 4_000_000_000} {
		text := c.Make(theEvent, tier, serial)
		for _, typed := range []string{text, strings.ToLower(text), strings.ReplaceAll(text, "-", " "), text[:len(text)-1], text + "0", "Z" + text[1:], c.Make(id.ID{9}, tier, serial)} {
			got, name, ok := c.Read(theEvent, typed)
			one := codeOne{Text: typed, Good: ok, Tier: got}
			if ok {
				one.Name = name.String()
			}
			f.Read = append(f.Read, one)
		}
	}
	return f
}

// makeClaims is an open line: its lottery's first tier is let in, half of the second, and the first quarter of the window has passed
// since most of them.
func makeClaims(t *testing.T) claimFile {
	a := authority(t, instant, 1, 2)
	seed := draw.Digest{4, 2}
	start := instant.Add(-20 * time.Minute)
	doc := &frontier.Document{Version: 1, Event: theEvent, Epoch: 2, Time: start.UnixMilli(), Phase: frontier.Open, OnSaleAt: start, Seed: &seed, ClaimWindow: 600,
		Line: frontier.Line{Tiers: []int64{1000, 1000}}, Frontiers: frontier.Frontiers{Lottery: make([]draw.Rank, 2)}}
	for _, step := range []struct {
		at    time.Duration
		share float64
	}{{time.Second, 0.25}, {19 * time.Minute, 0.5}} {
		next, err := frontier.Next(doc, start.Add(step.at), func(d *frontier.Document) {
			d.Frontiers.Lottery = []draw.Rank{draw.RankAt(step.share), 0}
			d.Frontiers.Late = frontier.LatePoint{}
		})
		if err != nil {
			t.Fatal(err)
		}
		doc = next
	}
	signed, err := doc.Sign(a)
	if err != nil {
		t.Fatal(err)
	}
	f := claimFile{Keys: a.JWKS(), Document: signed, Method: "POST", Path: claimPath}
	ranker := draw.NewRanker(seed, theEvent, 2)
	fan := func(low, high float64) string { // somebody with a lot between
		for n := 0; ; n++ {
			name := a.Pseudonym(id.ID{0xf0, byte(n >> 8), byte(n)}, theEvent)
			if share := ranker.Rank(name).Fraction(); share > low && share < high {
				return name
			}
		}
	}
	own := device(t)
	add := func(name, pseudonym string, change func(*account.QueueTicket, *claim, **ecdsa.PrivateKey)) {
		key, c := own, claim{Name: name, Pseudonym: pseudonym, Now: instant.UnixMilli()}
		ticket := account.QueueTicket{Event: theEvent, Epoch: 2, Pseudonym: pseudonym, Class: account.Lottery, EnteredAt: start.Add(-time.Hour), KeyThumb: thumbOf(t, own)}
		change(&ticket, &c, &key)
		var err1, err2 error
		if c.Ticket == "" {
			c.Ticket, _, err1 = a.MintTicket(ticket)
		}
		c.Proof, err2 = token.Prove(key, "POST", "https://tickets.example"+claimPath, time.UnixMilli(c.Now))
		if err1 != nil || err2 != nil {
			t.Fatal(err1, err2)
		}
		c.Refused = answer(t, f, doc, c)
		f.Claims = append(f.Claims, c)
	}
	type change = func(*account.QueueTicket, *claim, **ecdsa.PrivateKey)
	none := func(*account.QueueTicket, *claim, **ecdsa.PrivateKey) {}
	inTurn, missed, before := fan(0.26, 0.49), fan(0, 0.24), fan(0.51, 1)
	add("in its turn", inTurn, none)
	add("before its turn", before, none)
	add("after its window", missed, none)
	changes := map[string]change{
		"of another tier":                func(q *account.QueueTicket, _ *claim, _ **ecdsa.PrivateKey) { q.Tier = 1 },
		"of a tier that is not there":    func(q *account.QueueTicket, _ *claim, _ **ecdsa.PrivateKey) { q.Tier = 5 },
		"of the late class":              func(q *account.QueueTicket, _ *claim, _ **ecdsa.PrivateKey) { q.Class = account.Late },
		"of the epoch before":            func(q *account.QueueTicket, _ *claim, _ **ecdsa.PrivateKey) { q.Epoch = 1 },
		"of an epoch to come":            func(q *account.QueueTicket, _ *claim, _ **ecdsa.PrivateKey) { q.Epoch = 3 },
		"of another event":               func(q *account.QueueTicket, _ *claim, _ **ecdsa.PrivateKey) { q.Event = id.ID{0xe0, 2} },
		"with another device's key":      func(_ *account.QueueTicket, _ *claim, k **ecdsa.PrivateKey) { *k = device(t) },
		"with another account's session": func(_ *account.QueueTicket, c *claim, _ **ecdsa.PrivateKey) { c.Pseudonym = before },
		"with an account session as a ticket": func(_ *account.QueueTicket, c *claim, _ **ecdsa.PrivateKey) {
			c.Ticket = good(t, a)["session"]
		},
	}
	for _, name := range slices.Sorted(maps.Keys(changes)) {
		add(name, inTurn, changes[name])
	}
	// The edges of the window that the second step opened.
	opened := doc.History[len(doc.History)-1].Time
	for _, ms := range []int64{-1, 0, 599_999, 600_000, 600_001} {
		add("window edge", inTurn, func(_ *account.QueueTicket, c *claim, _ **ecdsa.PrivateKey) { c.Now = opened + ms })
	}
	return f
}

func thumbOf(t *testing.T, key *ecdsa.PrivateKey) string {
	t.Helper()
	p, err := token.Prove(key, "POST", "https://tickets.example/", instant)
	if err != nil {
		t.Fatal(err)
	}
	thumb, err := authority(t, instant, 1).Proof(p, "POST", "/", "")
	if err != nil {
		t.Fatal(err)
	}
	return thumb
}
