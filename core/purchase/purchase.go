// Package purchase is an order with its payments, refunds and tickets as one state machine: the place where
// what happened is applied, whatever the order in which it is heard of.
//
// It knows no clock, no database and no provider. core/inventory decides about seats, core/checkout compares what
// providers say, db stores under conditions; each of them asks the same transitions (core/order,
// core/payment) that are put together here, and the tests run logs of events through this machine and
// through the real store and compare the ends.
//
// What must be true at every end, when nothing is open and nothing under way: Kept, the money that was
// captured and is not back with the fan, is the price of the valid tickets plus the fees that the event keeps.
package purchase

import (
	"plateia/core/order"
	"plateia/core/payment"
	"plateia/core/seatmap"
)

// Seats is what late money would find.
type Seats int

const (
	Held  Seats = iota // the order's hold lives
	Free               // it has ended, nobody has taken them
	Taken              // somebody else has one of them, or the event does not sell any more
)

// Payment is an attempt as far as this machine cares. Amounts in minor units.
type Payment struct {
	Status   payment.Status
	Captured int64
	Refunded int64
}

// Refund is a refund with the number of its payment.
type Refund struct {
	payment.Refund
	Payment int
}

// Purchase is one order. The zero value of the maps is fine.
type Purchase struct {
	Order     order.Order
	Seats     Seats
	CancelAsk bool
	KeepsFees bool
	Payments  []Payment
	Refunds   []Refund
	Valid     map[seatmap.Ordinal]bool // tickets; false: given back
}

// New is an order that was just placed for seats with these lines, and the first payment of it.
func New(lines []order.Line, keepsFees bool) *Purchase {
	return &Purchase{
		Order:     order.Order{Status: order.PendingPayment, Lines: lines, Total: order.Total(lines)},
		KeepsFees: keepsFees, Payments: []Payment{{Status: payment.Pending}}, Valid: map[seatmap.Ordinal]bool{},
	}
}

// Kept is what was captured and is not back with the fan.
func (p *Purchase) Kept() (kept int64) {
	for _, a := range p.Payments {
		if a.Status == payment.Captured {
			kept += a.Captured - a.Refunded
		}
	}
	return kept
}

// Worth is what Kept must come to: the valid tickets and the fees that stay.
func (p *Purchase) Worth() int64 {
	if len(p.Valid) == 0 {
		return 0
	}
	return p.Order.Total - p.Order.Returned
}

// Tickets counts the valid ones.
func (p *Purchase) Tickets() (n int) {
	for _, valid := range p.Valid {
		if valid {
			n++
		}
	}
	return n
}

// Settled reports whether nothing is open: no payment can bring money, no refund is on its way.
func (p *Purchase) Settled() bool {
	for _, a := range p.Payments {
		if !a.Status.Final() {
			return false
		}
	}
	return !p.underway()
}

func (p *Purchase) underway() bool {
	for _, r := range p.Refunds {
		if r.Underway() {
			return true
		}
	}
	return false
}

func (p *Purchase) money() order.Money {
	return order.Money{Valid: p.Tickets(), Kept: p.Kept(), Underway: p.underway()}
}

func (p *Purchase) move(to order.Status) {
	if p.Order.Status.Can(to) {
		p.Order.Status = to
	}
}
