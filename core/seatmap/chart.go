// Package seatmap is the venue layout: sections, rows and seats with their places.
//
// A Spec is the plain description that generators, importers and people write.
// Build checks it and computes everything that is ever asked about it once; the
// Chart it returns never changes, so it may be shared by any number of
// goroutines. One (ID, Version) always means the same chart.
//
// doc.go describes the binary form that browsers get.
package seatmap

import (
	"strings"
	"sync"

	"plateia/core/id"
)

// Ordinal is a seat's dense number 0..N-1 within one chart version, in
// section-row order. Engines, bitmaps and the wire use it; people see labels.
type Ordinal int32

// Point is a place on the plan. The unit is the plan's own; y grows downwards.
type Point struct{ X, Y float32 }

// Rect is an upright rectangle, X0 <= X1 and Y0 <= Y1.
type Rect struct{ X0, Y0, X1, Y1 float32 }

// Seat is everything a chart knows of one seat. A place in a general-admission
// area has its section's centre for coordinates.
type Seat struct {
	Ordinal    Ordinal
	Section    int // index into Sections
	Row        int // index into Rows
	Number     string
	X, Y       float32
	Category   int // index into Categories
	Accessible bool
	Companion  bool // sold together with an accessible seat
}

// Section is a block of rows, or a general-admission area.
type Section struct {
	Label          string // first part of its seats' labels
	Name           string // for people
	From, To       Ordinal
	RowFrom, RowTo int
	Outline        []Point // closed polygon around its seats, without the repeated first point
	Centre         Point
	Category       int  // the commonest among its seats
	General        bool // general admission: places without numbers or coordinates
}

// Row is a run of seats in physical order.
type Row struct {
	Label    string
	Section  int
	From, To Ordinal
}

// Category is a price class. Prices themselves belong to an event.
type Category struct {
	Key   string `json:"key"`
	Name  string `json:"name"`
	Color string `json:"color"` // #rrggbb
}

// Run is a longest stretch of seats of one row without an aisle between them.
// A general-admission area is one run.
type Run struct {
	From, To Ordinal
	Section  int
	Row      int
	Category int   // -1: mixed
	Nearest  int32 // smallest Distance in the run
	General  bool
	Special  bool // has accessible or companion seats
}

// Chart is an immutable, versioned venue layout.
type Chart struct {
	id       id.ID
	version  int
	name     string
	x, y     []float32
	rowOf    []int32
	number   []string
	category []uint8
	flags    []uint8
	distance []int32 // to the focal point, in hundredths of the pitch
	linked   []uint64
	partners map[Ordinal][]Ordinal
	sections []Section
	rows     []Row
	runs     []Run   // by ordinal
	runFrom  []int32 // by row and one more: index of the first run
	nearest  []int32 // indexes of runs by (Nearest, From)
	cats     []Category
	shapes   []Shape
	labels   labelIndex
	focal    Point
	focals   []*Point // by section, nil: focal
	bounds   Rect
	pitch    float32
	geometry func() []byte
}

const (
	flagAccessible = 1
	flagCompanion  = 2
)

// ID is the chart's; all its versions share it.
func (c *Chart) ID() id.ID { return c.id }

// Version starts at 1.
func (c *Chart) Version() int { return c.version }

// Name is the venue layout's name, for people.
func (c *Chart) Name() string { return c.name }

// Seats is how many seats there are, general-admission places included.
func (c *Chart) Seats() int { return len(c.number) }

// Has reports whether o is a seat of this chart.
func (c *Chart) Has(o Ordinal) bool { return o >= 0 && int(o) < len(c.number) }

// Seat returns what is known of seat o. It panics when !Has(o), like an index.
func (c *Chart) Seat(o Ordinal) Seat {
	return Seat{
		Ordinal: o, Section: c.Section(o), Row: int(c.rowOf[o]), Number: c.number[o],
		X: c.x[o], Y: c.y[o], Category: int(c.category[o]),
		Accessible: c.Accessible(o), Companion: c.Companion(o),
	}
}

// At is where o is.
func (c *Chart) At(o Ordinal) Point { return Point{c.x[o], c.y[o]} }

// Section is the index of o's section.
func (c *Chart) Section(o Ordinal) int { return c.rows[c.rowOf[o]].Section }

// SameArea reports whether a and b are places of one general-admission area.
func (c *Chart) SameArea(a, b Ordinal) bool {
	return c.rowOf[a] == c.rowOf[b] && c.sections[c.Section(a)].General
}

