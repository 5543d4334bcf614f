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

func TestHomeRegion(t *testing.T) {
	three := db.Regions{"eu", "us", "sa"}
	for _, c := range []struct {
		asked, want string
		regions     db.Regions
	}{
		{"", "local", nil}, {"eu-west", "eu-west", nil}, {"", "eu", three}, {"sa", "sa", three}, {"mars", "", three},
	} {
		got, err := homeRegion(c.asked, c.regions)
		if got != c.want || (err != nil) != (c.want == "") {
			t.Errorf("%q of %q: %q, %v", c.asked, c.regions, got, err)
		}
	}
	for _, bad := range []string{"EU", "eu,us", "'; drop"} {
		_, err := call(t, "chart", "import", "none.json", "--home-region", bad)
		if usage := (errUsage{}); !errors.As(err, &usage) {
			t.Errorf("--home-region %q: %v", bad, err)
		}
	}
}
