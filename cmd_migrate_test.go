package main

import (
	"errors"
	"strings"
	"testing"

	"plateia/db"
	"plateia/db/dbtest"
)

func TestMigrateKnowsRegions(t *testing.T) {
	for _, bad := range []string{"EU", `eu";select 1`, "eu,eu", ","} {
		_, err := call(t, "migrate", "up", "--regions", bad, "--database", "postgres://127.0.0.1:1/none")
		var usage errUsage
		if !errors.As(err, &usage) {
			t.Errorf("--regions %q: %v, want a usage error before anything is asked", bad, err)
		}
	}
	url := dbtest.URL(t)
	out, err := call(t, "migrate", "status", "--database", url)
	if err != nil || strings.Contains(out, "waiting") {
		t.Fatalf("status: %v\n%s", err, out)
	}
	if !strings.Contains(out, "postgres/") {
		t.Skip("not PostgreSQL")
	}
	if _, err := call(t, "migrate", "up", "--regions", "eu,us,sa", "--database", url); !errors.Is(err, db.ErrNoRegions) {
		t.Errorf("regions on PostgreSQL: %v", err)
	}
	if out, err := call(t, "migrate", "up", "--database", url); err != nil || out != "up to date\n" {
		t.Errorf("up: %v, %q", err, out)
	}
}
