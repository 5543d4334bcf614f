package sandbox

import (
	"crypto/rand"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"

	"plateia/core/secret"
)

// LoadSecrets reads the two secrets of a data folder, making them at the first
// start. The file is readable by its owner only.
func LoadSecrets(dir string) (Secrets, error) {
	path := filepath.Join(dir, "sandbox-secrets.json")
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

type secretsFile struct {
	API     string   `json:"api"`
	Webhook []string `json:"webhook"`
}

func makeSecrets(path string) ([]byte, error) {
	raw, err := json.Marshal(secretsFile{API: "sk_" + rand.Text(), Webhook: []string{"whsec_" + rand.Text()}})
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
