package db_test

import (
	"context"
	"errors"
	"fmt"
	"os"
	osexec "os/exec"
	"path/filepath"
	"syscall"
	"testing"
	"time"

	"plateia/db"
	"plateia/db/privatepg"
)

func TestChooseTakesWhatIsGiven(t *testing.T) {
	chosen, err := db.Choose(t.Context(), t.TempDir(), "postgres://given/x", quiet)
	if err != nil || chosen.URL != "postgres://given/x" || chosen.Started {
		t.Errorf("Choose = %+v, %v", chosen, err)
	}
	if err := chosen.Stop(t.Context()); err != nil {
		t.Error(err)
	}
}

func TestChooseContinuesTheFoldersOwnDatabase(t *testing.T) {
	if _, err := privatepg.Find(); err != nil {
		t.Skip(err)
	}
	data, err := os.MkdirTemp("", "pc")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { os.RemoveAll(data) })
	os.Chmod(data, 0o755)
	t.Setenv("PATH", "/usr/bin:/bin") // no cockroach at first
	if _, err := osexec.LookPath("cockroach"); err == nil {
		t.Skip("a cockroach binary is in the way")
	}
	chosen, err := db.Choose(t.Context(), data, "", quiet)
	if err != nil {
		t.Fatal(err)
	}
	d, err := db.Open(t.Context(), chosen.URL, db.Options{})
	if err != nil {
		t.Fatal(err)
	}
	exec(t, d, "create table kept (n int8)")
	d.Close()

	other, err := db.Reach(t.Context(), data, quiet)
	if err != nil || other.Started || other.URL != chosen.URL {
		t.Errorf("Reach of a running database = %+v, %v", other, err)
	}
	if _, err := db.Choose(t.Context(), data, "", quiet); !errors.Is(err, privatepg.ErrLocked) {
		t.Errorf("second Choose = %v", err)
	}
	if err := chosen.Stop(t.Context()); err != nil {
		t.Fatal(err)
	}

	// A cockroach binary that turns up later does not take the folder's data away.
	fake := filepath.Join(t.TempDir(), "cockroach")
	if err := os.WriteFile(fake, []byte("#!/bin/sh\nexit 1\n"), 0o755); err != nil {
		t.Fatal(err)
	}
	t.Setenv("PATH", filepath.Dir(fake)+":/usr/bin:/bin")
	again, err := db.Reach(t.Context(), data, quiet)
	if err != nil || !again.Started {
		t.Fatalf("Reach of a stopped database = %+v, %v", again, err)
	}
	if d, err = db.Open(t.Context(), again.URL, db.Options{}); err != nil {
		t.Fatal(err)
	}
	exec(t, d, "select * from kept")
	d.Close()
	if err := again.Stop(t.Context()); err != nil {
		t.Error(err)
	}
}

// A private server that is gone does not come back by itself: whoever runs it must hear of it.
func TestWatchTellsOfALostServer(t *testing.T) {
	if _, err := privatepg.Find(); err != nil {
		t.Skip(err)
	}
	data, err := os.MkdirTemp("", "pc")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { os.RemoveAll(data) })
	os.Chmod(data, 0o755)
	t.Setenv("PATH", "/usr/bin:/bin")
	chosen, err := db.Choose(t.Context(), data, "", quiet)
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithTimeout(t.Context(), 2*time.Second)
	defer cancel()
	if err := chosen.Watch(ctx); err != nil {
		t.Errorf("of a running server: %v", err)
	}
	var pid int
	d, err := db.Open(t.Context(), chosen.URL, db.Options{})
	if err != nil {
		t.Fatal(err)
	}
	text, err := os.ReadFile(filepath.Join(data, "postgres", "data", "postmaster.pid"))
	if _, scanErr := fmt.Sscan(string(text), &pid); err != nil || scanErr != nil {
		t.Fatal(err, scanErr)
	}
	syscall.Kill(pid, syscall.SIGKILL)
	ctx, cancel = context.WithTimeout(t.Context(), 20*time.Second)
	defer cancel()
	if err := chosen.Watch(ctx); err == nil || ctx.Err() != nil {
		t.Errorf("of a killed server: %v", err)
	}
	d.Close()
	if err := chosen.Stop(t.Context()); err != nil {
		t.Error(err)
	}
}
