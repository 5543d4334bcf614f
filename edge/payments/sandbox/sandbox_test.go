package sandbox

import (
	"bytes"
	"context"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"strings"
	"testing"
	"time"

	"plateia/core/fault"
	"plateia/core/id"
	"plateia/core/money"
	"plateia/core/payment"
	"plateia/core/secret"
)

func TestApproveDeclineSlow(t *testing.T) {
	r := newRig(t)
	for outcome, want := range map[string]payment.Status{"approve": payment.Captured, "decline": payment.Declined} {
		i := r.create()
		if i.Status != payment.Pending || i.Amount.Minor != 36000 || !i.ExpiresAt.Equal(r.clock.Now().Add(5*time.Minute)) {
			t.Fatalf("made %+v", i)
		}
		if resp := r.press(i, outcome); resp.StatusCode != http.StatusSeeOther || resp.Header.Get("Location") != "/pay/1" {
			t.Errorf("%s answered %s to %q", outcome, resp.Status, resp.Header.Get("Location"))
		}
		if got := r.status(i); got != want {
			t.Errorf("after %s: %s, want %s", outcome, got, want)
		}
		events, err := r.provider.VerifyWebhook(pair(r.hook()))
		if err != nil || len(events) != 1 || events[0].Reference != i.Reference || events[0].Order != i.Order {
			t.Errorf("webhook after %s: %+v, %v", outcome, events, err)
		}
	}
	i := r.create()
	r.press(i, "slow")
	if got := r.status(i); got != payment.Pending {
		t.Errorf("right after slow: %s", got)
	}
	if after, err := r.provider.Cancel(t.Context(), i.Reference); err != nil || after.Status != payment.Pending {
		t.Errorf("a payment being captured was stopped: %+v, %v", after, err)
	}
	r.clock.Advance(5 * time.Second)
	if got := r.status(i); got != payment.Captured {
		t.Errorf("five seconds after slow: %s", got)
	}
	r.hook()
}

func pair(d delivery) (http.Header, []byte) { return d.header, d.body }

func TestCreateIsIdempotent(t *testing.T) {
	r := newRig(t)
	req := r.request()
	first, err := r.provider.CreateIntent(t.Context(), req)
	if err != nil {
		t.Fatal(err)
	}
	r.press(first, "approve")
	r.clock.Advance(time.Hour) // long past its deadline: asking is still answered
	again, err := r.provider.CreateIntent(t.Context(), req)
	if err != nil || again.Reference != first.Reference || again.Status != payment.Pending && again.Status != payment.Captured {
		t.Errorf("again: %+v, %v", again, err)
	}
	req.Amount.Minor++
	if _, err := r.provider.CreateIntent(t.Context(), req); fault.CodeOf(err) != fault.KeyReused {
		t.Errorf("other amount under the same key: %v", err)
	}
}

func TestRefusals(t *testing.T) {
	r := newRig(t)
	good := r.request()
	for name, c := range map[string]struct {
		change func(*payment.IntentRequest)
		want   fault.Code
	}{
		"no key":            {func(q *payment.IntentRequest) { q.IdempotencyKey = "" }, fault.KeyMissing},
		"too short":         {func(q *payment.IntentRequest) { q.ExpiresAt = r.clock.Now().Add(minWindow - time.Second) }, fault.PaymentWindow},
		"past":              {func(q *payment.IntentRequest) { q.ExpiresAt = r.clock.Now().Add(-time.Hour) }, fault.PaymentWindow},
		"nothing to pay":    {func(q *payment.IntentRequest) { q.Amount.Minor = 0 }, fault.Invalid},
		"negative":          {func(q *payment.IntentRequest) { q.Amount.Minor = -5 }, fault.Invalid},
		"currency":          {func(q *payment.IntentRequest) { q.Amount.Currency = "XXX" }, fault.Invalid},
		"script as return":  {func(q *payment.IntentRequest) { q.ReturnURL = "javascript:alert(1)" }, fault.Invalid},
		"other host by //":  {func(q *payment.IntentRequest) { q.ReturnURL = "//evil.example/" }, fault.Invalid},
		"other host by /\\": {func(q *payment.IntentRequest) { q.ReturnURL = `/\evil.example/` }, fault.Invalid},
		"huge":              {func(q *payment.IntentRequest) { q.Description = strings.Repeat("x", maxBody) }, fault.Invalid},
	} {
		req := good
		c.change(&req)
		if _, err := r.provider.CreateIntent(t.Context(), req); fault.CodeOf(err) != c.want {
			t.Errorf("%s: %v, want %s", name, err, c.want)
		}
	}
	if _, err := r.provider.Fetch(t.Context(), "pi_none"); fault.CodeOf(err) != fault.NotFound {
		t.Errorf("unknown reference: %v", err)
	}
	stranger := NewProvider(ProviderOptions{BaseURL: r.front.URL, Secrets: Secrets{API: secret.New("guess")}})
	defer stranger.Close()
	if _, err := stranger.CreateIntent(t.Context(), good); fault.CodeOf(err) != fault.ProviderDown {
		t.Errorf("wrong API key: %v, want PROVIDER_DOWN (ours to mend, nothing is known)", err)
	}
}

