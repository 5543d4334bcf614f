package seatmap

import (
	"cmp"
	"math"
	"slices"
)

// simplify drops points of a closed ring that are within slack of the line
// between those kept (Douglas and Peucker), from its two most distant points.
func simplify(ring []vec, slack float64) []vec {
	if len(ring) < 4 {
		return ring
	}
	far := 0
	for i, p := range ring {
		if length(minus(p, ring[0])) > length(minus(ring[far], ring[0])) {
			far = i
		}
	}
	if far == 0 {
		return ring[:1]
	}
	there := simplifyLine(ring[:far+1], slack)
	back := simplifyLine(append(slices.Clone(ring[far:]), ring[0]), slack)
	return append(there[:len(there)-1:len(there)-1], back[:len(back)-1]...)
}

func simplifyLine(line []vec, slack float64) []vec {
	keep := make([]bool, len(line))
	keep[0], keep[len(line)-1] = true, true
	type span struct{ from, to int }
	for todo := []span{{0, len(line) - 1}}; len(todo) > 0; {
		s := todo[len(todo)-1]
		todo = todo[:len(todo)-1]
		worst, at := slack, -1
		for i := s.from + 1; i < s.to; i++ {
			if d := distanceToLine(line[i], line[s.from], line[s.to]); d > worst {
				worst, at = d, i
			}
		}
		if at >= 0 {
			keep[at] = true
			todo = append(todo, span{s.from, at}, span{at, s.to})
		}
	}
	var kept []vec
	for i, p := range line {
		if keep[i] {
			kept = append(kept, p)
		}
	}
	return kept
}

// widen moves every side of the ring outwards by margin; corners are cut where
// the sides would meet too far out.
func widen(ring []vec, margin float64) []vec {
	if area(ring) < 0 {
		ring = slices.Clone(ring)
		slices.Reverse(ring)
	}
	wide := make([]vec, 0, len(ring))
	for i, p := range ring {
		before, after := ring[(i+len(ring)-1)%len(ring)], ring[(i+1)%len(ring)]
		a, b := outward(before, p), outward(p, after)
		middle := vec{a.x + b.x, a.y + b.y}
		if l := length(middle); l > 0.8 { // the turn is less than about 130 degrees
			scale := 2 * margin / (l * l)
			wide = append(wide, vec{p.x + middle.x*scale, p.y + middle.y*scale})
			continue
		}
		wide = append(wide, vec{p.x + a.x*margin, p.y + a.y*margin}, vec{p.x + b.x*margin, p.y + b.y*margin})
	}
	return wide
}

// widenHull also serves hulls of one point or of points in a line.
func widenHull(ring []vec, margin float64) []vec {
	corners := make([]vec, 0, 4*len(ring))
	for _, p := range ring {
		for _, d := range []vec{{-1, -1}, {1, -1}, {1, 1}, {-1, 1}} {
			corners = append(corners, vec{p.x + d.x*margin/2, p.y + d.y*margin/2})
		}
	}
	return widen(hull(corners), margin/2)
}

// hull is the convex hull, counter-clockwise for y upwards, by monotone chains.
func hull(points []vec) []vec {
	points = slices.Clone(points)
	slices.SortFunc(points, func(a, b vec) int { return cmp.Or(cmp.Compare(a.x, b.x), cmp.Compare(a.y, b.y)) })
	points = slices.Compact(points)
	if len(points) < 3 {
		return points
	}
	chain := func(points []vec) []vec {
		var line []vec
		for _, p := range points {
			for len(line) > 1 && cross(line[len(line)-2], line[len(line)-1], p) <= 0 {
				line = line[:len(line)-1]
			}
			line = append(line, p)
		}
		return line[:len(line)-1]
	}
	lower := chain(points)
	slices.Reverse(points)
	return append(lower, chain(points)...)
}

// simple reports whether no two sides of the ring cross.
func simple(ring []vec) bool {
	n := len(ring)
	for i := range n {
		for j := i + 2; j < n; j++ {
			if i == 0 && j == n-1 {
				continue
			}
			if crosses(ring[i], ring[(i+1)%n], ring[j], ring[(j+1)%n]) {
				return false
			}
		}
	}
	return n >= 3
}

func crosses(a, b, c, d vec) bool {
	return cross(a, b, c)*cross(a, b, d) < 0 && cross(c, d, a)*cross(c, d, b) < 0
}

func containsAll(ring, points []vec) bool {
	for _, p := range points {
		if !inside(ring, p) {
			return false
		}
	}
	return true
}

func inside(ring []vec, p vec) bool {
	in := false
	for i, a := range ring {
		b := ring[(i+1)%len(ring)]
		if (a.y > p.y) != (b.y > p.y) && p.x < (b.x-a.x)*(p.y-a.y)/(b.y-a.y)+a.x {
			in = !in
		}
	}
	return in
}

// centroid is the polygon's centre of mass; of its corners when it has no area.
func centroid(points []Point) Point {
	var sum, plain vec
	var twice float64
	for i, p := range points {
		q := points[(i+1)%len(points)]
		w := float64(p.X)*float64(q.Y) - float64(q.X)*float64(p.Y)
		sum.x += (float64(p.X) + float64(q.X)) * w
		sum.y += (float64(p.Y) + float64(q.Y)) * w
		twice += w
		plain.x += float64(p.X) / float64(len(points))
		plain.y += float64(p.Y) / float64(len(points))
	}
	if math.Abs(twice) < 1e-9 {
		return Point{float32(plain.x), float32(plain.y)}
	}
	return Point{float32(sum.x / (3 * twice)), float32(sum.y / (3 * twice))}
}

// roundPoints rounds to a fiftieth of a pitch or finer, in decimal steps.
func roundPoints(ring []vec, pitch float32) []Point {
	step := math.Pow(10, math.Floor(math.Log10(float64(pitch)/50)))
	points := make([]Point, len(ring))
	for i, p := range ring {
		points[i] = Point{roundTo(p.x, step), roundTo(p.y, step)}
	}
	return points
}

func roundTo(v, step float64) float32 {
	limit := float64(MaxCoordinate)
	return float32(min(max(math.Round(v/step)*step, -limit), limit))
}

func minus(a, b vec) vec   { return vec{a.x - b.x, a.y - b.y} }
func dot(a, b vec) float64 { return a.x*b.x + a.y*b.y }
func length(a vec) float64 { return math.Hypot(a.x, a.y) }
func outward(a, b vec) vec { d := minus(b, a); l := length(d); return vec{d.y / l, -d.x / l} }
func cross(a, b, c vec) float64 {
	return (b.x-a.x)*(c.y-a.y) - (b.y-a.y)*(c.x-a.x)
}

func distanceToLine(p, a, b vec) float64 {
	l := length(minus(b, a))
	if l == 0 {
		return length(minus(p, a))
	}
	return math.Abs(cross(a, b, p)) / l
}

func area(ring []vec) float64 {
	sum := 0.0
	for i, p := range ring {
		q := ring[(i+1)%len(ring)]
		sum += p.x*q.y - q.x*p.y
	}
	return sum / 2
}
