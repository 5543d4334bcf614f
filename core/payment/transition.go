package payment

import "slices"

// next says where an attempt may go from each state. Money is believed
// whenever it comes: an attempt that we or the provider had given up on may
// still turn out to be captured, and then the late-money rule decides.
var next = map[Status][]Status{
	Created:   {Pending, Captured, Declined, Cancelled, Unknown},
	Pending:   {Captured, Declined, Cancelled, Unknown},
	Unknown:   {Pending, Captured, Declined, Cancelled}, // by asking
	Declined:  {Captured},
	Cancelled: {Captured},
	Captured:  {},
}

// Statuses lists every state of an attempt.
func Statuses() []Status { return []Status{Created, Pending, Captured, Declined, Cancelled, Unknown} }

// Can reports whether an attempt may move from s to the other state. Staying is not a move.
func (s Status) Can(to Status) bool { return slices.Contains(next[s], to) }

// Open reports whether the attempt can take money now; an order has at most one open attempt.
func (s Status) Open() bool { return s == Created || s == Pending }

// nextRefund is the same for refunds. A refund that was done can come back (a
// closed account), and one that failed is tried another way.
var nextRefund = map[RefundStatus][]RefundStatus{
	RefundRequested: {RefundPending, RefundDone, RefundFailed},
	RefundPending:   {RefundDone, RefundFailed},
	RefundDone:      {RefundFailed},
	RefundFailed:    {RefundRequested},
}

// RefundStatuses lists every state of a refund.
func RefundStatuses() []RefundStatus {
	return []RefundStatus{RefundRequested, RefundPending, RefundDone, RefundFailed}
}

// Can reports whether a refund may move from s to the other state.
func (s RefundStatus) Can(to RefundStatus) bool { return slices.Contains(nextRefund[s], to) }
