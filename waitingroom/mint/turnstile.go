package mint

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"time"

	"plateia/core/fault"
	"plateia/core/id"
	"plateia/core/secret"
)

// SiteVerify is where Cloudflare says whether an answer to Turnstile is good.
const SiteVerify = "https://challenges.cloudflare.com/turnstile/v0/siteverify"

const (
	verifyTimeout = 3 * time.Second // of one question
	verifyTries   = 2
	maxResponse   = 2048    // bytes of what a browser sends
	maxVerdict    = 8 << 10 // bytes of what Cloudflare answers
)

// Turnstile checks answers to Cloudflare's challenge. Each is good once and for five minutes, which Cloudflare sees to.
type Turnstile struct {
	Secret  secret.Text
	SiteKey string       // public; told to pages that must show the challenge
	Hosts   []string     // where it may have been solved; empty: anywhere that the site key allows
	URL     string       // empty: SiteVerify
	HTTP    *http.Client // nil: http.DefaultClient
	Logger  *slog.Logger
}

// verdict is what Cloudflare answers.
type verdict struct {
	Success  bool     `json:"success"`
	Hostname string   `json:"hostname"`
	Errors   []string `json:"error-codes"`
}

// Check implements Challenge. A question that got no answer is asked once more, under the same idempotency key.
func (t *Turnstile) Check(ctx context.Context, response, remoteIP string) error {
	switch {
	case response == "":
		return t.refuse("missing")
	case len(response) > maxResponse:
		return t.refuse("failed")
	}
	form := url.Values{"secret": {t.Secret.Reveal()}, "response": {response}, "idempotency_key": {id.New().String()}}
	if remoteIP != "" {
		form.Set("remoteip", remoteIP)
	}
	var v verdict
	var err error
	for range verifyTries {
		if v, err = t.ask(ctx, form); err == nil || ctx.Err() != nil {
			break
		}
	}
	if err == nil {
		err = t.judge(v)
	}
	return err
}

func (t *Turnstile) ask(ctx context.Context, form url.Values) (v verdict, err error) {
	ctx, cancel := context.WithTimeout(ctx, verifyTimeout)
	defer cancel()
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, cmp.Or(t.URL, SiteVerify), strings.NewReader(form.Encode()))
	if err != nil {
		return v, err
	}
	req.Header.Set("Content-Type", "application/x-www-form-urlencoded")
	resp, err := cmp.Or(t.HTTP, http.DefaultClient).Do(req)
	if err != nil {
		return v, t.away(err)
	}
	defer resp.Body.Close()
	if resp.StatusCode >= http.StatusInternalServerError {
		return v, t.away(fmt.Errorf("it answers %s", resp.Status))
	}
	if err := json.NewDecoder(io.LimitReader(resp.Body, maxVerdict)).Decode(&v); err != nil {
		return v, t.away(err)
	}
	if slices.Contains(v.Errors, "internal-error") {
		return v, t.away(fmt.Errorf("it reports %v", v.Errors))
	}
	return v, nil
}

// away is not the fan's fault: a sign-in with a new code goes another way meanwhile.
func (t *Turnstile) away(err error) error {
	return fault.Wrap(err, fault.Busy, "the check that you are a person does not answer; try again, or sign in again with a new code").
		With("provider", "turnstile").After(2 * time.Second)
}

func (t *Turnstile) judge(v verdict) error {
	switch {
	case v.Success && (len(t.Hosts) == 0 || slices.Contains(t.Hosts, v.Hostname)):
		return nil
	case v.Success:
		return t.refuse("failed")
	case slices.ContainsFunc(v.Errors, func(code string) bool { return strings.HasSuffix(code, "-input-secret") }):
		cmp.Or(t.Logger, slog.Default()).Error("turnstile refuses our secret: nobody new gets a place but with a new sign-in code", "errors", v.Errors)
		return t.away(fmt.Errorf("our secret is refused: %v", v.Errors))
	case slices.Contains(v.Errors, "timeout-or-duplicate"):
		return t.refuse("used")
	}
	return t.refuse("failed")
}

func (t *Turnstile) refuse(reason string) error {
	return required("turnstile", reason).With("siteKey", t.SiteKey)
}

// required asks for an answer to a challenge. The other way is always named.
func required(provider, reason string) *fault.Error {
	return fault.New(fault.ChallengeRequired, "show that you are a person: solve the challenge, or sign in again with a new code").
		With("provider", provider).With("reason", reason).With("field", "challenge")
}
