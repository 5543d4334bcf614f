package seatmap

import (
	"cmp"
	"math"
	"slices"
)

// aisleGap is the distance, in seat pitches, from which two seats that follow
// each other in a row have an aisle between them.
const aisleGap = 1.6

// link finds the usual distance of neighbours and which seats of a row are
// neighbours: those closer than aisleGap of their own row's pitch. A row too
// short to tell, such as two seats with an aisle between them, uses its
// section's pitch or the chart's.
func (c *Chart) link() {
	n := len(c.number)
	gaps := make([]float64, n) // from o to o+1; 0 at a row's end
	var all, near []float64
	for _, row := range c.rows {
		for o := row.From; o < row.To-1; o++ {
			gaps[o] = math.Hypot(float64(c.x[o+1]-c.x[o]), float64(c.y[o+1]-c.y[o]))
		}
	}
	for _, s := range c.sections {
		if !s.General {
			all = appendPositive(all, gaps[s.From:s.To])
		}
	}
	usual := median(all)
	c.pitch = float32(usual)
	if usual == 0 {
		c.pitch = 1
	}
	c.linked = make([]uint64, n/64+1)
	for _, s := range c.sections {
		if s.General {
			continue
		}
		near = appendPositive(near[:0], gaps[s.From:s.To])
		own := medianOr(near, usual)
		for _, row := range c.rows[s.RowFrom:s.RowTo] {
			near = appendPositive(near[:0], gaps[row.From:row.To])
			limit := aisleGap * medianOr(near, own)
			for o := row.From; o < row.To-1; o++ {
				if gaps[o] <= limit {
					c.linked[o>>6] |= 1 << (o & 63)
				}
			}
		}
	}
}

func appendPositive(to, values []float64) []float64 {
	for _, v := range values {
		if v > 0 {
			to = append(to, v)
		}
	}
	return to
}

// medianOr is the median of at least three values, else the fallback.
func medianOr(values []float64, fallback float64) float64 {
	if len(values) < 3 {
		return fallback
	}
	return median(values)
}

// median reorders values; 0 for none. The lower of two middle ones, so that
// pairs of seats with an aisle between them are measured by the pairs.
func median(values []float64) float64 {
	if len(values) == 0 {
		return 0
	}
	slices.Sort(values)
	return values[(len(values)-1)/2]
}

// measure computes every seat's distance to the point its section looks at.
func (c *Chart) measure(focal *Point) {
	if focal == nil {
		focal = c.middle()
	}
	c.focal = *focal
	c.distance = make([]int32, len(c.number))
	for i, s := range c.sections {
		at := c.focal
		if c.focals[i] != nil {
			at = *c.focals[i]
		}
		for o := s.From; o < s.To; o++ {
			d := math.Hypot(float64(c.x[o]-at.X), float64(c.y[o]-at.Y)) / float64(c.pitch)
			c.distance[o] = int32(min(math.Round(d*100), math.MaxInt32/16)) // sums of ten fit
		}
	}
}

// middle is the centre of the seats' bounding box.
func (c *Chart) middle() *Point {
	box := emptyRect()
	for o := range c.number {
		box.add(Point{c.x[o], c.y[o]})
	}
	return &Point{(box.X0 + box.X1) / 2, (box.Y0 + box.Y1) / 2}
}

// makeRuns cuts the rows at their aisles.
func (c *Chart) makeRuns() {
	for i, row := range c.rows {
		general := c.sections[row.Section].General
		c.runFrom = append(c.runFrom, int32(len(c.runs)))
		for from := row.From; from < row.To; {
			to := from + 1
			for to < row.To && (general || c.isLinked(to-1)) {
				to++
			}
			c.runs = append(c.runs, c.makeRun(from, to, i, general))
			from = to
		}
	}
	c.runFrom = append(c.runFrom, int32(len(c.runs)))
	c.nearest = make([]int32, len(c.runs))
	for i := range c.nearest {
		c.nearest[i] = int32(i)
	}
	slices.SortFunc(c.nearest, func(a, b int32) int {
		return cmp.Or(cmp.Compare(c.runs[a].Nearest, c.runs[b].Nearest), cmp.Compare(a, b))
	})
}

func (c *Chart) makeRun(from, to Ordinal, row int, general bool) Run {
	run := Run{
		From: from, To: to, Row: row, Section: c.rows[row].Section, General: general,
		Category: int(c.category[from]), Nearest: slices.Min(c.distance[from:to]),
	}
	for o := from; o < to; o++ {
		if int(c.category[o]) != run.Category {
			run.Category = -1
		}
		run.Special = run.Special || c.flags[o] != 0
	}
	return run
}

// pairCompanions gives each companion seat its accessible seat: the nearest one
// of its section, a neighbour in the row before a nearer one in another row.
func (c *Chart) pairCompanions() {
	c.partners = map[Ordinal][]Ordinal{}
	for _, s := range c.sections {
		var accessible []Ordinal
		for o := s.From; o < s.To; o++ {
			if c.Accessible(o) {
				accessible = append(accessible, o)
			}
		}
		if len(accessible) == 0 {
			continue
		}
		for o := s.From; o < s.To; o++ {
			if c.Companion(o) {
				partner := c.partnerOf(o, accessible)
				c.partners[o] = append(c.partners[o], partner)
				c.partners[partner] = append(c.partners[partner], o)
			}
		}
	}
}

// partnerOf prefers an accessible seat that has no companion yet.
func (c *Chart) partnerOf(o Ordinal, accessible []Ordinal) Ordinal {
	best, least := accessible[0], math.Inf(1)
	for _, a := range accessible {
		d := math.Hypot(float64(c.x[a]-c.x[o]), float64(c.y[a]-c.y[o]))
		if c.rowOf[a] != c.rowOf[o] {
			d += 100 * float64(c.pitch)
		}
		d += 2 * float64(c.pitch) * float64(len(c.partners[a]))
		if a > o { // of two equally near ones the one before
			d += float64(c.pitch) / 4
		}
		if d < least {
			best, least = a, d
		}
	}
	return best
}
