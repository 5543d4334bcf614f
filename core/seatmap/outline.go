package seatmap

import "slices"

// Distances of outlines, in seat pitches.
const (
	outlineMargin = 0.85 // from the middle of the outermost seats
	outlineSlack  = 0.35 // a point this close to the line of its neighbours is left out
)

// placeGeneral gives general-admission places their section's centre.
func (c *Chart) placeGeneral() {
	for _, s := range c.sections {
		if !s.General {
			continue
		}
		centre := centroid(s.Outline)
		for o := s.From; o < s.To; o++ {
			c.x[o], c.y[o] = centre.X, centre.Y
		}
	}
}

// outline draws a polygon around the seats of each section that was not given one.
func (c *Chart) outline() {
	for i := range c.sections {
		s := &c.sections[i]
		if len(s.Outline) == 0 {
			s.Outline = c.around(s)
		}
		s.Centre = centroid(s.Outline)
	}
}

// around follows the first row, the rows' ends, the last row and the other ends
// when the section's rows lie one behind the other; any other heap of
// seats gets its convex hull. Both are widened by the margin.
func (c *Chart) around(s *Section) []Point {
	margin := outlineMargin * float64(c.pitch)
	seats := c.points(s.From, s.To)
	if ring := c.ring(s); len(ring) >= 3 {
		ring = widen(simplify(ring, outlineSlack*float64(c.pitch)), margin)
		if simple(ring) && containsAll(ring, seats) {
			return roundPoints(ring, c.pitch)
		}
	}
	return roundPoints(widenHull(hull(seats), margin), c.pitch)
}

func (c *Chart) points(from, to Ordinal) []vec {
	points := make([]vec, 0, to-from)
	for o := from; o < to; o++ {
		points = append(points, vec{float64(c.x[o]), float64(c.y[o])})
	}
	return points
}

// ring walks around the rows, turning those that run the other way; nil for less than two rows.
func (c *Chart) ring(s *Section) []vec {
	if s.RowTo-s.RowFrom < 2 {
		return nil
	}
	var direction vec
	rows := make([][]vec, 0, s.RowTo-s.RowFrom)
	for _, r := range c.rows[s.RowFrom:s.RowTo] {
		row := c.points(r.From, r.To)
		along := minus(row[len(row)-1], row[0])
		if dot(along, direction) < 0 {
			slices.Reverse(row)
			along = vec{-along.x, -along.y}
		}
		if along != (vec{}) {
			direction = along
		}
		rows = append(rows, row)
	}
	ring := slices.Clone(rows[0])
	for _, row := range rows[1 : len(rows)-1] {
		ring = append(ring, row[len(row)-1])
	}
	last := slices.Clone(rows[len(rows)-1])
	slices.Reverse(last)
	ring = append(ring, last...)
	for i := len(rows) - 2; i > 0; i-- {
		ring = append(ring, rows[i][0])
	}
	return slices.Compact(ring)
}

func emptyRect() Rect {
	return Rect{X0: MaxCoordinate, Y0: MaxCoordinate, X1: -MaxCoordinate, Y1: -MaxCoordinate}
}

func (r *Rect) add(p Point) {
	r.X0, r.Y0 = min(r.X0, p.X), min(r.Y0, p.Y)
	r.X1, r.Y1 = max(r.X1, p.X), max(r.Y1, p.Y)
}

func (c *Chart) bound() {
	c.bounds = emptyRect()
	for o := range c.number {
		c.bounds.add(Point{c.x[o], c.y[o]})
	}
	for _, s := range c.sections {
		c.bounds.addAll(s.Outline)
	}
	for _, s := range c.shapes {
		c.bounds.addAll(s.Points)
	}
}

func (r *Rect) addAll(points []Point) {
	for _, p := range points {
		r.add(p)
	}
}
