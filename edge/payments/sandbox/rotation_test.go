package sandbox

import (
	"net/http"
	"strings"
	"testing"

	"plateia/core/fault"
	"plateia/core/secret"
)

// A merchant who knows only the secret before a rotation, or only the new one, verifies; one who missed two does not.
func TestRotationKeepsTwoSecrets(t *testing.T) {
	r := newRig(t)
	rotate := func() secret.Text {
		var v rotationView
		if err := r.provider.do(t.Context(), call{method: http.MethodPost, path: "/v1/webhook-secrets"}, &v); err != nil || v.Active != 2 {
			t.Fatalf("%+v, %v", v, err)
		}
		return secret.New(v.Secret)
	}
	knows := func(s secret.Text) *Provider {
		p := NewProvider(ProviderOptions{Secrets: Secrets{Webhook: []secret.Text{s}}, Clock: r.clock.Now})
		t.Cleanup(p.Close)
		return p
	}
	first := testSecrets.Webhook[0]
	second := rotate()
	r.press(r.create(), "approve")
	told := r.hook()
	if n := strings.Count(told.header.Get(signatureHeader), "v1="); n != 2 {
		t.Errorf("%d signatures", n)
	}
	for _, s := range []secret.Text{first, second} {
		if _, err := knows(s).VerifyWebhook(pair(told)); err != nil {
			t.Error(err)
		}
	}
	third := rotate()
	r.press(r.create(), "approve")
	told = r.hook()
	if _, err := knows(first).VerifyWebhook(pair(told)); fault.CodeOf(err) != fault.Unauthenticated {
		t.Errorf("a secret that two rotations have retired: %v", err)
	}
	for _, s := range []secret.Text{second, third} {
		if _, err := knows(s).VerifyWebhook(pair(told)); err != nil {
			t.Error(err)
		}
	}
}

func TestRotatedSecretsAreKept(t *testing.T) {
	dir := t.TempDir()
	before, err := LoadSecrets(dir, "sandbox2")
	if err != nil {
		t.Fatal(err)
	}
	box := &secretBox{secrets: before}
	fresh, _, err := box.rotate(func(s Secrets) error { return SaveSecrets(dir, "sandbox2", s) })
	if err != nil {
		t.Fatal(err)
	}
	after, err := LoadSecrets(dir, "sandbox2")
	if err != nil || len(after.Webhook) != 2 || after.API.Reveal() != before.API.Reveal() ||
		after.Webhook[0].Reveal() != fresh.Reveal() || after.Webhook[1].Reveal() != before.Webhook[0].Reveal() {
		t.Errorf("not what was kept: %v", err)
	}
	if other, err := LoadSecrets(dir, Name); err != nil || other.API.Reveal() == after.API.Reveal() {
		t.Errorf("two sandboxes share a secret, or %v", err)
	}
}
