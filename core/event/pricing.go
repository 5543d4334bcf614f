package event

import (
	"time"

	"plateia/core/fault"
	"plateia/core/money"
)

// HundredPercent is the whole in hundredths of a percent, in which rates are given.
const HundredPercent = 100_00

// Fee is charged beside the prices of the seats, by one of its three measures.
type Fee struct {
	Name      string `json:"name"`
	PerTicket int64  `json:"perTicket,omitempty"` // minor units
	PerOrder  int64  `json:"perOrder,omitempty"`  // minor units
	Percent   int    `json:"percent,omitempty"`   // of the seats' prices less discounts, in hundredths of a percent
}

// AllIn is what one seat at that price costs with the fees that are charged for it, in minor units; a fee per order
// comes on top once.
func (r *Rules) AllIn(price int64) int64 {
	total := price
	for _, fee := range r.Fees {
		total += fee.PerTicket + money.Share(price, int64(fee.Percent), HundredPercent)
	}
	return total
}

// Refunds is until when, and how, fans may give back what they have bought.
type Refunds struct {
	UntilSeconds int  `json:"untilSeconds"` // before the start
	KeepsFees    bool `json:"keepsFees"`    // the fees are not given back
}

// RefundPolicy is the event's, or what holds when nothing else is said: until two days
// before the start, without the fees.
func (r *Rules) RefundPolicy() Refunds {
	if r.Refund == nil {
		return Refunds{UntilSeconds: 48 * 60 * 60, KeepsFees: true}
	}
	return *r.Refund
}

// RefundUntil is the first instant at which the fan can give nothing back any more.
func (e *Event) RefundUntil() time.Time {
	return e.StartsAt.Add(-time.Duration(e.Rules.RefundPolicy().UntilSeconds) * time.Second)
}

// maxFees is how many fees an event may have: an order lists each on a line.
const maxFees = 8

// CheckPricing refuses fees and taxes that make no sense: fault.Invalid says which.
func (r *Rules) CheckPricing() error {
	if len(r.Fees) > maxFees {
		return fault.New(fault.Invalid, "an event has at most %d fees", maxFees)
	}
	for _, fee := range r.Fees {
		if err := fee.check(); err != nil {
			return err
		}
	}
	if r.TaxPercent < 0 || r.TaxPercent > HundredPercent {
		return fault.New(fault.Invalid, "a tax is 0 to %d hundredths of a percent", HundredPercent)
	}
	if r.RefundPolicy().UntilSeconds < 0 {
		return fault.New(fault.Invalid, "refunds end before the start, not after it")
	}
	return nil
}

func (f Fee) check() error {
	measures := 0
	for _, amount := range []int64{f.PerTicket, f.PerOrder, int64(f.Percent)} {
		if amount < 0 || amount > money.Most {
			return fault.New(fault.Invalid, "fee %q: an amount is 0 to %d minor units", f.Name, int64(money.Most))
		}
		if amount > 0 {
			measures++
		}
	}
	switch {
	case f.Name == "" || len(f.Name) > 80:
		return fault.New(fault.Invalid, "a fee's name has 1 to 80 bytes")
	case measures != 1:
		return fault.New(fault.Invalid, "fee %q is charged per ticket, per order or by percent: one of them", f.Name)
	case f.Percent > HundredPercent:
		return fault.New(fault.Invalid, "fee %q is at most %d hundredths of a percent", f.Name, HundredPercent)
	}
	return nil
}
