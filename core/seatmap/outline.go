package seatmap

func (c *Chart) outline(s *Spec) {}
func (c *Chart) placeGeneral()   {}

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
		for _, p := range s.Outline {
			c.bounds.add(p)
		}
	}
	for _, s := range c.shapes {
		for _, p := range s.Points {
			c.bounds.add(p)
		}
	}
}
