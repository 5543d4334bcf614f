// Package vectors holds what every edge must answer, as files, and checks them against the code that runs.
package vectors

import (
	"crypto/sha256"
	"encoding/json"
	"flag"
	"os"
	"strings"
	"testing"
	"time"

	"plateia/core/fault"
	"plateia/core/id"
	"plateia/waitingroom/draw"
	"plateia/waitingroom/frontier"
	"plateia/waitingroom/mint"
	"plateia/waitingroom/token"
)

var update = flag.Bool("update", false, "write the vectors anew")

// instant is when everything was minted.
var instant = time.Date(2026, 12, 1, 12, 0, 0, 0, time.UTC)

type credentialFile struct {
	Issuer      string          `json:"issuer"`
	Keys        json.RawMessage `json:"keys"`
	Leeway      int             `json:"leewaySeconds"`
	MaxSize     int             `json:"maxSize"`
	Credentials []credential    `json:"credentials"`
	Mutated     []mutation      `json:"mutated"`
	Proofs      []proof         `json:"proofs"`
	Codes       codes           `json:"codes"`
}

type credential struct {
	Name   string          `json:"name"`
	Kind   string          `json:"kind"` // session, ticket or access
	Token  string          `json:"token"`
	Times  int             `json:"times,omitempty"` // the token is this text so many times; 0: once
	Now    int64           `json:"now"`             // Unix seconds
	Good   bool            `json:"good"`
	Claims json.RawMessage `json:"claims,omitempty"` // of a good one
}

func (c credential) text() string { return strings.Repeat(c.Token, max(c.Times, 1)) }

type mutation struct {
	Of   int    `json:"of"` // which of credentials
	From int    `json:"from"`
	To   int    `json:"to"`
	Put  string `json:"put"`
}

func (m mutation) apply(text string) string { return text[:m.From] + m.Put + text[m.To:] }

type proof struct {
	Name   string `json:"name"`
	Proof  string `json:"proof"`
	Method string `json:"method"`
	Path   string `json:"path"`
	Now    int64  `json:"now"`
	Replay bool   `json:"replay,omitempty"`
	Good   bool   `json:"good"`
	Thumb  string `json:"thumb,omitempty"` // of a good one
}

type codes struct {
	Secret string    `json:"secret"` // hex
	Event  id.ID     `json:"event"`
	Read   []codeOne `json:"read"`
}

type codeOne struct {
	Text string `json:"text"`
	Good bool   `json:"good"`
	Tier int    `json:"tier"`
	Name string `json:"name,omitempty"` // under which its use is kept
}

type claimFile struct {
	Keys     json.RawMessage `json:"keys"`
	Document token.Statement `json:"document"`
	Method   string          `json:"method"`
	Path     string          `json:"path"`
	Claims   []claim         `json:"claims"`
}

type claim struct {
	Name      string `json:"name"`
	Pseudonym string `json:"pseudonym"` // of the session's account, for the document's event
	Ticket    string `json:"ticket"`
	Proof     string `json:"proof"`
	Now       int64  `json:"now"`     // Unix milliseconds
	Refused   string `json:"refused"` // "unauthenticated": no credential; else the gate's word; "" lets the claim through to the origin
}

func TestCredentials(t *testing.T) {
	var f credentialFile
	load(t, "credentials.json", func() any { return makeCredentials(t) }, &f)
	keys, err := token.ParseJWKS(f.Keys)
	if err != nil || len(keys) != 2 {
		t.Fatalf("%d keys, %v", len(keys), err)
	}
	kinds := map[string]int{}
	for _, c := range f.Credentials {
		claims, err := verify(t, c.Kind, c.text(), time.Unix(c.Now, 0))
		if (err == nil) != c.Good || err != nil && fault.CodeOf(err) != fault.Unauthenticated {
			t.Errorf("%s %s: %v", c.Kind, c.Name, err)
		}
		if c.Good && string(claims) != compact(t, c.Claims) {
			t.Errorf("%s %s says %s, not %s", c.Kind, c.Name, claims, c.Claims)
		}
		kinds[c.Kind]++
	}
	if kinds["session"] < 15 || kinds["ticket"] < 15 || kinds["access"] < 15 {
		t.Errorf("too few: %v", kinds)
	}
	if len(f.Mutated) != 1000 {
		t.Errorf("%d mutated", len(f.Mutated))
	}
	for i, m := range f.Mutated {
		c := f.Credentials[m.Of]
		spoiled := m.apply(c.Token)
		if _, err := verify(t, c.Kind, spoiled, time.Unix(c.Now, 0)); !c.Good || spoiled == c.Token || fault.CodeOf(err) != fault.Unauthenticated {
			t.Errorf("mutation %d of %s: %v", i, c.Name, err)
		}
	}
	for _, p := range f.Proofs {
		checkProof(t, p)
	}
	checkCodes(t, f.Codes)
}

