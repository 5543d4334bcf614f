package checkout_test

import (
	"sync/atomic"
	"testing"
	"time"

	"plateia/core/checkout"
	"plateia/core/fault"
	"plateia/core/id"
	"plateia/core/inventory"
	"plateia/core/order"
	"plateia/core/payment"
	"plateia/core/ticket"
)

// bought is a fan with a paid order.
func (s *shop) bought(f *fan) (order.Order, checkout.Details) {
	s.t.Helper()
	o := f.order()
	f.press(o, "approve")
	return o, f.becomes(o, order.Confirmed)
}

func TestReturnWhole(t *testing.T) {
	s := openShop(t)
	f := s.fan(0, 1)
	o, _ := s.bought(f)
	key := f.key()
	got, err := f.Cancel(t.Context(), f.id, o.ID, nil, key)
	if err != nil || got.Status != order.Cancelled || got.Returned != 36000 {
		t.Fatalf("given back as %+v, %v", got, err)
	}
	if s.seats(inventory.Available) != 4 || s.count(`select count(*) from ticket where state = 'VALID'`) != 0 || s.count(`select sold from buyer`) != 0 {
		t.Error("something is not free at once")
	}
	d := f.becomes(o, order.Refunded)
	if len(d.Refunds) != 1 || d.Refunds[0].Status != payment.RefundDone || d.Refunds[0].Amount.Minor != 36000 || len(d.Refunds[0].Tickets) != 2 {
		t.Errorf("refunded as %+v", d.Refunds)
	}
	s.booksAgree()
	if again, err := f.Cancel(t.Context(), f.id, o.ID, nil, key); err != nil || again.Status != order.Refunded {
		t.Errorf("repeated: %+v, %v", again, err)
	}
	_, err = f.Cancel(t.Context(), f.id, o.ID, nil, inventory.Idempotency{Key: key.Key, BodyHash: [32]byte{99}})
	wantCode(t, err, fault.KeyReused)
	_, err = f.Cancel(t.Context(), f.id, o.ID, nil, f.key())
	wantCode(t, err, fault.RefundTooMuch)
	if n := s.count(`select count(*) from refund`); n != 1 {
		t.Errorf("%d refunds", n)
	}
}

// The seats are somebody else's the moment they were given back.
func TestReturnedSeatsAreSoldAgain(t *testing.T) {
	s := openShop(t)
	f := s.fan(0, 1)
	o, d := s.bought(f)
	if got, err := f.Cancel(t.Context(), f.id, o.ID, []id.ID{d.Tickets[0].ID}, f.key()); err != nil || got.Status != order.PartlyRefunded {
		t.Fatalf("given back as %+v, %v", got, err)
	}
	other := s.fan(0)
	s.bought(other)
	d = f.becomes(o, order.PartlyRefunded)
	if d.Tickets[0].State != ticket.Void || d.Tickets[1].State != ticket.Valid || s.seats(inventory.Sold) != 2 {
		t.Errorf("after the resale: %+v", d.Tickets)
	}
	again := s.fan(2) // the buyer's own place counts as free too
	s.bought(again)
}

func TestReturnBySeat(t *testing.T) {
	s := openShop(t)
	f := s.fan(0, 1, 2)
	o, d := s.bought(f)
	for i, want := range []order.Status{order.PartlyRefunded, order.PartlyRefunded, order.PartlyRefunded} {
		got, err := f.Cancel(t.Context(), f.id, o.ID, []id.ID{d.Tickets[i].ID}, f.key())
		if err != nil || got.Status != want || got.Returned != int64(i+1)*18000 {
			t.Fatalf("ticket %d given back as %+v, %v", i, got, err)
		}
		_, err = f.Cancel(t.Context(), f.id, o.ID, []id.ID{d.Tickets[i].ID}, f.key())
		wantCode(t, err, fault.RefundTooMuch)
	}
	d = f.becomes(o, order.Refunded)
	if len(d.Refunds) != 3 || s.count(`select coalesce(sum(refunded), 0) from attempt`) != 54000 || s.seats(inventory.Available) != 4 {
		t.Errorf("ended as %+v", d)
	}
	s.booksAgree()
}

