package order

// Money is what an order's row does not know about its money, when something about that has changed.
type Money struct {
	Valid    int   // tickets
	Kept     int64 // captured and not back with the fan, minor units
	Underway bool  // a refund is on its way
	Failed   bool  // a refund has just failed for good
}

// AfterReturn is where an order goes when tickets of it were given back.
func (o *Order) AfterReturn(m Money) Status {
	switch {
	case m.Valid > 0:
		return PartlyRefunded
	case o.Status == Confirmed:
		return Cancelled
	case !m.Underway: // nothing comes back for the last ones
		return Refunded
	}
	return o.Status
}

// AfterRefund is where an order goes when a refund of it was answered. An order of which nothing is valid and nothing is
// on its way is REFUNDED when no more of its money is left than stays: fees that the event keeps, or nothing
// when it was never sold.
func (o *Order) AfterRefund(m Money) Status {
	if m.Failed {
		return Review
	}
	ending := o.Status == Review && o.GoesBack
	switch o.Status {
	case Expired, Cancelled, PartlyRefunded:
		ending = true
	}
	if ending && m.Valid == 0 && !m.Underway && m.Kept <= o.Stays() {
		return Refunded
	}
	return o.Status
}

// Stays is how much of the money of an order that has no tickets any more is not given back.
func (o *Order) Stays() int64 {
	if o.Returned == 0 {
		return 0
	}
	return o.Total - o.Returned
}
