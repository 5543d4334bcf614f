package pick

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"plateia/core/event"
	"plateia/core/seatmap"
)

// chartOf draws a chart from text. Each section is lines "label: seats", where a
// seat is a letter: . for the first category, b for the second, A accessible,
// C companion, and a space an aisle. Rows are one pitch apart, the focal point is above the middle of
// the first row.
func chartOf(t testing.TB, sections ...string) *seatmap.Chart {
	t.Helper()
	s := seatmap.Spec{Version: 1, Name: "Test", Focal: &seatmap.Point{X: 4.5, Y: -3}, Categories: []seatmap.Category{
		{Key: "a", Name: "A", Color: "#000000"}, {Key: "b", Name: "B", Color: "#111111"},
	}}
	y := 0
	for i, text := range sections {
		section := seatmap.SectionSpec{Label: fmt.Sprintf("S%d", i+1)}
		for _, line := range strings.Split(text, "\n") {
			label, seats, _ := strings.Cut(line, ":")
			row := seatmap.RowSpec{Label: label}
			for x, kind := range seats {
				if kind == ' ' {
					continue
				}
				seat := seatmap.SeatSpec{Number: fmt.Sprint(x + 1), X: float32(x), Y: float32(y)}
				seat.Accessible, seat.Companion = kind == 'A', kind == 'C'
				if kind == 'b' {
					seat.Category = 1
				}
				row.Seats = append(row.Seats, seat)
			}
			section.Rows = append(section.Rows, row)
			y++
		}
		s.Sections = append(s.Sections, section)
	}
	c, err := seatmap.Build(s)
	if err != nil {
		t.Fatal(err)
	}
	return c
}

// only returns the set of the seats named in a text.
func only(t testing.TB, c *seatmap.Chart, labels string) Bitmap {
	t.Helper()
	b := NewBitmap(c.Seats())
	for _, o := range ordinals(t, c, labels) {
		b.Add(o)
	}
	return b
}

func without(t testing.TB, c *seatmap.Chart, labels string) Bitmap {
	t.Helper()
	b := FullBitmap(c.Seats())
	for _, o := range ordinals(t, c, labels) {
		b.Remove(o)
	}
	return b
}

func ordinals(t testing.TB, c *seatmap.Chart, labels string) []seatmap.Ordinal {
	t.Helper()
	var list []seatmap.Ordinal
	for _, label := range strings.Fields(labels) {
		o, found := c.Find("S" + label)
		if !found {
			t.Fatalf("no seat S%s", label)
		}
		list = append(list, o)
	}
	return list
}

func names(c *seatmap.Chart, seats []seatmap.Ordinal) string {
	var list []string
	for _, o := range seats {
		list = append(list, c.Label(o)[1:])
	}
	return strings.Join(list, " ")
}

func price(v int64) *int64 { return &v }

