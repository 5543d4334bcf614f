package pick

import (
	"fmt"
	"math"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"plateia/core/event"
	"plateia/core/seatmap"
)

// drawChart makes a small chart: sections of a few short rows with aisles, price
// changes within a row, accessible seats and sometimes a standing area.
func drawChart(t *rapid.T) *seatmap.Chart {
	s := seatmap.Spec{Version: 1, Name: "Any", Categories: []seatmap.Category{
		{Key: "a", Name: "A", Color: "#000000"}, {Key: "b", Name: "B", Color: "#111111"}, {Key: "c", Name: "C", Color: "#222222"},
	}}
	s.Focal = &seatmap.Point{X: float32(rapid.IntRange(-3, 12).Draw(t, "focal")), Y: -2}
	y := 0
	for i := range rapid.IntRange(1, 3).Draw(t, "sections") {
		section := seatmap.SectionSpec{Label: fmt.Sprint("S", i)}
		for r := range rapid.IntRange(1, 3).Draw(t, "rows") {
			section.Rows = append(section.Rows, drawRow(t, r, y))
			y++
		}
		s.Sections = append(s.Sections, section)
	}
	if rapid.IntRange(0, 5).Draw(t, "standing") == 0 {
		s.Sections = append(s.Sections, seatmap.SectionSpec{
			Label: "GA", Places: rapid.IntRange(1, 6).Draw(t, "places"), Category: rapid.IntRange(0, 2).Draw(t, "category"),
			Outline: []seatmap.Point{{X: 0, Y: 20}, {X: 9, Y: 20}, {X: 5, Y: 29}},
		})
	}
	c, err := seatmap.Build(s)
	if err != nil {
		t.Fatal(err)
	}
	return c
}

func drawRow(t *rapid.T, r, y int) seatmap.RowSpec {
	row := seatmap.RowSpec{Label: fmt.Sprint(r + 1)}
	category, x := rapid.IntRange(0, 2).Draw(t, "category"), 0
	for n := range rapid.IntRange(1, 8).Draw(t, "seats") {
		switch rapid.IntRange(0, 9).Draw(t, "kind") {
		case 0:
			x += 2
		case 1:
			category = rapid.IntRange(0, 2).Draw(t, "category")
		}
		seat := seatmap.SeatSpec{Number: fmt.Sprint(n + 1), X: float32(x), Y: float32(y), Category: category}
		switch rapid.IntRange(0, 11).Draw(t, "access") {
		case 0:
			seat.Accessible = true
		case 1:
			seat.Companion = true
		}
		row.Seats = append(row.Seats, seat)
		x++
	}
	return row
}

type question struct {
	c      *seatmap.Chart
	free   Bitmap
	prices []int64
	query  Query
	rules  Rules
}

func drawQuestion(t *rapid.T) question {
	c := drawChart(t)
	q := question{c: c, free: NewBitmap(c.Seats())}
	share := rapid.IntRange(1, 10).Draw(t, "free tenths")
	for o := range seatmap.Ordinal(c.Seats()) {
		if rapid.IntRange(1, 10).Draw(t, "free") <= share {
			q.free.Add(o)
		}
	}
	q.prices = rapid.SliceOfN(rapid.Int64Range(1, 3), 2, 3).Draw(t, "prices")
	q.query.Quantity = rapid.IntRange(1, 5).Draw(t, "quantity")
	if rapid.Bool().Draw(t, "in sections") {
		q.query.Sections = rapid.SliceOfN(rapid.SampledFrom([]string{"S0", "S1", "S2", "GA"}), 1, 2).Draw(t, "sections")
	}
	if rapid.Bool().Draw(t, "cheap") {
		q.query.MaxPrice = price(rapid.Int64Range(0, 3).Draw(t, "price"))
	}
	if rapid.IntRange(0, 4).Draw(t, "choosy") == 0 {
		q.query.Categories = rapid.SliceOfNDistinct(rapid.SampledFrom([]string{"a", "b", "c", "none"}), 1, 3, rapid.ID).Draw(t, "categories")
	}
	q.query.Accessible = rapid.IntRange(0, 3).Draw(t, "accessible") == 0
	q.rules.AccessibleReleased = rapid.IntRange(0, 3).Draw(t, "released") == 0
	q.rules.Orphans = rapid.SampledFrom([]event.OrphanMode{event.OrphanOff, event.OrphanLenient, event.OrphanStrict}).Draw(t, "mode")
	return q
}

func TestBestKeepsItsPromises(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		q := drawQuestion(t)
		before := slices.Clone(q.free)
		got, found := BestUnder(q.c, q.free, q.prices, q.query, q.rules)
		if !slices.Equal(before, q.free) {
			t.Fatal("the free set was changed")
		}
		if !found {
			if got != nil {
				t.Fatalf("%v and not found", got)
			}
			return
		}
		if len(got) != q.query.Quantity || !slices.IsSorted(got) || len(slices.Compact(slices.Clone(got))) != len(got) {
			t.Fatalf("picked %v for %d", got, q.query.Quantity)
		}
		accessible := 0
		for _, o := range got {
			if !q.free.Has(o) || !q.eligible(o) {
				t.Fatalf("seat %s is not free or not wanted", q.c.Label(o))
			}
			if q.c.Accessible(o) {
				accessible++
			}
			if q.query.Accessible && q.c.Companion(o) && !slices.ContainsFunc(q.c.Partners(o), func(p seatmap.Ordinal) bool { return slices.Contains(got, p) }) {
				t.Fatalf("companion seat %s without its own", q.c.Label(o))
			}
		}
		if q.query.Accessible && accessible == 0 {
			t.Fatal("no accessible seat")
		}
		if orphans := Orphans(q.c, q.free, got, q.rules.Orphans); orphans != nil {
			t.Fatalf("%v leaves %v single", got, orphans)
		}
	})
}

