package natsd

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

func TestAServerFromAFile(t *testing.T) {
	dir := t.TempDir()
	write := func(text string) string {
		path := filepath.Join(dir, "nats.conf")
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		return path
	}
	for name, bad := range map[string]string{"no JetStream": "listen: 127.0.0.1:-1", "no such thing": "listne: 1", "no file at all": ""} {
		path := write(bad)
		if bad == "" {
			path += ".not"
		}
		if s, err := StartFile(t.Context(), path, nil); err == nil {
			t.Errorf("%s is accepted", name)
			_ = s.Stop(context.Background())
		}
	}
	t.Setenv("PLATEIA_TEST_STORE", filepath.Join(dir, "store"))
	path := write("listen: 127.0.0.1:-1\njetstream { store_dir: $PLATEIA_TEST_STORE, domain: east }\n")
	s, err := StartFile(t.Context(), path, nil)
	if err != nil {
		t.Fatal(err)
	}
	if !strings.HasPrefix(s.URL(), "nats://127.0.0.1:") {
		t.Errorf("it is at %q", s.URL())
	}
	if _, err := StartFile(t.Context(), path, nil); err == nil || !strings.Contains(err.Error(), "another server") {
		t.Errorf("a second server on the same folder: %v", err)
	}
	if err := s.Stop(t.Context()); err != nil {
		t.Error(err)
	}
}
