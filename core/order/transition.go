package order

import "slices"

// next says where an order may go from each state. Anything may also go to
// REVIEW, when money and order do not match.
var next = map[Status][]Status{
	PendingPayment: {Confirmed, Failed, Expired, Cancelled},
	Failed:         {PendingPayment, Confirmed, Expired, Cancelled},
	Expired:        {Confirmed, Refunded}, // late money: the seats if they are still free, else the money back
	Cancelled:      {Refunded},
	Review:         {Confirmed, PartlyRefunded, Refunded}, // by a person; partly when some tickets had been given back
	Confirmed:      {PartlyRefunded, Cancelled},
	PartlyRefunded: {Refunded},
	Refunded:       {},
}

// Statuses lists every state.
func Statuses() []Status {
	return []Status{PendingPayment, Confirmed, Failed, Expired, Cancelled, Review, PartlyRefunded, Refunded}
}

// Can reports whether an order may move from s to the other state. Staying is
// not a move: an event that arrives twice changes nothing.
func (s Status) Can(to Status) bool {
	allowed, known := next[s]
	if !known || s == to {
		return false
	}
	return to == Review || slices.Contains(allowed, to)
}

// Stands reports whether the order has, as far as its status tells, tickets that are valid.
func (s Status) Stands() bool { return s == Confirmed || s == PartlyRefunded }

// Open reports whether the order still hopes for money.
func (s Status) Open() bool { return s == PendingPayment || s == Failed }
