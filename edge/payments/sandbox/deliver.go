package sandbox

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"sync"
	"time"

	"plateia/core/id"
	"plateia/core/payment"
	"plateia/core/secret"
)

// Webhook deliveries: at most tellers at a time, tellTries times each with a
// pause that doubles from Options.RetryPause, so about half an hour in all.
const (
	tellers      = 8
	tellTries    = 12
	tellTimeout  = 5 * time.Second
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
	Refund    string         `json:"refund,omitempty"` // its idempotency key, in events about refunds
}

// teller sends webhooks until somebody answers 2xx.
type teller struct {
	url     string
	secrets func() []secret.Text
	chaos   *chaos
	pause   time.Duration
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
	again bool // taken, and told once more
}

func newTeller(opts Options, b *bank, secrets func() []secret.Text, wake chan struct{}) *teller {
	return &teller{
		url: opts.WebhookURL, secrets: secrets, chaos: b.chaos, pause: opts.RetryPause, now: opts.Clock, bank: b, wake: wake, log: opts.Logger,
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
	if _, _, down := t.chaos.down(); down {
		return nil
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	pending := t.bank.pendingEvents()
	untold := make(map[string]bool, len(pending))
	for _, e := range pending {
		untold[e.ID] = true
	}
	for _, e := range pending {
		state := t.tries[e.ID]
		if state.busy || now.Before(state.next) || now.Before(e.TellAt) || untold[e.After] {
			continue
		}
		state.busy = true
		t.tries[e.ID] = state
		out = append(out, e)
	}
	return out
}

func (t *teller) tell(ctx context.Context, e event) {
	t.mu.Lock()
	try := t.tries[e.ID].count
	t.mu.Unlock()
	err := t.try(ctx, e, try)
	t.mu.Lock()
	defer t.mu.Unlock()
	state := t.tries[e.ID]
	state.busy, state.count = false, state.count+1
	if err != nil && state.count < tellTries {
		state.next = time.Now().Add(min(t.pause<<(state.count-1), tellPauseMax))
		t.tries[e.ID] = state
		t.log.Debug("webhook not taken", "event", e.ID, "try", state.count, "error", err)
		return
	}
	if err == nil && e.Again && !state.again {
		t.chaos.did(Duplicate)
		state.again, state.next = true, time.Now().Add(t.pause/4)
		t.tries[e.ID] = state
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

// try delivers an event, or has the mishap that is planned for this try.
func (t *teller) try(ctx context.Context, e event, n int) error {
	secrets, at := t.secrets(), t.now()
	if n < len(e.Mishaps) {
		t.chaos.did(e.Mishaps[n])
		switch e.Mishaps[n] {
		case Drop:
			return errDropped
		case Signature:
			secrets = []secret.Text{secret.New("whsec_of_somebody_else")}
		case Stale:
			at = at.Add(-2 * tolerance)
		}
	}
	return t.post(ctx, e, secrets, at)
}

var errDropped = errors.New("lost on the way")

func (t *teller) post(ctx context.Context, e event, secrets []secret.Text, at time.Time) error {
	body, err := json.Marshal(envelope{
		ID: e.ID, Type: e.Type, CreatedAt: e.CreatedAt,
		Data: envelopeData{Reference: e.Reference, Order: e.Order, Status: e.Status, Refund: e.Refund},
	})
	if err != nil {
		return err
	}
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, t.url, bytes.NewReader(body))
	if err != nil {
		return err
	}
	req.Header.Set("Content-Type", "application/json")
	req.Header.Set(signatureHeader, sign(secrets, at, body))
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
