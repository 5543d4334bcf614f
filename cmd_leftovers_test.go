package main

import (
	"bytes"
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"plateia/db/privatepg"
)

// Databases whose data folder is gone are listed for people and for programs, and only those that are named are removed.
func TestLeftoversAreRemovedByName(t *testing.T) {
	root := t.TempDir()
	var all []privatepg.Left
	for name, of := range map[string]string{"one": "/gone/one", "two": "/gone/two", "older": ""} {
		if err := os.Mkdir(filepath.Join(root, name), 0o700); err != nil {
			t.Fatal(err)
		}
		all = append(all, privatepg.Left{Dir: filepath.Join(root, name), Of: of, Used: time.Now()})
	}
	var out bytes.Buffer
	e := env{stdout: &out}
	if err := listLeftovers(e, all, false); err != nil || !containsAll(out.String(), "/gone/one", "/gone/two", "not known") {
		t.Errorf("%v\n%s", err, out.String())
	}
	out.Reset()
	var got []leftover
	if err := errors.Join(listLeftovers(e, all, true), json.Unmarshal(out.Bytes(), &got)); err != nil || len(got) != 3 {
		t.Errorf("%v\n%s", err, out.String())
	}
	var usage errUsage
	if err := removeLeftovers(e, all, []string{"one", "three"}); !errors.As(err, &usage) {
		t.Errorf("a name that is none: %v", err)
	}
	for _, step := range []struct{ asked, left string }{{"one", "older two"}, {"all", "older"}, {"older", ""}} {
		if err := removeLeftovers(e, stillThere(all), list(step.asked)); err != nil {
			t.Error(err)
		}
		if left := strings.Join(names(t, root), " "); left != step.left {
			t.Errorf("after %s there is %q, want %q", step.asked, left, step.left)
		}
	}
	if _, err := call(t, "leftovers"); err != nil {
		t.Error(err)
	}
}

func stillThere(all []privatepg.Left) (out []privatepg.Left) {
	for _, l := range all {
		if _, err := os.Stat(l.Dir); err == nil {
			out = append(out, l)
		}
	}
	return out
}

func names(t *testing.T, dir string) (out []string) {
	t.Helper()
	entries, err := os.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range entries {
		out = append(out, e.Name())
	}
	return out
}