func TestExpiryAndCancel(t *testing.T) {
	r := newRig(t)
	i, j := r.create(), r.create()
	after, err := r.provider.Cancel(t.Context(), j.Reference)
	if err != nil || after.Status != payment.Cancelled {
		t.Fatalf("cancel: %+v, %v", after, err)
	}
	r.press(j, "approve")
	if got := r.status(j); got != payment.Cancelled {
		t.Errorf("a cancelled payment was approved: %s", got)
	}
	r.clock.Advance(5 * time.Minute)
	r.press(i, "approve")
	if got := r.status(i); got != payment.Cancelled {
		t.Errorf("an expired payment was approved: %s", got)
	}
	k := r.create()
	r.press(k, "approve")
	if after, err := r.provider.Cancel(t.Context(), k.Reference); err != nil || after.Status != payment.Captured {
		t.Errorf("cancelling captured money: %+v, %v", after, err)
	}
}

func TestAbandonedPaymentExpiresByItself(t *testing.T) {
	r := newRig(t)
	i := r.create()
	r.clock.Advance(6 * time.Minute)
	if events, err := r.provider.VerifyWebhook(pair(r.hook())); err != nil || events[0].Reference != i.Reference {
		t.Errorf("expiry told %+v, %v", events, err)
	}
}

func TestRefunds(t *testing.T) {
	r := newRig(t)
	i := r.create()
	give := func(minor int64, key string) error {
		status, err := r.provider.Refund(t.Context(), i.Reference, money.Amount{Minor: minor, Currency: "BRL"}, key)
		if err == nil && status != payment.RefundDone {
			t.Errorf("refund is %s", status)
		}
		return err
	}
	if err := give(36000, "early"); fault.CodeOf(err) != fault.Invalid {
		t.Errorf("refund before capture: %v", err)
	}
	r.press(i, "approve")
	for _, step := range []struct {
		minor int64
		key   string
		want  fault.Code
	}{
		{16000, "a", ""}, {16000, "a", ""}, {15000, "a", fault.KeyReused}, {20001, "b", fault.Invalid},
		{20000, "b", ""}, {1, "c", fault.Invalid}, {20000, "b", ""},
	} {
		if err := give(step.minor, step.key); fault.CodeOf(err) != step.want {
			t.Errorf("refund %d under %q: %v, want %q", step.minor, step.key, err, step.want)
		}
	}
}

func TestLedgerOutlivesTheServer(t *testing.T) {
	r := newRig(t, http.StatusInternalServerError, http.StatusInternalServerError)
	req := r.request()
	i, err := r.provider.CreateIntent(t.Context(), req)
	if err != nil {
		t.Fatal(err)
	}
	slow := r.create()
	r.press(slow, "slow")
	r.press(i, "approve")
	first := r.hook() // refused
	r.stop()
	torn, err := os.OpenFile(r.path, os.O_APPEND|os.O_WRONLY, 0)
	if err != nil {
		t.Fatal(err)
	}
	_, _ = torn.WriteString(`{"at":"2026-01-01T00:0`) // the process was killed here
	_ = torn.Close()
	r.start()
	if got := r.status(i); got != payment.Captured {
		t.Errorf("after a restart: %s", got)
	}
	if again, err := r.provider.CreateIntent(t.Context(), req); err != nil || again.Reference != i.Reference {
		t.Errorf("the key was forgotten: %+v, %v", again, err)
	}
	if second := r.hook(); !bytes.Equal(first.body, second.body) {
		t.Errorf("told again as %s, was %s", second.body, first.body)
	}
	r.clock.Advance(5 * time.Second)
	if got := r.status(slow); got != payment.Captured {
		t.Errorf("slow payment over a restart: %s", got)
	}
	r.restart()
}

