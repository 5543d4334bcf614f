package main

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"plateia/edge/rehearse"
)

// asProgram makes the test binary behave as plateia itself, so that a test can kill it.
const asProgram = "PLATEIA_TEST_AS_PROGRAM"

func TestMain(m *testing.M) {
	if member := os.Getenv(asNATS); member != "" {
		if err := serveNATS(member); err != nil {
			panic(err)
		}
		return
	}
	if os.Getenv(asProgram) != "" {
		main()
		return
	}
	if err := os.Setenv(asProgram, "1"); err != nil { // for every process that tests start, or have the program start
		panic(err)
	}
	os.Exit(m.Run())
}

// dataFolder is a folder for a running program's data. Unlike t.TempDir's it is open to the user that a private database runs as
// when the tests are root's: below a closed folder the database would be put elsewhere, and stay there.
func dataFolder(t *testing.T) string {
	t.Helper()
	dir, err := os.MkdirTemp("", "plateia-data-")
	if err == nil {
		err = os.Chmod(dir, 0o755) //nolint:gosec // see above
	}
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := os.RemoveAll(dir); err != nil {
			t.Error(err)
		}
	})
	return dir
}

// program is a running `plateia dev`.
type program struct {
	url  string
	log  func() string // what it has said
	stop func(os.Signal) error
}

// startDev runs this test binary as `plateia dev` on a free port, with more flags.
func startDev(t *testing.T, data string, more ...string) program {
	t.Helper()
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command(self, append([]string{"dev", "--addr", "127.0.0.1:0", "--data", data, "--stop-timeout", "50s"}, more...)...)
	cmd.Env = append(os.Environ(), "DATABASE_URL=")
	log, err := os.Create(filepath.Join(t.TempDir(), "dev.log"))
	if err != nil {
		t.Fatal(err)
	}
	defer log.Close()
	cmd.Stderr = log
	stderr := func() string { text, _ := os.ReadFile(log.Name()); return string(text) }
	stdout, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	ended := make(chan error, 1)
	lines := make(chan string, 1)
	go func() {
		line, _ := bufio.NewReader(stdout).ReadString('\n')
		lines <- line
		_, _ = io.Copy(io.Discard, stdout)
		ended <- cmd.Wait()
	}()
	p := program{log: stderr, stop: func(sig os.Signal) error {
		_ = cmd.Process.Signal(sig)
		select {
		case err := <-ended:
			ended <- err
			return err
		case <-time.After(60 * time.Second):
			_ = cmd.Process.Kill()
			return errors.New("did not stop within a minute")
		}
	}}
	t.Cleanup(func() { _ = p.stop(syscall.SIGTERM) })
	select {
	case line := <-lines:
		url, ok := strings.CutPrefix(strings.TrimSpace(line), "ready ")
		if !ok {
			t.Fatalf("said %q, not ready:\n%s", line, stderr())
		}
		p.url = url
	case <-time.After(3 * time.Minute):
		t.Fatalf("not ready in time:\n%s", stderr())
	}
	return p
}

// call runs a command of the program in this process and returns what it printed.
func call(t *testing.T, args ...string) (string, error) {
	t.Helper()
	var stdout bytes.Buffer
	ctx, cancel := context.WithTimeout(t.Context(), 8*time.Minute)
	defer cancel()
	err := run(ctx, env{&stdout, io.Discard, func(string) string { return "" }}, args)
	return stdout.String(), err
}

// eventIDs lists what is on sale, as anybody sees it.
func eventIDs(t *testing.T, url string) map[string]string {
	t.Helper()
	answer, err := http.Get(url + "/v1/events")
	if err != nil {
		t.Fatal(err)
	}
	defer answer.Body.Close()
	var list struct {
		Events []struct {
			EventID  string `json:"eventId"`
			Title    string `json:"title"`
			Capacity int    `json:"capacity"`
		} `json:"events"`
	}
	if err := json.NewDecoder(answer.Body).Decode(&list); err != nil {
		t.Fatal(err)
	}
	ids := map[string]string{}
	for _, e := range list.Events {
		if e.EventID == "" || e.Capacity <= 0 {
			t.Errorf("event without id or capacity: %+v", e)
		}
		ids[e.Title] = e.EventID
	}
	return ids
}

