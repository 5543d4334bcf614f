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
	"testing"
	"time"

	"plateia/core/fault"
	"plateia/core/id"
	"plateia/core/order"
	"plateia/core/payment"
	"plateia/core/secret"
)

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
	var replays []func() int
	eventually(t, "its webhook is here", func() bool { // a look at the payment may have been faster
		mu.Lock()
		defer mu.Unlock()
		replays = append(replays[:0], seen...)
		return len(replays) > 0
	})
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
