package pick

import (
	"iter"
	"math/bits"

	"plateia/core/seatmap"
)

// Bitmap is a set of seats, one bit each.
type Bitmap []uint64

// NewBitmap is an empty set with room for seats 0..n-1.
func NewBitmap(n int) Bitmap { return make(Bitmap, (n+63)/64) }

// FullBitmap is the set of all seats 0..n-1.
func FullBitmap(n int) Bitmap {
	b := NewBitmap(n)
	for i := range b {
		b[i] = ^uint64(0)
	}
	if n%64 != 0 {
		b[len(b)-1] = 1<<(n%64) - 1
	}
	return b
}

// Has reports whether o is in the set; false for an o it has no room for.
func (b Bitmap) Has(o seatmap.Ordinal) bool {
	return o >= 0 && int(o>>6) < len(b) && b[o>>6]>>(o&63)&1 == 1
}

// Add puts o into the set.
func (b Bitmap) Add(o seatmap.Ordinal) { b[o>>6] |= 1 << (o & 63) }

// Remove takes o out of the set.
func (b Bitmap) Remove(o seatmap.Ordinal) { b[o>>6] &^= 1 << (o & 63) }

// Join puts all of other into the set.
func (b Bitmap) Join(other Bitmap) {
	for i := range min(len(b), len(other)) {
		b[i] |= other[i]
	}
}

// All visits the members in ascending order; the one visited may be removed meanwhile.
func (b Bitmap) All() iter.Seq[seatmap.Ordinal] {
	return func(yield func(seatmap.Ordinal) bool) {
		for i, word := range b {
			for ; word != 0; word &= word - 1 {
				if !yield(seatmap.Ordinal(i<<6 + bits.TrailingZeros64(word))) {
					return
				}
			}
		}
	}
}

// Count is the size of the set.
func (b Bitmap) Count() int {
	n := 0
	for _, word := range b {
		n += bits.OnesCount64(word)
	}
	return n
}

// CountRange is how many of [from, to) are in the set; from <= to.
func (b Bitmap) CountRange(from, to seatmap.Ordinal) int {
	n := 0
	for from < to {
		end := min(to, from|63+1)
		n += bits.OnesCount64(b.bits(from, end))
		from = end
	}
	return n
}

// bits are the members of [from, to), which lies within one word.
func (b Bitmap) bits(from, to seatmap.Ordinal) uint64 {
	return b[from>>6] >> (from & 63) << (64 - (to - from)) >> (64 - (to - from))
}

// next is the first longest stretch of members in [from, to); empty, at to, when
// there is none.
func (b Bitmap) next(from, to seatmap.Ordinal) (a, z seatmap.Ordinal) {
	a = b.seek(from, to, 0)
	return a, b.seek(a, to, ^uint64(0))
}

// seek is the first ordinal of [from, to) whose bit, after flipping, is set; to for none.
func (b Bitmap) seek(from, to seatmap.Ordinal, flip uint64) seatmap.Ordinal {
	for from < to {
		word := (b[from>>6] ^ flip) >> (from & 63)
		if word != 0 {
			return min(to, from+seatmap.Ordinal(bits.TrailingZeros64(word)))
		}
		from = from | 63 + 1
	}
	return to
}

// hasWindow reports whether n members are neighbours of each other in a row, by
// the links of seatmap.Chart; 1 <= n <= 64. It stops at the first.
func (b Bitmap) hasWindow(links []uint64, n int) bool {
	at := func(words []uint64, i int) uint64 {
		if i < len(words) {
			return words[i]
		}
		return 0
	}
	for i, low := range b {
		if low == 0 {
			continue
		}
		// members that are linked to a member on their right, in this word and the next
		starts := low
		linkLow, linkHigh, high := links[i]&low, at(links, i+1)&at(b, i+1), at(b, i+1)
		for k := 1; k < n && starts != 0; k++ {
			starts &= (linkLow>>(k-1) | linkHigh<<(65-k)) & (low>>k | high<<(64-k))
		}
		if starts != 0 {
			return true
		}
	}
	return false
}