// sellTo lets fans loose and wants everybody served or clearly refused.
func sellTo(t *testing.T, url, event, fans string) rehearse.Report {
	t.Helper()
	out, err := call(t, "rehearse", "--url", url, "--event", event, "--fans", fans, "--json")
	if err != nil {
		t.Fatalf("rehearse: %v\n%s", err, out)
	}
	var report rehearse.Report
	if err := json.Unmarshal([]byte(out), &report); err != nil {
		t.Fatal(err)
	}
	if report.Bought+report.Refused != report.Fans || report.Bought == 0 {
		t.Errorf("of %d fans %d bought and %d were refused: %s", report.Fans, report.Bought, report.Refused, out)
	}
	return report
}

func wantClean(t *testing.T, event, data string, more ...string) {
	t.Helper()
	if out, err := call(t, append([]string{"verify", "--event", event, "--provider", "--data", data}, more...)...); err != nil {
		t.Errorf("verify: %v\n%s", err, out)
	}
}

// The whole program sells, is killed in the middle of a sale, recovers, sells on, and stops cleanly.
func TestProgramSellsIsKilledAndGoesOn(t *testing.T) {
	t.Parallel()
	if testing.Short() {
		t.Skip("starts the whole program twice")
	}
	data := dataFolder(t)
	first := startDev(t, data)
	listed, stadium := eventIDs(t, first.url), demoStadium
	before := sellTo(t, first.url, stadium, "40")
	wantClean(t, stadium, data)

	// Killed with fans inside: whatever they were told stays true.
	crowd := make(chan struct{})
	go func() {
		defer close(crowd)
		_, _ = call(t, "rehearse", "--url", first.url, "--event", stadium, "--fans", "60", "--patience", "8s", "--json")
	}()
	time.Sleep(700 * time.Millisecond) // somewhere in the middle; every moment must be survived
	_ = first.stop(syscall.SIGKILL)
	<-crowd
	wantClean(t, stadium, data) // nothing runs: the private server is started for it

	second := startDev(t, data)
	again := eventIDs(t, second.url)
	after := sellTo(t, second.url, stadium, "20")
	for title, id := range listed {
		if again[title] != id {
			t.Errorf("%s is %q after the restart", title, again[title])
		}
	}
	sellOut(t, second.url, demoTheatre().String(), data) // its second night goes on sale minutes later: nobody waits for that here
	wantClean(t, stadium, data)
	if before.Tickets == 0 || after.Tickets == 0 {
		t.Errorf("tickets before and after the restart: %d, %d", before.Tickets, after.Tickets)
	}
	if err := second.stop(os.Interrupt); err != nil {
		t.Errorf("Ctrl-C: %v", err)
	}
}

func TestRunRefusesWhatItDoesNotKnow(t *testing.T) {
	for _, args := range [][]string{
		{"juggle"}, {"migrate"}, {"migrate", "sideways"}, {"verify"}, {"verify", "--event", "x"}, {"chart", "import"},
		{"bench"}, {"bench", "holds", "--mode", "slow"}, {"rehearse", "--event", "x"}, {"rehearse", "--sell-out"}, {"dev", "--addr", "x"},
		{"chart", "import", "plan.json", "--prices", "1.234"}, {"chart", "view"}, {"chart", "view", "set", "a.jpg", "--section", "1", "--reason", "x"}, {"bench", "holds", "--seconds", "0"},
	} {
		_, err := call(t, args...)
		var usage errUsage
		if !errors.As(err, &usage) {
			t.Errorf("plateia %s: %v, want a usage error", strings.Join(args, " "), err)
		}
	}
	if out, err := call(t); err != nil || !containsAll(out, "rehearse", "verify") {
		t.Errorf("without a command: %v\n%s", err, out)
	}
}