func TestBest(t *testing.T) {
	prices := []int64{100, 60}
	hall := chartOf(t, "A:..........\nB:..........\nC:bbbbbbbbbb")
	aisle := chartOf(t, "A:...  ......")
	two := chartOf(t, "A:....\nB:....", "A:....\nB:bbbb")
	wheel := chartOf(t, "A:..........\nB:ACAC....AC", "A:AA")
	for _, test := range []struct {
		name  string
		chart *seatmap.Chart
		free  Bitmap
		query Query
		rules Rules
		want  string
	}{
		{"the middle of the first row", hall, FullBitmap(30), Query{Quantity: 2}, Rules{}, "1-A-5 1-A-6"},
		{"one seat leaves no single", hall, only(t, hall, "1-A-4 1-A-5 1-B-1"), Query{Quantity: 1}, Rules{}, "1-B-1"},
		{"one seat in the middle of three would leave two", hall, only(t, hall, "1-A-4 1-A-5 1-A-6"), Query{Quantity: 1}, Rules{}, "1-A-6"},
		{"nothing without an orphan: orphan", hall, only(t, hall, "1-A-4 1-A-5 1-A-6"), Query{Quantity: 2}, Rules{}, "1-A-5 1-A-6"},
		{"strict: no orphan", hall, only(t, hall, "1-A-4 1-A-5 1-A-6 1-B-1 1-B-9"), Query{Quantity: 2}, Rules{Orphans: event.OrphanStrict}, "1-A-6 1-B-1"},
		{"lenient: an orphan when the row has nothing better", hall, only(t, hall, "1-A-4 1-A-5 1-A-6 1-B-1"), Query{Quantity: 2}, Rules{Orphans: event.OrphanLenient}, "1-A-5 1-A-6"},
		{"further away but no orphan", hall, only(t, hall, "1-A-4 1-A-5 1-A-6 1-B-1 1-B-2"), Query{Quantity: 2}, Rules{}, "1-B-1 1-B-2"},
		{"not over an aisle", aisle, only(t, aisle, "1-A-2 1-A-3 1-A-6 1-A-7 1-A-8"), Query{Quantity: 3}, Rules{}, "1-A-6 1-A-7 1-A-8"},
		{"two rows, none alone", hall, only(t, hall, "1-A-4 1-A-5 1-A-6 1-B-4 1-B-5 1-C-9"), Query{Quantity: 5}, Rules{}, "1-A-4 1-A-5 1-A-6 1-B-4 1-B-5"},
		{"two rows, behind each other", hall, only(t, hall, "1-A-1 1-A-2 1-A-9 1-A-10 1-B-9 1-B-10"), Query{Quantity: 4}, Rules{}, "1-A-9 1-A-10 1-B-9 1-B-10"},
		{"three cannot be parted into groups", hall, only(t, hall, "1-A-4 1-A-5 1-B-4"), Query{Quantity: 3}, Rules{}, "1-A-4 1-A-5 1-B-4"},
		{"rows that are not neighbours: one section", hall, only(t, hall, "1-A-4 1-A-5 1-C-4 1-C-5"), Query{Quantity: 4}, Rules{}, "1-A-4 1-A-5 1-C-4 1-C-5"},
		{"one section before two", two, only(t, two, "1-A-1 2-A-2 2-A-4"), Query{Quantity: 2}, Rules{}, "2-A-2 2-A-4"},
		{"two sections of one price", two, only(t, two, "1-A-1 2-A-2"), Query{Quantity: 2}, Rules{}, "1-A-1 2-A-2"},
		{"never two prices in two sections", two, only(t, two, "1-A-1 2-B-1"), Query{Quantity: 2}, Rules{}, ""},
		{"a section", two, FullBitmap(16), Query{Quantity: 2, Sections: []string{"S2"}}, Rules{}, "2-A-3 2-A-4"},
		{"an unknown section", two, FullBitmap(16), Query{Quantity: 2, Sections: []string{"S9"}}, Rules{}, ""},
		{"a price", hall, FullBitmap(30), Query{Quantity: 2, MaxPrice: price(99)}, Rules{}, "1-C-5 1-C-6"},
		{"a price nothing has", hall, FullBitmap(30), Query{Quantity: 2, MaxPrice: price(59)}, Rules{}, ""},
		{"a category", hall, FullBitmap(30), Query{Quantity: 2, Categories: []string{"b"}}, Rules{}, "1-C-5 1-C-6"},
		{"a category too dear", hall, FullBitmap(30), Query{Quantity: 2, Categories: []string{"a"}, MaxPrice: price(99)}, Rules{}, ""},
		{"an unknown category", hall, FullBitmap(30), Query{Quantity: 2, Categories: []string{"z"}}, Rules{}, ""},
		{"a negative price", hall, FullBitmap(30), Query{Quantity: 2, MaxPrice: price(-1)}, Rules{}, ""},
		{"nobody", hall, FullBitmap(30), Query{Quantity: 0}, Rules{}, ""},
		{"minus one", hall, FullBitmap(30), Query{Quantity: -1}, Rules{}, ""},
		{"eleven", hall, FullBitmap(30), Query{Quantity: 11}, Rules{}, ""},
		{"ten", hall, FullBitmap(30), Query{Quantity: 10}, Rules{}, "1-A-1 1-A-2 1-A-3 1-A-4 1-A-5 1-A-6 1-A-7 1-A-8 1-A-9 1-A-10"},
		{"sold out", hall, NewBitmap(30), Query{Quantity: 1}, Rules{}, ""},
		{"accessible seats are kept", wheel, only(t, wheel, "1-B-1 1-B-2 1-B-3"), Query{Quantity: 2}, Rules{}, ""},
		{"until they are released", wheel, only(t, wheel, "1-B-1 1-B-2 1-B-3"), Query{Quantity: 3}, Rules{AccessibleReleased: true}, "1-B-1 1-B-2 1-B-3"},
		{"an accessible seat with its companion", wheel, FullBitmap(22), Query{Quantity: 2, Accessible: true}, Rules{}, "1-B-3 1-B-4"},
		{"alone, where no companion is left behind", wheel, FullBitmap(22), Query{Quantity: 1, Accessible: true}, Rules{}, "2-A-2"},
		{"with friends beside", wheel, FullBitmap(22), Query{Quantity: 4, Accessible: true}, Rules{}, "1-B-3 1-B-4 1-B-5 1-B-6"},
		{"with friends elsewhere in the section", wheel, only(t, wheel, "1-B-9 1-B-10 1-A-9 1-A-2"), Query{Quantity: 3, Accessible: true}, Rules{}, "1-A-9 1-B-9 1-B-10"},
		{"a companion seat alone is nothing", wheel, only(t, wheel, "1-B-2 1-B-4 1-A-1"), Query{Quantity: 1, Accessible: true}, Rules{}, ""},
		{"no accessible seat left", hall, FullBitmap(30), Query{Quantity: 2, Accessible: true}, Rules{}, ""},
	} {
		t.Run(test.name, func(t *testing.T) {
			got, found := BestUnder(test.chart, test.free, prices, test.query, test.rules)
			if names(test.chart, got) != test.want || found != (test.want != "") {
				t.Errorf("picked %q, %v; want %q", names(test.chart, got), found, test.want)
			}
		})
	}
}

