package seatmap

import (
	"math"
	"strconv"
)

// The demo stadium, in metres. Aisles and walkways are wider than built ones, so
// that they can be seen when the whole stadium is on a phone.
const (
	stadiumSeatPitch = 0.5
	stadiumRowDepth  = 0.85
	stadiumAisle     = 2.1 // between the last seats of two sections
	stadiumWalkway   = 5.5 // between two tiers
	stadiumCross     = 1.6 // cross-aisle in front of the accessible row
	wheelchairPitch  = 0.9
)

// tier is a ring of sections.
type tier struct {
	first    int // number of its first section
	sections int
	rows     []string
	near     int // category at the long sides
	corner   int
	far      int  // at the short ends
	stairs   int  // every so many sections a stairway comes up inside the section; 0: none
	cross    bool // its last row is an accessible row behind a cross-aisle
}

// Stadium is the demo stadium: three tiers around a football pitch, more than
// 60,000 numbered seats. The result is always the same, with a zero ID and
// version 1; the caller sets both.
func Stadium() Spec {
	bowl := newBowl(67, 48, 3.1)
	s := Spec{
		Version: 1, Name: "Arena Plateia", Focal: &Point{},
		Categories: []Category{
			{"cat1", "Platinum", "#0072b2"},
			{"cat2", "Gold", "#00785a"},
			{"cat3", "Silver", "#a65000"},
			{"cat4", "Bronze", "#7048b8"},
			{"cat5", "Value", "#b81f52"},
		},
		Shapes: footballPitch(),
	}
	tiers := []tier{
		{first: 101, sections: 36, rows: rowLetters(28), near: 0, corner: 1, far: 1, stairs: 2, cross: true},
		{first: 201, sections: 44, rows: rowLetters(16), near: 1, corner: 2, far: 2},
		{first: 301, sections: 52, rows: rowNumbers(21), near: 3, corner: 3, far: 4, stairs: 2},
	}
	depth := 0.0
	for _, t := range tiers {
		depth = t.build(&s, bowl, depth) + stadiumWalkway
	}
	return s
}

// build adds the tier's sections from the depth of its first row and returns the depth of its last.
func (t tier) build(s *Spec, w *bowl, depth float64) float64 {
	depths := make([]float64, len(t.rows))
	for i := range depths {
		depths[i] = depth + float64(i)*stadiumRowDepth
	}
	last := len(depths) - 1
	if t.cross {
		depths[last] += stadiumCross
	}
	start := w.cut(4, 0, depth)[1] // the middle of the near long side
	halves := w.cut(2*t.sections, start, depths[last/2])
	from := halves[len(halves)-2] - bowlPoints // the first section is centred on the middle
	for i := range t.sections {
		to := halves[2*i+1]
		s.Sections = append(s.Sections, t.section(w, i, from, to, depths))
		from = to
	}
	return depths[last]
}

// section i is numbered clockwise as seen from above; seat 1 of a row is at the aisle
// it shares with the section numbered before.
func (t tier) section(w *bowl, i int, from, to float64, depths []float64) SectionSpec {
	label := strconv.Itoa(t.first + i)
	section := SectionSpec{Label: label}
	category := t.category(w.at((from+to)/2, depths[0]))
	for r, name := range t.rows {
		row := RowSpec{Label: name}
		if t.cross && r == len(t.rows)-1 {
			row.Seats = accessibleSeats(w.row(from, to, depths[r], stadiumAisle/2+0.2, wheelchairPitch), category)
		} else {
			places := w.row(from, to, depths[r], stadiumAisle/2, stadiumSeatPitch)
			row.Seats = plainSeats(t.withoutStairs(places, i, r), category)
		}
		section.Rows = append(section.Rows, row)
	}
	return section
}

