package inventory

import (
	"go/ast"
	"go/parser"
	"go/token"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"plateia/core/event"
	"plateia/core/pick"
)

// This process's clock may be wrong, so nothing here may read it but through Options.Now,
// which the chaos run sets 90 seconds ahead.
func TestNobodyReadsTheProcessClock(t *testing.T) {
	files, err := filepath.Glob("*.go")
	if err != nil {
		t.Fatal(err)
	}
	for _, file := range files {
		if strings.HasSuffix(file, "_test.go") {
			continue
		}
		tree, err := parser.ParseFile(token.NewFileSet(), file, nil, 0)
		if err != nil {
			t.Fatal(err)
		}
		ast.Inspect(tree, func(n ast.Node) bool {
			call, ok := n.(*ast.CallExpr)
			if !ok {
				return true
			}
			if f, ok := call.Fun.(*ast.SelectorExpr); ok {
				if of, ok := f.X.(*ast.Ident); ok && of.Name == "time" && (f.Sel.Name == "Now" || f.Sel.Name == "Since" || f.Sel.Name == "Until") {
					t.Errorf("%s calls time.%s: use Options.Now, and compare only with what came from it; what the database says decides", file, f.Sel.Name)
				}
			}
			return true
		})
	}
}

func TestPicksGoByTheDatabaseClock(t *testing.T) {
	for name, ahead := range map[string]time.Duration{"behind": -90 * time.Second, "ahead": 90 * time.Second} {
		t.Run(name, func(t *testing.T) {
			store := newMemStore(10)
			release := store.now.Add(time.Minute)
			store.event.Rules.AccessibleRelease = &release
			here := time.Now().Add(ahead)
			e := newEngine(&Inventory{opts: Options{Now: func() time.Time { return here }}.withDefaults(), store: store}, store.event, testChart(t, 10))
			if e.pickRules().AccessibleReleased {
				t.Error("released before the database was heard")
			}
			if err := e.warm(t.Context()); err != nil {
				t.Fatal(err)
			}
			for _, step := range []struct {
				after time.Duration
				want  bool
			}{{0, false}, {59 * time.Second, false}, {2 * time.Second, true}} {
				here = here.Add(step.after)
				if got := e.pickRules(); got != (pick.Rules{Orphans: event.OrphanOff, AccessibleReleased: step.want}) {
					t.Errorf("%v later: %+v, want released %v", step.after, got, step.want)
				}
			}
		})
	}
}
