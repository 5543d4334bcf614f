package ledger

import (
	"math/rand/v2"
	"slices"
	"testing"

	"plateia/core/id"
)

func TestCompareFindsEveryDifference(t *testing.T) {
	move := func(kind Kind, key string, amount int64) Movement {
		return Movement{Kind: kind, Key: key, Order: id.ID{1}, Amount: amount, Currency: "BRL"}
	}
	same := []Movement{move(Captured, "a", 100), move(Refunded, "r", -100), move(RefundFailed, "r", 100), move(Refunded, "r-1", -100)}
	shuffled := slices.Clone(same)
	rand.Shuffle(len(shuffled), func(i, j int) { shuffled[i], shuffled[j] = shuffled[j], shuffled[i] })
	if got := Compare(same, shuffled); len(got) != 0 {
		t.Errorf("equal books differ: %v", got)
	}
	other := move(Captured, "a", 100)
	other.Currency = "USD"
	for _, c := range []struct {
		what         string
		ours, theirs []Movement
		want         []Fault
	}{
		{"only there", same[:1], same[:2], []Fault{MissingHere}},
		{"only here", same[:2], same[:1], []Fault{MissingThere}},
		{"amount", []Movement{move(Captured, "a", 100)}, []Movement{move(Captured, "a", 200)}, []Fault{OtherAmount}},
		{"currency", []Movement{other}, same[:1], []Fault{OtherAmount}},
		{"twice there", same[:1], []Movement{same[0], same[0]}, []Fault{MissingHere}},
		{"twice here", []Movement{same[0], same[0]}, same[:1], []Fault{MissingThere}},
		{"another kind", []Movement{move(Captured, "r", 1)}, []Movement{move(Refunded, "r", 1)}, []Fault{MissingHere, MissingThere}},
		{"nothing", nil, nil, nil},
		{"came back before we knew", same[:1], same[:3], nil},
		{"came back, and we knew of half", same[:2], same[:3], []Fault{MissingHere}},
	} {
		var got []Fault
		for _, d := range Compare(c.ours, c.theirs) {
			got = append(got, d.Fault)
			if d.String() == "" {
				t.Error("a difference without words")
			}
		}
		if !slices.Equal(got, c.want) {
			t.Errorf("%s: %v, want %v", c.what, got, c.want)
		}
	}
}
