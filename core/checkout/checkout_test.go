package checkout_test

import (
	"bytes"
	"context"
	"encoding/hex"
	"encoding/json"
	"io"
	"net/http"
	"net/http/httptest"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"plateia/core/fault"
	"plateia/core/id"
	"plateia/core/inventory"
	"plateia/core/order"
	"plateia/core/payment"
	"plateia/core/secret"
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
	f := openShop(t).fan(0)
	o := f.order()
	f.press(o, "slow")
	if d, _ := f.Find(t.Context(), f.id, o.ID); d.Order.Status != order.PendingPayment {
		t.Errorf("confirmed before the money: %s", d.Order.Status)
	}
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

func TestDuplicateWebhooksChangeNothing(t *testing.T) {
	s := openShop(t)
	var mu sync.Mutex
	var seen []func() int
	inner := s.hooks.Config.Handler
	s.hooks.Config.Handler = http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		replay := func() int {
			req := httptest.NewRequestWithContext(context.Background(), http.MethodPost, "/", bytes.NewReader(body))
			req.Header = r.Header.Clone()
			rec := httptest.NewRecorder()
			inner.ServeHTTP(rec, req)
			return rec.Code
		}
		mu.Lock()
		seen = append(seen, replay)
		mu.Unlock()
		w.WriteHeader(replay())
	})
	f := s.fan(0)
	o := f.order()
	f.press(o, "approve")
	f.becomes(o, order.Confirmed)
	mu.Lock()
	replays := append([]func() int(nil), seen...)
	mu.Unlock()
	for _, replay := range replays {
		together(8, func(int) {
			if code := replay(); code != http.StatusNoContent {
				t.Errorf("a duplicate was answered %d", code)
			}
		})
	}
	eventually(t, "everything is processed", func() bool {
		return s.count(`select count(*) from webhook_delivery where state <> 'PROCESSED'`) == 0
	})
	if n := s.count(`select count(*) from webhook_delivery`); n != len(replays) {
		t.Errorf("%d deliveries stored for %d events", n, len(replays))
	}
	f.becomes(o, order.Confirmed)
}

// The fan pays, and the webhook is here, before our create call has returned.
func TestWebhookBeforeCreateReturns(t *testing.T) {
	s := openShop(t)
	s.fail(s.payDuringCreate(func(w http.ResponseWriter, made *httptest.ResponseRecorder) {
		eventually(t, "the webhook is here first", func() bool { return s.heard.Load() > 0 })
		copyAnswer(w, made)
	}))
	f := s.fan(0)
	f.becomes(f.order(), order.Confirmed)
}

// The provider charges and then answers 500, or nothing: the outcome is unknown, not failed.
func TestErrorAfterCharging(t *testing.T) {
	s := openShop(t)
	s.deaf.Store(true)
	s.fail(s.payDuringCreate(func(w http.ResponseWriter, _ *httptest.ResponseRecorder) {
		s.fail(nil)
		http.Error(w, "oops", http.StatusInternalServerError)
	}))
	f := s.fan(0)
	d := f.becomes(f.order(), order.Confirmed)
	if d.Attempt.Reference == "" {
		t.Error("the reference was not learnt")
	}
}

// payDuringCreate answers a create call only after the fan has approved it.
func (s *shop) payDuringCreate(answer func(http.ResponseWriter, *httptest.ResponseRecorder)) func(http.ResponseWriter, *http.Request, http.Handler) {
	return func(w http.ResponseWriter, r *http.Request, next http.Handler) {
		if r.Method != http.MethodPost || r.URL.Path != "/sandbox/v1/intents" {
			next.ServeHTTP(w, r)
			return
		}
		made := httptest.NewRecorder()
		next.ServeHTTP(made, r)
		var intent struct {
			PayURL string `json:"payUrl"`
		}
		_ = json.Unmarshal(made.Body.Bytes(), &intent)
		s.pressOn(intent.PayURL, "approve")
		answer(w, made)
	}
}

func copyAnswer(w http.ResponseWriter, made *httptest.ResponseRecorder) {
	w.WriteHeader(made.Code)
	_, _ = w.Write(made.Body.Bytes())
}

func TestAllWebhooksLost(t *testing.T) {
	s := openShop(t)
	s.deaf.Store(true)
	paid, refused := s.fan(0), s.fan(1)
	o, r := paid.order(), refused.order()
	paid.press(o, "approve")
	refused.press(r, "decline")
	s.ahead.Store(int64(time.Minute))
	paid.becomes(o, order.Confirmed)
	refused.becomes(r, order.Failed)
	if s.count(`select count(*) from webhook_delivery`) != 0 {
		t.Error("a webhook was not lost")
	}
}

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