func TestBrokenLedgerIsRefused(t *testing.T) {
	r := newRig(t)
	r.create()
	r.stop()
	raw, _ := os.ReadFile(r.path)
	if err := os.WriteFile(r.path, append([]byte("garbage\n"), raw...), 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := NewServer(Options{Secrets: testSecrets, LedgerPath: r.path}); err == nil || !strings.Contains(err.Error(), "line 1") {
		t.Errorf("got %v", err)
	}
	_ = os.WriteFile(r.path, raw, 0o600)
	r.start()
}

func TestWebhookIsRetriedUntilTaken(t *testing.T) {
	r := newRig(t, 500, 503)
	r.press(r.create(), "approve")
	first, second, third := r.hook(), r.hook(), r.hook()
	if !bytes.Equal(first.body, second.body) || !bytes.Equal(first.body, third.body) {
		t.Error("retries differ from the first delivery")
	}
	for deadline := time.Now().Add(30 * time.Second); len(r.server.bank.pendingEvents()) > 0; {
		if time.Now().After(deadline) {
			t.Fatal("a delivery that was taken is still waiting")
		}
		time.Sleep(5 * time.Millisecond)
	}
}

func TestServerThatHangsOrBreaksIsUnknown(t *testing.T) {
	release := make(chan struct{})
	slow := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		switch r.Method {
		case http.MethodGet:
			<-release
		default:
			w.WriteHeader(http.StatusOK)
			_, _ = io.WriteString(w, "<html>gateway</html>")
		}
	}))
	defer slow.Close()
	defer close(release)
	p := NewProvider(ProviderOptions{BaseURL: slow.URL, Secrets: testSecrets, Timeout: 50 * time.Millisecond})
	defer p.Close()
	if _, err := p.Fetch(t.Context(), "pi_x"); fault.CodeOf(err) != fault.ProviderDown {
		t.Errorf("time-out: %v", err)
	}
	if _, err := p.Cancel(t.Context(), "pi_x"); fault.CodeOf(err) != fault.ProviderDown {
		t.Errorf("unreadable answer: %v", err)
	}
	gone := NewProvider(ProviderOptions{BaseURL: "http://127.0.0.1:1", Secrets: testSecrets})
	defer gone.Close()
	if _, err := gone.Fetch(t.Context(), "pi_x"); fault.CodeOf(err) != fault.ProviderDown {
		t.Errorf("nobody listens: %v", err)
	}
}

func TestOwnListener(t *testing.T) {
	s, err := NewServer(Options{Secrets: testSecrets})
	if err != nil {
		t.Fatal(err)
	}
	if err := s.Start(t.Context(), "127.0.0.1:0"); err != nil {
		t.Fatal(err)
	}
	p := NewProvider(ProviderOptions{BaseURL: "http://" + s.Addr(), Secrets: testSecrets})
	_, err = p.CreateIntent(t.Context(), payment.IntentRequest{
		Order: id.New(), Amount: money.Amount{Minor: 1, Currency: "JPY"}, ReturnURL: "https://shop.example/pay", ExpiresAt: time.Now().Add(time.Minute), IdempotencyKey: "k",
	})
	if err != nil {
		t.Error(err)
	}
	p.Close()
	for range 2 {
		if err := s.Stop(context.Background()); err != nil {
			t.Error(err)
		}
	}
}

func TestSecretsAreMadeOnce(t *testing.T) {
	dir := t.TempDir()
	a, err := LoadSecrets(dir, Name)
	if err != nil {
		t.Fatal(err)
	}
	b, err := LoadSecrets(dir, Name)
	if err != nil || !a.API.Is(b.API.Reveal()) || !a.Webhook[0].Is(b.Webhook[0].Reveal()) || a.API.Is(a.Webhook[0].Reveal()) {
		t.Errorf("second load differs, or the two directions share a secret (%v)", err)
	}
}
