package checkout_test

import (
	"testing"
	"time"

	"plateia/core/fault"
	"plateia/core/inventory"
	"plateia/core/order"
	"plateia/core/payment"
)

func TestCancel(t *testing.T) {
	s := openShop(t)
	f, other := s.fan(0), s.fan(1)
	o := f.order()
	_, err := f.Cancel(t.Context(), other.id, o.ID, nil, other.key())
	wantCode(t, err, fault.NotFound)
	a := f.press(o, "nothing yet")
	key := f.key()
	got, err := f.Cancel(t.Context(), f.id, o.ID, nil, key)
	if err != nil || got.Status != order.Cancelled {
		t.Fatalf("cancelled: %+v, %v", got, err)
	}
	if in, err := s.provider.Fetch(t.Context(), a.Reference); err != nil || in.Status != payment.Cancelled {
		t.Errorf("at the provider: %+v, %v", in, err)
	}
	if s.seats(inventory.Available) != 3 {
		t.Error("the seat is not free")
	}
	if again, err := f.Cancel(t.Context(), f.id, o.ID, nil, key); err != nil || again.Status != order.Cancelled {
		t.Errorf("again: %+v, %v", again, err)
	}
	f.becomes(o, order.Cancelled)
}

// The payment is made and cancelled in one go; the webhook that tells of its end
// is about a payment of ours all the same, and no alarm.
func TestCancelBeforeTheReferenceIsKnown(t *testing.T) {
	s := openShop(t)
	f := s.fan(0)
	s.fail(down)
	o := f.order()
	eventually(t, "nobody answers", func() bool { return s.count(`select count(*) from attempt where status = 'UNKNOWN'`) == 1 })
	s.fail(nil)
	if got, err := f.Cancel(t.Context(), f.id, o.ID, nil, f.key()); err != nil || got.Status != order.Cancelled {
		t.Fatalf("cancelled: %+v, %v", got, err)
	}
	eventually(t, "the webhook is worked on", func() bool {
		return s.count(`select count(*) from webhook_delivery where state <> 'RECEIVED'`) == 1
	})
	if s.count(`select count(*) from webhook_delivery where state = 'FLAGGED'`) != 0 {
		t.Error("the webhook of our own payment is flagged")
	}
}

func TestCancelAfterDecline(t *testing.T) {
	f := openShop(t).fan(0)
	o := f.order()
	f.press(o, "decline")
	f.becomes(o, order.Failed)
	if got, err := f.Cancel(t.Context(), f.id, o.ID, nil, f.key()); err != nil || got.Status != order.Cancelled || f.seats(inventory.Available) != 4 {
		t.Errorf("cancelled: %+v, %v", got, err)
	}
}

func TestCancelLosesAgainstMoney(t *testing.T) {
	s := openShop(t)
	s.deaf.Store(true)
	f := s.fan(0)
	o := f.order()
	a := f.press(o, "nothing yet")
	if err := s.Stop(t.Context()); err != nil { // or it might look at the payment before the fan cancels
		t.Fatal(err)
	}
	s.pressOn(a.ActionURL, "approve")
	got, err := f.Cancel(t.Context(), f.id, o.ID, nil, f.key())
	if err != nil || got.Status != order.Confirmed {
		t.Errorf("cancelled into %+v, %v", got, err)
	}
	s.openService()
	if again, err := f.Cancel(t.Context(), f.id, o.ID, nil, f.key()); err != nil || again.Status != order.Cancelled || again.Returned == 0 {
		t.Errorf("asked again, of the paid order: %+v, %v", again, err)
	}
	f.becomes(o, order.Refunded)
}

func TestCancelIsCarriedOnWhenTheProviderIsDown(t *testing.T) {
	s := openShop(t)
	f := s.fan(0)
	o := f.order()
	f.press(o, "nothing yet")
	s.fail(down)
	got, err := f.Cancel(t.Context(), f.id, o.ID, nil, f.key())
	if err != nil || got.Status != order.PendingPayment || got.CancelAskedAt.IsZero() {
		t.Fatalf("with the provider down: %+v, %v", got, err)
	}
	stays(t, "the seat is kept", func() bool { return s.seats(inventory.Held) == 1 })
	s.fail(nil)
	s.ahead.Store(int64(time.Minute))
	f.becomes(o, order.Cancelled)
	if s.seats(inventory.Available) != 4 {
		t.Error("the seat is not free")
	}
}
