package seatmap

import (
	"bytes"
	"fmt"
	"math"
	"reflect"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"plateia/core/fault"
	"plateia/core/id"
)

// rowAt is a row of seats at the given places along x, numbered from 1.
func rowAt(label string, y float32, xs ...float32) RowSpec {
	row := RowSpec{Label: label}
	for i, x := range xs {
		row.Seats = append(row.Seats, SeatSpec{Number: fmt.Sprint(i + 1), X: x, Y: y})
	}
	return row
}

func specOf(rows ...RowSpec) Spec {
	return Spec{
		Version: 1, Name: "Test", Categories: []Category{{"a", "A", "#000000"}, {"b", "B", "#ffffff"}},
		Sections: []SectionSpec{{Label: "S", Rows: rows}},
	}
}

func TestBuildRefuses(t *testing.T) {
	nan, inf := float32(math.NaN()), float32(math.Inf(-1))
	for _, test := range []struct {
		name   string
		change func(*Spec)
		want   string
	}{
		{"version 0", func(s *Spec) { s.Version = 0 }, "version: must be 1 or more"},
		{"no name", func(s *Spec) { s.Name = "" }, "name: must not be empty"},
		{"a long name", func(s *Spec) { s.Name = strings.Repeat("x", 101) }, "at most 100 bytes"},
		{"a focal point nowhere", func(s *Spec) { s.Focal = &Point{nan, 0} }, "focal: has coordinates"},
		{"no categories", func(s *Spec) { s.Categories = nil }, "categories: must be 1 to 64"},
		{"many categories", func(s *Spec) { s.Categories = make([]Category, 65) }, "categories: must be 1 to 64"},
		{"a category twice", func(s *Spec) { s.Categories[1].Key = "a" }, `"a" is used twice`},
		{"a color", func(s *Spec) { s.Categories[1].Color = "red" }, "must look like #1a2b3c"},
		{"no sections", func(s *Spec) { s.Sections = nil }, "sections: must be 1 to"},
		{"no rows", func(s *Spec) { s.Sections[0].Rows = nil }, "must have 1 to 200000 seats, have 0"},
		{"a section twice", func(s *Spec) { s.Sections = append(s.Sections, s.Sections[0]) }, `section "S": is there twice`},
		{"a row twice", func(s *Spec) { s.Sections[0].Rows[1].Label = "A" }, `section "S" row "A": is there twice`},
		{"a seat twice", func(s *Spec) { s.Sections[0].Rows[0].Seats[1].Number = "1" }, `seat "S-A-1": is there twice: seats 1 and 2`},
		{"two seats of one label", func(s *Spec) {
			s.Sections[0].Rows[0].Seats[0].Number = "B-1"
			s.Sections = append(s.Sections, SectionSpec{Label: "S-A", Rows: []RowSpec{rowAt("B", 50, 1)}})
		}, `seat "S-A-B-1": is there twice`},
		{"an empty row", func(s *Spec) { s.Sections[0].Rows[0].Seats = nil }, "has no seats"},
		{"no number", func(s *Spec) { s.Sections[0].Rows[0].Seats[2].Number = "" }, `row "A" seat "" (number 3 in the row) number: must not be empty`},
		{"a control character", func(s *Spec) { s.Sections[0].Rows[0].Label = "A\n" }, "printable"},
		{"a space at the end", func(s *Spec) { s.Sections[0].Rows[0].Label = "A " }, "begin or end with a space"},
		{"not UTF-8", func(s *Spec) { s.Sections[0].Rows[0].Label = "\xff" }, "must be UTF-8"},
		{"NaN", func(s *Spec) { s.Sections[0].Rows[0].Seats[1].X = nan }, `seat "2" (number 2 in the row): has coordinates (NaN, 0)`},
		{"infinity", func(s *Spec) { s.Sections[0].Rows[0].Seats[1].Y = inf }, "has coordinates"},
		{"far away", func(s *Spec) { s.Sections[0].Rows[0].Seats[1].Y = 1.1e6 }, "has coordinates"},
		{"an unknown category", func(s *Spec) { s.Sections[0].Rows[0].Seats[1].Category = 2 }, "has category 2 of 2"},
		{"a negative category", func(s *Spec) { s.Sections[0].Rows[0].Seats[1].Category = -1 }, "has category -1 of 2"},
		{"accessible and companion", func(s *Spec) {
			s.Sections[0].Rows[0].Seats[1].Accessible, s.Sections[0].Rows[0].Seats[1].Companion = true, true
		}, "both accessible and a companion"},
		{"rows and places", func(s *Spec) { s.Sections[0].Places = 5; s.Sections[0].Outline = make([]Point, 3) }, "both rows and general-admission places"},
		{"places without an outline", func(s *Spec) { s.Sections = append(s.Sections, SectionSpec{Label: "GA", Places: 5}) }, "outline: must have 3 to"},
		{"negative places", func(s *Spec) { s.Sections = append(s.Sections, SectionSpec{Label: "GA", Places: -5}) }, "has -5 places"},
		{"too many places", func(s *Spec) { s.Sections = append(s.Sections, SectionSpec{Label: "GA", Places: math.MaxInt}) }, "must have 1 to 200000 seats"},
		{"two points are no outline", func(s *Spec) { s.Sections[0].Outline = make([]Point, 2) }, "outline: must have 3 to"},
		{"an unknown shape", func(s *Spec) { s.Shapes = []Shape{{Role: "blob"}} }, `"blob" is not known`},
		{"a shape of two points", func(s *Spec) { s.Shapes = []Shape{{Role: RoleStage, Points: make([]Point, 2)}} }, "must have 3 to"},
		{"many shapes", func(s *Spec) { s.Shapes = make([]Shape, MaxShapes+1) }, "shapes: must be at most"},
	} {
		t.Run(test.name, func(t *testing.T) {
			s := specOf(rowAt("A", 0, 0, 1, 2), rowAt("B", 1, 0, 1, 2))
			test.change(&s)
			c, err := Build(s)
			if c != nil || fault.CodeOf(err) != fault.Invalid {
				t.Fatalf("%v, %v", c, err)
			}
			if got := fmt.Sprint(fault.From(err).Details["problems"]); !strings.Contains(got, test.want) {
				t.Errorf("problems %s; want %q", got, test.want)
			}
		})
	}
}

