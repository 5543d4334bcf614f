package seatmap

import "math"

// piece is a part of a row as it is written: a curve through all its seats, or
// their steps.
type piece struct {
	from, to           Ordinal
	curve              bool
	first, chord, bend cell
}

// cut divides a row at its aisles, and where no curve fits, into halves.
func (w *geometryWriter) cut(r *Row) []piece {
	var pieces []piece
	for from := r.From; from < r.To; {
		to := from + 1
		for to < r.To && w.c.isLinked(to-1) {
			to++
		}
		pieces = w.fit(pieces, from, to)
		from = to
	}
	return pieces
}

func (w *geometryWriter) fit(pieces []piece, from, to Ordinal) []piece {
	p, fits := w.fitCurve(from, to)
	if fits {
		return append(pieces, p)
	}
	if half := (to - from) / 2; half >= shortestHalf {
		return w.fit(w.fit(pieces, from, from+half), from+half, to)
	}
	return append(pieces, piece{from: from, to: to, first: w.seat(from)})
}

func (w *geometryWriter) seat(o Ordinal) cell { return w.cell(Point{w.c.x[o], w.c.y[o]}) }

// fitCurve runs the curve through the rounded ends and puts its middle where the
// squares of the errors are least. It fits when no seat moves too far.
func (w *geometryWriter) fitCurve(from, to Ordinal) (piece, bool) {
	first, last := w.seat(from), w.seat(to-1)
	p := piece{from: from, to: to, curve: true, first: first, chord: cell{last.x - first.x, last.y - first.y}}
	n := int(to - from)
	if n > 2 {
		var sum vec
		var weight float64
		for i := 1; i < n-1; i++ {
			t := float64(i) / float64(n-1)
			k := 4 * t * (1 - t)
			at := w.exact(from + Ordinal(i))
			sum.x += k * (at.x - float64(first.x) - float64(p.chord.x)*t)
			sum.y += k * (at.y - float64(first.y) - float64(p.chord.y)*t)
			weight += k * k
		}
		p.bend = cell{bendSteps(sum.x/weight, p.chord.x), bendSteps(sum.y/weight, p.chord.y)}
	}
	limit := geometryError * float64(w.c.pitch) / w.unit
	for i := range n {
		at, got := w.exact(from+Ordinal(i)), curveAt(p, i, n)
		if math.Hypot(at.x-got.x, at.y-got.y) > limit {
			return piece{}, false
		}
	}
	return p, true
}

// exact is the seat's place in broken steps.
func (w *geometryWriter) exact(o Ordinal) vec {
	return vec{
		(float64(w.c.x[o]) - float64(w.origin.X)) / w.unit,
		(float64(w.c.y[o]) - float64(w.origin.Y)) / w.unit,
	}
}

// bendSteps is the written distance of the curve's middle from the rounded middle of the chord.
func bendSteps(b float64, chord int) int {
	return int(math.Round(b + float64(chord)/2 - float64(chord>>1)))
}

// curveAt is seat i of n in steps. The conversions keep the compiler from fusing
// multiplications and additions, so that every machine agrees with JavaScript.
func curveAt(p piece, i, n int) vec {
	if n == 1 {
		return vec{float64(p.first.x), float64(p.first.y)}
	}
	t := float64(i) / float64(n-1)
	k := float64(4*t) * (1 - t)
	return vec{curveValue(p.first.x, p.chord.x, p.bend.x, t, k), curveValue(p.first.y, p.chord.y, p.bend.y, t, k)}
}

func curveValue(first, chord, bend int, t, k float64) float64 {
	b := float64(bend+chord>>1) - float64(chord)/2
	return float64(float64(first)+float64(float64(chord)*t)) + float64(k*b)
}

func (w *geometryWriter) piece(p piece) {
	kind := pieceSteps
	if p.curve {
		kind = pieceCurve
	}
	n := int(p.to - p.from)
	w.u(n<<1 | kind)
	w.place(cell{p.first.x - w.first.x, p.first.y - w.first.y})
	w.first = p.first
	if !p.curve {
		last := p.first
		for o := p.from + 1; o < p.to; o++ {
			at := w.seat(o)
			w.place(cell{at.x - last.x, at.y - last.y})
			last = at
		}
		return
	}
	if n > 1 {
		w.place(cell{p.chord.x - w.chord.x, p.chord.y - w.chord.y})
		w.chord = p.chord
	}
	if n > 2 {
		w.place(cell{p.bend.x - w.bend.x, p.bend.y - w.bend.y})
		w.bend = p.bend
	}
}
