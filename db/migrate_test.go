package db

import (
	"strings"
	"testing"
	"testing/fstest"
	"time"
)

func files(names ...string) fstest.MapFS {
	m := fstest.MapFS{}
	for _, name := range names {
		m["migrations/"+name] = &fstest.MapFile{Data: []byte("select 1;")}
	}
	return m
}

func TestMigrationsRunInOrder(t *testing.T) {
	all, err := migrations(files("shared/0002_b.sql", "shared/0001_a.sql", "postgres/0001_c.sql", "cockroach/0002_d.sql"), Postgres)
	if err != nil {
		t.Fatal(err)
	}
	var order []string
	for _, m := range all {
		order = append(order, m.String())
	}
	if got := strings.Join(order, " "); got != "shared/0001_a postgres/0001_c shared/0002_b" {
		t.Error(got)
	}
}

func TestMigrationsRefuseGapsAndRepeats(t *testing.T) {
	for _, c := range [][]string{
		{"shared/0002_a.sql"},
		{"shared/0001_a.sql", "shared/0003_b.sql"},
		{"shared/0001_a.sql", "shared/0001_b.sql"},
		{"shared/0001_a.sql", "postgres/0002_b.sql"},
		{"shared/0001_a.sql", "postgres/0001_b.sql", "postgres/0001_c.sql"},
		{"shared/first.sql"}, {"shared/1_a.sql"}, {"shared/0001.sql"},
	} {
		if all, err := migrations(files(c...), Postgres); err == nil {
			t.Errorf("%v: %v", c, all)
		}
	}
}

func TestTheEmbeddedMigrationsAreWellFormed(t *testing.T) {
	for _, dialect := range []Dialect{Postgres, Cockroach} {
		all, err := migrations(migrationFiles, dialect)
		if err != nil || len(all) == 0 {
			t.Fatalf("%s: %d migrations, %v", dialect, len(all), err)
		}
		for _, m := range all {
			for _, statement := range statements(m.sql) {
				if m.Set == "shared" && !strings.Contains(statement, "if not exists") && strings.Contains(statement, "create ") {
					t.Errorf("%s: a killed run could not be repeated: %s", m, statement)
				}
			}
		}
	}
}

func TestCompareSeesAForeignHistory(t *testing.T) {
	known, _ := migrations(files("shared/0001_a.sql", "shared/0002_b.sql"), Postgres)
	at := func(m Migration) Migration { m.AppliedAt = time.Unix(1, 0); return m }
	edited := at(known[0])
	edited.Checksum = "other"
	for want, ledger := range map[string]map[string]Migration{
		"changed after":     {"shared/0001_a": edited},
		"comes before":      {"shared/0002_b": at(known[1])},
		"older than the da": {"shared/0001_a": at(known[0]), "shared/0009_z": at(known[0])},
	} {
		all, _ := migrations(files("shared/0001_a.sql", "shared/0002_b.sql"), Postgres)
		if _, err := compare(all, ledger); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("compare = %v, want %q", err, want)
		}
	}
}
