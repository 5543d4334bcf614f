package sandbox

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"sync"
	"time"

	"plateia/core/id"
	"plateia/core/payment"
)

// Webhook deliveries: at most tellers at a time, tellTries times each with a
// doubling pause, so about half an hour in all.
const (
	tellers      = 8
	tellTries    = 12
	tellTimeout  = 5 * time.Second
	tellPause    = 500 * time.Millisecond
	tellPauseMax = 5 * time.Minute
)

// envelope is a webhook's body.
type envelope struct {
	ID        string       `json:"id"`
	Type      string       `json:"type"`
	CreatedAt time.Time    `json:"createdAt"`
	Data      envelopeData `json:"data"`
}

type envelopeData struct {
	Reference string         `json:"reference"`
	Order     id.ID          `json:"order"`
	Status    payment.Status `json:"status"`
}

// teller sends webhooks until somebody answers 2xx.
type teller struct {
	url     string
	secrets Secrets
	now     func() time.Time
	bank    *bank
	wake    chan struct{}
	client  *http.Client
	log     *slog.Logger

	mu    sync.Mutex
	tries map[string]telling // by event id
}

// telling is how far one event is. Pauses run on the machine's clock.
type telling struct {
	count int
	next  time.Time
	busy  bool
}

func newTeller(opts Options, b *bank, wake chan struct{}) *teller {
	return &teller{
		url: opts.WebhookURL, secrets: opts.Secrets, now: opts.Clock, bank: b, wake: wake, log: opts.Logger,
		client: &http.Client{Timeout: tellTimeout, Transport: &http.Transport{MaxConnsPerHost: tellers}},
		tries:  map[string]telling{},
	}
}

func (t *teller) run(ctx context.Context) {
	if t.url == "" {
		return
	}
	defer t.client.CloseIdleConnections()
	var running sync.WaitGroup
	defer running.Wait()
	slots := make(chan struct{}, tellers)
	ticker := time.NewTicker(200 * time.Millisecond)
	defer ticker.Stop()
	for {
		for _, e := range t.due() {
			select {
			case <-ctx.Done():
				return
			case slots <- struct{}{}:
			}
			running.Go(func() {
				defer func() { <-slots }()
				t.tell(ctx, e)
			})
		}
		select {
		case <-ctx.Done():
			return
		case <-t.wake:
		case <-ticker.C:
		}
	}
}

// due claims the events whose pause is over.
func (t *teller) due() []event {
	var out []event
	now := time.Now()
	t.mu.Lock()
	defer t.mu.Unlock()
	for _, e := range t.bank.pendingEvents() {
		state := t.tries[e.ID]
		if state.busy || now.Before(state.next) {
			continue
		}
		state.busy = true
		t.tries[e.ID] = state
		out = append(out, e)
	}
	return out
}

func (t *teller) tell(ctx context.Context, e event) {
	err := t.post(ctx, e)
	t.mu.Lock()
	defer t.mu.Unlock()
	state := t.tries[e.ID]
	state.busy, state.count = false, state.count+1
	if err != nil && state.count < tellTries {
		state.next = time.Now().Add(min(tellPause<<(state.count-1), tellPauseMax))
		t.tries[e.ID] = state
		t.log.Debug("webhook not taken", "event", e.ID, "try", state.count, "error", err)
		return
	}
	if err != nil {
		t.log.Warn("webhook given up", "event", e.ID, "tries", state.count, "error", err)
	}
	if err := t.bank.told(e.ID); err != nil {
		t.log.Error("webhook not recorded as told", "event", e.ID, "error", err)
		return
	}
	delete(t.tries, e.ID)
}

func (t *teller) post(ctx context.Context, e event) error {
	body, err := json.Marshal(envelope{
		ID: e.ID, Type: e.Type, CreatedAt: e.CreatedAt,
		Data: envelopeData{Reference: e.Reference, Order: e.Order, Status: e.Status},
	})
	if err != nil {
		return err
	}
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, t.url, bytes.NewReader(body))
	if err != nil {
		return err
	}
	req.Header.Set("Content-Type", "application/json")
	req.Header.Set(signatureHeader, sign(t.secrets.Webhook, t.now(), body))
	resp, err := t.client.Do(req)
	if err != nil {
		return err
	}
	defer resp.Body.Close()
	_, _ = io.Copy(io.Discard, io.LimitReader(resp.Body, maxBody))
	if resp.StatusCode/100 != 2 {
		return fmt.Errorf("answered %s", resp.Status)
	}
	return nil
}
