package fanoutbench_test

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"plateia/core/id"
	"plateia/realtime/fanoutbench"
)

// Every thread counts: a Go process has several, and each has a priority of its own.
func TestViewersReadWhenNobodyElseNeedsTheProcessor(t *testing.T) {
	cmd := testProcess(t.Context(), fanoutbench.RoleViewers)
	in, err := cmd.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	fmt.Fprintf(in, `{"service":"plateia","targets":["127.0.0.1:1"],"events":[%q]}{"do":"begin"}`, id.New().String())
	var answer map[string]any
	if err := json.NewDecoder(out).Decode(&answer); err != nil {
		t.Fatal(err)
	}
	threads, err := filepath.Glob(fmt.Sprintf("/proc/%d/task/*/stat", cmd.Process.Pid))
	if err != nil || len(threads) == 0 {
		t.Fatalf("threads: %v, %v", threads, err)
	}
	for _, path := range threads {
		stat, err := os.ReadFile(path)
		if err != nil { // it has ended
			continue
		}
		_, rest, _ := strings.Cut(string(stat), ") ")
		if nice := strings.Fields(rest)[16]; nice != "19" {
			t.Errorf("%s: nice %s", path, nice)
		}
	}
	in.Close()
	if err := cmd.Wait(); err != nil {
		t.Error(err)
	}
}
