package checkout

import (
	"testing"
	"time"

	"pgregory.net/rapid"

	"plateia/core/id"
	"plateia/core/money"
	"plateia/core/order"
	"plateia/core/payment"
)

var noon = time.Date(2026, 5, 1, 12, 0, 0, 0, time.UTC)

func sampleOrder() (order.Order, payment.Attempt, payment.Intent) {
	amount := money.Amount{Minor: 36000, Currency: "BRL"}
	o := order.Order{ID: id.ID{1}, Status: order.PendingPayment, Total: amount.Minor, Currency: "BRL"}
	a := payment.Attempt{ID: id.ID{2}, Order: o.ID, Status: payment.Pending, Reference: "pi_1", Amount: amount, ExpiresAt: noon.Add(5 * time.Minute)}
	return o, a, payment.Intent{Reference: "pi_1", Order: o.ID, Status: payment.Pending, Amount: amount}
}

func TestJudge(t *testing.T) {
	late := noon.Add(6 * time.Minute)
	for name, c := range map[string]struct {
		change func(*order.Order, *payment.Attempt, *payment.Intent)
		now    time.Time
		want   verdict
	}{
		"pending and known": {func(*order.Order, *payment.Attempt, *payment.Intent) {}, noon, verdict{}},
		"just created": {func(_ *order.Order, a *payment.Attempt, _ *payment.Intent) {
			a.Status, a.Reference = payment.Created, ""
		}, noon,
			verdict{step: opened}},
		"answers again":     {func(_ *order.Order, a *payment.Attempt, _ *payment.Intent) { a.Status = payment.Unknown }, noon, verdict{step: opened}},
		"captured":          {func(_ *order.Order, _ *payment.Attempt, in *payment.Intent) { in.Status = payment.Captured }, noon, verdict{step: sell}},
		"captured too late": {func(_ *order.Order, _ *payment.Attempt, in *payment.Intent) { in.Status = payment.Captured }, late, verdict{step: sell}},
		"captured before its create returned": {func(_ *order.Order, a *payment.Attempt, in *payment.Intent) {
			a.Status, a.Reference, in.Status = payment.Created, "", payment.Captured
		}, noon, verdict{step: sell}},
		"declined": {func(_ *order.Order, _ *payment.Attempt, in *payment.Intent) {
			in.Status, in.Reason = payment.Declined, "no funds"
		}, noon,
			verdict{step: end, status: payment.Declined, reason: "no funds"}},
		"declined after the fan asked to cancel": {func(o *order.Order, _ *payment.Attempt, in *payment.Intent) {
			in.Status, o.CancelAskedAt = payment.Declined, noon
		}, noon, verdict{step: end, status: payment.Declined, reason: "the payment was declined", freeSeats: true}},
		"cancelled as asked": {func(o *order.Order, _ *payment.Attempt, in *payment.Intent) {
			in.Status, o.CancelAskedAt = payment.Cancelled, noon
		}, noon, verdict{step: end, status: payment.Cancelled, reason: "cancelled at your request", freeSeats: true}},
		"expired": {func(_ *order.Order, _ *payment.Attempt, in *payment.Intent) { in.Status = payment.Cancelled }, late,
			verdict{step: end, status: payment.Cancelled, reason: "the time to pay has passed", freeSeats: true}},
		"cancelled by the provider": {func(_ *order.Order, _ *payment.Attempt, in *payment.Intent) { in.Status = payment.Cancelled }, noon,
			verdict{step: end, status: payment.Cancelled, reason: "the payment was cancelled at the payment provider"}},
		"less money": {func(_ *order.Order, _ *payment.Attempt, in *payment.Intent) {
			in.Status, in.Amount.Minor = payment.Captured, 1
		}, noon, verdict{step: review, captured: money.Amount{Minor: 1, Currency: "BRL"}, reason: "the payment is over 0.01 BRL instead of 360.00 BRL"}},
		"other currency": {func(_ *order.Order, _ *payment.Attempt, in *payment.Intent) {
			in.Status, in.Amount.Currency = payment.Captured, "ARS"
		}, noon, verdict{step: review, captured: money.Amount{Minor: 36000, Currency: "ARS"}, reason: "the payment is over 360.00 ARS instead of 360.00 BRL"}},
		"other order": {func(_ *order.Order, _ *payment.Attempt, in *payment.Intent) { in.Order = id.ID{9} }, noon,
			verdict{step: review, reason: "the payment belongs to another order"}},
		"other reference": {func(_ *order.Order, _ *payment.Attempt, in *payment.Intent) { in.Reference = "pi_2" }, noon,
			verdict{step: review, reason: "the payment has another reference"}},
		"mismatch that ended without money, seen by a person already": {func(o *order.Order, _ *payment.Attempt, in *payment.Intent) {
			o.Status, in.Status, in.Amount.Minor = order.Review, payment.Cancelled, 1
		}, late, verdict{step: end, status: payment.Cancelled, reason: "the time to pay has passed", freeSeats: true}},
	} {
		o, a, in := sampleOrder()
		c.change(&o, &a, &in)
		if got := judge(o, a, in, c.now); got != c.want {
			t.Errorf("%s: %+v\nwant %+v", name, got, c.want)
		}
	}
}

func TestUnwanted(t *testing.T) {
	o, a, _ := sampleOrder()
	if unwanted(o, a, noon) {
		t.Error("a running payment is unwanted")
	}
	if !unwanted(o, a, a.ExpiresAt) {
		t.Error("a payment past its time is wanted")
	}
	for _, s := range order.Statuses() {
		o.Status = s
		if got := unwanted(o, a, noon); got == s.Open() {
			t.Errorf("%s: unwanted = %v", s, got)
		}
	}
	o.Status, o.CancelAskedAt = order.PendingPayment, noon
	if !unwanted(o, a, noon) {
		t.Error("a payment that the fan cancelled is wanted")
	}
}

// Whatever is known on our side, captured money that matches is sold (or sent
// back by Sell's refusal), never dropped, and seats are never freed while a
// provider says that money may still come.
func TestJudgeNeverLosesMoney(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		o, a, in := sampleOrder()
		o.Status = rapid.SampledFrom(order.Statuses()).Draw(t, "order")
		a.Status = rapid.SampledFrom(payment.Statuses()).Draw(t, "attempt")
		in.Status = rapid.SampledFrom([]payment.Status{payment.Pending, payment.Captured, payment.Declined, payment.Cancelled}).Draw(t, "intent")
		if rapid.Bool().Draw(t, "cancel asked") {
			o.CancelAskedAt = noon
		}
		if rapid.Bool().Draw(t, "unnamed") {
			a.Reference = ""
		}
		now := noon.Add(time.Duration(rapid.IntRange(-10, 10).Draw(t, "minutes")) * time.Minute)
		v := judge(o, a, in, now)
		switch {
		case in.Status == payment.Captured && v.step != sell:
			t.Fatalf("captured money became %+v", v)
		case in.Status == payment.Pending && v.step != nothing && v.step != opened:
			t.Fatalf("a payment that may still bring money became %+v", v)
		case v.freeSeats && in.Status != payment.Declined && in.Status != payment.Cancelled:
			t.Fatalf("seats freed on %s", in.Status)
		}
	})
}
