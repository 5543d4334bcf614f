package sandbox

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"time"

	"plateia/core/fault"
	"plateia/core/money"
	"plateia/core/payment"
)

// ProviderOptions of the adapter. BaseURL and Secrets are required.
type ProviderOptions struct {
	BaseURL string // scheme and host of the server
	Secrets Secrets
	Name    string        // "": Name; two sandboxes need two names
	Timeout time.Duration // of one call; 0: 10 s
	// MinWindow is the shortest life of an intent that is asked for, with room for the call itself; 0: 35 s.
	MinWindow time.Duration
	// Base is the first part of the API's path; "": "/sandbox". Behind an edge it is the server's name.
	Base  string
	Clock func() time.Time // for webhook times; nil: time.Now
}

// Provider is the adapter: payment.Provider over HTTP.
type Provider struct {
	opts   ProviderOptions
	client *http.Client
}

var _ payment.Provider = (*Provider)(nil)

// NewProvider returns an adapter. Close its idle connections when done.
func NewProvider(opts ProviderOptions) *Provider {
	opts.Name = cmp.Or(opts.Name, Name)
	opts.Timeout = cmp.Or(opts.Timeout, 10*time.Second)
	opts.MinWindow = cmp.Or(opts.MinWindow, minWindow+5*time.Second)
	opts.Base = cmp.Or(opts.Base, "/"+Name)
	if opts.Clock == nil {
		opts.Clock = time.Now
	}
	transport := &http.Transport{MaxConnsPerHost: 64, MaxIdleConnsPerHost: 64, IdleConnTimeout: time.Minute}
	return &Provider{opts: opts, client: &http.Client{Timeout: opts.Timeout, Transport: transport}}
}

// Close drops idle connections.
func (p *Provider) Close() { p.client.CloseIdleConnections() }

// Name of the provider.
func (p *Provider) Name() string { return p.opts.Name }

// MinWindow is the shortest life of an intent, with room for the call itself.
func (p *Provider) MinWindow() time.Duration { return p.opts.MinWindow }

// CreateIntent asks for a payment, or, with a known key, what became of it.
func (p *Provider) CreateIntent(ctx context.Context, req payment.IntentRequest) (payment.Intent, error) {
	return p.intent(ctx, call{method: http.MethodPost, path: "/v1/intents", key: req.IdempotencyKey, body: createBody{
		Order: req.Order, Amount: req.Amount.Minor, Currency: req.Amount.Currency, Description: req.Description,
		ReturnURL: req.ReturnURL, ExpiresAt: req.ExpiresAt.UTC(), Locale: req.Locale,
	}})
}

// Fetch returns an intent as it is.
func (p *Provider) Fetch(ctx context.Context, reference string) (payment.Intent, error) {
	return p.intent(ctx, call{method: http.MethodGet, path: intentPath(reference)})
}

// Cancel stops an intent if it can still be stopped.
func (p *Provider) Cancel(ctx context.Context, reference string) (payment.Intent, error) {
	return p.intent(ctx, call{method: http.MethodPost, path: intentPath(reference) + "/cancel"})
}

// Refund gives money back, once per key.
func (p *Provider) Refund(ctx context.Context, reference string, amount money.Amount, key string) (payment.RefundStatus, error) {
	var view refundView
	err := p.do(ctx, call{method: http.MethodPost, path: intentPath(reference) + "/refunds", key: key, body: amount}, &view)
	return view.Status, err
}

// VerifyWebhook checks a delivery's signature and reads what it is about.
// Unknown fields are a newer provider's business.
func (p *Provider) VerifyWebhook(header http.Header, rawBody []byte) ([]payment.Event, error) {
	if len(rawBody) > maxBody {
		return nil, fault.New(fault.TooLarge, "a delivery has at most %d bytes", maxBody)
	}
	if err := verify(p.opts.Secrets.Webhook, header.Get(signatureHeader), rawBody, p.opts.Clock()); err != nil {
		return nil, fault.Wrap(err, fault.Unauthenticated, "the signature does not verify")
	}
	var body envelope
	if err := json.Unmarshal(rawBody, &body); err != nil || body.ID == "" || body.Data.Reference == "" {
		return nil, fault.Wrap(err, fault.Invalid, "the delivery is not an event")
	}
	return []payment.Event{{ID: body.ID, Reference: body.Data.Reference, Order: body.Data.Order}}, nil
}

// call is one request to the server.
type call struct {
	method, path, key string
	body              any
}

func intentPath(reference string) string { return "/v1/intents/" + url.PathEscape(reference) }

func (p *Provider) intent(ctx context.Context, c call) (payment.Intent, error) {
	var v intentView
	if err := p.do(ctx, c, &v); err != nil {
		return payment.Intent{}, err
	}
	return payment.Intent{
		Reference: v.Reference, Order: v.Order, Status: v.Status, Amount: money.Amount{Minor: v.Amount, Currency: v.Currency},
		Refunded: v.Refunded, ActionURL: v.PayURL, ExpiresAt: v.ExpiresAt, Reason: v.Reason,
	}, nil
}

// do makes one call. Whatever is not a clear answer is ProviderDown: the outcome is unknown.
func (p *Provider) do(ctx context.Context, c call, into any) error {
	req, err := p.request(ctx, c)
	if err != nil {
		return err
	}
	resp, err := p.client.Do(req)
	if err != nil {
		return down(err)
	}
	defer resp.Body.Close()
	raw, err := io.ReadAll(io.LimitReader(resp.Body, maxAnswer))
	if err != nil {
		return down(err)
	}
	if resp.StatusCode/100 != 2 {
		return refusal(resp.StatusCode, raw)
	}
	if err := json.Unmarshal(raw, into); err != nil {
		return down(fmt.Errorf("unreadable answer: %w", err))
	}
	return nil
}

func (p *Provider) request(ctx context.Context, c call) (*http.Request, error) {
	var body io.Reader
	if c.body != nil {
		raw, err := json.Marshal(c.body)
		if err != nil {
			return nil, fmt.Errorf("sandbox: encode request: %w", err)
		}
		body = bytes.NewReader(raw)
	}
	req, err := http.NewRequestWithContext(ctx, c.method, p.opts.BaseURL+p.opts.Base+c.path, body)
	if err != nil {
		return nil, fmt.Errorf("sandbox: make request: %w", err)
	}
	req.Header.Set("Authorization", "Bearer "+p.opts.Secrets.API.Reveal())
	req.Header.Set("Content-Type", "application/json")
	if c.key != "" {
		req.Header.Set("Idempotency-Key", c.key)
	}
	return req, nil
}

func down(cause error) error {
	return fault.Wrap(cause, fault.ProviderDown, "the payment provider did not answer")
}

// refusal reads an error answer. Only refusals about this very request are
// final; a wrong API key or an overloaded server is ours to mend and to try again.
func refusal(status int, raw []byte) error {
	var v errorView
	_ = json.Unmarshal(raw, &v) // without a code it is not a refusal
	switch v.Code {
	case fault.NotFound, fault.PaymentWindow, fault.Invalid, fault.KeyReused, fault.KeyMissing:
		return fault.New(v.Code, "%s", v.Message)
	}
	return down(fmt.Errorf("answered %d %s", status, v.Code))
}
