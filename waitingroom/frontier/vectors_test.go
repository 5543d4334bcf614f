package frontier

import (
	"bytes"
	"encoding/json"
	"flag"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"plateia/core/id"
	"plateia/waitingroom/beacon"
	"plateia/waitingroom/draw"
	"plateia/waitingroom/token"
)

var update = flag.Bool("update", false, "write the golden vectors anew")

// vectors are what every other program that reads a frontier document must make of it: the page does
// (web/src/room), and so does whatever stands at the edge.
type vectors struct {
	Keys      json.RawMessage  `json:"keys"` // JSON Web Key Set
	Shares    []shareVector    `json:"shares"`
	Tickets   []ticketVector   `json:"tickets"`
	Documents []documentVector `json:"documents"` // in the order of their versions
	Refused   []refusedVector  `json:"refused"`
	Polls     []pollVector     `json:"polls"`
	Draws     []drawVector     `json:"draws"`
}

// drawVector is the public chain of statements about draws, and whether everything in it fits together.
type drawVector struct {
	Name       string        `json:"name"`
	Statements []draw.Signed `json:"statements"`
	Good       bool          `json:"good"`
}

type shareVector struct {
	Rank  draw.Rank `json:"rank"`
	Share float64   `json:"share"` // of all ranks below it
}

type ticketVector struct {
	Name      string     `json:"name"`
	Event     id.ID      `json:"event"`
	Epoch     int64      `json:"epoch"`
	Pseudonym string     `json:"pseudonym"`
	Class     draw.Class `json:"class"`
	Tier      int        `json:"tier"`
	Second    int64      `json:"second"`
}

type documentVector struct {
	Name      string          `json:"name"`
	Statement token.Statement `json:"statement"`
	Tickets   []meaningVector `json:"tickets"` // in the order of vectors.Tickets
}

type meaningVector struct {
	Rank     *draw.Rank      `json:"rank"` // null before the draw
	Verdicts []verdictVector `json:"verdicts"`
	Place    *placeVector    `json:"place"` // null where none is known
}

type verdictVector struct {
	Now    int64 `json:"now"` // Unix milliseconds
	State  State `json:"state"`
	Lap    int   `json:"lap"`
	Own    bool  `json:"own"`
	LeftMS int64 `json:"leftMS"`
}

type placeVector struct {
	Ahead         float64 `json:"ahead"`
	StandardError float64 `json:"standardError"`
	Low           float64 `json:"low"` // seconds
	High          float64 `json:"high"`
}

type refusedVector struct {
	Name      string          `json:"name"`
	Statement token.Statement `json:"statement"`
}

type pollVector struct {
	Poll    Poll  `json:"poll"`
	WaitMS  int64 `json:"waitMS"`
	DelayMS int64 `json:"delayMS"`
}