func TestBuildListsFiftyProblemsAndCountsAll(t *testing.T) {
	s := specOf(rowAt("A", 0, make([]float32, 80)...))
	for i := range s.Sections[0].Rows[0].Seats {
		s.Sections[0].Rows[0].Seats[i].Category = 9
	}
	_, err := Build(s)
	f := fault.From(err)
	if list := f.Details["problems"].([]Problem); len(list) != MaxProblems || f.Details["total"] != 80 {
		t.Errorf("%d of %v problems", len(list), f.Details["total"])
	}
}

func TestNeighbours(t *testing.T) {
	for _, test := range []struct {
		name string
		xs   []float32
		want string // | between seats that are no neighbours
	}{
		{"a plain row", []float32{0, 1, 2, 3}, "1234"},
		{"an aisle", []float32{0, 1, 2, 4, 5}, "123|45"},
		{"a little more room is no aisle", []float32{0, 1, 2.5, 3.5}, "1234"},
		{"pairs", []float32{0, 1, 3, 4, 6, 7}, "12|34|56"},
		{"two seats with an aisle between", []float32{0, 3}, "1|2"},
		{"wide places are neighbours", []float32{0, 1.8, 3.6, 5.4}, "1234"},
		{"from right to left", []float32{5, 4, 2, 1, 0}, "12|345"},
		{"one seat", []float32{7}, "1"},
		{"all in one spot", []float32{3, 3, 3}, "123"},
	} {
		t.Run(test.name, func(t *testing.T) {
			c := mustBuild(t, specOf(rowAt("A", 0, test.xs...), rowAt("B", 1, 0, 1, 2, 3, 4, 5, 6, 7, 8, 9)))
			got := ""
			for o := range Ordinal(len(test.xs)) {
				got += c.Seat(o).Number
				next, linked := c.Right(o)
				if !linked && int(o) < len(test.xs)-1 {
					got += "|"
				}
				if linked {
					if back, fine := c.Left(next); !fine || back != o || next != o+1 {
						t.Errorf("right of %d is %d, left of that %d", o, next, back)
					}
				}
			}
			if got != test.want {
				t.Errorf("neighbours %s, want %s", got, test.want)
			}
			if _, linked := c.Right(Ordinal(len(test.xs) - 1)); linked {
				t.Error("the last seat of a row has a neighbour in the next row")
			}
		})
	}
}

