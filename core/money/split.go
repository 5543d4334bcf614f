package money

import "math/bits"

// Most is the largest amount that anything is priced at, in minor units: what is added and
// multiplied here stays far from the end of an int64.
const Most = 1_000_000_000_000

// Share is part/whole of an amount, rounded to the nearest minor unit, half away from zero.
// Part is from 0 to whole, whole above zero.
func Share(amount, part, whole int64) int64 {
	if amount < 0 {
		return -Share(-amount, part, whole)
	}
	quotient, rest := scale(amount, part, whole)
	if rest >= uint64(whole)-rest {
		quotient++
	}
	return quotient
}

// scale is amount × part / whole with its remainder, exact in 128 bits.
func scale(amount, part, whole int64) (quotient int64, rest uint64) {
	high, low := bits.Mul64(uint64(amount), uint64(part))
	q, rest := bits.Div64(high, low, uint64(whole))
	return int64(q), rest
}

// Split divides an amount in proportion to weights, which are not negative, so that the
// parts sum to it exactly: everybody gets the whole units of their share, and what
// remains goes one unit each to the largest remainders, the earlier first when
// they are equal. Without any weight the parts are as equal as can be. No
// part is larger than its weight when the amount is not larger than their sum.
func Split(amount int64, weights []int64) []int64 {
	if len(weights) == 0 {
		return nil
	}
	if amount < 0 {
		parts := Split(-amount, weights)
		for i := range parts {
			parts[i] = -parts[i]
		}
		return parts
	}
	parts, rests := make([]int64, len(weights)), make([]uint64, len(weights))
	whole := int64(0)
	for _, w := range weights {
		whole += w
	}
	left := amount
	for i, w := range weights {
		if whole == 0 {
			parts[i], rests[i] = scale(amount, 1, int64(len(weights)))
		} else {
			parts[i], rests[i] = scale(amount, w, whole)
		}
		left -= parts[i]
	}
	for ; left > 0; left-- {
		most := largest(rests)
		parts[most]++
		rests[most] = 0
	}
	return parts
}

func largest(rests []uint64) (at int) {
	for i, rest := range rests {
		if rest > rests[at] {
			at = i
		}
	}
	return at
}
