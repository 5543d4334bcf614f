package seatmap

import (
	"cmp"
	"encoding/binary"
	"maps"
	"math"
	"slices"
	"strconv"
)

const (
	geometryMagic    = "PLG\x01"
	stepsPerPitch    = 16
	geometryError    = 0.095 // of a pitch: the most a seat may be moved
	shortestHalf     = 4     // pieces are not halved below this many seats
	maxStep          = 1 << 26
	rowPieces        = 1
	rowFirstStep     = 2
	rowExplicit      = 4
	rowCategories    = 8
	pieceCurve       = 0
	pieceSteps       = 1
	sectionGeneral   = 1
	maxNumericNumber = 1_000_000
)

// cell is a place on the quantised plan, in steps.
type cell struct{ x, y int }

// geometryWriter holds what later pieces are written relative to.
type geometryWriter struct {
	c       *Chart
	out     []byte
	unit    float64
	origin  Point
	uses    map[string]int // in the first pass
	strings map[string]int // index by string in the second
	table   []string
	first   cell // of the piece before
	chord   cell
	bend    cell
}

// encodeGeometry writes the form that doc.go describes. A first pass counts the
// strings, so that the frequent ones get the short references.
func encodeGeometry(c *Chart) []byte {
	counting := newGeometryWriter(c)
	counting.body()
	w := newGeometryWriter(c)
	w.table = slices.SortedFunc(maps.Keys(counting.uses), func(a, b string) int {
		return cmp.Or(cmp.Compare(counting.uses[b], counting.uses[a]), cmp.Compare(a, b))
	})
	for i, s := range w.table {
		w.strings[s] = i
	}
	w.header()
	w.body()
	return slices.Clip(w.out)
}

func newGeometryWriter(c *Chart) *geometryWriter {
	extent := max(c.bounds.X1-c.bounds.X0, c.bounds.Y1-c.bounds.Y0)
	unit := max(float64(c.pitch)/stepsPerPitch, float64(extent)/maxStep)
	return &geometryWriter{
		c: c, unit: float64(float32(unit)), origin: Point{c.bounds.X0, c.bounds.Y0},
		uses: map[string]int{}, strings: map[string]int{},
	}
}

func (w *geometryWriter) header() {
	w.out = append(w.out, geometryMagic...)
	for _, f := range []float32{float32(w.unit), w.origin.X, w.origin.Y, w.c.pitch} {
		w.out = binary.LittleEndian.AppendUint32(w.out, math.Float32bits(f))
	}
	for _, n := range []int{len(w.c.number), len(w.c.sections), len(w.c.rows), len(w.c.cats), len(w.c.shapes), len(w.table)} {
		w.u(n)
	}
	for _, s := range w.table {
		w.u(len(s))
		w.out = append(w.out, s...)
	}
}

func (w *geometryWriter) body() {
	for _, c := range w.c.cats {
		w.ref(c.Key)
		w.ref(c.Name)
		w.ref(c.Color)
	}
	w.place(w.cell(w.c.focal))
	w.place(w.cell(Point{w.c.bounds.X0, w.c.bounds.Y0}))
	w.place(w.cell(Point{w.c.bounds.X1, w.c.bounds.Y1}))
	for i := range w.c.sections {
		w.section(&w.c.sections[i])
	}
	for i := range w.c.shapes {
		w.shape(&w.c.shapes[i])
	}
	for i := range w.c.rows {
		w.row(&w.c.rows[i])
	}
	w.specials()
}

func (w *geometryWriter) u(v int) { w.out = binary.AppendUvarint(w.out, uint64(v)) }
func (w *geometryWriter) s(v int) { w.out = binary.AppendVarint(w.out, int64(v)) }

func (w *geometryWriter) place(c cell) { w.s(c.x); w.s(c.y) }

func (w *geometryWriter) ref(s string) {
	w.uses[s]++
	w.u(w.strings[s])
}

