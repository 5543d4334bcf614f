package chaos_test

import (
	"context"
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"plateia/core/clocktest"
	"plateia/core/secret"
	"plateia/edge/payments/sandbox"
)

// bank is a sandbox provider behind a door at which the process can be killed in the worst moment.
type bank struct {
	name     string
	server   *sandbox.Server
	door     *httptest.Server
	provider *sandbox.Provider
}

func openBank(t *testing.T, name, webhooks string, c *clocktest.Clock, script sandbox.Script, at *ambush) *bank {
	t.Helper()
	secrets := sandbox.Secrets{API: secret.New("sk_" + name), Webhook: []secret.Text{secret.New("whsec_" + name)}}
	server, err := sandbox.NewServer(sandbox.Options{
		Name: name, Secrets: secrets, WebhookURL: webhooks + "/hooks/" + name, Clock: c.Now, Script: script,
		LedgerPath: t.TempDir() + "/ledger.jsonl", SlowFor: 300 * time.Millisecond, MinWindow: minWindow - time.Second, RetryPause: 200 * time.Millisecond,
	})
	if err != nil {
		t.Fatal(err)
	}
	if err := server.Start(t.Context(), ""); err != nil {
		t.Fatal(err)
	}
	b := &bank{name: name, server: server, door: httptest.NewServer(at.guard(server.Handler()))}
	b.provider = sandbox.NewProvider(sandbox.ProviderOptions{Name: name, BaseURL: b.door.URL, Secrets: secrets, Timeout: 30 * time.Second})
	t.Cleanup(func() {
		b.provider.Close()
		b.door.CloseClientConnections()
		b.door.Close()
		if err := server.Stop(context.Background()); err != nil {
			t.Error(err)
		}
	})
	return b
}

func (b *bank) config() bankConfig {
	return bankConfig{Name: b.name, URL: b.door.URL, Key: "sk_" + b.name, Webhook: "whsec_" + b.name}
}

// ambush kills the process when it is told of money: the charge is made, the commit is not.
type ambush struct {
	armed atomic.Bool
	kill  func(reference string) // returns when the process is dead

	mu    sync.Mutex
	draws int
}

// guard lets requests through and watches the answers about payments.
func (a *ambush) guard(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if !strings.Contains(r.URL.Path, "/v1/intents") || !a.armed.Load() {
			next.ServeHTTP(w, r)
			return
		}
		record := httptest.NewRecorder()
		next.ServeHTTP(record, r)
		var intent struct{ Reference, Status string }
		money := json.Unmarshal(record.Body.Bytes(), &intent) == nil && intent.Status == "CAPTURED" && a.armed.CompareAndSwap(true, false)
		early := money && a.early()
		if early { // the answer is on its way
			a.kill(intent.Reference)
		}
		for name, values := range record.Header() {
			w.Header()[name] = values
		}
		w.WriteHeader(record.Code)
		_, _ = w.Write(record.Body.Bytes())
		if money && !early { // the answer is there, and the commit has begun or not
			_ = http.NewResponseController(w).Flush()
			a.kill(intent.Reference)
		}
	})
}

// early is every third time.
func (a *ambush) early() bool {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.draws++
	return a.draws%3 == 0
}
