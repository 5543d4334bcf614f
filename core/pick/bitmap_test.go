package pick

import (
	"testing"

	"pgregory.net/rapid"

	"plateia/core/seatmap"
)

func TestBitmapCountsAndFinds(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		n := rapid.IntRange(1, 300).Draw(t, "n")
		members := map[seatmap.Ordinal]bool{}
		b := NewBitmap(n)
		for _, v := range rapid.SliceOf(rapid.IntRange(0, n-1)).Draw(t, "members") {
			b.Add(seatmap.Ordinal(v))
			members[seatmap.Ordinal(v)] = true
		}
		if b.Count() != len(members) {
			t.Fatalf("counts %d of %d", b.Count(), len(members))
		}
		from := seatmap.Ordinal(rapid.IntRange(0, n).Draw(t, "from"))
		to := seatmap.Ordinal(rapid.IntRange(int(from), n).Draw(t, "to"))
		count, first := 0, to
		for o := to - 1; o >= from; o-- {
			if members[o] {
				count++
				first = o
			}
		}
		if got := b.CountRange(from, to); got != count {
			t.Fatalf("counts %d of %d in [%d, %d)", got, count, from, to)
		}
		a, z := b.next(from, to)
		end := first
		for end < to && members[end] {
			end++
		}
		if a != first || z != end {
			t.Fatalf("next stretch of [%d, %d) is [%d, %d), want [%d, %d)", from, to, a, z, first, end)
		}
	})
}

func TestBitmapKnowsItsEdges(t *testing.T) {
	for _, n := range []int{1, 63, 64, 65, 128} {
		b := FullBitmap(n)
		if b.Count() != n || b.Has(-1) || b.Has(seatmap.Ordinal(n)) || !b.Has(seatmap.Ordinal(n-1)) {
			t.Errorf("full bitmap of %d: %d members", n, b.Count())
		}
		b.Remove(0)
		if b.Has(0) || b.Count() != n-1 {
			t.Errorf("seat 0 was not removed")
		}
	}
}

func TestHasWindowAgreesWithTheChart(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		n := rapid.IntRange(2, 200).Draw(t, "seats")
		b, links := NewBitmap(n), make([]uint64, n/64+1)
		for o := range n {
			if rapid.IntRange(0, 9).Draw(t, "free") < 8 {
				b.Add(seatmap.Ordinal(o))
			}
			if o < n-1 && rapid.IntRange(0, 9).Draw(t, "linked") < 9 {
				links[o>>6] |= 1 << (o & 63)
			}
		}
		size := rapid.IntRange(1, MaxParty).Draw(t, "party")
		want, length := false, 0
		for o := range seatmap.Ordinal(n) {
			if !b.Has(o) {
				length = 0
				continue
			}
			if length++; o > 0 && links[(o-1)>>6]>>((o-1)&63)&1 == 0 {
				length = 1
			}
			want = want || length >= size
		}
		if got := b.hasWindow(links, size); got != want {
			t.Fatalf("window of %d: %v, want %v", size, got, want)
		}
	})
}
