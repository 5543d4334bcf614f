package checkout_test

import (
	"net/http"
	"sync"
	"testing"
	"time"

	"plateia/core/event"
	"plateia/core/fault"
	"plateia/core/id"
	"plateia/core/inventory"
	"plateia/core/order"
	"plateia/core/payment"
)

func TestApprove(t *testing.T) {
	f := openShop(t).fan(0, 1)
	o := f.order()
	f.press(o, "approve")
	d := f.becomes(o, order.Confirmed)
	if len(d.Tickets) != 2 || d.Attempt.Status != payment.Captured || d.Hold.State != inventory.HoldConverted || d.Order.Total != 36000 {
		t.Errorf("confirmed as %+v", d)
	}
	if f.seats(inventory.Sold) != 2 {
		t.Errorf("%d seats sold", f.seats(inventory.Sold))
	}
}

func TestDeclineThenAnotherCard(t *testing.T) {
	f := openShop(t).fan(0)
	o := f.order()
	first := f.press(o, "decline")
	d := f.becomes(o, order.Failed)
	if d.Hold.State != inventory.HoldActive || d.Order.Reason == "" || f.seats(inventory.Held) != 1 {
		t.Fatalf("after the decline: %+v", d)
	}
	again, err := f.PayAgain(t.Context(), f.id, o.ID, f.key())
	if err != nil || again.ID != o.ID || again.Status != order.PendingPayment {
		t.Fatalf("paid again: %+v, %v", again, err)
	}
	second := f.press(o, "approve")
	f.becomes(o, order.Confirmed)
	if second.ID == first.ID || second.Reference == first.Reference {
		t.Error("the second card used the first attempt")
	}
	_, err = f.PayAgain(t.Context(), f.id, o.ID, f.key())
	wantCode(t, err, fault.OrderState)
}

// Ordering the same hold again after a decline pays the same order again.
func TestOrderAgainAfterDecline(t *testing.T) {
	f := openShop(t).fan(0)
	o := f.order()
	f.press(o, "decline")
	f.becomes(o, order.Failed)
	if again := f.order(); again.ID != o.ID {
		t.Errorf("a second order %s", again.ID)
	}
	f.press(o, "approve")
	f.becomes(o, order.Confirmed)
}

func TestSlow(t *testing.T) {
	t.Parallel()
	s := openShopWith(t, 4, event.DefaultRules())
	s.slowFor = time.Minute // by the clock that the test moves
	s.openBank()
	s.openService()
	f := s.fan(0)
	o := f.order()
	f.press(o, "slow")
	if d, _ := f.Find(t.Context(), f.id, o.ID); d.Order.Status != order.PendingPayment {
		t.Errorf("confirmed before the money: %s", d.Order.Status)
	}
	s.ahead.Add(int64(time.Minute))
	f.becomes(o, order.Confirmed)
}

func TestAnswerDoesNotWaitForTheProvider(t *testing.T) {
	s := openShop(t)
	answer := make(chan struct{})
	s.fail(func(w http.ResponseWriter, r *http.Request, next http.Handler) {
		<-answer
		next.ServeHTTP(w, r)
	})
	f := s.fan(0)
	o := f.order() // the provider has not answered: waiting for it would be waiting for ever
	close(answer)
	f.press(o, "approve")
	f.becomes(o, order.Confirmed)
}

func TestFourPressesOneCharge(t *testing.T) {
	for name, sameKey := range map[string]bool{"one key": true, "four keys": false} {
		t.Run(name, func(t *testing.T) {
			f := openShop(t).fan(0, 1)
			keys := []inventory.Idempotency{f.key(), f.key(), f.key(), f.key()}
			var mu sync.Mutex
			ids := map[id.ID]bool{}
			together(4, func(i int) {
				key := keys[i]
				if sameKey {
					key = keys[0]
				}
				o, err := f.Place(t.Context(), f.id, f.hold, key)
				if err != nil {
					t.Error(err)
				}
				mu.Lock()
				ids[o.ID] = true
				mu.Unlock()
			})
			if len(ids) != 1 {
				t.Fatalf("%d orders", len(ids))
			}
			for orderID := range ids {
				o := order.Order{ID: orderID}
				f.press(o, "approve")
				f.becomes(o, order.Confirmed)
			}
			if n := f.count(`select count(*) from attempt`); n != 1 {
				t.Errorf("%d attempts", n)
			}
			_, err := f.Place(t.Context(), f.id, f.hold, inventory.Idempotency{Key: keys[0].Key, BodyHash: [32]byte{99}})
			if sameKey {
				wantCode(t, err, fault.KeyReused)
			}
			_, err = f.Place(t.Context(), f.id, f.hold, f.key())
			wantCode(t, err, fault.OrderState)
		})
	}
}

// A process dies between the order and its intent; another one goes on.
func TestAnotherProcessGoesOn(t *testing.T) {
	s := openShop(t)
	if err := s.Stop(t.Context()); err != nil {
		t.Fatal(err)
	}
	f := s.fan(0)
	o, err := f.Place(t.Context(), f.id, f.hold, f.key()) // accepted, never opened
	if err != nil {
		t.Fatal(err)
	}
	s.ahead.Add(int64(5 * time.Second))
	s.openService()
	f.press(o, "approve")
	f.becomes(o, order.Confirmed)
}

func TestStrangersSeeNothing(t *testing.T) {
	s := openShop(t)
	f, stranger := s.fan(0), s.fan(1)
	o := f.order()
	f.press(o, "approve")
	d := f.becomes(o, order.Confirmed)
	_, err := s.Find(t.Context(), stranger.id, o.ID)
	wantCode(t, err, fault.NotFound)
	_, err = s.PayAgain(t.Context(), stranger.id, o.ID, stranger.key())
	wantCode(t, err, fault.NotFound)
	_, err = s.Ticket(t.Context(), stranger.id, d.Tickets[0].ID)
	wantCode(t, err, fault.NotFound)
	_, err = s.Place(t.Context(), stranger.id, f.hold, stranger.key())
	wantCode(t, err, fault.HoldGone)
	if list, err := s.List(t.Context(), stranger.id, listStart, 10); err != nil || len(list) != 0 {
		t.Errorf("listed %v, %v", list, err)
	}
	if mine, err := s.Ticket(t.Context(), f.id, d.Tickets[0].ID); err != nil || mine != d.Tickets[0] {
		t.Errorf("own ticket %+v, %v", mine, err)
	}
}
