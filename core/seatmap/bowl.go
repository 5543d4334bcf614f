package seatmap

import "math"

// bowl is the inner edge of a stadium's stands, a superellipse, from which rows
// are laid out at growing distances along its normals, as stands are built.
type bowl struct {
	points  []vec // one lap, counter-clockwise on the plan, from the middle of the right side
	normals []vec
}

type vec struct{ x, y float64 }

const bowlPoints = 4096

// newBowl samples |x/a|^n + |y/b|^n = 1 evenly in angle.
func newBowl(a, b, n float64) *bowl {
	w := &bowl{points: make([]vec, bowlPoints), normals: make([]vec, bowlPoints)}
	for i := range bowlPoints {
		sin, cos := math.Sincos(2 * math.Pi * float64(i) / bowlPoints)
		r := math.Pow(math.Pow(math.Abs(cos)/a, n)+math.Pow(math.Abs(sin)/b, n), -1/n)
		x, y := r*cos, r*sin
		nx := math.Copysign(math.Pow(math.Abs(x)/a, n-1)/a, x)
		ny := math.Copysign(math.Pow(math.Abs(y)/b, n-1)/b, y)
		length := math.Hypot(nx, ny)
		w.points[i], w.normals[i] = vec{x, y}, vec{nx / length, ny / length}
	}
	return w
}

// at is the point outside sample i (any whole or broken number of laps) at depth d.
func (w *bowl) at(i, d float64) vec {
	whole := math.Floor(i)
	p, q := w.sample(int(whole), d), w.sample(int(whole)+1, d)
	f := i - whole
	return vec{p.x + (q.x-p.x)*f, p.y + (q.y-p.y)*f}
}

func (w *bowl) sample(i int, d float64) vec {
	i = ((i % bowlPoints) + bowlPoints) % bowlPoints
	return vec{w.points[i].x + w.normals[i].x*d, w.points[i].y + w.normals[i].y*d}
}

// cut divides the lap at depth d into n equally long parts, the first beginning
// at sample start, and returns the n+1 samples between them.
func (w *bowl) cut(n int, start, d float64) []float64 {
	lap := w.walk(start, start+bowlPoints, d)
	total := lap[len(lap)-1].length
	cuts := make([]float64, 0, n+1)
	for k := range n + 1 {
		cuts = append(cuts, seek(lap, total*float64(k)/float64(n)))
	}
	return cuts
}

// step is a sample and the way walked to it.
type step struct{ sample, length float64 }

// walk measures the curve at depth d from one sample to another.
func (w *bowl) walk(from, to, d float64) []step {
	steps := []step{{from, 0}}
	last := w.at(from, d)
	length := 0.0
	for i := math.Floor(from) + 1; ; i++ {
		i = min(i, to)
		p := w.at(i, d)
		length += math.Hypot(p.x-last.x, p.y-last.y)
		steps = append(steps, step{i, length})
		last = p
		if i == to {
			return steps
		}
	}
}

// seek is the sample after the given way.
func seek(steps []step, length float64) float64 {
	for i := 1; i < len(steps); i++ {
		if a, b := steps[i-1], steps[i]; length <= b.length && b.length > a.length {
			return a.sample + (b.sample-a.sample)*(length-a.length)/(b.length-a.length)
		}
	}
	return steps[len(steps)-1].sample
}

// row places seats pitch apart between two samples at depth d, margin away
// from both ends, the rest shared between the ends.
func (w *bowl) row(from, to, d, margin, pitch float64) []vec {
	steps := w.walk(from, to, d)
	room := steps[len(steps)-1].length - 2*margin
	n := int(room/pitch+1e-9) + 1
	if room < 0 {
		return nil
	}
	begin := margin + (room-float64(n-1)*pitch)/2
	seats := make([]vec, n)
	for i := range seats {
		seats[i] = w.at(seek(steps, begin+float64(i)*pitch), d)
	}
	return seats
}
