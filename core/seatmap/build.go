package seatmap

import (
	"cmp"
	"slices"
	"strconv"
)

// generalRow is the row part of the labels of general-admission places.
const generalRow = "GA"

// Build checks the spec and computes the chart. The error is an Invalid fault
// that lists every problem with its place, at most MaxProblems. The spec is not
// kept: changing it afterwards does not change the chart.
func Build(s Spec) (*Chart, error) {
	var p problems
	s.check(&p)
	if p.total > 0 {
		return nil, p.err("the chart")
	}
	c := newChart(&s)
	for i := range s.Sections {
		c.addSection(&s.Sections[i])
	}
	if c.labels = indexLabels(c, &p); p.total > 0 {
		return nil, p.err("the chart")
	}
	c.link()
	c.placeGeneral()
	c.measure(s.Focal)
	c.makeRuns()
	c.pairCompanions()
	c.outline()
	c.bound()
	c.prepareGeometry()
	return c, nil
}

func newChart(s *Spec) *Chart {
	seats, rows := s.size()
	shapes := make([]Shape, len(s.Shapes))
	for i, shape := range s.Shapes {
		shape.Points = slices.Clone(shape.Points)
		shapes[i] = shape
	}
	return &Chart{
		id: s.ID, version: s.Version, name: s.Name,
		x: make([]float32, 0, seats), y: make([]float32, 0, seats),
		rowOf: make([]int32, 0, seats), number: make([]string, 0, seats),
		category: make([]uint8, 0, seats), flags: make([]uint8, 0, seats),
		sections: make([]Section, 0, len(s.Sections)), rows: make([]Row, 0, rows),
		cats: slices.Clone(s.Categories), shapes: shapes,
	}
}

func (c *Chart) addSection(s *SectionSpec) {
	section := Section{
		Label: s.Label, Name: cmp.Or(s.Name, s.Label), From: Ordinal(len(c.number)), RowFrom: len(c.rows),
		General: s.Places > 0, Outline: slices.Clone(s.Outline),
	}
	index := len(c.sections)
	for i := range s.Rows {
		c.addRow(index, &s.Rows[i])
	}
	if s.Places > 0 {
		c.addPlaces(index, s)
	}
	section.To, section.RowTo = Ordinal(len(c.number)), len(c.rows)
	section.Category = c.commonest(section.From, section.To)
	c.sections = append(c.sections, section)
	c.focals = append(c.focals, clonePoint(s.Focal))
}

func (c *Chart) addRow(section int, r *RowSpec) {
	row := Row{Label: r.Label, Section: section, From: Ordinal(len(c.number))}
	for i := range r.Seats {
		s := &r.Seats[i]
		var flags uint8
		if s.Accessible {
			flags |= flagAccessible
		}
		if s.Companion {
			flags |= flagCompanion
		}
		c.addSeat(s.Number, s.X, s.Y, s.Category, flags)
	}
	row.To = Ordinal(len(c.number))
	c.rows = append(c.rows, row)
}

func (c *Chart) addPlaces(section int, s *SectionSpec) {
	row := Row{Label: generalRow, Section: section, From: Ordinal(len(c.number))}
	for i := range s.Places {
		c.addSeat(strconv.Itoa(i+1), 0, 0, s.Category, 0)
	}
	row.To = Ordinal(len(c.number))
	c.rows = append(c.rows, row)
}

func (c *Chart) addSeat(number string, x, y float32, category int, flags uint8) {
	c.number = append(c.number, number)
	c.x, c.y = append(c.x, x), append(c.y, y)
	c.rowOf = append(c.rowOf, int32(len(c.rows)))
	c.category = append(c.category, uint8(category))
	c.flags = append(c.flags, flags)
}

// commonest is the category most seats of [from, to) have; the smaller index wins a tie.
func (c *Chart) commonest(from, to Ordinal) int {
	var counts [MaxCategories]int
	best := 0
	for _, category := range c.category[from:to] {
		counts[category]++
	}
	for i, n := range counts {
		if n > counts[best] {
			best = i
		}
	}
	return best
}

func clonePoint(p *Point) *Point {
	if p == nil {
		return nil
	}
	clone := *p
	return &clone
}
