package seatmap

import (
	"encoding/binary"
	"errors"
	"math"
	"strconv"
)

// decoded is what a browser makes of a geometry: the reference for
// web/src/map/geometry.ts, written as plainly as possible.
type decoded struct {
	x, y            []float32
	section, row    []int
	category, flags []int
	labels          []string
	sections        []Section
	rows            []Row
	cats            []Category
	shapes          []Shape
	focal           Point
	bounds          Rect
	pitch           float32
}

var errGeometry = errors.New("malformed geometry")

type geometryReader struct {
	data         []byte
	unit, ox, oy float64
	strings      []string
	first        cell
	chord, bend  cell
	d            decoded
}

func decodeGeometry(data []byte) (d *decoded, err error) {
	defer func() {
		if e, ours := recover().(error); ours {
			d, err = nil, e
		}
	}()
	r := &geometryReader{data: data}
	r.file()
	return &r.d, nil
}

func (r *geometryReader) need(ok bool) {
	if !ok {
		panic(errGeometry)
	}
}

func (r *geometryReader) take(n int) []byte {
	r.need(n >= 0 && n <= len(r.data))
	part := r.data[:n]
	r.data = r.data[n:]
	return part
}

func (r *geometryReader) f() float32 {
	return math.Float32frombits(binary.LittleEndian.Uint32(r.take(4)))
}

func (r *geometryReader) u(limit int) int {
	v, n := binary.Uvarint(r.data)
	r.need(n > 0 && v < uint64(limit))
	r.data = r.data[n:]
	return int(v)
}

func (r *geometryReader) s() int {
	v := r.u(1 << 31)
	return v>>1 ^ -(v & 1)
}

func (r *geometryReader) cell() cell { x := r.s(); return cell{x, r.s()} }

func (r *geometryReader) point(x, y float64) Point {
	return Point{float32(r.ox + float64(x*r.unit)), float32(r.oy + float64(y*r.unit))}
}

func (r *geometryReader) place() Point {
	c := r.cell()
	return r.point(float64(c.x), float64(c.y))
}

func (r *geometryReader) ref() string { return r.strings[r.u(len(r.strings))] }

func (r *geometryReader) opt() string {
	i := r.u(len(r.strings) + 1)
	if i == 0 {
		return ""
	}
	return r.strings[i-1]
}

func (r *geometryReader) points() []Point {
	points := make([]Point, r.u(MaxPoints+1))
	var at cell
	for i := range points {
		d := r.cell()
		at = cell{at.x + d.x, at.y + d.y}
		points[i] = r.point(float64(at.x), float64(at.y))
	}
	return points
}

func (r *geometryReader) file() {
	r.need(string(r.take(4)) == geometryMagic)
	r.unit, r.ox, r.oy = float64(r.f()), float64(r.f()), float64(r.f())
	r.d.pitch = r.f()
	seats, sections := r.u(MaxSeats+1), r.u(MaxSections+1)
	rows, cats, shapes := r.u(MaxRows+1), r.u(MaxCategories+1), r.u(MaxShapes+1)
	r.strings = make([]string, r.u(1<<20))
	for i := range r.strings {
		r.strings[i] = string(r.take(r.u(MaxText + 1)))
	}
	for range cats {
		r.d.cats = append(r.d.cats, Category{r.ref(), r.ref(), r.ref()})
	}
	r.d.focal = r.place()
	a, b := r.place(), r.place()
	r.d.bounds = Rect{a.X, a.Y, b.X, b.Y}
	for range sections {
		r.section()
	}
	for range shapes {
		shape := Shape{Role: roles[r.u(len(roles))], Label: r.opt(), Color: r.opt()}
		shape.Points = r.points()
		r.d.shapes = append(r.d.shapes, shape)
	}
	for i := range r.d.sections {
		s := &r.d.sections[i]
		s.From = Ordinal(len(r.d.x))
		for range s.RowTo - s.RowFrom {
			r.row(i)
		}
		s.To = Ordinal(len(r.d.x))
	}
	r.need(len(r.d.rows) == rows && len(r.d.x) == seats)
	at := 0
	for range r.u(seats + 1) {
		v := r.u(1 << 31)
		at += v >> 2
		r.need(at < seats)
		r.d.flags[at] = v & 3
	}
	r.need(len(r.data) == 0)
}

func (r *geometryReader) section() {
	s := Section{Label: r.ref(), Name: r.ref(), General: r.u(2) == 1, Category: r.u(MaxCategories)}
	s.Outline = r.points()
	s.Centre = centroid(s.Outline)
	if n := len(r.d.sections); n > 0 {
		s.RowFrom = r.d.sections[n-1].RowTo
	}
	s.RowTo = s.RowFrom + r.u(MaxRows+1)
	r.d.sections = append(r.d.sections, s)
}

func (r *geometryReader) row(section int) {
	s := &r.d.sections[section]
	row := Row{Label: r.ref(), Section: section, From: Ordinal(len(r.d.x))}
	flags, pieces, first, step := r.u(16), 1, 1, 1
	if flags&rowPieces != 0 {
		pieces = r.u(MaxSeats)
	}
	if flags&rowFirstStep != 0 {
		first, step = r.u(1<<31), r.s()
	}
	if s.General {
		for range r.u(MaxSeats + 1) {
			r.seat(s.Centre)
		}
	} else {
		for range pieces {
			r.piece()
		}
	}
	row.To = Ordinal(len(r.d.x))
	for i := range int(row.To - row.From) {
		number := strconv.Itoa(first + i*step)
		if flags&rowExplicit != 0 {
			number = r.ref()
		}
		r.d.labels = append(r.d.labels, joinLabel(s.Label, row.Label, number))
		r.d.section, r.d.row = append(r.d.section, section), append(r.d.row, len(r.d.rows))
		r.d.category = append(r.d.category, s.Category)
		r.d.flags = append(r.d.flags, 0)
	}
	if flags&rowCategories != 0 {
		for at := int(row.From); at < int(row.To); {
			n, category := r.u(MaxSeats+1), r.u(MaxCategories)
			r.need(n > 0 && at+n <= int(row.To))
			for range n {
				r.d.category[at] = category
				at++
			}
		}
	}
	r.d.rows = append(r.d.rows, row)
}

func (r *geometryReader) seat(p Point) {
	r.need(len(r.d.x) < MaxSeats)
	r.d.x, r.d.y = append(r.d.x, p.X), append(r.d.y, p.Y)
}

func (r *geometryReader) piece() {
	v := r.u(2*MaxSeats + 2)
	n := v >> 1
	r.need(n > 0)
	d := r.cell()
	r.first = cell{r.first.x + d.x, r.first.y + d.y}
	if v&1 == pieceSteps {
		at := r.first
		r.seat(r.point(float64(at.x), float64(at.y)))
		for range n - 1 {
			d := r.cell()
			at = cell{at.x + d.x, at.y + d.y}
			r.seat(r.point(float64(at.x), float64(at.y)))
		}
		return
	}
	if n > 1 {
		d := r.cell()
		r.chord = cell{r.chord.x + d.x, r.chord.y + d.y}
	}
	if n > 2 {
		d := r.cell()
		r.bend = cell{r.bend.x + d.x, r.bend.y + d.y}
	}
	for i := range n {
		// seats of a two-seat piece are at the ends, where the bend does not count
		at := curveAt(piece{first: r.first, chord: r.chord, bend: r.bend}, i, n)
		r.seat(r.point(at.x, at.y))
	}
}
