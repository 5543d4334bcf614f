package natsd

import (
	"bufio"
	"context"
	"os"
	"os/exec"
	"strings"
	"testing"
	"time"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"
)

func start(t *testing.T, o Options) *Server {
	t.Helper()
	s, err := Start(t.Context(), o)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { s.Stop(context.Background()) })
	return s
}

func connect(t *testing.T, s *Server) jetstream.JetStream {
	t.Helper()
	conn, err := nats.Connect("", nats.InProcessServer(s))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(conn.Close)
	js, err := jetstream.New(conn)
	if err != nil {
		t.Fatal(err)
	}
	return js
}

func TestContinuesWhereItWas(t *testing.T) {
	dir := t.TempDir()
	s := start(t, Options{Dir: dir})
	if s.Unclean() || s.URL() != "" {
		t.Errorf("a fresh server: unclean %v, url %q", s.Unclean(), s.URL())
	}
	fill(t, connect(t, s), 3)
	for range 2 {
		if err := s.Stop(t.Context()); err != nil {
			t.Fatal(err)
		}
	}
	again := start(t, Options{Dir: dir, Listen: "127.0.0.1:0"})
	if again.Unclean() {
		t.Error("a stop in order is called unclean")
	}
	if !strings.HasPrefix(again.URL(), "nats://127.0.0.1:") {
		t.Errorf("url %q", again.URL())
	}
	if n := messages(t, connect(t, again)); n != 3 {
		t.Errorf("%d messages after a restart, want 3", n)
	}
}

func TestFolderIsTaken(t *testing.T) {
	dir := t.TempDir()
	start(t, Options{Dir: dir})
	if _, err := Start(t.Context(), Options{Dir: dir}); err == nil || !strings.Contains(err.Error(), "used by another server") {
		t.Errorf("a second server on the folder: %v", err)
	}
}

func TestBadListenAddress(t *testing.T) {
	for _, listen := range []string{"nonsense", "127.0.0.1:x"} {
		if _, err := Start(t.Context(), Options{Dir: t.TempDir(), Listen: listen}); err == nil {
			t.Errorf("%q was accepted", listen)
		}
	}
}

// TestKilled runs a server in another process, kills it without warning and
// expects what it had acknowledged.
func TestKilled(t *testing.T) {
	dir := t.TempDir()
	child := exec.CommandContext(t.Context(), os.Args[0], "-test.run=TestChildServer")
	child.Env = append(os.Environ(), "NATSD_CHILD_DIR="+dir)
	out, err := child.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := child.Start(); err != nil {
		t.Fatal(err)
	}
	lines := bufio.NewScanner(out)
	for lines.Scan() && lines.Text() != "filled" {
	}
	if err := child.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	child.Wait()
	s := start(t, Options{Dir: dir})
	if !s.Unclean() {
		t.Error("a killed server's folder is called clean")
	}
	if n := messages(t, connect(t, s)); n != 500 {
		t.Errorf("%d messages after kill -9, want 500", n)
	}
}

// TestChildServer is the process that TestKilled kills.
func TestChildServer(t *testing.T) {
	dir := os.Getenv("NATSD_CHILD_DIR")
	if dir == "" {
		t.Skip("only as the child of TestKilled")
	}
	fill(t, connect(t, start(t, Options{Dir: dir})), 500)
	os.Stdout.WriteString("filled\n")
	time.Sleep(time.Minute)
}

func fill(t *testing.T, js jetstream.JetStream, n int) {
	t.Helper()
	if _, err := js.CreateStream(t.Context(), jetstream.StreamConfig{Name: "T", Subjects: []string{"t.*"}}); err != nil {
		t.Fatal(err)
	}
	for range n {
		if _, err := js.Publish(t.Context(), "t.x", []byte("seat")); err != nil {
			t.Fatal(err)
		}
	}
}

func messages(t *testing.T, js jetstream.JetStream) uint64 {
	t.Helper()
	s, err := js.Stream(t.Context(), "T")
	if err != nil {
		t.Fatal(err)
	}
	return s.CachedInfo().State.Msgs
}