func TestBestWithoutPrices(t *testing.T) {
	c := chartOf(t, "A:....\nB:bbbb")
	if got, found := Best(c, FullBitmap(8), nil, Query{Quantity: 1}); found {
		t.Errorf("picked %v without a price", got)
	}
	if got, _ := Best(c, FullBitmap(8), []int64{5}, Query{Quantity: 4}); names(c, got) != "1-A-1 1-A-2 1-A-3 1-A-4" {
		t.Errorf("picked %q", names(c, got))
	}
	if got, found := Best(c, only(t, c, "1-B-1"), []int64{5}, Query{Quantity: 1}); found {
		t.Errorf("picked %v of a category without a price", got)
	}
}

func TestBestInGeneralAdmission(t *testing.T) {
	c, err := seatmap.Build(seatmap.Spec{
		Version: 1, Name: "Field", Categories: []seatmap.Category{{Key: "a", Name: "A", Color: "#000000"}},
		Sections: []seatmap.SectionSpec{{Label: "GA", Places: 100, Outline: []seatmap.Point{{X: 0, Y: 0}, {X: 9, Y: 0}, {X: 9, Y: 9}}}},
	})
	if err != nil {
		t.Fatal(err)
	}
	free := NewBitmap(100)
	for _, o := range []seatmap.Ordinal{3, 5, 64, 99} {
		free.Add(o)
	}
	if got, _ := Best(c, free, []int64{1}, Query{Quantity: 3}); !slices.Equal(got, []seatmap.Ordinal{3, 5, 64}) {
		t.Errorf("picked %v", got)
	}
	if got, found := Best(c, free, []int64{1}, Query{Quantity: 5}); found {
		t.Errorf("picked %v of four", got)
	}
	if got := Orphans(c, free, []seatmap.Ordinal{3}, event.OrphanStrict); got != nil {
		t.Errorf("orphans %v among people standing", got)
	}
}

func TestOrphans(t *testing.T) {
	hall := chartOf(t, "A:..........\nB:.....  ...\nC:...AC.....")
	long := chartOf(t, "A:"+strings.Repeat(".", 100))
	for _, test := range []struct {
		name            string
		chart           *seatmap.Chart
		free            Bitmap
		choice          string
		strict, lenient string
	}{
		{"none", hall, FullBitmap(28), "1-A-1 1-A-2", "", ""},
		{"at the end of the row", hall, FullBitmap(28), "1-A-2 1-A-3", "1-A-1", "1-A-1"},
		{"at an aisle", hall, FullBitmap(28), "1-B-3 1-B-4", "1-B-5", "1-B-5"},
		{"on both sides", hall, only(t, hall, "1-A-1 1-A-2 1-A-3"), "1-A-2", "1-A-1 1-A-3", "1-A-1 1-A-3"},
		{"between chosen seats", hall, FullBitmap(28), "1-A-5 1-A-7", "1-A-6", "1-A-6"},
		{"between taken seats", hall, without(t, hall, "1-A-5"), "1-A-3", "1-A-4", "1-A-4"},
		{"somebody else's", hall, without(t, hall, "1-A-2"), "1-A-3 1-A-4", "", ""},
		{"no other choice in the row", hall, only(t, hall, "1-A-1 1-A-2 1-A-3 1-B-1 1-B-2"), "1-A-1 1-A-2", "1-A-3", ""},
		{"another choice in the row", hall, only(t, hall, "1-A-1 1-A-2 1-A-3 1-A-8 1-A-9"), "1-A-1 1-A-2", "1-A-3", "1-A-3"},
		{"accessible seats do not count", hall, FullBitmap(28), "1-C-4", "", ""},
		{"in two rows", hall, FullBitmap(28), "1-A-2 1-B-2", "1-A-1 1-B-1", "1-A-1 1-B-1"},
		{"under five in a hundred", long, only(t, long, "1-A-1 1-A-2 1-A-3 1-A-4"), "1-A-1 1-A-2 1-A-3", "", ""},
		{"five in a hundred", long, only(t, long, "1-A-1 1-A-2 1-A-3 1-A-4 1-A-5"), "1-A-1 1-A-2 1-A-3 1-A-4", "1-A-5", ""},
		{"scattered, could be clean", hall, only(t, hall, "1-A-1 1-A-2 1-A-4 1-A-6"), "1-A-1 1-A-4", "1-A-2", "1-A-2"},
		{"scattered, could not", hall, only(t, hall, "1-A-1 1-A-2 1-A-4 1-A-5"), "1-A-1 1-A-4 1-A-5", "1-A-2", ""},
	} {
		t.Run(test.name, func(t *testing.T) {
			choice := ordinals(t, test.chart, test.choice)
			slices.Reverse(choice) // the order does not matter
			for mode, want := range map[event.OrphanMode]string{event.OrphanStrict: test.strict, event.OrphanLenient: test.lenient, event.OrphanOff: ""} {
				got := Orphans(test.chart, test.free, choice, mode)
				slices.Sort(got)
				if names(test.chart, got) != want {
					t.Errorf("%s: orphans %q, want %q", mode, names(test.chart, got), want)
				}
			}
		})
	}
}
