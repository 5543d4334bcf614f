package seatmap

import "testing"

func TestStadium(t *testing.T) {
	c, err := Build(Stadium())
	if err != nil {
		t.Fatal(err)
	}
	t.Log(c.Seats(), len(c.Rows()), len(c.Sections()), c.Bounds(), len(c.JSON()))
	n := 0
	for o := range Ordinal(c.Seats()) {
		if c.Accessible(o) {
			n++
		}
	}
	t.Log(n, c.Label(0), c.Label(Ordinal(c.Seats()-1)))
	for _, s := range c.Sections()[:36] {
		t.Log(s.Label, s.To-s.From, s.Category, c.x[s.From], c.y[s.From])
	}
}