func TestCancel(t *testing.T) {
	s := openShop(t)
	f, other := s.fan(0), s.fan(1)
	o := f.order()
	_, err := f.Cancel(t.Context(), other.id, o.ID, other.key())
	wantCode(t, err, fault.NotFound)
	a := f.press(o, "nothing yet")
	key := f.key()
	got, err := f.Cancel(t.Context(), f.id, o.ID, key)
	if err != nil || got.Status != order.Cancelled {
		t.Fatalf("cancelled: %+v, %v", got, err)
	}
	if in, err := s.provider.Fetch(t.Context(), a.Reference); err != nil || in.Status != payment.Cancelled {
		t.Errorf("at the provider: %+v, %v", in, err)
	}
	if s.seats(inventory.Available) != 3 {
		t.Error("the seat is not free")
	}
	if again, err := f.Cancel(t.Context(), f.id, o.ID, key); err != nil || again.Status != order.Cancelled {
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
	if got, err := f.Cancel(t.Context(), f.id, o.ID, f.key()); err != nil || got.Status != order.Cancelled {
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
	if got, err := f.Cancel(t.Context(), f.id, o.ID, f.key()); err != nil || got.Status != order.Cancelled || f.seats(inventory.Available) != 4 {
		t.Errorf("cancelled: %+v, %v", got, err)
	}
}

func TestCancelLosesAgainstMoney(t *testing.T) {
	s := openShop(t)
	s.deaf.Store(true)
	f := s.fan(0)
	o := f.order()
	f.press(o, "approve")
	got, err := f.Cancel(t.Context(), f.id, o.ID, f.key())
	if err != nil || got.Status != order.Confirmed {
		t.Errorf("cancelled into %+v, %v", got, err)
	}
	_, err = f.Cancel(t.Context(), f.id, o.ID, f.key())
	wantCode(t, err, fault.OrderState)
}

func TestCancelIsCarriedOnWhenTheProviderIsDown(t *testing.T) {
	s := openShop(t)
	f := s.fan(0)
	o := f.order()
	f.press(o, "nothing yet")
	s.fail(down)
	got, err := f.Cancel(t.Context(), f.id, o.ID, f.key())
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

func TestForgedWebhooksAreNotStored(t *testing.T) {
	s := openShop(t)
	body := `{"id":"evt_x","data":{"reference":"pi_x"}}`
	wantCode(t, s.Receive(t.Context(), "sandbox", http.Header{}, []byte(body)), fault.Unauthenticated)
	wantCode(t, s.Receive(t.Context(), "nobody", http.Header{}, []byte(body)), fault.NotFound)
	if s.count(`select count(*) from webhook_delivery`) != 0 {
		t.Error("something was stored")
	}
}

// Signed, but not to be stored: PostgreSQL keeps no NUL, no index a name without end.
func TestNamesThatCannotBeStoredAreRefused(t *testing.T) {
	s := openShop(t)
	for _, body := range []string{
		`{"id":"evt_\u0000","data":{"reference":"pi_x"}}`,
		`{"id":"evt_1","data":{"reference":"pi_\u0000x"}}`,
		`{"id":"` + strings.Repeat("e", 300) + `","data":{"reference":"pi_x"}}`,
	} {
		stamp := strconv.FormatInt(s.now().Unix(), 10)
		signature := hex.EncodeToString(secret.New("wh").HMAC([]byte(stamp), []byte("."), []byte(body)))
		header := http.Header{"Sandbox-Signature": {"t=" + stamp + ",v1=" + signature}}
		wantCode(t, s.Receive(t.Context(), "sandbox", header, []byte(body)), fault.Invalid)
	}
	if s.count(`select count(*) from webhook_delivery`) != 0 {
		t.Error("something was stored")
	}
}

func TestWebhookOfAnUnknownOrderIsFlagged(t *testing.T) {
	s := openShop(t)
	in, err := s.provider.CreateIntent(t.Context(), payment.IntentRequest{
		Order: id.New(), Amount: moneyBRL(100), ReturnURL: "/", ExpiresAt: s.now().Add(5 * time.Minute), IdempotencyKey: "k",
	})
	if err != nil {
		t.Fatal(err)
	}
	s.pressOn(in.ActionURL, "approve")
	eventually(t, "it is flagged", func() bool {
		return s.count(`select count(*) from webhook_delivery where state = 'FLAGGED' and note = 'unknown order'`) == 1
	})
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
	wantCode(t, err, fault.NotFound)
	if list, err := s.List(t.Context(), stranger.id, listStart, 10); err != nil || len(list) != 0 {
		t.Errorf("listed %v, %v", list, err)
	}
	if mine, err := s.Ticket(t.Context(), f.id, d.Tickets[0].ID); err != nil || mine != d.Tickets[0] {
		t.Errorf("own ticket %+v, %v", mine, err)
	}
}