func TestFocalPoint(t *testing.T) {
	s := specOf(rowAt("A", 0, 0, 2, 4), rowAt("B", 2, 0, 2, 4))
	if c := mustBuild(t, s); c.Focal() != (Point{2, 1}) {
		t.Errorf("the middle is %v", c.Focal())
	}
	s.Focal = &Point{4, 0}
	c := mustBuild(t, s)
	if c.Distance(0) != 200 || c.FocalDistance(0) != 4 || c.Distance(2) != 0 || c.Pitch() != 2 {
		t.Errorf("distances %d, %v, %d; pitch %v", c.Distance(0), c.FocalDistance(0), c.Distance(2), c.Pitch())
	}
	if runs := c.RunsByDistance(); len(runs) != 2 || runs[0] != 0 || c.Runs()[0].Nearest != 0 {
		t.Errorf("runs %v", c.Runs())
	}
	s.Sections[0].Focal = &Point{0, 0}
	if c := mustBuild(t, s); c.Distance(0) != 0 || c.Focal() != (Point{4, 0}) {
		t.Errorf("a section's own focal point: %d", c.Distance(0))
	}
}

func TestFind(t *testing.T) {
	c := stadium()
	for o := range Ordinal(c.Seats()) {
		if got, found := c.Find(c.Label(o)); !found || got != o {
			t.Fatalf("%s is %d, found as %d", c.Label(o), o, got)
		}
	}
	for _, label := range []string{"", "-", "--", "101", "101-A", "101-A-", "101-A-0", "101-A-01", "101-a-1", "101-A-1 ", "999-A-1", strings.Repeat("1", 1000)} {
		if o, found := c.Find(label); found {
			t.Errorf("%q found as %d", label, o)
		}
	}
}

func TestGeneralAdmission(t *testing.T) {
	c := mustBuild(t, smallSpec())
	s := c.Sections()[1]
	if !s.General || s.To-s.From != 5 || c.Label(s.From) != "FLOOR-GA-1" || c.At(s.From) != (Point{140, 40}) || c.Category(s.From) != 1 {
		t.Errorf("%+v, %s at %v", s, c.Label(s.From), c.At(s.From))
	}
	if _, linked := c.Right(s.From); linked {
		t.Error("places have neighbours")
	}
	if runs := c.RunsOfRow(s.RowFrom); len(runs) != 1 || !runs[0].General || runs[0].To-runs[0].From != 5 {
		t.Errorf("runs %+v", runs)
	}
}

func TestOutlinesContainTheirSeats(t *testing.T) {
	for name, c := range map[string]*Chart{"small": mustBuild(t, smallSpec()), "stadium": stadium(), "theatre": mustBuild(t, Theatre())} {
		for _, section := range c.Sections() {
			ring := make([]vec, len(section.Outline))
			for i, p := range section.Outline {
				ring[i] = vec{float64(p.X), float64(p.Y)}
			}
			if !simple(ring) || !containsAll(ring, c.points(section.From, section.To)) {
				t.Errorf("%s: outline of %s %v", name, section.Label, section.Outline)
			}
		}
	}
}

func TestJSONComesBack(t *testing.T) {
	for name, s := range map[string]Spec{"small": smallSpec(), "stadium": Stadium(), "theatre": Theatre()} {
		s.ID, s.Version = id.New(), 3
		c := mustBuild(t, s)
		data := c.JSON()
		back, err := ParseJSON(data)
		if err != nil {
			t.Fatal(err)
		}
		if !bytes.Equal(back.JSON(), data) || !bytes.Equal(back.Geometry(), c.Geometry()) || back.ID() != s.ID || back.Version() != 3 {
			t.Errorf("%s: the chart changed on its way through JSON", name)
		}
		if !reflect.DeepEqual(back.Runs(), c.Runs()) || !reflect.DeepEqual(back.partners, c.partners) {
			t.Errorf("%s: runs or partners changed", name)
		}
	}
}

func TestParseJSONRefuses(t *testing.T) {
	good := string(mustBuild(t, smallSpec()).JSON())
	for name, text := range map[string]string{
		"nothing": "", "null": "null", "a list": "[]", "cut short": good[:len(good)-2], "more": good + "1",
		"a misspelt member": strings.Replace(good, `"accessible"`, `"accessable"`, 1),
		"a point of three":  strings.Replace(good, `"focal":[50,0]`, `"focal":[50,0,1]`, 1),
		"an absurd number":  strings.Replace(good, `"x":20`, `"x":1e99`, 1),
		"an id":             strings.Replace(good, `"chartId":"0`, `"chartId":"x`, 1),
	} {
		if c, err := ParseJSON([]byte(text)); c != nil || fault.CodeOf(err) != fault.Invalid {
			t.Errorf("%s: %v", name, err)
		}
	}
	if _, err := ParseJSON(make([]byte, MaxJSON+1)); fault.CodeOf(err) != fault.TooLarge {
		t.Errorf("a huge chart: %v", err)
	}
}

