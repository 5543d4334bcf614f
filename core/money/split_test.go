package money

import (
	"slices"
	"testing"

	"pgregory.net/rapid"
)

func TestSharesAreRoundedToTheNearest(t *testing.T) {
	for _, c := range []struct{ amount, part, whole, want int64 }{
		{7007, 10000, 10700, 6549}, // 65.4859: net of 7 % in 70.07
		{1, 1, 2, 1}, {-1, 1, 2, -1}, {5, 1, 10, 1}, {4, 1, 10, 0}, {-4, 1, 10, 0},
		{Most, 9999, 10000, 999_900_000_000}, {Most, Most, Most, Most}, {0, 3, 7, 0},
	} {
		if got := Share(c.amount, c.part, c.whole); got != c.want {
			t.Errorf("%d × %d/%d = %d, want %d", c.amount, c.part, c.whole, got, c.want)
		}
	}
}

func TestRemaindersGoToTheLargest(t *testing.T) {
	for _, c := range []struct {
		amount        int64
		weights, want []int64
	}{
		{100, []int64{1, 1, 1}, []int64{34, 33, 33}}, // equal remainders: the earlier
		{10, []int64{0, 0, 0}, []int64{4, 3, 3}},     // no weights: equally
		{-100, []int64{1, 1, 1}, []int64{-34, -33, -33}},
		{10, []int64{5, 3, 2}, []int64{5, 3, 2}},
		{1, []int64{33, 66}, []int64{0, 1}},
		{7, []int64{0, 9}, []int64{0, 7}}, // no weight, no part
		{0, []int64{4}, []int64{0}}, {5, nil, nil},
	} {
		if got := Split(c.amount, c.weights); !slices.Equal(got, c.want) {
			t.Errorf("%d by %v is %v, want %v", c.amount, c.weights, got, c.want)
		}
	}
}

// Whatever is divided, the parts sum to it, none is a whole unit away from its exact share, and none is
// larger than its weight unless the amount is larger than all of them.
func TestPartsSumExactly(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		amount := rapid.Int64Range(-Most, Most).Draw(t, "amount")
		weights := rapid.SliceOfN(rapid.Int64Range(0, Most), 1, 12).Draw(t, "weights")
		parts, sum, whole := Split(amount, weights), int64(0), int64(0)
		for i, part := range parts {
			sum += part
			whole += weights[i]
		}
		if sum != amount {
			t.Fatalf("%v sum to %d", parts, sum)
		}
		for i, part := range parts {
			if whole > 0 {
				floor, rest := scale(max(amount, -amount), weights[i], whole)
				if size := max(part, -part); size != floor && (rest == 0 || size != floor+1) {
					t.Fatalf("part %d is %d, its share %d and %d/%d", i, part, floor, rest, whole)
				}
			}
			if max(amount, -amount) <= whole && max(part, -part) > weights[i] {
				t.Fatalf("part %d of weight %d is %d", i, weights[i], part)
			}
		}
	})
}
