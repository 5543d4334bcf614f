package seatmap

import (
	"fmt"
	"math"
	"regexp"
	"strings"
	"unicode"
	"unicode/utf8"
)

var colorPattern = regexp.MustCompile(`^#[0-9a-fA-F]{6}$`)

// check lists what is wrong with the spec, except duplicate seat labels, which
// Build finds while it indexes them.
func (s *Spec) check(p *problems) {
	if s.Version < 1 || s.Version > math.MaxInt32 {
		p.add("version", "must be 1 or more, is %d", s.Version)
	}
	checkText(p, "name", s.Name)
	if s.Focal != nil {
		checkPoint(p, "focal", *s.Focal)
	}
	s.checkCategories(p)
	s.checkSections(p)
	s.checkShapes(p)
}

func (s *Spec) checkCategories(p *problems) {
	if n := len(s.Categories); n < 1 || n > MaxCategories {
		p.add("categories", "must be 1 to %d, are %d", MaxCategories, n)
	}
	seen := map[string]bool{}
	for i, c := range s.Categories {
		place := fmt.Sprintf("categories[%d]", i)
		checkText(p, place+".key", c.Key)
		checkText(p, place+".name", c.Name)
		if !colorPattern.MatchString(c.Color) {
			p.add(place+".color", "must look like #1a2b3c, is %q", clip(c.Color))
		}
		if seen[c.Key] {
			p.add(place+".key", "%q is used twice", clip(c.Key))
		}
		seen[c.Key] = true
	}
}

func (s *Spec) checkSections(p *problems) {
	if n := len(s.Sections); n < 1 || n > MaxSections {
		p.add("sections", "must be 1 to %d, are %d", MaxSections, n)
		return
	}
	seats, rows := s.size()
	if seats < 1 || seats > MaxSeats {
		p.add("sections", "must have 1 to %d seats, have %d", MaxSeats, seats)
		return
	}
	if rows > MaxRows {
		p.add("sections", "must have at most %d rows, have %d", MaxRows, rows)
		return
	}
	seen := map[string]bool{}
	for i := range s.Sections {
		section := &s.Sections[i]
		place := fmt.Sprintf("section %q", clip(section.Label))
		checkText(p, fmt.Sprintf("sections[%d].label", i), section.Label)
		if seen[section.Label] {
			p.add(place, "is there twice")
		}
		seen[section.Label] = true
		section.check(p, place, len(s.Categories))
	}
}

// size counts seats and rows without overflowing on absurd Places.
func (s *Spec) size() (seats, rows int) {
	for _, section := range s.Sections {
		if section.Places > MaxSeats {
			return MaxSeats + 1, rows
		}
		if section.Places > 0 {
			seats += section.Places
			rows++
		}
		rows += len(section.Rows)
		for _, row := range section.Rows {
			seats += len(row.Seats)
		}
		if seats > MaxSeats {
			return seats, rows
		}
	}
	return seats, rows
}

func (s *SectionSpec) check(p *problems, place string, categories int) {
	if s.Name != "" {
		checkText(p, place+" name", s.Name)
	}
	if s.Focal != nil {
		checkPoint(p, place+" focal", *s.Focal)
	}
	checkPolygon(p, place+" outline", s.Outline, len(s.Outline) > 0 || s.Places > 0)
	switch {
	case s.Places < 0:
		p.add(place, "has %d places", s.Places)
	case s.Places > 0 && len(s.Rows) > 0:
		p.add(place, "has both rows and general-admission places")
	case s.Places == 0 && len(s.Rows) == 0:
		p.add(place, "has no rows and no places")
	}
	if s.Places > 0 {
		checkCategory(p, place, s.Category, categories)
	}
	seen := map[string]bool{}
	for i := range s.Rows {
		row := &s.Rows[i]
		if textFault(row.Label) != "" {
			checkText(p, fmt.Sprintf("%s rows[%d].label", place, i), row.Label)
		}
		if seen[row.Label] {
			p.add(row.place(place), "is there twice")
		}
		seen[row.Label] = true
		row.check(p, place, categories)
	}
}

// place is made only for problems: there are thousands of rows.
func (r *RowSpec) place(section string) string {
	return fmt.Sprintf("%s row %q", section, clip(r.Label))
}

