package checkout_test

import (
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"plateia/core/checkout"
	"plateia/core/fault"
	"plateia/core/id"
	"plateia/core/inventory"
	"plateia/core/order"
	"plateia/core/payment"
	"plateia/edge/payments/sandbox"
)

// mismatched is an order in REVIEW: the provider says that it took another amount.
func (s *shop) mismatched(f *fan, amount string) order.Order {
	s.t.Helper()
	s.fail(func(w http.ResponseWriter, r *http.Request, next http.Handler) {
		made := httptest.NewRecorder()
		next.ServeHTTP(made, r)
		if r.Method == http.MethodGet {
			body := strings.Replace(made.Body.String(), `"amount":18000`, `"amount":`+amount, 1)
			made.Body.Reset()
			made.Body.WriteString(body)
		}
		copyAnswer(w, made)
	})
	o := f.order()
	f.press(o, "approve")
	f.becomes(o, order.Review)
	s.fail(nil)
	return o
}

func TestResolveRefund(t *testing.T) {
	s := openShop(t)
	f := s.fan(0)
	o := s.mismatched(f, "180")
	_, err := s.Resolve(t.Context(), o.ID, checkout.ActionConfirm, "ana", "looks fine")
	wantCode(t, err, fault.OrderState) // 1.80 does not buy a seat for 180.00
	for _, bad := range [][3]string{{"destroy", "ana", "why"}, {"refund", " ", "why"}, {"refund", "ana", ""}, {"refund", "ana", strings.Repeat("x", 2001)}} {
		_, err := s.Resolve(t.Context(), o.ID, bad[0], bad[1], bad[2])
		wantCode(t, err, fault.Invalid)
	}
	_, err = s.Resolve(t.Context(), id.New(), checkout.ActionRefund, "ana", "why")
	wantCode(t, err, fault.NotFound)
	got, err := s.Resolve(t.Context(), o.ID, checkout.ActionRefund, "ana", "the provider took too little")
	if err != nil || s.seats(inventory.Available) != 4 {
		t.Fatalf("resolved: %+v, %v, %d seats free", got, err, s.seats(inventory.Available))
	}
	d := f.becomes(o, order.Refunded)
	if len(d.Refunds) != 1 || d.Refunds[0].Amount.Minor != 180 || d.Order.Reason == "" {
		t.Errorf("refunded as %+v", d)
	}
	if n := s.count(`select count(*) from order_audit where order_id = $1 and action = 'refund' and actor = 'ana'
		and note = 'the provider took too little' and was = 'REVIEW'`, [16]byte(o.ID)); n != 1 {
		t.Errorf("%d rows in the audit", n)
	}
	_, err = s.Resolve(t.Context(), o.ID, checkout.ActionRefund, "ana", "again")
	wantCode(t, err, fault.OrderState)
}

// A refund that the provider accepts and fails later, or pays and gets back, goes out again under another key.
func TestRefundIsTriedAnotherWay(t *testing.T) {
	for _, trouble := range []sandbox.Fault{sandbox.RefundFails, sandbox.RefundReturns} {
		t.Run(string(trouble), func(t *testing.T) {
			s := openShop(t)
			s.must(s.provider.Disturb(t.Context(), sandbox.Script{Rate: 1, Faults: []sandbox.Fault{trouble}, PauseMS: 100}))
			f := s.fan(0)
			o, _ := s.bought(f)
			if _, err := f.Cancel(t.Context(), f.id, o.ID, nil, f.key()); err != nil {
				t.Fatal(err)
			}
			eventually(t, "it is in its second round", func() bool { return s.count(`select count(*) from refund where round = 1`) == 1 })
			s.ahead.Add(int64(2 * time.Minute))
			eventually(t, "the second try is done", func() bool { return s.count(`select count(*) from refund where round = 1 and status = 'DONE'`) == 1 })
			f.becomes(o, order.Refunded)
			s.booksAgree()
		})
	}
}

