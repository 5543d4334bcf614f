package checkout_test

import (
	"context"
	"encoding/json"
	"net/http"
	"sync"
	"time"

	"plateia/core/money"
	"plateia/core/payment"
)

// oracle is a provider that says what a log of events says, in an order in which no provider of ours would: the
// sandbox cannot be told to decline and then to capture. Whatever it has not been told is pending.
type oracle struct {
	mu      sync.Mutex
	intents map[string]payment.Intent       // by key
	refunds map[string]payment.RefundStatus // by key
}

func (*oracle) Name() string             { return "oracle" }
func (*oracle) MinWindow() time.Duration { return time.Second }

func (p *oracle) CreateIntent(_ context.Context, req payment.IntentRequest) (payment.Intent, error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	in, known := p.intents[req.IdempotencyKey]
	if !known {
		in = payment.Intent{Reference: req.IdempotencyKey, Order: req.Order, Status: payment.Pending, Amount: req.Amount, ExpiresAt: req.ExpiresAt}
		p.intents[req.IdempotencyKey] = in
	}
	return in, nil
}

func (p *oracle) Fetch(_ context.Context, reference string) (payment.Intent, error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.intents[reference], nil
}

// Cancel cannot stop it now: whether it stops is in the log.
func (p *oracle) Cancel(ctx context.Context, reference string) (payment.Intent, error) {
	return p.Fetch(ctx, reference)
}

func (p *oracle) Refund(_ context.Context, _ string, _ money.Amount, key string) (payment.RefundStatus, error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if s, told := p.refunds[key]; told {
		return s, nil
	}
	return payment.RefundPending, nil
}

// VerifyWebhook believes everybody: signatures are tested elsewhere.
func (*oracle) VerifyWebhook(_ http.Header, raw []byte) ([]payment.Event, error) {
	var e payment.Event
	err := json.Unmarshal(raw, &e)
	return []payment.Event{e}, err
}

func (p *oracle) says(reference string, status payment.Status, minor int64) {
	p.mu.Lock()
	defer p.mu.Unlock()
	in := p.intents[reference]
	in.Status = status
	if status == payment.Captured {
		in.Amount.Minor = minor
	}
	p.intents[reference] = in
}

func (p *oracle) refunded(key string, status payment.RefundStatus) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.refunds[key] = status
}