func (r *RowSpec) check(p *problems, section string, categories int) {
	if len(r.Seats) == 0 {
		p.add(r.place(section), "has no seats")
	}
	for i := range r.Seats {
		seat := &r.Seats[i]
		if seat.fine(categories) {
			continue
		}
		where := fmt.Sprintf("%s seat %q (number %d in the row)", r.place(section), clip(seat.Number), i+1)
		checkText(p, where+" number", seat.Number)
		checkPoint(p, where, Point{seat.X, seat.Y})
		checkCategory(p, where, seat.Category, categories)
		if seat.Accessible && seat.Companion {
			p.add(where, "is both accessible and a companion seat")
		}
	}
}

// fine is the quick check that spares good seats the work of naming themselves.
func (s *SeatSpec) fine(categories int) bool {
	return textFault(s.Number) == "" && finite(s.X) && finite(s.Y) &&
		s.Category >= 0 && s.Category < categories && (!s.Accessible || !s.Companion)
}

func (s *Spec) checkShapes(p *problems) {
	if n := len(s.Shapes); n > MaxShapes {
		p.add("shapes", "must be at most %d, are %d", MaxShapes, n)
		return
	}
	for i, shape := range s.Shapes {
		place := fmt.Sprintf("shapes[%d]", i)
		if shape.Label != "" {
			checkText(p, place+".label", shape.Label)
		}
		if shape.Color != "" && !colorPattern.MatchString(shape.Color) {
			p.add(place+".color", "must look like #1a2b3c, is %q", clip(shape.Color))
		}
		switch shape.Role {
		case RoleStage, RolePitch, RoleArea:
			checkPolygon(p, place, shape.Points, true)
		case RoleLine:
			checkPoints(p, place, shape.Points, 2)
		case RoleText:
			checkPoints(p, place, shape.Points, 1)
		default:
			p.add(place+".role", "%q is not known", clip(string(shape.Role)))
		}
	}
}

func checkPolygon(p *problems, place string, points []Point, needed bool) {
	if needed {
		checkPoints(p, place, points, 3)
	}
}

func checkPoints(p *problems, place string, points []Point, least int) {
	if len(points) < least || len(points) > MaxPoints {
		p.add(place, "must have %d to %d points, has %d", least, MaxPoints, len(points))
		return
	}
	for i, point := range points {
		checkPoint(p, fmt.Sprintf("%s point %d", place, i+1), point)
	}
}

func checkPoint(p *problems, place string, point Point) {
	if !finite(point.X) || !finite(point.Y) {
		p.add(place, "has coordinates (%v, %v); they must be numbers within ±%.0f", point.X, point.Y, float64(MaxCoordinate))
	}
}

func finite(v float32) bool { return v >= -MaxCoordinate && v <= MaxCoordinate } // false for NaN

func checkCategory(p *problems, place string, category, categories int) {
	if category < 0 || category >= categories {
		p.add(place, "has category %d of %d", category, categories)
	}
}

func checkText(p *problems, place, text string) {
	if fault := textFault(text); fault != "" {
		p.add(place, "%s: %q", fault, clip(text))
	}
}

// textFault says what is wrong with a label, name or number: "" for nothing.
func textFault(text string) string {
	switch {
	case text == "":
		return "must not be empty"
	case len(text) > MaxText:
		return fmt.Sprintf("must have at most %d bytes", MaxText)
	case plain(text):
		return ""
	case !utf8.ValidString(text):
		return "must be UTF-8"
	case strings.ContainsFunc(text, func(r rune) bool { return !unicode.IsPrint(r) }):
		return "must have printable characters only"
	case strings.TrimSpace(text) != text:
		return "must not begin or end with a space"
	}
	return ""
}

// plain is true for the usual case, ASCII letters and digits.
func plain(text string) bool {
	for i := 0; i < len(text); i++ {
		c := text[i] | 0x20
		if (c < 'a' || c > 'z') && (text[i] < '0' || text[i] > '9') {
			return false
		}
	}
	return true
}

// clip bounds what a message repeats of somebody's input.
func clip(text string) string {
	if len(text) > 40 {
		return strings.ToValidUTF8(text[:40], "") + "…"
	}
	return text
}
