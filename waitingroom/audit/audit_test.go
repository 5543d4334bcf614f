package audit

import (
	"encoding/json"
	"math/rand/v2"
	"strings"
	"testing"
	"time"

	"plateia/core/id"
	"plateia/waitingroom/beacon"
	"plateia/waitingroom/draw"
	"plateia/waitingroom/token"
)

// What an honest sale and its forgeries give is tested through the real command, at the root.

func TestRecordsThatAreNotRead(t *testing.T) {
	if _, err := Read(strings.NewReader(`{"version":1}`)); err != nil {
		t.Fatal(err)
	}
	for _, text := range []string{"", "[]", `{"version":2}`, `{"version":1}{}`, `{"version":1,"comment":"x"}`, `{"version":1,"epochs":[{"entries":[{"x":1}]}]}`} {
		if _, err := Read(strings.NewReader(text)); err == nil {
			t.Errorf("%q is read", text)
		}
	}
}

func TestTheUniformityTestTellsEvenFromUneven(t *testing.T) {
	random := rand.New(rand.NewPCG(3, 4))
	even, uneven := make([]int, 64), make([]int, 64)
	for range 100_000 {
		even[random.IntN(64)]++
		uneven[int(float64(64)*random.Float64()*(0.97+0.03*random.Float64()))]++
	}
	if p := uniformity(even); p < 1e-3 {
		t.Errorf("even counts have p = %g", p)
	}
	if p := uniformity(uneven); p > 1e-6 {
		t.Errorf("uneven counts have p = %g", p)
	}
}

// FuzzAudit signs statements of any content in any order: whatever the operator signs, the
// audit ends with a report.
func FuzzAudit(f *testing.F) {
	a, err := token.New(token.Options{Current: make([]byte, 32), PseudonymKey: make([]byte, 32)})
	if err != nil {
		f.Fatal(err)
	}
	f.Add([]byte{0, 1, 2, 3}, `{"version":1,"epoch":1,"event":"01000000-0000-0000-0000-000000000000"}`)
	f.Add([]byte{2, 0, 0, 1, 3, 3}, `{"version":1,"epoch":-1,"event":"01000000-0000-0000-0000-000000000000","rule":{"tries":0},"chain":"`+beacon.Quicknet().Hash+`","onSaleAt":"2030-01-01T00:00:00Z"}`)
	f.Add([]byte{0, 1, 2}, `{"version":1,"epoch":1,"event":"01000000-0000-0000-0000-000000000000","rule":{"round":18446744073709551615,"tries":99,"waitSeconds":9223372036854775807},"beacon":{"randomness":""}}`)
	f.Fuzz(func(t *testing.T, order []byte, payload string) {
		kinds := []draw.Kind{draw.CommitmentKind, draw.CutOffKind, draw.RevealKind, draw.ResetKind}
		record := Record{Version: 1, Event: id.ID{1}, Keys: a.JWKS(), Epochs: []Epoch{{Epoch: 1, Entries: []draw.Entry{{Pseudonym: "a", Tier: -1}, {Pseudonym: "b", Tier: 1 << 40}}}}}
		if !json.Valid([]byte(payload)) || len(order) > 20 {
			return
		}
		for _, b := range order {
			kind := kinds[int(b)%len(kinds)]
			record.Statements = append(record.Statements, draw.Signed{Kind: kind, Statement: a.Seal(string(kind), []byte(payload))})
		}
		if r := Audit(record, Options{Event: id.ID{1}, Chain: beacon.Quicknet()}); r.Failures == 0 {
			t.Errorf("that passes: %+v", r)
		}
	})
}

func TestASkippedRoundMustHaveHadItsTime(t *testing.T) {
	chain := beacon.Quicknet()
	rule := beacon.Rule{Round: 1000, WaitSeconds: 30, Tries: 3}
	onSale := chain.TimeOf(1000).Add(-20 * time.Second)
	for name, c := range map[string]struct {
		skipped []uint64
		round   uint64
		at      time.Time
		failed  bool
	}{
		"the first round":           {nil, 1000, chain.TimeOf(1000), false},
		"the second, after waiting": {[]uint64{1000}, 1010, chain.TimeOf(1010), false},
		"the second, too soon":      {[]uint64{1000}, 1010, chain.TimeOf(1005), true},
		"one of the operator's":     {nil, 1001, chain.TimeOf(1001), true},
		"skipped, not recorded":     {nil, 1010, chain.TimeOf(1010), true},
	} {
		a := &auditor{Options: Options{Chain: chain}}
		e := &epoch{
			commitment: &draw.Commitment{Head: draw.Head{At: onSale.Add(-time.Hour)}, OnSaleAt: onSale, Chain: chain.Hash, Rule: rule},
			cut:        &draw.CutOff{Head: draw.Head{At: onSale}},
			reveal:     &draw.Reveal{Head: draw.Head{At: c.at}, Beacon: &beacon.Round{Round: c.round}, Skipped: c.skipped},
		}
		a.beacon(e)
		if got := a.report.Checks[0].Result == Failed; got != c.failed {
			t.Errorf("%s: %+v", name, a.report.Checks)
		}
	}
}