func TestBuildKeepsNothingOfTheSpec(t *testing.T) {
	s := smallSpec()
	c := mustBuild(t, s)
	before := c.JSON()
	s.Categories[0].Name, s.Focal.X, s.Shapes[0].Points[0].X = "changed", 9, 9
	s.Sections[0].Rows[0].Seats[0].X, s.Sections[1].Outline[0].X = 9, 9
	if !bytes.Equal(c.JSON(), before) {
		t.Error("the chart changed with the spec")
	}
}

// TestAnyChartSurvives builds random rows of seats anywhere, and compares what the browser gets.
func TestAnyChartSurvives(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		s := specOf()
		coordinate := rapid.OneOf(rapid.Float32Range(-50, 50), rapid.Float32Range(-1e6, 1e6))
		for r := range rapid.IntRange(1, 6).Draw(rt, "rows") {
			row := RowSpec{Label: fmt.Sprint(r)}
			x, y := coordinate.Draw(rt, "x"), coordinate.Draw(rt, "y")
			for n := range rapid.IntRange(1, 30).Draw(rt, "seats") {
				seat := SeatSpec{Number: fmt.Sprint(2*n + 1), X: x, Y: y, Category: rapid.IntRange(0, 1).Draw(rt, "category")}
				if rapid.IntRange(0, 20).Draw(rt, "odd") == 0 {
					seat.Number, seat.Accessible = fmt.Sprint("W", n), true
				}
				row.Seats = append(row.Seats, seat)
				x = min(max(x+rapid.Float32Range(-1, 3).Draw(rt, "dx"), -1e6), 1e6)
				y = min(max(y+rapid.Float32Range(-1, 1).Draw(rt, "dy"), -1e6), 1e6)
			}
			s.Sections[0].Rows = append(s.Sections[0].Rows, row)
		}
		c, err := Build(s)
		if err != nil {
			rt.Fatal(err)
		}
		d, err := decodeGeometry(c.Geometry())
		if err != nil {
			rt.Fatal(err)
		}
		for o := range Ordinal(c.Seats()) {
			if d.labels[o] != c.Label(o) {
				rt.Fatalf("%s became %s", c.Label(o), d.labels[o])
			}
			// A tenth of a pitch, and on top of it what a single-precision number cannot say out there: its steps are
			// 1/16 wide at a million, however small the chart, and both coordinates may be a step off.
			off := distance(c.At(o), Point{d.x[o], d.y[o]})
			extent := float64(c.bounds.X1-c.bounds.X0+c.bounds.Y1-c.bounds.Y0) + 1
			far := float64(max(c.bounds.X1, -c.bounds.X0, c.bounds.Y1, -c.bounds.Y0))
			if off > max(0.1*float64(c.Pitch()), extent/4e6)+math.Sqrt2*far*0x1p-23 {
				rt.Fatalf("%s moved by %v; pitch %v", c.Label(o), off, c.Pitch())
			}
		}
		if back, err := ParseJSON(c.JSON()); err != nil || !bytes.Equal(back.Geometry(), c.Geometry()) {
			rt.Fatalf("JSON: %v", err)
		}
	})
}

func FuzzParseJSON(f *testing.F) {
	c, err := Build(smallSpec())
	if err != nil {
		f.Fatal(err)
	}
	f.Add(c.JSON())
	f.Add([]byte(`{"version":1,"name":"x","categories":[{"key":"a","name":"A","color":"#000000"}],"sections":[{"label":"S","rows":[{"label":"A","seats":[{"number":"1","x":1e6,"y":-1e6},{"number":"2","x":1e-30,"y":0}]}]}]}`))
	f.Fuzz(func(t *testing.T, data []byte) {
		c, err := ParseJSON(data)
		if err != nil {
			return
		}
		back, err := ParseJSON(c.JSON())
		if err != nil || !bytes.Equal(back.JSON(), c.JSON()) {
			t.Fatalf("the chart changed on its way through JSON: %v", err)
		}
		if _, err := decodeGeometry(c.Geometry()); err != nil {
			t.Fatal(err)
		}
	})
}

func BenchmarkBuildStadium(b *testing.B) {
	s := Stadium()
	b.ReportAllocs()
	for b.Loop() {
		if _, err := Build(s); err != nil {
			b.Fatal(err)
		}
	}
}

func BenchmarkGeometry(b *testing.B) {
	c, err := Build(Stadium())
	if err != nil {
		b.Fatal(err)
	}
	for b.Loop() {
		encodeGeometry(c)
	}
}

func BenchmarkParseJSON(b *testing.B) {
	c, err := Build(Stadium())
	if err != nil {
		b.Fatal(err)
	}
	data := c.JSON()
	for b.Loop() {
		if _, err := ParseJSON(data); err != nil {
			b.Fatal(err)
		}
	}
}
