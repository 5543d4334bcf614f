package order

import (
	"slices"
	"testing"

	"pgregory.net/rapid"

	"plateia/core/event"
	"plateia/core/seatmap"
)

// Case 26: two tickets of 34.00 and a fee of 2.07, 7 % tax in all of it.
func TestTaxIsRightTheFirstTime(t *testing.T) {
	rules := event.Rules{Fees: []event.Fee{{Name: "Service", PerOrder: 207}}, TaxPercent: 700}
	lines := Price(&rules, []Line{Seat(4, 3400), Seat(5, 3400)})
	if total, tax := Total(lines), Tax(lines); total != 7007 || tax != 458 || total-tax != 6549 {
		t.Errorf("total %d, net %d, tax %d", total, total-tax, tax)
	}
	want := []Line{
		Seat(4, 3400), Seat(5, 3400),
		{Kind: FeeLine, Ordinal: NoSeat, Amount: 207, Name: "Service", Per: PerOrder},
		{Kind: TaxLine, Ordinal: NoSeat, Amount: 458, Rate: 700, Included: true},
	}
	if !slices.Equal(lines, want) {
		t.Errorf("lines %+v", lines)
	}
}

func TestFeesByTheirMeasure(t *testing.T) {
	rules := event.Rules{Fees: []event.Fee{
		{Name: "each", PerTicket: 150}, {Name: "order", PerOrder: 99}, {Name: "percent", Percent: 1250}, {Name: "little", Percent: 1},
	}}
	lines := Price(&rules, []Line{Seat(1, 1000), Seat(2, 333)}, Discount{"early", 13}, Discount{"all", 5000})
	var got []int64
	for _, l := range lines {
		got = append(got, l.Amount)
	}
	// Discounts never exceed the prices, percentages are of what is left: nothing. What comes to nothing has no line.
	if want := []int64{1000, 333, -13, -1320, 300, 99}; !slices.Equal(got, want) {
		t.Errorf("amounts %v, want %v", got, want)
	}
	if lines = Price(&rules, []Line{Seat(1, 1000), Seat(2, 333)}, Discount{"early", 13}); Total(lines) != 1320+300+99+165 {
		t.Errorf("%+v", lines)
	}
}

func TestSharesOfAnOrder(t *testing.T) {
	rules := event.Rules{Fees: []event.Fee{{Name: "each", PerTicket: 150}, {Name: "order", PerOrder: 99}, {Name: "percent", Percent: 1000}}, TaxPercent: 700}
	lines := Price(&rules, []Line{Seat(7, 10000), Seat(9, 5000)}, Discount{"early", 100})
	// The discount 67 and 33; the fees 150+50+993 and 150+49+497.
	shares := Shares(lines)
	if len(shares) != 2 || shares[0].Price != 9933 || shares[1].Price != 4967 || shares[0].Fees != 1193 || shares[1].Fees != 696 {
		t.Errorf("shares %+v of %+v", shares, lines)
	}
	if p, ok := PartsOf(lines, []seatmap.Ordinal{9}, true); !ok || p.Fees != 0 || p.Total() != 4967 {
		t.Errorf("without fees %+v", p)
	}
	if p, ok := PartsOf(lines, []seatmap.Ordinal{9}, false); !ok || p.Total() != 4967+696 {
		t.Errorf("with fees %+v", p)
	}
	for _, wrong := range [][]seatmap.Ordinal{{8}, {9, 9}, {9, 8}, {NoSeat}} {
		if _, ok := PartsOf(lines, wrong, false); ok {
			t.Errorf("%v has parts", wrong)
		}
	}
}

func drawLines(t *rapid.T) []Line {
	fee := rapid.Custom(func(t *rapid.T) event.Fee {
		switch rapid.IntRange(0, 2).Draw(t, "measure") {
		case 0:
			return event.Fee{Name: "f", PerTicket: rapid.Int64Range(1, 5000).Draw(t, "each")}
		case 1:
			return event.Fee{Name: "f", PerOrder: rapid.Int64Range(1, 5000).Draw(t, "order")}
		}
		return event.Fee{Name: "f", Percent: rapid.IntRange(1, event.HundredPercent).Draw(t, "percent")}
	})
	rules := event.Rules{Fees: rapid.SliceOfN(fee, 0, 4).Draw(t, "fees"), TaxPercent: rapid.IntRange(0, event.HundredPercent).Draw(t, "tax")}
	if err := rules.CheckPricing(); err != nil {
		t.Fatal(err)
	}
	var seats []Line
	for i, price := range rapid.SliceOfN(rapid.Int64Range(0, 200_000), 1, 10).Draw(t, "prices") {
		seats = append(seats, Seat(seatmap.Ordinal(i*3), price))
	}
	var discounts []Discount
	for _, off := range rapid.SliceOfN(rapid.Int64Range(1, 300_000), 0, 3).Draw(t, "discounts") {
		discounts = append(discounts, Discount{"d", off})
	}
	return Price(&rules, seats, discounts...)
}

// Whatever is charged, lines, parts and shares say the same total, and nothing is below zero.
func TestLinesSumExactly(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		lines := drawLines(t)
		all := AllParts(lines)
		if all.Total() != Total(lines) || all.Tax != Tax(lines) {
			t.Fatalf("parts %+v of total %d, tax %d", all, Total(lines), Tax(lines))
		}
		for _, s := range Shares(lines) {
			if s.PriceTax < 0 || s.FeesTax < 0 || s.Price < s.PriceTax || s.Fees < s.FeesTax {
				t.Fatalf("share %+v", s)
			}
		}
	})
}

// Seats are given back some at a time, in any order: together they come to what one return of all of
// them is, in every part, with the fees or without.
func TestReturnsInAnyOrderSumToTheWhole(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		lines, keepsFees := drawLines(t), rapid.Bool().Draw(t, "keeps fees")
		var seats []seatmap.Ordinal
		for _, s := range Shares(lines) {
			seats = append(seats, s.Ordinal)
		}
		whole, ok := PartsOf(lines, seats, keepsFees)
		if !ok || !keepsFees && whole != AllParts(lines) {
			t.Fatalf("all of it is %+v of %+v", whole, AllParts(lines))
		}
		var back Parts
		for left := rapid.Permutation(seats).Draw(t, "order"); len(left) > 0; {
			n := rapid.IntRange(1, len(left)).Draw(t, "seats at once")
			p, ok := PartsOf(lines, left[:n], keepsFees)
			if !ok || p.Revenue < 0 || p.Fees < 0 || p.Tax < 0 {
				t.Fatalf("%v: %+v", left[:n], p)
			}
			back, left = Parts{back.Revenue + p.Revenue, back.Fees + p.Fees, back.Tax + p.Tax}, left[n:]
		}
		if back != whole {
			t.Fatalf("bit by bit %+v, at once %+v", back, whole)
		}
	})
}
