package seatmap

import (
	"fmt"
	"reflect"
	"strconv"
	"sync"
	"testing"
)

// stadium is built once: under the race detector that takes a second.
var stadium = sync.OnceValue(func() *Chart {
	c, err := Build(Stadium())
	if err != nil {
		panic(err)
	}
	return c
})

func TestStadiumLooksLikeOne(t *testing.T) {
	c := stadium()
	if c.Seats() < 60_000 || c.Seats() > 66_000 {
		t.Errorf("%d seats", c.Seats())
	}
	if n := len(c.Sections()); n != 36+44+52 {
		t.Errorf("%d sections", n)
	}
	used := map[int]int{}
	for i, s := range c.Sections() {
		used[s.Category]++
		number, err := strconv.Atoi(s.Label)
		if err != nil || number < 101 || number > 352 || s.General {
			t.Errorf("section %q", s.Label)
		}
		if i > 0 && c.Sections()[i-1].To != s.From {
			t.Errorf("section %s begins at %d", s.Label, s.From)
		}
		if n := len(s.Outline); n < 4 || n > 40 {
			t.Errorf("section %s has an outline of %d points", s.Label, n)
		}
	}
	if len(used) != len(c.Categories()) {
		t.Errorf("sections by category: %v", used)
	}
	for _, label := range []string{"101-A-1", "136-DD-1", "201-Q-10", "352-21-1"} {
		if _, found := c.Find(label); !found {
			t.Errorf("no seat %s", label)
		}
	}
	for _, row := range c.Rows() {
		if row.Label == "I" || row.Label == "O" || row.To-row.From < 6 {
			t.Errorf("row %s of section %s has %d seats", row.Label, c.Sections()[row.Section].Label, row.To-row.From)
		}
	}
}

func TestStadiumNumbersFromTheAisle(t *testing.T) {
	c := stadium()
	for i := 1; i < 36; i++ {
		before, here := c.Sections()[i-1], c.Sections()[i]
		first, last := c.At(here.From), c.At(c.Rows()[here.RowFrom].To-1)
		if distance(first, before.Centre) > distance(last, before.Centre) {
			t.Errorf("seat 1 of section %s is not on the side of section %s", here.Label, before.Label)
		}
	}
}

func distance(a, b Point) float64 {
	return length(vec{float64(a.X - b.X), float64(a.Y - b.Y)})
}

func TestStadiumSeatsDoNotOverlap(t *testing.T) {
	c := stadium()
	near := newGrid(0.8 * float64(c.Pitch()))
	for o := range Ordinal(c.Seats()) {
		p := vec{float64(c.x[o]), float64(c.y[o])}
		near.each(p, func(other int) {
			t.Fatalf("%s and %s are on each other", c.Label(o), c.Label(Ordinal(other)))
		})
		near.add(p, int(o))
	}
	pitch := c.Shapes()[0].Points
	for o := range Ordinal(c.Seats()) {
		if p := c.At(o); p.X > pitch[0].X && p.X < pitch[2].X && p.Y > pitch[0].Y && p.Y < pitch[2].Y {
			t.Fatalf("%s is on the pitch", c.Label(o))
		}
	}
}

func TestGeneratorsAreDeterministic(t *testing.T) {
	for name, generate := range map[string]func() Spec{"stadium": Stadium, "theatre": Theatre} {
		if !reflect.DeepEqual(generate(), generate()) {
			t.Errorf("two %ss differ", name)
		}
	}
}

func TestAccessibleSeatsHaveCompanionsBesideThem(t *testing.T) {
	for name, c := range map[string]*Chart{"stadium": stadium(), "theatre": mustBuild(t, Theatre())} {
		accessible := 0
		for o := range Ordinal(c.Seats()) {
			partners := c.Partners(o)
			switch {
			case c.Accessible(o):
				accessible++
			case !c.Companion(o):
				if len(partners) != 0 {
					t.Errorf("%s: %s has partners", name, c.Label(o))
				}
				continue
			}
			if len(partners) == 0 {
				t.Errorf("%s: %s is alone", name, c.Label(o))
			}
			for _, p := range partners {
				left, hasLeft := c.Left(o)
				right, hasRight := c.Right(o)
				beside := hasLeft && left == p || hasRight && right == p
				if !beside && len(partners) == 1 && distance(c.At(o), c.At(p)) > 4*float64(c.Pitch()) {
					t.Errorf("%s: %s and %s are apart", name, c.Label(o), c.Label(p))
				}
			}
		}
		if accessible < 4 {
			t.Errorf("%s: %d accessible seats", name, accessible)
		}
	}
}

func TestTheatreIsSmall(t *testing.T) {
	c := mustBuild(t, Theatre())
	if c.Seats() < 280 || c.Seats() > 320 {
		t.Errorf("%d seats", c.Seats())
	}
	standing := c.Sections()[len(c.Sections())-1]
	if !standing.General || standing.To-standing.From != standingPlaces || standing.Centre.Y < 20 {
		t.Errorf("standing room %+v", standing)
	}
	for i, row := range c.Rows()[:standing.RowFrom] {
		if runs := c.RunsOfRow(i); len(runs) != 2 {
			t.Errorf("row %s is cut into %d by the centre aisle", row.Label, len(runs))
		}
	}
}

func TestRowLettersSkipWhatLooksLikeDigits(t *testing.T) {
	if got := fmt.Sprint(rowLetters(28)); got != "[A B C D E F G H J K L M N P Q R S T U V W X Y Z AA BB CC DD]" {
		t.Error(got)
	}
}
