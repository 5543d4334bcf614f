package seatmap

import (
	"math"
	"strings"
)

// planArea is something drawn: a closed polygon, or a word at a point.
type planArea struct {
	points []vec
	label  string
	color  string
}

const roundPointCount = 32 // of circles and ellipses

func (p *plan) readArea(zone *planZone, place string, value any, origin vec) {
	object := p.object("area", place, value)
	if object == nil {
		return
	}
	area := planArea{color: strings.ToLower(text(object["color"]))}
	if !colorPattern.MatchString(area.color) {
		area.color = ""
	}
	if words, fine := object["text"].(map[string]any); fine {
		area.label = tidy(text(words["text"]))
	}
	at := plus(origin, p.position(place, object["position"]))
	turn := 0.0
	if rotation, there := object["rotation"]; there {
		turn = p.number(place+" rotation", rotation) * math.Pi / 180
	}
	shape := text(object["shape"])
	corners, known := p.corners(place, shape, object)
	if !known {
		p.warnings.add(place, "has the unknown shape %q and is left out", clip(shape))
		return
	}
	sin, cos := math.Sincos(turn)
	for _, c := range corners {
		area.points = append(area.points, vec{at.x + c.x*cos - c.y*sin, at.y + c.x*sin + c.y*cos})
	}
	for _, c := range area.points {
		if !reasonable(c.x) || !reasonable(c.y) {
			p.problems.add(place, "reaches beyond ±%.0f", float64(MaxCoordinate))
			return
		}
	}
	zone.areas = append(zone.areas, area)
}

// corners are relative to the area's position.
func (p *plan) corners(place, shape string, object map[string]any) ([]vec, bool) {
	form, _ := object[shape].(map[string]any)
	switch shape {
	case "text":
		return []vec{{}}, true
	case "rectangle":
		w, h := p.number(place+" width", form["width"]), p.number(place+" height", form["height"])
		return []vec{{0, 0}, {w, 0}, {w, h}, {0, h}}, true
	case "circle":
		r := p.number(place+" radius", form["radius"])
		return oval(r, r), true
	case "ellipse":
		radius, _ := form["radius"].(map[string]any)
		return oval(p.number(place+" radius x", radius["x"]), p.number(place+" radius y", radius["y"])), true
	case "polygon":
		return p.polygon(place, form["points"]), true
	}
	return nil, false
}

func (p *plan) polygon(place string, value any) []vec {
	list := p.list(place+" points", value)
	if len(list) < 3 || len(list) > MaxPoints {
		p.problems.add(place, "must have 3 to %d points, has %d", MaxPoints, len(list))
		return nil
	}
	points := make([]vec, 0, len(list))
	for _, point := range list {
		points = append(points, p.position(place+" point", point))
	}
	return points
}

func oval(rx, ry float64) []vec {
	points := make([]vec, roundPointCount)
	for i := range points {
		sin, cos := math.Sincos(2 * math.Pi * float64(i) / roundPointCount)
		points[i] = vec{rx * cos, ry * sin}
	}
	return points
}

// focal is the middle of the largest area, which is where the show is; without
// areas it is the middle of all seats.
func (p *plan) focal() vec {
	if a := p.largestArea(); a != nil {
		return middleOf(a.points)
	}
	var all []vec
	for i := range p.zones {
		all = append(all, p.zones[i].points()...)
	}
	return middleOf(all)
}

func (p *plan) largestArea() *planArea {
	var largest *planArea
	most := 0.0
	for z := range p.zones {
		for i := range p.zones[z].areas {
			a := &p.zones[z].areas[i]
			if size := math.Abs(area(a.points)); size > most {
				largest, most = a, size
			}
		}
	}
	return largest
}

func (z *planZone) points() []vec {
	var points []vec
	for _, row := range z.rows {
		for _, seat := range row.seats {
			points = append(points, seat.at)
		}
	}
	return points
}

