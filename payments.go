package main

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/url"
	"os"
	"time"

	"plateia/core/secret"
	"plateia/edge/payments/sandbox"
)

// providerConfig is a payment provider as `plateia serve` reaches it. The first of a list takes
// payments while it answers.
type providerConfig struct {
	name     string
	url      string
	key      secret.Text
	webhooks []secret.Text
}

// providerFile is one entry of the file that --providers names.
type providerFile struct {
	Name           string   `json:"name"`
	URL            string   `json:"url"`
	Secret         string   `json:"secret"`
	WebhookSecrets []string `json:"webhookSecrets"` // the current one first
}

// readProviders reads a JSON list of providers.
func readProviders(path string) ([]providerConfig, error) {
	raw, err := os.ReadFile(path)
	if err != nil {
		return nil, err
	}
	var entries []providerFile
	if err := json.Unmarshal(raw, &entries); err != nil {
		return nil, fmt.Errorf("%s is not a JSON list of name, url, secret and webhookSecrets", path)
	}
	var out []providerConfig
	for _, e := range entries {
		p := providerConfig{name: e.Name, url: e.URL, key: secret.New(e.Secret)}
		for _, s := range e.WebhookSecrets {
			p.webhooks = append(p.webhooks, secret.New(s))
		}
		out = append(out, p)
	}
	return out, checkProviders(out)
}

func checkProviders(all []providerConfig) error {
	var faults []error
	names := map[string]bool{}
	for _, p := range all {
		if p.name == "" || names[p.name] {
			faults = append(faults, fmt.Errorf("%q is no name, or two have it", p.name))
		}
		names[p.name] = true
		if !isURL(p.url, "http", "https") || len(p.key.Reveal()) < 16 || len(p.webhooks) == 0 {
			faults = append(faults, fmt.Errorf("%s: needs an http url, a secret of 16 characters or more and webhookSecrets", p.name))
		}
		for _, s := range p.webhooks {
			if len(s.Reveal()) < 16 {
				faults = append(faults, fmt.Errorf("%s: webhookSecrets have 16 characters or more each", p.name))
			}
		}
	}
	if len(all) == 0 {
		faults = append(faults, errors.New("at least one provider"))
	}
	return errors.Join(faults...)
}

// devSandboxes are the providers of `plateia dev`: the second stands by.
func devSandboxes() []string { return []string{sandbox.Name, "sandbox2"} }

// openSandbox starts the providers of `plateia dev`, each with secrets, ledger and port of its own.
func (h *house) openSandbox(ctx context.Context) error {
	for i, name := range devSandboxes() {
		server, secrets, err := openSandboxIn(h.cfg.data, sandbox.Options{
			Name: name, Logger: h.log,
			WebhookURL: "http://" + h.apiListener.Addr().String() + "/v1/webhooks/payments/" + name,
		})
		if err != nil {
			return err
		}
		addr := "127.0.0.1:0"
		if i == 0 {
			addr = h.cfg.sandboxAddr
		}
		err = h.life.start(ctx, part{
			name:  name + " provider",
			start: func(ctx context.Context) error { return server.Start(ctx, addr) },
			stop:  server.Stop,
		})
		if err != nil {
			return err
		}
		h.cfg.providers = append(h.cfg.providers, providerConfig{
			name: name, url: "http://" + server.Addr(), key: secrets.API, webhooks: secrets.Webhook,
		})
	}
	return nil
}

// sandboxURLs are the pay pages of `plateia dev` behind the edge, by the first part of their path.
func (h *house) sandboxURLs() map[string]*url.URL {
	out := map[string]*url.URL{}
	for _, p := range h.cfg.providers {
		if u, err := url.Parse(p.url); err == nil && h.cfg.dev {
			out[p.name] = u
		}
	}
	return out
}

func (p providerConfig) adapter(timeout time.Duration) *sandbox.Provider {
	return sandbox.NewProvider(sandbox.ProviderOptions{
		Name: p.name, BaseURL: p.url, Timeout: timeout, Secrets: sandbox.Secrets{API: p.key, Webhook: p.webhooks},
	})
}

// onlyProvider is the one that the flags without a file describe.
func onlyProvider(address, key string, webhooks []string) providerConfig {
	p := providerConfig{name: sandbox.Name, url: address, key: secret.New(key)}
	for _, text := range webhooks {
		p.webhooks = append(p.webhooks, secret.New(text))
	}
	return p
}

// takeProviders reads who is paid through, from the file or from the flags for one.
func (c *config) takeProviders(file string, one providerConfig) error {
	if c.dev || cmp.Or(file, one.url, one.key.Reveal()) == "" && !c.has("api") {
		return nil
	}
	var err error
	if file != "" {
		if c.providers, err = readProviders(file); err != nil {
			return fmt.Errorf("providers: %w", err)
		}
		return nil
	}
	c.providers = []providerConfig{one}
	if err := checkProviders(c.providers); err != nil {
		return fmt.Errorf("provider-url, provider-secret, webhook-secrets (or providers): %w", err)
	}
	return nil
}