// The same with every webhook lost: a refund that was done is asked about again.
func TestRefundThatComesBackUnheard(t *testing.T) {
	s := openShop(t)
	s.must(s.provider.Disturb(t.Context(), sandbox.Script{Rate: 1, Faults: []sandbox.Fault{sandbox.RefundReturns}, PauseMS: 100}))
	f := s.fan(0)
	o, _ := s.bought(f)
	s.deaf.Store(true)
	if _, err := f.Cancel(t.Context(), f.id, o.ID, nil, f.key()); err != nil {
		t.Fatal(err)
	}
	f.becomes(o, order.Refunded)
	s.ahead.Add(int64(time.Minute))
	eventually(t, "it is in its second round", func() bool { return s.count(`select count(*) from refund where round = 1`) == 1 })
	s.ahead.Add(int64(2 * time.Minute))
	eventually(t, "the second try is done", func() bool { return s.count(`select count(*) from refund where status = 'DONE'`) == 1 })
	f.becomes(o, order.Refunded)
}

// A provider that refuses for good: four rounds, then a person is told, and decides to try again.
func TestRefundThatNeverGoesThrough(t *testing.T) {
	s := openShop(t)
	f := s.fan(0)
	o, _ := s.bought(f)
	s.fail(func(w http.ResponseWriter, r *http.Request, next http.Handler) {
		if strings.HasSuffix(r.URL.Path, "/refunds") {
			w.WriteHeader(http.StatusUnprocessableEntity)
			_, _ = w.Write([]byte(`{"code":"INVALID","message":"no"}`))
			return
		}
		next.ServeHTTP(w, r)
	})
	if _, err := f.Cancel(t.Context(), f.id, o.ID, nil, f.key()); err != nil {
		t.Fatal(err)
	}
	for round := 1; round < payment.MaxRounds; round++ {
		eventually(t, "the next round has begun", func() bool { return s.count(`select round from refund`) == round })
		s.ahead.Add(int64(2 * time.Hour))
	}
	f.becomes(o, order.Review)
	s.fail(nil)
	if _, err := s.Resolve(t.Context(), o.ID, checkout.ActionRefund, "ana", "the account is open again"); err != nil {
		t.Fatal(err)
	}
	f.becomes(o, order.Refunded)
	s.booksAgree()
}

// The provider ends a payment unpaid, takes the money after that, and every webhook about it is lost.
func TestLateMoneyThatNobodyTellsOf(t *testing.T) {
	s := openShop(t)
	s.must(s.provider.Disturb(t.Context(), sandbox.Script{Rate: 1, Faults: []sandbox.Fault{sandbox.Late}, PauseMS: 500}))
	s.deaf.Store(true)
	f := s.fan(0)
	o := f.order()
	f.press(o, "approve")
	got, err := f.Cancel(t.Context(), f.id, o.ID, nil, f.key())
	if err != nil || got.Status != order.Cancelled || f.attempt(o).Status != payment.Cancelled {
		t.Fatalf("cancelled: %+v, %v", got, err)
	}
	s.ahead.Add(int64(7 * time.Minute))
	d := f.becomes(o, order.Refunded)
	if !strings.Contains(d.Order.Reason, "after the order had been cancelled") {
		t.Errorf("refunded because %q", d.Order.Reason)
	}
	s.booksAgree()
}

// Whatever cannot be processed now stays, and is processed later; it is done only when its work is.
func TestDeliveryOutlivesATransientFailure(t *testing.T) {
	s := openShop(t)
	f := s.fan(0)
	o := f.order()
	a := f.press(o, "nothing yet")
	s.fail(down)
	s.pressOn(a.ActionURL, "approve")
	eventually(t, "it was tried in vain", func() bool {
		return s.count(`select count(*) from webhook_delivery where state = 'RECEIVED' and tries > 0 and note <> ''`) == 1
	})
	s.fail(nil)
	s.ahead.Add(int64(time.Minute))
	f.becomes(o, order.Confirmed)
	eventually(t, "it is done", func() bool { return s.count(`select count(*) from webhook_delivery where state = 'PROCESSED'`) == 1 })
}
