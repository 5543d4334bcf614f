package event

import (
	"strings"
	"testing"
	"time"

	"plateia/core/fault"
	"plateia/core/money"
)

func TestPricingThatMakesNoSense(t *testing.T) {
	fees := func(fees ...Fee) Rules { return Rules{Fees: fees} }
	for name, r := range map[string]Rules{
		"nothing charged": fees(Fee{Name: "x"}), "two measures": fees(Fee{Name: "x", PerTicket: 1, Percent: 1}), "no name": fees(Fee{PerOrder: 1}),
		"long name": fees(Fee{Name: strings.Repeat("x", 81), PerOrder: 1}), "below zero": fees(Fee{Name: "x", PerOrder: -1}),
		"too much": fees(Fee{Name: "x", PerTicket: money.Most + 1}), "more than all": fees(Fee{Name: "x", Percent: HundredPercent + 1}),
		"too many": fees(make([]Fee, 9)...), "negative tax": {TaxPercent: -1}, "too much tax": {TaxPercent: HundredPercent + 1},
		"refunds after the start": {Refund: &Refunds{UntilSeconds: -1}},
	} {
		if err := r.CheckPricing(); fault.CodeOf(err) != fault.Invalid {
			t.Errorf("%s: %v", name, err)
		}
	}
	good := Rules{Fees: []Fee{{Name: "x", PerTicket: 1}, {Name: "y", PerOrder: money.Most}, {Name: "z", Percent: HundredPercent}}, TaxPercent: HundredPercent, Refund: &Refunds{}}
	if err := good.CheckPricing(); err != nil {
		t.Error(err)
	}
	start := time.Date(2026, 5, 3, 20, 0, 0, 0, time.UTC)
	if e := (Event{StartsAt: start}); !e.RefundUntil().Equal(start.AddDate(0, 0, -2)) || !e.Rules.RefundPolicy().KeepsFees {
		t.Errorf("without a policy until %v", e.RefundUntil())
	}
}
