package order

import (
	"slices"

	"plateia/core/event"
	"plateia/core/money"
	"plateia/core/seatmap"
)

// LineKind is what a line of an order is for.
type LineKind string

const (
	SeatLine     LineKind = "seat"
	DiscountLine LineKind = "discount" // its amount is below zero
	FeeLine      LineKind = "fee"
	TaxLine      LineKind = "tax" // says how much of the total is tax; adds nothing to it
)

// Per is what a fee is charged for.
type Per string

const (
	PerTicket  Per = "ticket"
	PerOrder   Per = "order"
	PerPercent Per = "percent" // of the prices less discounts
)

// NoSeat is the ordinal of lines that are not about one seat.
const NoSeat seatmap.Ordinal = -1

// Line is one priced thing of an order. Amount in minor units of the order's currency.
type Line struct {
	Kind     LineKind        `json:"kind"`
	Ordinal  seatmap.Ordinal `json:"ordinal"`
	Amount   int64           `json:"amount"`
	Name     string          `json:"name,omitempty"`     // of a fee or discount
	Per      Per             `json:"per,omitempty"`      // of a fee
	Rate     int             `json:"rate,omitempty"`     // of a tax or a fee by percent, in hundredths of a percent
	Included bool            `json:"included,omitempty"` // in the other lines: not a part of the total
}

// Seat is the line of a seat.
func Seat(ordinal seatmap.Ordinal, price int64) Line {
	return Line{Kind: SeatLine, Ordinal: ordinal, Amount: price}
}

// Discount takes an amount (minor units, above zero) off the prices of an order's seats.
type Discount struct {
	Name   string
	Amount int64
}

// Price puts discounts, fees and tax behind the lines of seats. It is a function of what it
// is given alone: a hold and its order, the page and the receipt have the same lines. Percentages are
// rounded once per order, half up; seats share them by largest remainder (see Shares).
func Price(rules *event.Rules, seats []Line, discounts ...Discount) []Line {
	lines := slices.Clone(seats)
	worth := Total(lines)
	for _, d := range discounts {
		off := min(d.Amount, worth) // nobody is paid for coming
		lines = addLine(lines, Line{Kind: DiscountLine, Name: d.Name, Amount: -off})
		worth -= off
	}
	for _, fee := range rules.Fees {
		lines = addLine(lines, feeLine(fee, len(seats), worth))
	}
	if total := Total(lines); rules.TaxPercent > 0 {
		net := money.Share(total, event.HundredPercent, event.HundredPercent+int64(rules.TaxPercent))
		lines = addLine(lines, Line{Kind: TaxLine, Amount: total - net, Rate: rules.TaxPercent, Included: true})
	}
	return lines
}

// addLine leaves out what comes to nothing.
func addLine(lines []Line, l Line) []Line {
	if l.Amount == 0 {
		return lines
	}
	l.Ordinal = NoSeat
	return append(lines, l)
}

func feeLine(fee event.Fee, seats int, worth int64) Line {
	l := Line{Kind: FeeLine, Name: fee.Name}
	switch {
	case fee.PerTicket > 0:
		l.Per, l.Amount = PerTicket, fee.PerTicket*int64(seats)
	case fee.PerOrder > 0:
		l.Per, l.Amount = PerOrder, fee.PerOrder
	default:
		l.Per, l.Rate, l.Amount = PerPercent, fee.Percent, money.Share(worth, int64(fee.Percent), event.HundredPercent)
	}
	return l
}

// Total is what the lines cost, in minor units.
func Total(lines []Line) (total int64) {
	for _, l := range lines {
		if !l.Included {
			total += l.Amount
		}
	}
	return total
}

// Tax is how much of the lines' total is tax; the rest is net.
func Tax(lines []Line) (tax int64) {
	for _, l := range lines {
		if l.Kind == TaxLine {
			tax += l.Amount
		}
	}
	return tax
}