func TestReturnIsRefused(t *testing.T) {
	s := openShop(t)
	f, other := s.fan(0), s.fan(1)
	o := f.order()
	f.press(o, "nothing yet")
	_, err := f.Cancel(t.Context(), f.id, o.ID, []id.ID{id.New()}, f.key())
	wantCode(t, err, fault.OrderState) // not paid: there are no tickets
	f.press(o, "approve")
	d := f.becomes(o, order.Confirmed)
	mine := []id.ID{d.Tickets[0].ID}
	_, err = other.Cancel(t.Context(), other.id, o.ID, mine, other.key())
	wantCode(t, err, fault.NotFound)
	_, err = f.Cancel(t.Context(), f.id, o.ID, []id.ID{mine[0], id.New()}, f.key())
	wantCode(t, err, fault.NotFound)
	s.exec(`update event set starts_at = now() + interval '47 hours', version = version + 1`)
	_, err = f.Cancel(t.Context(), f.id, o.ID, mine, f.key())
	wantCode(t, err, fault.RefundClosed)
	if fault.From(err).Details["until"] == nil {
		t.Error("the refusal does not say until when")
	}
	f.becomes(o, order.Confirmed)
	s.exec(`update event set state = 'cancelled', version = version + 1`) // the event is off: the deadline is not the fan's
	if got, err := f.Cancel(t.Context(), f.id, o.ID, mine, f.key()); err != nil || got.Status != order.Cancelled {
		t.Errorf("of a cancelled event: %+v, %v", got, err)
	}
	f.becomes(o, order.Refunded)
}

// Two tabs give the same ticket back at once: one refund.
func TestReturnPressedTwice(t *testing.T) {
	s := openShop(t)
	f := s.fan(0, 1)
	o, d := s.bought(f)
	keys := []inventory.Idempotency{f.key(), f.key(), f.key(), f.key()}
	var done atomic.Int64
	together(4, func(i int) {
		_, err := f.Cancel(t.Context(), f.id, o.ID, []id.ID{d.Tickets[0].ID}, keys[i])
		switch fault.CodeOf(err) {
		case "":
			done.Add(1)
		case fault.RefundTooMuch:
		default:
			t.Error(err)
		}
	})
	eventually(t, "the money is back", func() bool { return s.count(`select count(*) from refund where status = 'DONE'`) == 1 })
	if n := s.count(`select count(*) from refund`); n != 1 || done.Load() != 1 {
		t.Errorf("%d refunds, %d accepted", n, done.Load())
	}
	f.becomes(o, order.PartlyRefunded)
	s.booksAgree()
}

func TestNextSteps(t *testing.T) {
	s := openShop(t)
	f := s.fan(0)
	o := f.order()
	f.press(o, "nothing yet")
	steps := func(want ...checkout.Step) {
		t.Helper()
		d, err := f.Find(t.Context(), f.id, o.ID)
		if err != nil {
			t.Fatal(err)
		}
		back := checkout.RefundableOf(d, s.event, time.Now())
		got := checkout.Next(d, back != nil, time.Now())
		if len(got) != len(want) || len(got) > 0 && got[0] != want[0] {
			t.Errorf("%s: %v, want %v", d.Order.Status, got, want)
		}
		if back != nil && (back.Amount.Minor != 18000 || len(back.Tickets) != 1 || !back.Until.Equal(s.event.StartsAt.Add(-48*time.Hour))) {
			t.Errorf("refundable: %+v", back)
		}
	}
	steps(checkout.StepPay, checkout.StepCancel)
	f.press(o, "decline")
	f.becomes(o, order.Failed)
	steps(checkout.StepPay, checkout.StepCancel)
	if _, err := f.PayAgain(t.Context(), f.id, o.ID, f.key()); err != nil {
		t.Fatal(err)
	}
	f.press(o, "approve")
	f.becomes(o, order.Confirmed)
	steps(checkout.StepRefund)
	s.fail(down)
	if _, err := f.Cancel(t.Context(), f.id, o.ID, nil, f.key()); err != nil {
		t.Fatal(err)
	}
	steps(checkout.StepWait)
	s.fail(nil)
	s.ahead.Add(int64(time.Minute))
	f.becomes(o, order.Refunded)
	steps()
}
