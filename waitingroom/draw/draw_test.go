package draw

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"math"
	"testing"
	"time"

	"pgregory.net/rapid"

	"plateia/core/id"
	"plateia/waitingroom/beacon"
)

var testEvent = id.ID{1, 2, 3}

// The rank as a fan would compute it, without our code.
func TestTheRankIsWhatTheRuleSays(t *testing.T) {
	seed := Digest{9, 9}
	mac := hmac.New(sha256.New, seed[:])
	mac.Write([]byte("01020300-0000-0000-0000-000000000000|4|abc"))
	want := hex.EncodeToString(mac.Sum(nil))[:16]
	r := NewRanker(seed, testEvent, 4)
	for range 2 { // a second time, because the ranker is used again
		if got := r.Rank("abc").String(); got != want {
			t.Errorf("%s, want %s", got, want)
		}
	}
}

func TestARankDependsOnSeedEventEpochAndAccountOnly(t *testing.T) {
	base := NewRanker(Digest{1}, testEvent, 1).Rank("abc")
	for name, other := range map[string]Rank{
		"seed":    NewRanker(Digest{2}, testEvent, 1).Rank("abc"),
		"event":   NewRanker(Digest{1}, id.ID{7}, 1).Rank("abc"),
		"epoch":   NewRanker(Digest{1}, testEvent, 2).Rank("abc"),
		"account": NewRanker(Digest{1}, testEvent, 1).Rank("abd"),
	} {
		if other == base {
			t.Errorf("another %s, the same rank", name)
		}
	}
	busy := NewRanker(Digest{1}, testEvent, 1)
	busy.Rank("somebody else")
	if busy.Rank("abc") != base {
		t.Error("the rank depends on who was ranked before")
	}
}

func TestRanksAreUniform(t *testing.T) {
	const fans, bins = 200_000, 64
	r := NewRanker(Digest{5}, testEvent, 1)
	var counts [bins]float64
	for i := range fans {
		counts[int(r.Rank(fmt.Sprint(i)).Fraction()*bins)]++
	}
	chi := 0.0
	for _, n := range counts {
		chi += (n - fans/bins) * (n - fans/bins) / (fans / bins)
	}
	if chi > 103.4 { // 63 degrees of freedom, one in a thousand
		t.Errorf("chi-square is %.1f", chi)
	}
}

func TestRanksAsTextKeepTheirOrder(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		a, b := Rank(rapid.Uint64().Draw(t, "a")), Rank(rapid.Uint64().Draw(t, "b"))
		if (a < b) != (a.String() < b.String()) {
			t.Errorf("%v and %v", a, b)
		}
		var back Rank
		if err := back.UnmarshalText([]byte(a.String())); err != nil || back != a {
			t.Errorf("%v came back as %v, %v", a, back, err)
		}
	})
	for _, text := range []string{"", "1", "00000000000000AA", "+000000000000001", "00000000000000001"} {
		if new(Rank).UnmarshalText([]byte(text)) == nil {
			t.Errorf("%q is read as a rank", text)
		}
	}
	if RankAt(-1) != 0 || RankAt(math.NaN()) != 0 || RankAt(1) != LastRank || RankAt(0.5) != 1<<63 {
		t.Error("the rank at a share is wrong")
	}
}

func TestNothingOfTheSeedCanBeKnownBeforeTheBeacon(t *testing.T) {
	secret, configuration, root := Digest{1}, Digest{2}, Digest{3}
	round := func(b byte) *beacon.Round { return &beacon.Round{Round: 9, Randomness: Digest{b}.String()} }
	base, err := Seed(secret, round(1), configuration, root)
	if err != nil {
		t.Fatal(err)
	}
	for name, make := range map[string]func() (Digest, error){
		"beacon":        func() (Digest, error) { return Seed(secret, round(2), configuration, root) },
		"secret":        func() (Digest, error) { return Seed(Digest{9}, round(1), configuration, root) },
		"configuration": func() (Digest, error) { return Seed(secret, round(1), Digest{9}, root) },
		"root":          func() (Digest, error) { return Seed(secret, round(1), configuration, Digest{9}) },
		"no beacon":     func() (Digest, error) { return Seed(secret, nil, configuration, root) },
	} {
		if other, err := make(); err != nil || other == base {
			t.Errorf("another %s gives the same seed (%v)", name, err)
		}
	}
	if _, err := Seed(secret, &beacon.Round{Randomness: "12"}, configuration, root); err == nil {
		t.Error("a short randomness is used")
	}
	if HashSecret(secret) == sha256.Sum256(secret[:]) {
		t.Error("the secret's hash has no label")
	}
}

func TestAtTheOnSaleInstantTheLotteryIsOver(t *testing.T) {
	at := time.Date(2026, 12, 1, 12, 0, 0, 0, time.UTC)
	if ClassAt(at.Add(-1), at) != Lottery || ClassAt(at, at) != Late || ClassAt(at.Add(time.Hour), at) != Late {
		t.Error("the border between lottery and late is wrong")
	}
}

func TestEntriesThatAreRefused(t *testing.T) {
	good := Entry{Pseudonym: "abc", Class: Lottery, EnteredAt: 1, KeyThumb: "k"}
	if err := good.Check(); err != nil {
		t.Fatal(err)
	}
	for name, change := range map[string]func(*Entry){
		"a bar in the pseudonym": func(e *Entry) { e.Pseudonym = "a|late" },
		"no pseudonym":           func(e *Entry) { e.Pseudonym = "" },
		"a long key":             func(e *Entry) { e.KeyThumb = string(make([]byte, 100)) },
		"another class":          func(e *Entry) { e.Class = "vip" },
		"a tier too many":        func(e *Entry) { e.Tier = MaxTiers },
		"no time":                func(e *Entry) { e.EnteredAt = 0 },
	} {
		e := good
		change(&e)
		if e.Check() == nil {
			t.Errorf("%s: accepted", name)
		}
	}
}

func TestADigestIsReadOnlyAsItIsWritten(t *testing.T) {
	var d Digest
	text, _ := json.Marshal(Digest{1, 2})
	if err := json.Unmarshal(text, &d); err != nil || d != (Digest{1, 2}) {
		t.Errorf("%v %v", d, err)
	}
	for _, bad := range []string{`""`, `"AB"`, `"` + string(make([]byte, 64)) + `"`} {
		if json.Unmarshal([]byte(bad), &d) == nil {
			t.Errorf("%s is read as a digest", bad)
		}
	}
}
