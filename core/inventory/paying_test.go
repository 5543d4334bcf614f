package inventory

import (
	"testing"
	"time"

	"plateia/core/event"
	"plateia/core/fault"
	"plateia/core/id"
	"plateia/core/money"
	"plateia/core/order"
	"plateia/core/payment"
)

func TestPayDeadline(t *testing.T) {
	m := newMemStore(10)
	_, out := pay(t, m, id.New(), 1)
	if got := out.Attempt.ExpiresAt.Sub(m.now); got != 5*time.Minute {
		t.Fatalf("the provider gets %v", got)
	}
	if got := out.Hold.ExpiresAt; got.Before(out.Attempt.ExpiresAt.Add(30 * time.Second)) {
		t.Fatalf("the hold ends at %v, before the provider's deadline and the margin", got)
	}
	for left, want := range map[time.Duration]fault.Code{
		89 * time.Second: fault.PaymentWindow, 90 * time.Second: "", 3 * time.Minute: "",
	} {
		h := ok(t, m.one(t, placeOf(id.New(), 2))).Hold
		row := m.holds[h.ID]
		row.HardExpiresAt = m.now.Add(left)
		row.ExpiresAt = row.HardExpiresAt
		m.holds[h.ID] = row
		c := StartPayment{Account: h.Account, Hold: h.ID, Order: id.New(), Attempt: id.New()}
		out := m.one(t, c)
		wantCode(t, out, want)
		if want == "" {
			if !out.Attempt.ExpiresAt.Equal(row.HardExpiresAt.Add(-30 * time.Second)) {
				t.Fatalf("deadline %v", out.Attempt.ExpiresAt)
			}
			ok(t, m.one(t, EndAttempt{Order: c.Order, Attempt: c.Attempt, Status: payment.Cancelled, FreeSeats: true}))
		} else {
			ok(t, m.one(t, Release{Account: h.Account, Hold: h.ID}))
		}
	}
	h := ok(t, m.one(t, placeOf(id.New(), 2))).Hold
	wantCode(t, m.one(t, StartPayment{Account: h.Account, Hold: h.ID, Order: id.New(), Attempt: id.New(), MinWindow: time.Hour}), fault.PaymentWindow)
}

func TestWhilePaying(t *testing.T) {
	m := newMemStore(10)
	fan := id.New()
	p, out := pay(t, m, fan, 1)
	wantCode(t, m.one(t, placeOf(fan, 2)), fault.PaymentInProgress)
	wantCode(t, m.one(t, Release{Account: fan, Hold: p.Hold}), fault.PaymentInProgress)
	wantCode(t, m.one(t, Extend{Account: fan, Hold: p.Hold}), fault.PaymentInProgress)
	second := p
	second.Order, second.Attempt = id.New(), id.New()
	wantCode(t, m.one(t, second), fault.OrderState)
	second.Order, second.Again = p.Order, true
	wantCode(t, m.one(t, second), fault.PaymentInProgress)
	m.now = out.Hold.ExpiresAt.Add(time.Hour) // PAYING is never taken lazily
	wantCode(t, m.one(t, placeOf(id.New(), 1)), fault.SeatTaken)
	m.now = out.Hold.HardExpiresAt.Add(PayingGrace)
	if h := ok(t, m.one(t, Expire{Hold: p.Hold})).Hold; h.State != HoldPaying {
		t.Fatalf("ended early: %v", h.State)
	}
	m.now = m.now.Add(time.Second)
	if h := ok(t, m.one(t, Expire{Hold: p.Hold})).Hold; h.State != HoldExpired || m.orders[p.Order].Status != order.Expired {
		t.Fatalf("hold %v, order %v", h.State, m.orders[p.Order].Status)
	}
	m.check(t)
}

func TestUnknownAttemptKeepsTheSeats(t *testing.T) {
	m := newMemStore(10)
	fan := id.New()
	p, first := pay(t, m, fan, 1)
	a := m.attempts[p.Attempt]
	a.Status = payment.Unknown
	m.attempts[p.Attempt] = a
	again := p
	again.Again, again.Attempt = true, id.New()
	ok(t, m.one(t, again))
	out := ok(t, m.one(t, EndAttempt{Order: p.Order, Attempt: again.Attempt, Status: payment.Declined, FreeSeats: true}))
	if out.Hold.State != HoldPaying || out.Order.Status != order.PendingPayment {
		t.Fatalf("freed although the first attempt may bring money: %+v", out)
	}
	ok(t, m.one(t, Sell{Order: p.Order, Attempt: p.Attempt, Captured: first.Attempt.Amount}))
	wantCode(t, m.one(t, Sell{Order: p.Order, Attempt: again.Attempt, Captured: first.Attempt.Amount}), fault.OrderState)
	m.check(t)
}

