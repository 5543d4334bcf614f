package main

import (
	"os"
	"regexp"
	"strings"
	"testing"
)

var (
	lineRow   = regexp.MustCompile(`(?m)^\| (P?[0-9]+) \|.*\|([^|]+)\|$`)
	lineNames = regexp.MustCompile("`([^`]+)`")
)

// The tables of waitingroom/README.md name tests that exist: Go tests by package, relative to waitingroom or to the root, and files of tests of the pages.
func TestPropertiesOfTheLineNameTheirTests(t *testing.T) {
	text, err := os.ReadFile("waitingroom/README.md")
	if err != nil {
		t.Fatal(err)
	}
	rows := lineRow.FindAllStringSubmatch(string(text), -1)
	seen := map[string]bool{}
	for _, row := range rows {
		if seen[row[1]] {
			t.Errorf("%s stands twice", row[1])
		}
		seen[row[1]] = true
		names := lineNames.FindAllStringSubmatch(row[2], -1)
		if len(names) == 0 {
			t.Errorf("%s names no test", row[1])
		}
		for _, name := range names {
			if !lineTestExists(t, name[1]) {
				t.Errorf("%s: there is no %s", row[1], name[1])
			}
		}
	}
	if len(rows) < 15+21 { // P1 to P15, cases 1 to 22 without 13
		t.Errorf("%d properties and cases are listed", len(rows))
	}
}

func lineTestExists(t *testing.T, name string) bool {
	t.Helper()
	if strings.HasPrefix(name, "web/") {
		_, err := os.Stat(name)
		return err == nil
	}
	dir, test, _ := strings.Cut(name, ".")
	if dir == "main" {
		return hasTest(t, ".", test)
	}
	return hasTest(t, "waitingroom/"+dir, test) || hasTest(t, dir, test)
}