// Row is the index of o's row.
func (c *Chart) Row(o Ordinal) int { return int(c.rowOf[o]) }

// Category is the index of o's category.
func (c *Chart) Category(o Ordinal) int { return int(c.category[o]) }

// Accessible reports whether o is a wheelchair place or otherwise accessible seat.
func (c *Chart) Accessible(o Ordinal) bool { return c.flags[o]&flagAccessible != 0 }

// Companion reports whether o is sold together with an accessible seat.
func (c *Chart) Companion(o Ordinal) bool { return c.flags[o]&flagCompanion != 0 }

// Partners are the companions of an accessible seat, or the accessible seats
// of a companion; empty for other seats. The caller must not change the slice.
func (c *Chart) Partners(o Ordinal) []Ordinal { return c.partners[o] }

// Label is "SECTION-ROW-NUMBER": unique in the chart, and the public seat id.
func (c *Chart) Label(o Ordinal) string {
	row := &c.rows[c.rowOf[o]]
	return joinLabel(c.sections[row.Section].Label, row.Label, c.number[o])
}

func joinLabel(section, row, number string) string {
	var b strings.Builder
	b.Grow(len(section) + len(row) + len(number) + 2)
	b.WriteString(section)
	b.WriteByte('-')
	b.WriteString(row)
	b.WriteByte('-')
	b.WriteString(number)
	return b.String()
}

// Find returns the seat with that label.
func (c *Chart) Find(label string) (Ordinal, bool) { return c.labels.find(c, label) }

// Sections in ordinal order. The caller must not change the slice.
func (c *Chart) Sections() []Section { return c.sections }

// Rows in ordinal order. The caller must not change the slice.
func (c *Chart) Rows() []Row { return c.rows }

// Runs in ordinal order. The caller must not change the slice.
func (c *Chart) Runs() []Run { return c.runs }

// RunsOfRow are the runs of row i. The caller must not change the slice.
func (c *Chart) RunsOfRow(i int) []Run { return c.runs[c.runFrom[i]:c.runFrom[i+1]] }

// RunsByDistance are indexes into Runs, nearest the focal point first. The
// caller must not change the slice.
func (c *Chart) RunsByDistance() []int32 { return c.nearest }

// Categories in index order. The caller must not change the slice.
func (c *Chart) Categories() []Category { return c.cats }

// Shapes are what is drawn but not sold: the pitch, a stage, walls, words.
func (c *Chart) Shapes() []Shape { return c.shapes }

// Left is the seat next to o on the side of the smaller ordinal; false at a row's
// end and at an aisle.
func (c *Chart) Left(o Ordinal) (Ordinal, bool) {
	if o <= 0 || !c.isLinked(o-1) {
		return 0, false
	}
	return o - 1, true
}

// Right is the seat next to o on the side of the larger ordinal; false at a row's
// end and at an aisle.
func (c *Chart) Right(o Ordinal) (Ordinal, bool) {
	if !c.isLinked(o) {
		return 0, false
	}
	return o + 1, true
}

// isLinked reports whether o and o+1 are neighbours.
func (c *Chart) isLinked(o Ordinal) bool { return c.linked[o>>6]>>(o&63)&1 == 1 }

// Links is the set of seats o that have o+1 as their neighbour, one bit each. The
// caller must not change the slice.
func (c *Chart) Links() []uint64 { return c.linked }

// Distance is how far o is from the point its section looks at, in hundredths of
// a seat pitch. Whole numbers, so that sums of them can be compared exactly.
func (c *Chart) Distance(o Ordinal) int32 { return c.distance[o] }

// FocalDistance is Distance in the plan's unit.
func (c *Chart) FocalDistance(o Ordinal) float32 { return float32(c.distance[o]) * c.pitch / 100 }

// Focal is the point everybody looks at: the middle of the pitch, of the stage's edge.
func (c *Chart) Focal() Point { return c.focal }

// Bounds contain every seat, outline and shape.
func (c *Chart) Bounds() Rect { return c.bounds }

// Pitch is the usual distance of two neighbours, in the plan's unit.
func (c *Chart) Pitch() float32 { return c.pitch }

// Geometry is the binary form for browsers (doc.go), computed once. The caller
// must not change it.
func (c *Chart) Geometry() []byte { return c.geometry() }

func (c *Chart) prepareGeometry() {
	c.geometry = sync.OnceValue(func() []byte { return encodeGeometry(c) })
}