func middleOf(points []vec) vec {
	if len(points) == 0 {
		return vec{}
	}
	low, high := extent(points)
	return vec{(low.x + high.x) / 2, (low.y + high.y) / 2}
}

func extent(points []vec) (low, high vec) {
	low, high = points[0], points[0]
	for _, q := range points {
		low = vec{min(low.x, q.x), min(low.y, q.y)}
		high = vec{max(high.x, q.x), max(high.y, q.y)}
	}
	return low, high
}

// separate finds zones that were drawn on top of an earlier one, as floors are. A
// fan could not choose between two seats in one place, so a repair moves
// them, with a heading, below or beside everything else, whichever keeps the plan more compact.
func (p *plan) separate(pitch float64, repair bool) {
	taken := newGrid(pitch / 2)
	var placed []vec
	for _, zone := range p.zones {
		for _, a := range zone.areas {
			placed = append(placed, a.points...)
		}
	}
	for i := range p.zones {
		zone := &p.zones[i]
		points := zone.points()
		if n, other := onTop(taken, points); n > 0 {
			if repair && p.move(zone, placed, pitch) {
				p.repairs.add(zone.place, "has been moved by (%.1f, %.1f): %d of its seats lay on seats of %s", zone.moved.x, zone.moved.y, n, p.zones[other].place)
				points = zone.points()
			} else {
				p.warnings.add(zone.place, "lies with %d seats on seats of %s", n, p.zones[other].place)
			}
		}
		for _, at := range points {
			taken.add(at, i)
		}
		placed = append(placed, points...)
	}
}

// onTop counts points near those of other zones and names one such zone.
func onTop(taken *grid, points []vec) (n, zone int) {
	for _, at := range points {
		near := false
		taken.each(at, func(other int) { near, zone = true, other })
		if near {
			n++
		}
	}
	return n, zone
}

// move is false when there is no room within MaxCoordinate.
func (p *plan) move(zone *planZone, placed []vec, pitch float64) bool {
	low, high := extent(placed)
	zl, zh := extent(zone.points())
	gap := 4 * pitch
	w, h := high.x-low.x, high.y-low.y
	zw, zhgt := zh.x-zl.x, zh.y-zl.y
	by := vec{high.x + gap - zl.x, 0} // beside
	if max(w, zw, h+gap+zhgt) <= max(w+gap+zw, h, zhgt) {
		by = vec{0, high.y + gap - zl.y} // below
	}
	if !reasonable(zh.x+by.x) || !reasonable(zh.y+by.y) {
		return false
	}
	for r := range zone.rows {
		for i := range zone.rows[r].seats {
			seat := &zone.rows[r].seats[i]
			seat.at = plus(seat.at, by)
		}
	}
	for a := range zone.areas {
		for i := range zone.areas[a].points {
			zone.areas[a].points[i] = plus(zone.areas[a].points[i], by)
		}
	}
	zone.moved = by
	heading := vec{(zl.x+zh.x)/2 + by.x, zl.y + by.y - gap/2}
	zone.areas = append(zone.areas, planArea{points: []vec{heading}, label: zone.name})
	return true
}

// shapes are the areas, the largest as the stage.
func (p *plan) shapes() []Shape {
	stage := p.largestArea()
	var shapes []Shape
	for z := range p.zones {
		for i := range p.zones[z].areas {
			a := &p.zones[z].areas[i]
			shape := Shape{Role: RoleArea, Label: a.label, Color: a.color}
			switch {
			case a == stage:
				shape.Role = RoleStage
			case len(a.points) == 1 && a.label == "":
				continue
			case len(a.points) == 1:
				shape.Role = RoleText
			}
			for _, at := range a.points {
				shape.Points = append(shape.Points, Point{roundTo(at.x, 0.001), roundTo(at.y, 0.001)})
			}
			shapes = append(shapes, shape)
		}
	}
	return shapes
}