// withoutStairs takes out the seats where a stairway from below comes up in the
// middle of some sections' lower rows.
func (t tier) withoutStairs(places []vec, section, row int) []vec {
	if t.stairs == 0 || section%t.stairs != 0 || row < 7 || row > 11 {
		return places
	}
	gone := 4 + len(places)%2 // leaves halves of equal length
	half := (len(places) - gone) / 2
	return append(places[:half:half], places[half+gone:]...)
}

// category goes by the direction of the section from the middle of the pitch.
func (t tier) category(p vec) int {
	slope := math.Abs(p.y) / math.Max(math.Abs(p.x), 1e-9)
	switch {
	case slope > 1:
		return t.near
	case slope > 0.45:
		return t.corner
	}
	return t.far
}

func plainSeats(places []vec, category int) []SeatSpec {
	seats := make([]SeatSpec, len(places))
	for i, p := range places {
		seats[i] = SeatSpec{Number: strconv.Itoa(i + 1), X: centi(p.x), Y: centi(p.y), Category: category}
	}
	return seats
}

// accessibleSeats alternates wheelchair places and companion seats, the last one
// of an odd number being a second companion.
func accessibleSeats(places []vec, category int) []SeatSpec {
	seats := plainSeats(places, category)
	for i := range seats {
		seats[i].Accessible = i%2 == 0 && i < len(seats)-1
		seats[i].Companion = !seats[i].Accessible
	}
	return seats
}

// centi rounds to centimetres, the same on every machine.
func centi(v float64) float32 { return float32(math.Round(v*100) / 100) }

// rowLetters are A to Z without I and O, which look like digits, then AA, BB, …
func rowLetters(n int) []string {
	const letters = "ABCDEFGHJKLMNPQRSTUVWXYZ"
	labels := make([]string, n)
	for i := range labels {
		letter := letters[i%len(letters)]
		for range i/len(letters) + 1 {
			labels[i] += string(letter)
		}
	}
	return labels
}

func rowNumbers(n int) []string {
	labels := make([]string, n)
	for i := range labels {
		labels[i] = strconv.Itoa(i + 1)
	}
	return labels
}

// footballPitch is 105 by 68 metres around the origin, with its markings.
func footballPitch() []Shape {
	const chalk = "#ffffff"
	line := func(points ...Point) Shape { return Shape{Role: RoleLine, Color: chalk, Points: points} }
	shapes := []Shape{
		{Role: RoleArea, Color: "#d9e2d4", Points: box(-54.5, -36, 54.5, 36)},
		{Role: RolePitch, Label: "Pitch", Color: "#a9cf9b", Points: box(-52.5, -34, 52.5, 34)},
		line(closed(box(-52.5, -34, 52.5, 34))...),
		line(Point{0, -34}, Point{0, 34}),
		line(closed(arc(0, 0, 9.15, 0, 360, 48))...),
	}
	for _, side := range []float32{-1, 1} {
		goal := 52.5 * side
		shapes = append(shapes,
			line(Point{goal, -20.16}, Point{goal - 16.5*side, -20.16}, Point{goal - 16.5*side, 20.16}, Point{goal, 20.16}),
			line(Point{goal, -9.16}, Point{goal - 5.5*side, -9.16}, Point{goal - 5.5*side, 9.16}, Point{goal, 9.16}))
	}
	return shapes
}

func box(x0, y0, x1, y1 float32) []Point {
	return []Point{{x0, y0}, {x1, y0}, {x1, y1}, {x0, y1}}
}

func closed(points []Point) []Point { return append(points, points[0]) }

// arc is n points from one angle towards another, in degrees; a whole turn does not
// repeat its first point.
func arc(x, y, r, from, to float64, n int) []Point {
	parts := n - 1
	if to-from >= 360 {
		parts = n
	}
	points := make([]Point, n)
	for i := range points {
		sin, cos := math.Sincos((from + (to-from)*float64(i)/float64(parts)) * math.Pi / 180)
		points[i] = Point{centi(x + r*cos), centi(y + r*sin)}
	}
	return points
}
