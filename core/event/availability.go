package event

import "time"

// Availability is the one word a list shows about what is left.
type Availability string

const (
	OnSaleSoon Availability = "on_sale_soon"
	Available  Availability = "available"
	Limited    Availability = "limited" // under a tenth is left
	SoldOut    Availability = "sold_out"
	CalledOff  Availability = "cancelled"
)

// limitedShare is the share of the capacity, one in so many, below which few seats are left.
const limitedShare = 10

// Availability is e's word at the given instant. It rests on e.Free, a count
// that may be seconds old: it decides what a list says, never who gets a seat.
func (e Event) Availability(now time.Time) Availability {
	switch {
	case e.State == Cancelled:
		return CalledOff
	case e.State == Closed:
		return SoldOut
	case e.State == Scheduled, now.Before(e.OnSaleAt):
		return OnSaleSoon
	case e.Free <= 0:
		return SoldOut
	case e.Free*limitedShare < e.Capacity:
		return Limited
	}
	return Available
}

// PriceRange is the least and the most that a seat costs with its fees, in minor units; false when there are no prices.
func (e Event) PriceRange() (lowest, highest int64, ok bool) {
	for i, price := range e.Prices {
		price = e.Rules.AllIn(price)
		if i == 0 || price < lowest {
			lowest = price
		}
		highest = max(highest, price)
	}
	return lowest, highest, len(e.Prices) > 0
}
