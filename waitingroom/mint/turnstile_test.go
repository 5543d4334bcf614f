package mint

import (
	"encoding/json"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"

	"plateia/core/fault"
	"plateia/core/secret"
)

// cloudflare does what siteverify does: an answer is good once.
type cloudflare struct {
	mu    sync.Mutex
	used  map[string]string // response to idempotency key
	asked []string          // idempotency keys, in order
	fail  int               // so many questions get no answer
}

func (c *cloudflare) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	c.mu.Lock()
	defer c.mu.Unlock()
	response, key := r.PostFormValue("response"), r.PostFormValue("idempotency_key")
	c.asked = append(c.asked, key)
	switch first, used := c.used[response]; {
	case c.fail > 0:
		c.fail--
		w.WriteHeader(http.StatusBadGateway)
	case r.Method != http.MethodPost || r.PostFormValue("secret") != "s3cret":
		c.answer(w, false, "invalid-input-secret")
	case !strings.HasPrefix(response, "solved"):
		c.answer(w, false, "invalid-input-response")
	case used && first != key:
		c.answer(w, false, "timeout-or-duplicate")
	default:
		c.used[response] = key
		c.answer(w, true)
	}
}

func (c *cloudflare) answer(w http.ResponseWriter, success bool, errors ...string) {
	_ = json.NewEncoder(w).Encode(map[string]any{"success": success, "error-codes": errors, "hostname": "tickets.example", "challenge_ts": "2026-01-01T00:00:00Z"})
}

func newTurnstile(t *testing.T) (*Turnstile, *cloudflare) {
	c := &cloudflare{used: map[string]string{}}
	server := httptest.NewServer(c)
	t.Cleanup(func() { server.Client().CloseIdleConnections(); server.Close() })
	return &Turnstile{Secret: secret.New("s3cret"), SiteKey: "site", URL: server.URL, HTTP: server.Client(), Logger: slog.New(slog.DiscardHandler)}, c
}

func TestTurnstile(t *testing.T) {
	ts, c := newTurnstile(t)
	if err := ts.Check(t.Context(), "solved-1", "203.0.113.9"); err != nil {
		t.Fatal(err)
	}
	for response, reason := range map[string]string{"solved-1": "used", "": "missing", "forged": "failed", strings.Repeat("solved", 1000): "failed"} {
		err := ts.Check(t.Context(), response, "")
		refusedWith(t, err, fault.ChallengeRequired, reason)
		if d := fault.From(err).Details; d["provider"] != "turnstile" || d["siteKey"] != "site" {
			t.Errorf("%v", d)
		}
	}
	ts.Hosts = []string{"elsewhere.example"}
	refusedWith(t, ts.Check(t.Context(), "solved-2", ""), fault.ChallengeRequired, "failed")
	ts.Hosts = []string{"tickets.example"}
	c.fail, c.asked = 1, nil
	if err := ts.Check(t.Context(), "solved-3", ""); err != nil || len(c.asked) != 2 || c.asked[0] != c.asked[1] {
		t.Errorf("after one failure: %v, asked %v", err, c.asked)
	}
}

// None of these is the fan's fault: they may try again, and are told of the other way.
func TestTurnstileThatDoesNotAnswer(t *testing.T) {
	ts, c := newTurnstile(t)
	c.fail = 2
	if err := ts.Check(t.Context(), "solved-1", ""); fault.CodeOf(err) != fault.Busy {
		t.Errorf("%v", err)
	}
	ts.Secret = secret.New("another")
	if err := ts.Check(t.Context(), "solved-1", ""); fault.CodeOf(err) != fault.Busy || strings.Contains(fault.From(err).Text, "secret") {
		t.Errorf("%v", err)
	}
	ts.URL = "http://127.0.0.1:1/"
	if err := ts.Check(t.Context(), "solved-1", ""); fault.CodeOf(err) != fault.Busy {
		t.Errorf("%v", err)
	}
}
