package sandbox

import (
	"context"
	"io"
	"net/http"
	"net/http/httptest"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"go.uber.org/goleak"

	"plateia/core/clocktest"
	"plateia/core/id"
	"plateia/core/money"
	"plateia/core/payment"
	"plateia/core/secret"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

var testSecrets = Secrets{API: secret.New("sk_test"), Webhook: []secret.Text{secret.New("wh_new"), secret.New("wh_old")}}

// rig is a running server with its adapter and a place that webhooks go to.
type rig struct {
	t        *testing.T
	clock    *clocktest.Clock
	path     string
	hooks    *hooks
	server   *Server
	front    *httptest.Server
	provider *Provider
}

// hooks records deliveries and answers what it is told to.
type hooks struct {
	server *httptest.Server
	got    chan delivery
	mu     sync.Mutex
	status []int // answers to come; then 204
}

type delivery struct {
	header http.Header
	body   []byte
}

func newHooks(t *testing.T, status ...int) *hooks {
	h := &hooks{got: make(chan delivery, 100), status: status}
	h.server = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		h.got <- delivery{r.Header.Clone(), body}
		h.mu.Lock()
		defer h.mu.Unlock()
		answer := http.StatusNoContent
		if len(h.status) > 0 {
			answer, h.status = h.status[0], h.status[1:]
		}
		w.WriteHeader(answer)
	}))
	t.Cleanup(h.server.Close)
	return h
}

func contains(body []byte, part string) bool { return strings.Contains(string(body), part) }

func newRig(t *testing.T, hookStatus ...int) *rig {
	r := &rig{
		t: t, clock: clocktest.At(time.Now().Truncate(time.Second)),
		path: filepath.Join(t.TempDir(), "ledger.jsonl"), hooks: newHooks(t, hookStatus...),
	}
	r.start()
	t.Cleanup(func() { r.stop() })
	return r
}

func (r *rig) start() {
	r.t.Helper()
	var err error
	r.server, err = NewServer(Options{
		Secrets: testSecrets, LedgerPath: r.path, WebhookURL: r.hooks.server.URL, Clock: r.clock.Now, RetryPause: 50 * time.Millisecond,
	})
	if err != nil {
		r.t.Fatal(err)
	}
	r.front = httptest.NewServer(r.server.Handler())
	if err := r.server.Start(r.t.Context(), ""); err != nil {
		r.t.Fatal(err)
	}
	r.provider = NewProvider(ProviderOptions{BaseURL: r.front.URL, Secrets: testSecrets, Clock: r.clock.Now})
}

func (r *rig) stop() {
	r.provider.Close()
	r.front.Close()
	if err := r.server.Stop(context.Background()); err != nil {
		r.t.Error(err)
	}
}

// restart is what a killed process and a new one do.
func (r *rig) restart() {
	r.stop()
	r.start()
}

func (r *rig) request() payment.IntentRequest {
	return payment.IntentRequest{
		Order: id.New(), Amount: money.Amount{Minor: 36000, Currency: "BRL"}, Description: "two seats",
		ReturnURL: "/pay/1", ExpiresAt: r.clock.Now().Add(5 * time.Minute), IdempotencyKey: id.New().String(),
	}
}

func (r *rig) create() payment.Intent {
	r.t.Helper()
	i, err := r.provider.CreateIntent(r.t.Context(), r.request())
	if err != nil {
		r.t.Fatal(err)
	}
	return i
}

// press is the fan's button; it returns the answer without following it.
func (r *rig) press(i payment.Intent, outcome string) *http.Response {
	r.t.Helper()
	client := &http.Client{CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }}
	defer client.CloseIdleConnections()
	resp, err := client.PostForm(r.front.URL+i.ActionURL, map[string][]string{"decision": {outcome}})
	if err != nil {
		r.t.Fatal(err)
	}
	_ = resp.Body.Close()
	return resp
}

func (r *rig) status(i payment.Intent) payment.Status {
	r.t.Helper()
	got, err := r.provider.Fetch(r.t.Context(), i.Reference)
	if err != nil {
		r.t.Fatal(err)
	}
	return got.Status
}

func (r *rig) hook() delivery {
	r.t.Helper()
	select {
	case d := <-r.hooks.got:
		return d
	case <-time.After(30 * time.Second):
		r.t.Fatal("no webhook came")
		return delivery{}
	}
}
