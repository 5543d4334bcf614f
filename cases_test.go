package main

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// Case 6: whoever has a transaction open has nobody on the network to talk to. The decision is made in core/inventory, the
// transaction is db's, and neither can reach a provider.
func TestNoNetworkInsideATransaction(t *testing.T) {
	found := packages(t)
	for _, dir := range []string{"core/inventory", "db"} {
		for _, imported := range found[dir].Imports {
			calls := dir != "db" && imported == "plateia/core/checkout" // db knows its types
			if calls || imported == "net/http" || strings.HasPrefix(imported, "plateia/edge") {
				t.Errorf("%s imports %s: no call goes out while a transaction is open", dir, imported)
			}
		}
		for _, name := range found[dir].GoFiles {
			text, err := os.ReadFile(filepath.Join(dir, name))
			if err != nil {
				t.Fatal(err)
			}
			if strings.Contains(string(text), "payment.Provider") {
				t.Errorf("%s/%s knows a payment provider", dir, name)
			}
		}
	}
}

var casesRow = regexp.MustCompile(`(?m)^\| ([0-9]+) \|.*\|([^|]+)\|$`)
var testNamed = regexp.MustCompile("`([a-z./]+)\\.(Test[A-Za-z0-9]+|Fuzz[A-Za-z0-9]+)`")

// The table of cases in CONTRIBUTING.md names tests that exist.
func TestCasesNameTheirTests(t *testing.T) {
	text, err := os.ReadFile("CONTRIBUTING.md")
	if err != nil {
		t.Fatal(err)
	}
	rows := casesRow.FindAllStringSubmatch(string(text), -1)
	if len(rows) < 16 {
		t.Fatalf("%d cases are listed", len(rows))
	}
	for _, row := range rows {
		tests := testNamed.FindAllStringSubmatch(row[2], -1)
		if len(tests) == 0 {
			t.Errorf("case %s names no test", row[1])
		}
		for _, test := range tests {
			if !hasTest(t, strings.Replace(test[1], "main", ".", 1), test[2]) {
				t.Errorf("case %s: %s has no %s", row[1], test[1], test[2])
			}
		}
	}
}

func hasTest(t *testing.T, dir, name string) bool {
	t.Helper()
	files, err := filepath.Glob(filepath.Join(dir, "*_test.go"))
	if err != nil {
		t.Fatal(err)
	}
	for _, file := range files {
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		if strings.Contains(string(text), "\nfunc "+name+"(") {
			return true
		}
	}
	return false
}
