package order

import (
	"slices"

	"plateia/core/money"
	"plateia/core/seatmap"
)

// Share is one seat's part of an order's lines, minor units. The shares of all
// seats sum exactly to the lines, so seats may be given back in any order and number.
type Share struct {
	Ordinal  seatmap.Ordinal
	Price    int64 // less the seat's part of discounts
	Fees     int64
	PriceTax int64 // in Price
	FeesTax  int64 // in Fees
}

// Shares divides lines among their seats: discounts and fees by percent by price, other fees
// equally, the tax by what it is on; always by largest remainder. It depends on the lines
// alone, never on what was given back before.
func Shares(lines []Line) []Share {
	var shares []Share
	for _, l := range lines {
		if l.Kind == SeatLine {
			shares = append(shares, Share{Ordinal: l.Ordinal, Price: l.Amount})
		}
	}
	if len(shares) == 0 {
		return nil
	}
	for _, l := range lines {
		switch l.Kind {
		case DiscountLine:
			for i, part := range money.Split(l.Amount, prices(shares)) {
				shares[i].Price += part
			}
		case FeeLine:
			for i, part := range money.Split(l.Amount, feeWeights(l, shares)) {
				shares[i].Fees += part
			}
		}
	}
	shareTax(Tax(lines), shares)
	return shares
}

func prices(shares []Share) []int64 {
	out := make([]int64, len(shares))
	for i, s := range shares {
		out[i] = s.Price
	}
	return out
}

// feeWeights are all zero, which divides equally, for what does not go by price.
func feeWeights(l Line, shares []Share) []int64 {
	if l.Per == PerPercent {
		return prices(shares)
	}
	return make([]int64, len(shares))
}

func shareTax(tax int64, shares []Share) {
	weights := prices(shares)
	for _, s := range shares {
		weights = append(weights, s.Fees)
	}
	parts := money.Split(tax, weights)
	for i := range shares {
		shares[i].PriceTax, shares[i].FeesTax = parts[i], parts[len(shares)+i]
	}
}

// Parts is an amount by whom it belongs to in the books, minor units.
type Parts struct {
	Revenue int64 // prices less discounts, net of tax
	Fees    int64 // net of tax
	Tax     int64
}

// Total is the whole amount.
func (p Parts) Total() int64 { return p.Revenue + p.Fees + p.Tax }

// PartsOf is what the fan gets back for some of an order's seats, without or with
// their fees. False when a seat is not of these lines or comes twice.
func PartsOf(lines []Line, seats []seatmap.Ordinal, keepsFees bool) (Parts, bool) {
	var p Parts
	found := 0
	for _, s := range Shares(lines) {
		if !slices.Contains(seats, s.Ordinal) {
			continue
		}
		found++
		p.Revenue, p.Tax = p.Revenue+s.Price-s.PriceTax, p.Tax+s.PriceTax
		if !keepsFees {
			p.Fees, p.Tax = p.Fees+s.Fees-s.FeesTax, p.Tax+s.FeesTax
		}
	}
	return p, found == len(seats)
}

// AllParts is what an order's lines come to.
func AllParts(lines []Line) Parts {
	p := Parts{Tax: Tax(lines)}
	for _, s := range Shares(lines) {
		p.Revenue += s.Price - s.PriceTax
		p.Fees += s.Fees - s.FeesTax
	}
	return p
}
