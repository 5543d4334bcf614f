package privatecrdb

import (
	"log/slog"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/jackc/pgx/v5"
)

// TestNode runs a real node; machines without the binary cannot.
func TestNode(t *testing.T) {
	binary := os.Getenv("COCKROACH_BINARY")
	if binary == "" {
		var err error
		if binary, err = exec.LookPath("cockroach"); err != nil {
			t.Skip("no cockroach binary")
		}
	}
	dir := t.TempDir()
	for range 2 { // the second start continues
		s, err := Start(t.Context(), binary, dir, slog.New(slog.DiscardHandler))
		if err != nil {
			t.Fatal(err)
		}
		if url, ok := Running(dir); !ok || url != s.URL() {
			t.Errorf("Running = %q, %v; want %q", url, ok, s.URL())
		}
		conn, err := pgx.Connect(t.Context(), s.URL())
		if err != nil {
			t.Fatal(err)
		}
		conn.Close(t.Context())
		if err := s.Stop(t.Context()); err != nil {
			t.Error(err)
		}
	}
}

func TestNodeThatEndsAtOnceIsReported(t *testing.T) {
	binary := filepath.Join(t.TempDir(), "cockroach")
	if err := os.WriteFile(binary, []byte("#!/bin/sh\necho no licence >&2\nexit 7\n"), 0o755); err != nil {
		t.Fatal(err)
	}
	_, err := Start(t.Context(), binary, t.TempDir(), slog.New(slog.DiscardHandler))
	if err == nil || !strings.Contains(err.Error(), "the node ended") {
		t.Errorf("Start = %v", err)
	}
}

func TestAnOldPidFileNamesNobody(t *testing.T) {
	s := &Server{dir: t.TempDir()}
	for _, text := range []string{"", "x", "1", "999999999", "-1"} {
		if err := os.WriteFile(s.file("pid"), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		if pid := s.orphan(); pid != 0 {
			t.Errorf("pid file %q names process %d", text, pid)
		}
	}
}
