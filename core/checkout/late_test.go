package checkout_test

import (
	"net/http"
	"net/http/httptest"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"plateia/core/inventory"
	"plateia/core/order"
	"plateia/core/payment"
)

func TestExpiryFreesSeatsOnlyWhenTheProviderAgrees(t *testing.T) {
	s := openShop(t)
	s.deaf.Store(true)
	f := s.fan(0, 1)
	o := f.order()
	eventually(t, "the intent is open", func() bool { return f.attempt(o).Status == payment.Pending })
	s.fail(down)
	s.ahead.Store(int64(6 * time.Minute))
	eventually(t, "the provider does not answer", func() bool { return f.attempt(o).Status == payment.Unknown })
	stays(t, "the seats are kept", func() bool { return s.seats(inventory.Held) == 2 })
	s.fail(nil)
	s.ahead.Store(int64(9 * time.Minute))
	d := f.becomes(o, order.Expired)
	if s.seats(inventory.Available) != 4 || d.Hold.State != inventory.HoldExpired || d.Order.Reason != "the time to pay has passed" {
		t.Errorf("expired with %d seats free: %+v", s.seats(inventory.Available), d)
	}
}

func TestAmountMismatch(t *testing.T) {
	s := openShop(t)
	s.fail(func(w http.ResponseWriter, r *http.Request, next http.Handler) {
		made := httptest.NewRecorder()
		next.ServeHTTP(made, r)
		if r.Method == http.MethodGet {
			body := strings.Replace(made.Body.String(), `"amount":18000`, `"amount":180`, 1)
			made.Body.Reset()
			made.Body.WriteString(body)
		}
		copyAnswer(w, made)
	})
	f := s.fan(0)
	o := f.order()
	f.press(o, "approve")
	d := f.becomes(o, order.Review)
	stays(t, "nothing is confirmed", func() bool { return s.count(`select count(*) from ticket`) == 0 && s.seats(inventory.Held) == 1 })
	if d.Attempt.Status != payment.Captured || !strings.Contains(d.Order.Reason, "1.80 BRL instead of 180.00 BRL") {
		t.Errorf("in review as %+v", d)
	}
}

// abandon has a fan pay at a provider that stops answering us until the hold is long dead.
func (s *shop) abandon(f *fan) order.Order {
	s.t.Helper()
	s.deaf.Store(true)
	o := f.order()
	var a payment.Attempt
	eventually(s.t, "the intent is open", func() bool { a = f.attempt(o); return a.Status == payment.Pending })
	s.fail(down)
	s.pressOn(a.ActionURL, "approve")
	s.exec(`update hold set expires_at = now() - interval '1 hour', hard_expires_at = now() - interval '11 minutes' where hold_id = $1`, [16]byte(f.hold))
	s.ahead.Add(int64(5 * time.Second))
	f.becomes(o, order.Expired)
	if f.seats(inventory.Available) != 4 {
		s.t.Fatalf("%d seats free after everybody gave up", f.seats(inventory.Available))
	}
	return o
}

func (s *shop) providerReturns() {
	s.fail(nil)
	s.ahead.Add(int64(10 * time.Minute))
}

func TestLateMoneyWithSeatsGoneIsRefunded(t *testing.T) {
	s := openShop(t)
	late := s.fan(0, 1)
	o := s.abandon(late)
	s.fail(nil)
	quick := s.fan(1, 2)
	q := quick.order()
	quick.press(q, "approve")
	s.deaf.Store(false)
	s.providerReturns()
	quick.becomes(q, order.Confirmed)
	d := late.becomes(o, order.Refunded)
	if len(d.Tickets) != 0 || len(d.Refunds) != 1 || d.Refunds[0].Amount.Minor != 36000 || !strings.Contains(d.Order.Reason, "refunded in full") {
		t.Errorf("refunded as %+v", d)
	}
	if got, err := s.provider.Refund(t.Context(), d.Attempt.Reference, d.Refunds[0].Amount, d.Refunds[0].ID.String()); err != nil || got != payment.RefundDone {
		t.Errorf("the provider says %s, %v", got, err)
	}
}

func TestLateMoneyWithSeatsFreeIsHonoured(t *testing.T) {
	s := openShop(t)
	f := s.fan(0, 1)
	o := s.abandon(f)
	s.providerReturns()
	if d := f.becomes(o, order.Confirmed); len(d.Tickets) != 2 {
		t.Errorf("confirmed with %d tickets", len(d.Tickets))
	}
}

func TestEventCancelledDuringPayment(t *testing.T) {
	s := openShop(t)
	f := s.fan(0)
	o := f.order()
	f.press(o, "nothing yet")
	s.exec(`update event set state = 'cancelled', version = version + 1 where event_id = $1`, [16]byte(s.event.ID))
	f.press(o, "approve")
	d := f.becomes(o, order.Refunded)
	if !strings.Contains(d.Order.Reason, "event is cancelled") || d.Hold.State.Live() || s.seats(inventory.Available) != 4 {
		t.Errorf("refunded as %+v", d)
	}
}

// While the first payment is unknown the fan pays again; both are captured; the second is sent back.
func TestPaidTwice(t *testing.T) {
	s := openShop(t)
	s.deaf.Store(true)
	f := s.fan(0)
	o := f.order()
	first := f.press(o, "nothing yet")
	s.fail(down)
	s.ahead.Add(int64(5 * time.Second))
	eventually(t, "the first is unknown", func() bool { return f.attempt(o).Status == payment.Unknown })
	s.pressOn(first.ActionURL, "approve")
	var opens atomic.Int64
	s.fail(func(w http.ResponseWriter, r *http.Request, next http.Handler) {
		if strings.Contains(r.URL.Path, first.Reference) { // one of two paths to the provider is still broken
			http.Error(w, "down", http.StatusBadGateway)
			return
		}
		opens.Add(1)
		next.ServeHTTP(w, r)
	})
	if _, err := f.PayAgain(t.Context(), f.id, o.ID, f.key()); err != nil {
		t.Fatal(err)
	}
	second := f.press(o, "approve")
	s.ahead.Add(int64(5 * time.Second))
	f.becomes(o, order.Confirmed)
	s.providerReturns()
	eventually(t, "the extra money is back", func() bool { return s.count(`select count(*) from refund where status = 'DONE'`) == 1 })
	d := f.becomes(o, order.Confirmed)
	if len(d.Tickets) != 1 || second.ID == first.ID || s.count(`select count(*) from attempt where status = 'CAPTURED'`) != 2 {
		t.Errorf("ended as %+v", d)
	}
}