func TestTheGoldenVectorsAreWhatThisPackageSays(t *testing.T) {
	got, err := json.MarshalIndent(makeVectors(t), "", " ")
	if err != nil {
		t.Fatal(err)
	}
	file := filepath.Join("testdata", "vectors.json")
	if *update {
		if err := os.WriteFile(file, append(got, '\n'), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	if !bytes.Equal(bytes.TrimSpace(want), got) {
		t.Error("testdata/vectors.json says something else; if that is meant: go test ./waitingroom/frontier -run Vectors -update")
	}
}

func makeVectors(t *testing.T) vectors {
	t.Helper()
	a := authority(t)
	v := vectors{Keys: json.RawMessage(a.JWKS()), Tickets: ticketVectors()}
	for _, r := range []draw.Rank{0, 1, 1 << 10, 1<<53 + 1, 1<<63 - 1, 1 << 63, 0x8123456789abcdef, draw.LastRank - 1, draw.LastRank} {
		v.Shares = append(v.Shares, shareVector{r, r.Fraction()})
	}
	for _, wait := range []time.Duration{0, time.Second, 50 * time.Second, 10 * time.Minute, 3 * time.Hour} {
		p := Poll{FloorMS: 2000, CeilingMS: 60_000, Divisor: 20}
		v.Polls = append(v.Polls, pollVector{p, wait.Milliseconds(), p.Delay(wait).Milliseconds()})
	}
	line := lifeOfALine(t)
	for _, d := range line {
		s, err := d.document.Sign(a)
		if err != nil {
			t.Fatal(err)
		}
		v.Documents = append(v.Documents, documentVector{d.name, s, meanings(d.document, v.Tickets)})
	}
	v.Refused = refusals(t, a, line[2].document)
	v.Draws = drawVectors(t, a)
	return v
}

func ticketVectors() []ticketVector {
	before, after := onSale.Unix()-60, onSale.Unix()
	return []ticketVector{
		{"lottery", testEvent, 1, "pseudonym-of-a", draw.Lottery, 0, before},
		{"lottery, another", testEvent, 1, "pseudonym_of_b", draw.Lottery, 0, before},
		{"lottery, second tier", testEvent, 1, "pseudonym-of-c", draw.Lottery, 1, before},
		{"late, at once", testEvent, 1, "pseudonym-of-d", draw.Late, 0, after},
		{"late, six seconds", testEvent, 1, "pseudonym-of-e", draw.Late, 0, after + 6},
		{"late, half a minute", testEvent, 1, "pseudonym-of-f", draw.Late, 0, after + 30},
		{"no such tier", testEvent, 1, "pseudonym-of-g", draw.Lottery, 7, before},
		{"another event", id.ID{9}, 1, "pseudonym-of-a", draw.Lottery, 0, before},
		{"the epoch to come", testEvent, 2, "pseudonym-of-a", draw.Lottery, 0, before},
	}
}

type named struct {
	name     string
	document *Document
}

// lifeOfALine is an on-sale from before the draw to the end, with a pause, a second chance and a restart.
func lifeOfALine(t *testing.T) (line []named) {
	t.Helper()
	d := drawn(400, 100)
	d.Seed, d.Phase, d.Time, d.ClaimWindow = nil, Before, onSale.Add(-time.Minute).UnixMilli(), 60
	d.Commitment = draw.Digest{0xc0}
	keep := func(name string) { line = append(line, named{name, d}) }
	on := func(steps int, change func(*Document)) {
		for range steps {
			d = next(t, d, time.Second, change)
		}
	}
	keep("before")
	on(1, func(d *Document) { d.Phase, d.CutOff = Drawing, draw.Digest{0xcf} })
	keep("the draw")
	on(1, func(d *Document) {
		d.Time = onSale.Add(13 * time.Second).UnixMilli()
		d.Seed, d.Verifiable, d.Phase = &draw.Digest{7, 7}, true, Open
		d.Line.Late = Arrivals{}.With(onSale.Unix(), 0).With(onSale.Unix()+5, 60).With(onSale.Unix()+12, 90)
	})
	keep("drawn")
	on(20, move(6))
	keep("the line moves")
	on(10, move(20))
	keep("faster")
	on(1, func(d *Document) {
		d.Phase = Paused
		d.Message = &Message{"payment", map[string]string{"en": "The payment company does not answer.", "pt-BR": "A empresa de pagamento não responde."}, onSale.Add(5 * time.Minute)}
	})
	on(30, nil)
	keep("paused")
	on(1, func(d *Document) { d.Phase, d.Message = Open, nil })
	on(8, move(30))
	keep("open again")
	on(55, move(1))
	keep("missed")
	on(45, func(d *Document) {
		d.Line.Late = d.Line.Late.With(time.UnixMilli(d.Time).Unix(), 130)
		d.Frontiers, _ = d.Line.Advance(d.Frontiers, 2)
		d.Frontiers = d.Frontiers.Sweep(0.01)
	})
	keep("second chance")
	on(70, func(d *Document) { d.Frontiers = d.Frontiers.Sweep(0.02); d.Revoked = []string{"gone"} })
	keep("second chance, second lap")
	on(1, phase(SoldOut))
	keep("sold out")
	d = Restart(d, time.UnixMilli(d.Time).Add(time.Second), draw.Digest{0xc1})
	keep("restarted")
	return line
}

func meanings(d *Document, tickets []ticketVector) []meaningVector {
	out := make([]meaningVector, 0, len(tickets))
	for _, v := range tickets {
		ticket, m := Ticket{Event: v.Event, Epoch: v.Epoch, Class: v.Class, Tier: v.Tier, Second: v.Second}, meaningVector{}
		if d.Seed != nil {
			ticket.Rank = draw.NewRanker(*d.Seed, v.Event, v.Epoch).Rank(v.Pseudonym)
			m.Rank = &ticket.Rank
		}
		for _, after := range []int64{0, 7_500, 40_000} {
			now := d.Time + after
			g := d.Gate(ticket, time.UnixMilli(now))
			m.Verdicts = append(m.Verdicts, verdictVector{now, g.State, g.Lap, g.Own, g.Left.Milliseconds()})
		}
		if p, known := d.Place(ticket); known {
			m.Place = &placeVector{rounded(p.Ahead), rounded(p.StandardError), p.Low.Seconds(), p.High.Seconds()}
		}
		out = append(out, m)
	}
	return out
}

// drawVectors are a draw with a reset before it, one without a beacon, and draws in which something was changed.
func drawVectors(t *testing.T, a *token.Authority) []drawVector {
	t.Helper()
	round := &beacon.Round{Round: 1000, Randomness: "fe290beca10872ef2fb164d2aa4442de4566183ec51c56ff3cd603d930e54fdd",
		Signature: "b44679b9a59af2ec876b1a6b1ad52ea9b1615fc3982b19576350f93447cb1125e342b73a8dd2bacbe47e4b6b63ed5e39"}
	good, without := drawnPublicly(t, a, round, nil), drawnPublicly(t, a, nil, nil)
	gap := append(slices.Clone(good[:1]), good[2:]...)
	return []drawVector{
		{"with a beacon", good, true},
		{"without a beacon", without, true},
		{"another secret was revealed", drawnPublicly(t, a, round, func(r *draw.Reveal) { r.Secret[0] ^= 1 }), false},
		{"another seed", drawnPublicly(t, a, round, func(r *draw.Reveal) { r.Seed[0] ^= 1 }), false},
		{"another randomness", drawnPublicly(t, a, round, func(r *draw.Reveal) {
			r.Beacon = &beacon.Round{Round: 1000, Randomness: strings.Repeat("ab", 32), Signature: round.Signature}
		}), false},
		{"a statement was taken out", gap, false},
	}
}

// drawnPublicly is the statements of a draw in epoch 2, after a reset; change spoils the reveal.
func drawnPublicly(t *testing.T, a *token.Authority, round *beacon.Round, change func(*draw.Reveal)) []draw.Signed {
	t.Helper()
	book := draw.Book{Event: testEvent}
	secret, configuration := draw.Digest{5}, json.RawMessage(`{"claimSeconds":600,"chain":"not this one","tiers":[{"name":"f\u0026f"}]}`)
	commit := func(h draw.Head) any {
		return draw.Commitment{Head: h, OnSaleAt: onSale, Secret: draw.HashSecret(secret), Configuration: configuration, Chain: "52db", Rule: beacon.Rule{Round: 1000, WaitSeconds: 30, Tries: 3}}
	}
	var cut draw.CutOff
	steps := []struct {
		kind  draw.Kind
		epoch int64
		make  func(draw.Head) any
	}{
		{draw.CommitmentKind, 1, commit},
		{draw.ResetKind, 1, func(h draw.Head) any { return draw.Reset{Head: h, Reason: "a wrong price"} }},
		{draw.CommitmentKind, 2, commit},
		{draw.CutOffKind, 2, func(h draw.Head) any {
			cut = draw.CutOff{Head: h, Count: 12345, Root: draw.Digest{6}}
			return cut
		}},
		{draw.RevealKind, 2, func(h draw.Head) any {
			r, err := draw.NewReveal(h, draw.Commitment{Configuration: configuration}, cut, secret, round, nil)
			if err != nil {
				t.Fatal(err)
			}
			if change != nil {
				change(&r)
			}
			return r
		}},
	}
	for i, s := range steps {
		if _, err := book.Append(a, s.kind, s.epoch, onSale.Add(time.Duration(i)*time.Minute), s.make); err != nil {
			t.Fatal(err)
		}
	}
	return book.Statements
}

// rounded is to a millionth: the last bits of a float are the processor's.
func rounded(v float64) float64 { return math.Round(v*1e6) / 1e6 }

// refusals are a good document that was changed: none may be read.
func refusals(t *testing.T, a *token.Authority, d *Document) (all []refusedVector) {
	t.Helper()
	good, err := d.Sign(a)
	if err != nil {
		t.Fatal(err)
	}
	other, err := token.New(token.Options{Current: bytes.Repeat([]byte{9}, 32), PseudonymKey: make([]byte, 32)})
	if err != nil {
		t.Fatal(err)
	}
	foreign, err := d.Sign(other)
	if err != nil {
		t.Fatal(err)
	}
	flip := func(text string, i int) string {
		b := byte('A')
		if text[i] == b {
			b = 'B'
		}
		return text[:i] + string(b) + text[i+1:]
	}
	payload := flip(good.Payload, len(good.Payload)/2)
	all = []refusedVector{
		{"a changed byte in the payload", token.Statement{Protected: good.Protected, Payload: payload, Signature: good.Signature}},
		{"a changed byte in the signature", token.Statement{Protected: good.Protected, Payload: good.Payload, Signature: flip(good.Signature, 3)}},
		{"a changed byte in the header", token.Statement{Protected: flip(good.Protected, 9), Payload: good.Payload, Signature: good.Signature}},
		{"no signature", token.Statement{Protected: good.Protected, Payload: good.Payload}},
		{"the header of another kind", a.Seal("draw-reveal+jws", mustPayload(t, d))},
		{"a key that is not in the set", foreign},
		{"another signature of the same key", token.Statement{Protected: good.Protected, Payload: good.Payload, Signature: a.Seal(Kind, []byte("{}")).Signature}},
		{"a phase that nobody knows", a.Seal(Kind, bytes.Replace(mustPayload(t, d), []byte(`"phase":"open"`), []byte(`"phase":"ajar"`), 1))},
		{"not JSON", a.Seal(Kind, []byte("hello"))},
	}
	for _, r := range all {
		if _, err := Verify(a.Keys(), r.Statement); err == nil {
			t.Errorf("%s is read", r.Name)
		}
	}
	if strings.Contains(good.Payload, "=") {
		t.Error("padded")
	}
	return all
}

func mustPayload(t *testing.T, d *Document) []byte {
	t.Helper()
	payload, err := json.Marshal(d)
	if err != nil {
		t.Fatal(err)
	}
	return payload
}
