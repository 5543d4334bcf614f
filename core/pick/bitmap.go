package pick

import (
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

// Count is the size of the set.
func (b Bitmap) Count() int {
	n := 0
	for _, word := range b {
		n += bits.OnesCount64(word)
	}
	return n
}

// CountRange is how many of [from, to) are in the set.
func (b Bitmap) CountRange(from, to seatmap.Ordinal) int {
	n := 0
	for o := from; o < to; {
		if o&63 == 0 && to-o >= 64 {
			n += bits.OnesCount64(b[o>>6])
			o += 64
			continue
		}
		if b.Has(o) {
			n++
		}
		o++
	}
	return n
}