func TestSellRefusals(t *testing.T) {
	m := newMemStore(10)
	p, out := pay(t, m, id.New(), 1)
	sell := Sell{Order: p.Order, Attempt: p.Attempt, Captured: out.Attempt.Amount}
	m.event.State = event.Cancelled
	wantCode(t, m.one(t, sell), fault.EventState)
	m.event.State = event.Closed // holds of a closed sale are honoured while they live
	ok(t, m.one(t, sell))
	p, out = func() (StartPayment, Outcome) { m.event.State = event.OnSale; return pay(t, m, id.New(), 2) }()
	wrong := Sell{Order: p.Order, Attempt: p.Attempt, Captured: money.Amount{Minor: out.Order.Total, Currency: "USD"}}
	wantCode(t, m.one(t, wrong), fault.OrderState)
	if m.orders[p.Order].Status != order.Review || m.attempts[p.Attempt].Status != payment.Captured || m.seats[2].Status != Held {
		t.Fatal("a mismatch did not go to review with its seats kept")
	}
	wantCode(t, m.one(t, wrong), fault.OrderState) // the same again changes nothing
	if m.orders[p.Order].Version != 2 {
		t.Fatalf("order version %d", m.orders[p.Order].Version)
	}
}

func TestLateMoney(t *testing.T) {
	late := func(t *testing.T) (*memStore, Sell, id.ID) {
		m := newMemStore(20)
		fan := id.New()
		p, out := pay(t, m, fan, 1, 2)
		ok(t, m.one(t, EndAttempt{Order: p.Order, Attempt: p.Attempt, Status: payment.Cancelled, FreeSeats: true}))
		return m, Sell{Order: p.Order, Attempt: p.Attempt, Captured: out.Attempt.Amount}, fan
	}
	t.Run("seats free", func(t *testing.T) {
		m, sell, _ := late(t)
		if out := ok(t, m.one(t, sell)); out.Order.Status != order.Confirmed || len(out.Tickets) != 2 {
			t.Fatalf("%+v", out)
		}
		m.check(t)
	})
	t.Run("in the way of a dead hold", func(t *testing.T) {
		m, sell, _ := late(t)
		victim := ok(t, m.one(t, placeOf(id.New(), 2, 3))).Hold
		m.now = victim.ExpiresAt.Add(time.Minute)
		ok(t, m.one(t, sell))
		if m.holds[victim.ID].State != HoldExpired || m.seats[3].Status != Available {
			t.Fatal("the victim's hold did not go whole")
		}
		m.check(t)
	})
	t.Run("seat held again", func(t *testing.T) {
		m, sell, _ := late(t)
		ok(t, m.one(t, placeOf(id.New(), 2)))
		wantCode(t, m.one(t, sell), fault.HoldGone)
		m.check(t)
	})
	t.Run("over the limit by now", func(t *testing.T) {
		m, sell, fan := late(t)
		ok(t, m.one(t, placeOf(fan, 5, 6, 7, 8, 9)))
		wantCode(t, m.one(t, sell), fault.HoldGone)
	})
	t.Run("sale closed", func(t *testing.T) {
		m, sell, _ := late(t)
		m.event.State = event.Closed
		wantCode(t, m.one(t, sell), fault.HoldGone)
	})
	t.Run("cancelled by the fan", func(t *testing.T) {
		m := newMemStore(10)
		p, out := pay(t, m, id.New(), 1)
		ok(t, m.one(t, EndAttempt{Order: p.Order, Attempt: p.Attempt, Status: payment.Cancelled, FreeSeats: true, CancelOrder: true}))
		wantCode(t, m.one(t, Sell{Order: p.Order, Attempt: p.Attempt, Captured: out.Attempt.Amount}), fault.OrderState)
	})
}
