package main

import (
	"errors"
	"go/build"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// rooms are the top-level folders of code. A room may import itself and core, nothing else of ours.
var rooms = []string{"core", "db", "realtime", "waitingroom", "edge", "web", "deploy"}

// importers says which folder may import a third-party library: one each, so that
// replacing a library, or reading how we use it, is one place. Test files are free.
var importers = map[string][]string{
	"github.com/jackc/pgx":                    {"db"},
	"github.com/cockroachdb/cockroach-go":     {"db"},
	"github.com/failsafe-go/failsafe-go":      {"edge/payments/router"},
	"github.com/gofiber/fiber":                {"edge/api"},
	"github.com/boombuler/barcode":            {"edge/api"},
	"github.com/prometheus/client_golang":     {"edge/metrics"},
	"github.com/coder/websocket":              {"realtime/gateway", "realtime/client"},
	"github.com/nats-io/nats.go":              {"realtime/stream", "waitingroom/store"},
	"github.com/nats-io/nats-server":          {"realtime/natsd"},
	"github.com/golang-jwt/jwt":               {"waitingroom/token"},
	"github.com/cloudflare/circl":             {"waitingroom/beacon"},
	"github.com/peterbourgon/ff":              {"."},
	"golang.org/x/net":                        {"edge/embed"},
	"golang.org/x/image":                      {"."},
	"golang.org/x/time":                       {"edge/api", "realtime/gateway"},
	"github.com/HdrHistogram/hdrhistogram-go": {"db/holdbench", "edge/rehearse"},
	"github.com/valyala/fasthttp":             {"db/holdbench"}, // the lean client of the load generator; Fiber brings it
	"github.com/redis/go-redis":               {"db/holdbench"},
}

func TestArchitecture(t *testing.T) {
	for dir, pkg := range packages(t) {
		room, _, _ := strings.Cut(dir, "/")
		for _, imported := range pkg.Imports {
			if ours, ok := strings.CutPrefix(imported, "plateia/"); ok {
				checkRoom(t, dir, room, ours)
			} else if strings.Contains(imported, ".") {
				checkLibrary(t, dir, room, imported)
			}
		}
	}
}

func checkRoom(t *testing.T, dir, room, imported string) {
	t.Helper()
	target, _, _ := strings.Cut(imported, "/")
	if dir == "." || target == room || (target == "core" && room != "core") {
		return
	}
	t.Errorf("%s imports plateia/%s: %s may import only itself and core, because the domain imports nothing, "+
		"adapters import the domain, and only package main knows them all. "+
		"Declare the interface you need in %s and let main hand it in.", dir, imported, room, dir)
}

func checkLibrary(t *testing.T, dir, room, imported string) {
	t.Helper()
	if room == "core" {
		t.Errorf("%s imports %s: core is the standard library only, so that the domain can be read, tested and kept without anything else.", dir, imported)
		return
	}
	for library, allowed := range importers {
		if strings.HasPrefix(imported, library) && !slices.Contains(allowed, dir) && !slices.ContainsFunc(allowed, func(a string) bool {
			return a != "." && strings.HasPrefix(dir, a+"/")
		}) {
			t.Errorf("%s imports %s: only %s may, so that there is one place that knows the library.", dir, imported, strings.Join(allowed, " and "))
		}
	}
}

// packages parses the import lists of every folder of the module, without test files.
func packages(t *testing.T) map[string]*build.Package {
	t.Helper()
	found := map[string]*build.Package{}
	err := filepath.WalkDir(".", func(path string, entry fs.DirEntry, err error) error {
		if err != nil || !entry.IsDir() {
			return err
		}
		if name := entry.Name(); path != "." && (strings.HasPrefix(name, ".") || name == "node_modules" || name == "testdata" || name == "bin") {
			return filepath.SkipDir
		}
		pkg, err := build.ImportDir(path, 0)
		var empty *build.NoGoError
		if errors.As(err, &empty) {
			return nil
		} else if err != nil {
			return err
		}
		found[filepath.ToSlash(path)] = pkg
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	if len(found) < 5 {
		t.Fatalf("found only %d packages: the walk is broken", len(found))
	}
	return found
}

func TestTopLevelFoldersAreTheOwners(t *testing.T) {
	entries, err := os.ReadDir(".")
	if err != nil {
		t.Fatal(err)
	}
	ignored := []string{"bin", "data", "tmp", "node_modules"} // never committed
	for _, entry := range entries {
		if name := entry.Name(); entry.IsDir() && !strings.HasPrefix(name, ".") && !slices.Contains(rooms, name) && !slices.Contains(ignored, name) {
			t.Errorf("top-level folder %s: the top level is fixed to %v, so that a stranger finds the way", name, rooms)
		}
	}
}