func (w *geometryWriter) opt(s string) {
	if s == "" {
		w.u(0)
		return
	}
	w.uses[s]++
	w.u(w.strings[s] + 1)
}

func (w *geometryWriter) cell(p Point) cell {
	return cell{w.steps(p.X, w.origin.X), w.steps(p.Y, w.origin.Y)}
}

func (w *geometryWriter) steps(v, origin float32) int {
	return int(math.Round((float64(v) - float64(origin)) / w.unit))
}

func (w *geometryWriter) section(s *Section) {
	w.ref(s.Label)
	w.ref(s.Name)
	flags := 0
	if s.General {
		flags = sectionGeneral
	}
	w.u(flags)
	w.u(s.Category)
	w.points(s.Outline)
	w.u(s.RowTo - s.RowFrom)
}

func (w *geometryWriter) points(points []Point) {
	w.u(len(points))
	var last cell
	for _, p := range points {
		at := w.cell(p)
		w.place(cell{at.x - last.x, at.y - last.y})
		last = at
	}
}

// roles by their number in the file.
var roles = []Role{RoleStage, RolePitch, RoleArea, RoleLine, RoleText}

func (w *geometryWriter) shape(s *Shape) {
	w.u(slices.Index(roles, s.Role))
	w.opt(s.Label)
	w.opt(s.Color)
	w.points(s.Points)
}

func (w *geometryWriter) row(r *Row) {
	section := &w.c.sections[r.Section]
	flags, first, step := numbering(w.c.number[r.From:r.To])
	if slices.ContainsFunc(w.c.category[r.From:r.To], func(c uint8) bool { return int(c) != section.Category }) {
		flags |= rowCategories
	}
	var pieces []piece
	if !section.General {
		if pieces = w.cut(r); len(pieces) > 1 {
			flags |= rowPieces
		}
	}
	w.ref(r.Label)
	w.u(flags)
	if flags&rowPieces != 0 {
		w.u(len(pieces))
	}
	if flags&rowFirstStep != 0 {
		w.u(first)
		w.s(step)
	}
	if section.General {
		w.u(int(r.To - r.From))
	}
	for _, p := range pieces {
		w.piece(p)
	}
	if flags&rowExplicit != 0 {
		for _, n := range w.c.number[r.From:r.To] {
			w.ref(n)
		}
	}
	if flags&rowCategories != 0 {
		w.categories(w.c.category[r.From:r.To])
	}
}

// numbering finds the shortest way to say a row's seat numbers.
func numbering(numbers []string) (flags, first, step int) {
	first, fine := numeric(numbers[0])
	if !fine {
		return rowExplicit, 0, 0
	}
	step = 1
	if len(numbers) > 1 {
		second, fine := numeric(numbers[1])
		if !fine {
			return rowExplicit, 0, 0
		}
		step = second - first
	}
	for i, n := range numbers {
		want := first + i*step
		if got, fine := numeric(n); !fine || got != want {
			return rowExplicit, 0, 0
		}
	}
	if first == 1 && step == 1 {
		return 0, first, step
	}
	return rowFirstStep, first, step
}

// numeric accepts only what strconv.Itoa would write.
func numeric(s string) (int, bool) {
	n, err := strconv.Atoi(s)
	return n, err == nil && n >= 0 && n <= maxNumericNumber && strconv.Itoa(n) == s
}

func (w *geometryWriter) categories(categories []uint8) {
	for i := 0; i < len(categories); {
		j := i
		for j < len(categories) && categories[j] == categories[i] {
			j++
		}
		w.u(j - i)
		w.u(int(categories[i]))
		i = j
	}
}

func (w *geometryWriter) specials() {
	count := 0
	for _, f := range w.c.flags {
		if f != 0 {
			count++
		}
	}
	w.u(count)
	last := 0
	for o, f := range w.c.flags {
		if f != 0 {
			w.u((o-last)<<2 | int(f))
			last = o
		}
	}
}