func (q question) eligible(o seatmap.Ordinal) bool {
	s := q.c.Seat(o)
	return s.Category < len(q.prices) && (q.query.MaxPrice == nil || q.prices[s.Category] <= *q.query.MaxPrice) &&
		(len(q.query.Categories) == 0 || slices.Contains(q.query.Categories, q.c.Categories()[s.Category].Key)) &&
		(len(q.query.Sections) == 0 || slices.Contains(q.query.Sections, q.c.Sections()[s.Section].Label)) &&
		(q.query.Accessible || q.rules.AccessibleReleased || !s.Accessible && !s.Companion)
}

// TestBestIsBest compares with a search of everything, written from the design's words.
func TestBestIsBest(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		q := drawQuestion(t)
		q.query.Accessible, q.rules.AccessibleReleased = false, false
		got, found := BestUnder(q.c, q.free, q.prices, q.query, q.rules)
		want, level := q.brute()
		switch level {
		case 1, 2, 3:
			if !slices.Equal(got, want) {
				t.Fatalf("picked %v; level %d is %v", got, level, want)
			}
		case 4:
			if q.rules.Orphans == event.OrphanOff && (!found || q.c.Section(got[0]) != q.c.Section(got[len(got)-1])) {
				t.Fatalf("picked %v, %v; a section has enough", got, found)
			}
		case 5:
			if q.rules.Orphans == event.OrphanOff && !found {
				t.Fatalf("found nothing; a price has enough")
			}
			for _, o := range got {
				if q.prices[q.c.Category(o)] != q.prices[q.c.Category(got[0])] {
					t.Fatalf("picked %v of two prices", got)
				}
			}
		default:
			if found {
				t.Fatalf("picked %v where nothing is to be had", got)
			}
		}
	})
}

// brute returns the best choice and its level; for levels 4 and 5 only the level.
func (q question) brute() ([]seatmap.Ordinal, int) {
	n := q.query.Quantity
	windows := q.windows(n)
	if best := q.cheapest(windows, func(w []seatmap.Ordinal) bool { return q.standing(w) || leftSingle(q.c, q.free, w) == nil }); best != nil {
		return best, 1
	}
	if best := q.cheapest(windows, func(w []seatmap.Ordinal) bool { return Orphans(q.c, q.free, w, q.rules.Orphans) == nil }); best != nil {
		return best, 2
	}
	if best := q.pairs(); best != nil {
		return best, 3
	}
	sections, prices := map[int]int{}, map[int64]int{}
	for o := range seatmap.Ordinal(q.c.Seats()) {
		if q.free.Has(o) && q.eligible(o) {
			sections[q.c.Section(o)]++
			prices[q.prices[q.c.Category(o)]]++
		}
	}
	for _, count := range sections {
		if count >= n {
			return nil, 4
		}
	}
	for _, count := range prices {
		if count >= n {
			return nil, 5
		}
	}
	return nil, 6
}

func (q question) standing(w []seatmap.Ordinal) bool {
	return q.c.Sections()[q.c.Section(w[0])].General
}

// windows are all choices of n neighbours, and the first n places of a standing area.
func (q question) windows(n int) [][]seatmap.Ordinal {
	var all [][]seatmap.Ordinal
	for o := range seatmap.Ordinal(q.c.Seats()) {
		var w []seatmap.Ordinal
		for at, there := o, true; there && q.free.Has(at) && q.eligible(at) && len(w) < n; at, there = q.c.Right(at) {
			w = append(w, at)
		}
		if len(w) == n && !q.standing(w) {
			all = append(all, w)
		}
	}
	for _, s := range q.c.Sections() {
		var w []seatmap.Ordinal
		for o := s.From; o < s.To && s.General && len(w) < n; o++ {
			if q.free.Has(o) && q.eligible(o) {
				w = append(w, o)
			}
		}
		if len(w) == n {
			all = append(all, w)
		}
	}
	return all
}

func (q question) cost(w []seatmap.Ordinal) (sum int64) {
	for _, o := range w {
		sum += int64(q.c.Distance(o))
	}
	return sum
}

func (q question) cheapest(windows [][]seatmap.Ordinal, allowed func([]seatmap.Ordinal) bool) []seatmap.Ordinal {
	var best []seatmap.Ordinal
	for _, w := range windows {
		if allowed(w) && (best == nil || q.cost(w) < q.cost(best)) {
			best = w
		}
	}
	return best
}

func (q question) pairs() (best []seatmap.Ordinal) {
	least := int64(math.MaxInt64)
	for a := 2; a <= q.query.Quantity-2; a++ {
		for _, first := range q.windows(a) {
			for _, second := range q.windows(q.query.Quantity - a) {
				if q.c.Section(first[0]) != q.c.Section(second[0]) || q.c.Row(second[0])-q.c.Row(first[0]) != 1 {
					continue
				}
				if Orphans(q.c, q.free, first, q.rules.Orphans) != nil || Orphans(q.c, q.free, second, q.rules.Orphans) != nil {
					continue
				}
				s := search{c: q.c}
				apart := s.apart(window{from: first[0], n: seatmap.Ordinal(a)}, window{from: second[0], n: seatmap.Ordinal(len(second))})
				cost := q.cost(first) + q.cost(second) + apart*int64(q.query.Quantity)/2
				pair := slices.Concat(first, second)
				if cost < least || cost == least && (first[0] < best[0] || first[0] == best[0] && second[0] < best[a]) {
					best, least = pair, cost
				}
			}
		}
	}
	return best
}
