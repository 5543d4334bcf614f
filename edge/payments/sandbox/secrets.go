package sandbox

import (
	"crypto/rand"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"sync"

	"plateia/core/secret"
)

// LoadSecrets reads the secrets of the sandbox of that name in a data folder,
// making them at the first start. The file is readable by its owner only.
func LoadSecrets(dir, name string) (Secrets, error) {
	path := secretsPath(dir, name)
	raw, err := os.ReadFile(path)
	if errors.Is(err, os.ErrNotExist) {
		raw, err = makeSecrets(path)
	}
	if err != nil {
		return Secrets{}, fmt.Errorf("sandbox: secrets: %w", err)
	}
	var file secretsFile
	if err := json.Unmarshal(raw, &file); err != nil || file.API == "" || len(file.Webhook) == 0 {
		return Secrets{}, fmt.Errorf("sandbox: %s is not a secrets file; delete it to make a new one", path)
	}
	out := Secrets{API: secret.New(file.API)}
	for _, s := range file.Webhook {
		out.Webhook = append(out.Webhook, secret.New(s))
	}
	return out, nil
}

// SaveSecrets writes them down again, after a rotation.
func SaveSecrets(dir, name string, s Secrets) error {
	file := secretsFile{API: s.API.Reveal()}
	for _, w := range s.Webhook {
		file.Webhook = append(file.Webhook, w.Reveal())
	}
	_, err := file.write(secretsPath(dir, name))
	return err
}

func secretsPath(dir, name string) string { return filepath.Join(dir, name+"-secrets.json") }

type secretsFile struct {
	API     string   `json:"api"`
	Webhook []string `json:"webhook"` // the current one first
}

func makeSecrets(path string) ([]byte, error) {
	return secretsFile{API: "sk_" + rand.Text(), Webhook: []string{newWebhookSecret()}}.write(path)
}

func newWebhookSecret() string { return "whsec_" + rand.Text() }

func (f secretsFile) write(path string) ([]byte, error) {
	raw, err := json.Marshal(f)
	if err != nil {
		return nil, err
	}
	// Aside and renamed: a program killed here must not leave half a file.
	aside := path + ".new"
	if err := os.WriteFile(aside, raw, 0o600); err != nil {
		return nil, err
	}
	return raw, os.Rename(aside, path)
}

// secretBox holds the secrets of a running server.
type secretBox struct {
	mu      sync.Mutex
	secrets Secrets
}

func (b *secretBox) webhook() []secret.Text {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.secrets.Webhook
}

// rotate makes a new webhook secret the current one and keeps the one before it valid.
func (b *secretBox) rotate(keep func(Secrets) error) (fresh secret.Text, active int, err error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	fresh = secret.New(newWebhookSecret())
	next := Secrets{API: b.secrets.API, Webhook: []secret.Text{fresh, b.secrets.Webhook[0]}}
	if keep != nil {
		if err := keep(next); err != nil {
			return secret.Text{}, 0, fmt.Errorf("sandbox: keep rotated secrets: %w", err)
		}
	}
	b.secrets = next
	return fresh, len(next.Webhook), nil
}