func checkProof(t *testing.T, p proof) {
	t.Helper()
	a := authority(t, time.Unix(p.Now, 0), 1, 2)
	thumb, err := a.Proof(p.Proof, p.Method, p.Path, "")
	if p.Replay {
		if err != nil {
			t.Errorf("proof %s: the first time: %v", p.Name, err)
		}
		thumb, err = a.Proof(p.Proof, p.Method, p.Path, "")
	}
	if (err == nil) != p.Good || err != nil && fault.CodeOf(err) != fault.Unauthenticated || p.Good && thumb != p.Thumb {
		t.Errorf("proof %s: %q %v", p.Name, thumb, err)
	}
}

func checkCodes(t *testing.T, f codes) {
	t.Helper()
	c := mint.NewCodes(bytesOf(t, f.Secret))
	for _, one := range f.Read {
		tier, name, ok := c.Read(f.Event, one.Text)
		if ok != one.Good || ok && (tier != one.Tier || name.String() != one.Name) {
			t.Errorf("code %q: %d %s %v", one.Text, tier, name, ok)
		}
	}
}

func TestClaims(t *testing.T) {
	var f claimFile
	load(t, "claims.json", func() any { return makeClaims(t) }, &f)
	keys, err := token.ParseJWKS(f.Keys)
	if err != nil {
		t.Fatal(err)
	}
	doc, err := frontier.Verify(keys, f.Document)
	if err != nil {
		t.Fatal(err)
	}
	words := map[string]bool{}
	for _, c := range f.Claims {
		if got := answer(t, f, doc, c); got != c.Refused {
			t.Errorf("%s: %q, want %q", c.Name, got, c.Refused)
		}
		words[c.Refused] = true
	}
	for _, want := range []string{"", "unauthenticated", string(frontier.Waiting), string(frontier.Missed), string(frontier.Restarted), string(frontier.Unknown), string(frontier.Foreign)} {
		if !words[want] {
			t.Errorf("no claim is answered %q", want)
		}
	}
}

// answer is what an edge says about a claim: credentials first, then the document.
func answer(t *testing.T, f claimFile, doc *frontier.Document, c claim) string {
	t.Helper()
	now := time.UnixMilli(c.Now)
	a := authority(t, now, 1, 2)
	ticket, err := a.Ticket(c.Ticket)
	if err != nil {
		return "unauthenticated"
	}
	thumb, err := a.Proof(c.Proof, f.Method, f.Path, "")
	if err != nil || thumb != ticket.KeyThumb || ticket.Event == doc.Event && ticket.Pseudonym != c.Pseudonym {
		return "unauthenticated"
	}
	rank := draw.NewRanker(*doc.Seed, ticket.Event, ticket.Epoch).Rank(ticket.Pseudonym)
	verdict := doc.Gate(frontier.Ticket{
		Event: ticket.Event, Epoch: ticket.Epoch, Class: ticket.Class, Tier: ticket.Tier, Second: ticket.EnteredAt.Unix(), Rank: rank,
	}, now)
	if verdict.State == frontier.MayClaim {
		return ""
	}
	return string(verdict.State)
}

// load reads a file of vectors, which make makes anew with -update.
func load(t *testing.T, name string, make func() any, into any) {
	t.Helper()
	if *update {
		text, err := json.MarshalIndent(make(), "", " ")
		if err == nil {
			err = os.WriteFile(name, append(text, '\n'), 0o600)
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	text, err := os.ReadFile(name)
	if err == nil {
		err = json.Unmarshal(text, into)
	}
	if err != nil {
		t.Fatal(err)
	}
}

func seedOf(name byte) []byte {
	sum := sha256.Sum256([]byte{name})
	return sum[:]
}

// authority verifies with the keys of these names; the first signs.
func authority(t *testing.T, now time.Time, current byte, others ...byte) *token.Authority {
	t.Helper()
	o := token.Options{Current: seedOf(current), PseudonymKey: seedOf(99), Now: func() time.Time { return now }}
	for _, other := range others {
		o.Others = append(o.Others, seedOf(other))
	}
	a, err := token.New(o)
	if err != nil {
		t.Fatal(err)
	}
	return a
}
