package sizing

import (
	"errors"
	"fmt"
	"math"
	"time"
)

// OnSale is what is known, or guessed, before an on-sale.
type OnSale struct {
	Fans            int64         // who come, all of them
	Seats           int64         // on sale
	Arrival         time.Duration // the fans come evenly over this time
	PerOrder        float64       // seats an order has on average
	Checkout        time.Duration // a fan stays inside this long on average: choosing, holding, paying
	Inside          int64         // fans inside at the same time, at most
	Conversion      float64       // share of those let in who buy, above 0, at most 1
	Poll            time.Duration // how often a waiting page asks for its place
	PageKB          float64       // what a fan's first page weighs over the wire, kB
	ProviderLatency time.Duration // from sending a payment to its result
}

// Default is a stadium: two million fans for sixty thousand seats.
func Default() OnSale {
	return OnSale{
		Fans:            2_000_000,
		Seats:           60_000,
		Arrival:         120 * time.Second,
		PerOrder:        2,
		Checkout:        300 * time.Second,
		Inside:          10_000,
		Conversion:      0.6,
		Poll:            10 * time.Second,
		PageKB:          100,
		ProviderLatency: 2 * time.Second,
	}
}

// bound is the range a parameter makes sense in, both ends included.
type bound struct {
	name     string // as the flag is called
	value    float64
	low, top float64
	unit     string
}

func (b bound) check() error {
	if b.value >= b.low && b.value <= b.top { // NaN is in no range
		return nil
	}
	return fmt.Errorf("%s: %s is not between %s and %s%s", b.name, number(b.value), number(b.low), number(b.top), b.unit)
}

const day = 24 * time.Hour

// Check names every parameter that is not in its range, in one error; nil when a Plan can be made.
func (o OnSale) Check() error {
	var faults []error
	for _, b := range []bound{
		{"fans", float64(o.Fans), 1, 10e9, ""}, // nobody else lives here
		{"seats", float64(o.Seats), 1, 10e6, ""},
		{"arrival", o.Arrival.Seconds(), 1, (30 * day).Seconds(), " s"},
		{"per-order", o.PerOrder, 1, 100, " seats"},
		{"checkout", o.Checkout.Seconds(), 1, day.Seconds(), " s"},
		{"inside", float64(o.Inside), 1, 100e6, " fans"},
		{"conversion", o.Conversion, 1e-6, 1, ""},
		{"poll", o.Poll.Seconds(), 0.1, time.Hour.Seconds(), " s"},
		{"page-kb", o.PageKB, 0.1, 1e6, " kB"},
		{"provider-latency", o.ProviderLatency.Seconds(), 0.001, time.Hour.Seconds(), " s"},
	} {
		faults = append(faults, b.check())
	}
	return errors.Join(faults...)
}

// number writes a value as people do: 2,000,000, 0.6, NaN.
func number(v float64) string {
	if v != math.Trunc(v) || math.Abs(v) >= 1e15 {
		return fmt.Sprintf("%g", v)
	}
	digits := fmt.Sprintf("%.0f", math.Abs(v))
	for at := len(digits) - 3; at > 0; at -= 3 {
		digits = digits[:at] + "," + digits[at:]
	}
	if v < 0 {
		return "-" + digits
	}
	return digits
}
