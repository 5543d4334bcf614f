package db

import (
	"fmt"
	"regexp"
	"slices"
	"strings"
	"testing"
)

func TestParseRegions(t *testing.T) {
	got, err := ParseRegions("eu-west-1, us-east1,sa")
	if err != nil || !slices.Equal(got, Regions{"eu-west-1", "us-east1", "sa"}) {
		t.Errorf("ParseRegions = %q, %v", got, err)
	}
	for _, bad := range []string{
		"", ",", "eu,", "EU", "eu west", "eu_west", "-eu", "eu-", "eu--west", "1eu", "eu,us,eu", "éu", "eu\x00",
		`eu"; drop database plateia; --`, "eu';select 1", "{region}", strings.Repeat("a", 64),
		"a,b,c,d,e,f,g,h,i,j,k,l,m,n,o,p,q,r,s,t,u",
	} {
		if got, err := ParseRegions(bad); err == nil {
			t.Errorf("ParseRegions(%q) = %q", bad, got)
		}
	}
	if _, err := ParseRegions("Eu,us,us"); err == nil || strings.Count(err.Error(), "\n") != 1 {
		t.Errorf("both faults are named: %v", err)
	}
}

// regional are the optional migrations with their statements filled in.
func regional(t *testing.T, database string, regions Regions) map[string][]string {
	t.Helper()
	all, err := migrations(migrationFiles, Cockroach)
	if err != nil {
		t.Fatal(err)
	}
	out := map[string][]string{}
	for _, m := range all {
		if m.Optional() {
			out[m.Name] = regions.statements(database, m.sql)
		}
	}
	return out
}

func TestRegionStatements(t *testing.T) {
	for _, c := range []struct {
		database string
		regions  Regions
		want     []string
	}{
		{"plateia", Regions{"eu-west-1", "us-east-1", "sa-east-1"}, []string{
			`alter database "plateia" set primary region "eu-west-1"`,
			`alter database "plateia" add region if not exists "us-east-1"`,
			`alter database "plateia" add region if not exists "sa-east-1"`,
			`alter database "plateia" survive region failure`,
		}},
		{`a "b"; c`, Regions{"eu", "us"}, []string{
			`alter database "a ""b""; c" set primary region "eu"`,
			`alter database "a ""b""; c" add region if not exists "us"`,
			`alter database "a ""b""; c" survive zone failure`,
		}},
		{"plateia", Regions{"eu"}, []string{
			`alter database "plateia" set primary region "eu"`,
			`alter database "plateia" survive zone failure`,
		}},
	} {
		got := regional(t, c.database, c.regions)["regions"]
		for i := range got { // the comment that opens the file belongs to its first statement
			got[i] = got[i][strings.LastIndex(got[i], "\n")+1:]
		}
		if !slices.Equal(got, c.want) {
			t.Errorf("%q:\n%s\nwant\n%s", c.regions, strings.Join(got, "\n"), strings.Join(c.want, "\n"))
		}
	}
}

// One schema change a statement, each harmless to repeat: a killed run is picked up where it was.
func TestRegionStatementsCanBeRepeated(t *testing.T) {
	repeatable := regexp.MustCompile(`^alter (database "x" (set primary region|add region if not exists|survive) |table [a-z_]+ set locality (global|regional by row)$)`)
	for name, file := range regional(t, "x", Regions{"eu", "us", "sa"}) {
		for _, statement := range file {
			code := statement[max(0, strings.LastIndex(statement, "\n")+1):]
			if !repeatable.MatchString(code) || strings.ContainsAny(code, "{};") {
				t.Errorf("%s: %s", name, code)
			}
		}
	}
}

// A new table must be given a place: with its event, everywhere, or knowingly in the primary region.
func TestEveryTableHasAPlace(t *testing.T) {
	primary := []string{"account", "sign_in_code", "request_key", "lease", "provider_health"}
	all, err := migrations(migrationFiles, Cockroach)
	if err != nil {
		t.Fatal(err)
	}
	table := regexp.MustCompile(`create table if not exists (\w+)`)
	locality := regexp.MustCompile(`alter table (\w+) set locality (.*)`)
	placed := map[string]string{}
	for _, file := range regional(t, "x", Regions{"eu"}) {
		for _, found := range locality.FindAllStringSubmatch(strings.Join(file, "\n"), -1) {
			placed[found[1]] = found[2]
		}
	}
	for _, m := range all {
		for _, statement := range statements(m.sql) {
			found := table.FindStringSubmatch(statement)
			if found == nil {
				continue
			}
			name, ofEvent := found[1], regexp.MustCompile(`(?m)^\s+event_id\s+uuid`).MatchString(statement)
			if placed[name] == "" && !slices.Contains(primary, name) {
				t.Errorf("table %s has no place in a multi-region database: see migrations/%s/", name, multiregion)
			}
			if ofEvent != slices.Contains(homed, name) {
				t.Errorf("table %s has an event: %v; it is moved to the event's home region: %v", name, ofEvent, !ofEvent)
			}
			if ofEvent && placed[name] != "regional by row" {
				t.Errorf("table %s is keyed by event and its place is %q", name, placed[name])
			}
			delete(placed, name)
		}
	}
	for name := range placed {
		t.Errorf("there is no table %s", name)
	}
}

func TestRegionsThatAreThereAreNotDropped(t *testing.T) {
	list := Regions{"eu", "us", "sa"}
	for _, c := range []struct {
		have  []string
		grown bool
		fails bool
	}{
		{nil, true, false},
		{[]string{"eu", "us"}, true, false},
		{[]string{"eu", "sa", "us"}, false, false},
		{[]string{"us", "eu", "sa"}, true, false}, // another primary one
		{[]string{"eu", "us", "sa", "ap"}, false, true},
	} {
		grown, err := list.missing(c.have)
		if grown != c.grown || (err != nil) != c.fails {
			t.Errorf("have %q: %v, %v", c.have, grown, err)
		}
	}
}

func TestOptionalMigrations(t *testing.T) {
	given := files("shared/0001_a.sql", "cockroach_multiregion/0001_r.sql", "cockroach_multiregion/0002_s.sql")
	if all, err := migrations(given, Postgres); err != nil || len(all) != 1 {
		t.Errorf("PostgreSQL has %v, %v", all, err)
	}
	all, err := migrations(given, Cockroach)
	if err != nil || fmt.Sprint(all) != "[shared/0001_a cockroach_multiregion/0001_r cockroach_multiregion/0002_s]" {
		t.Fatalf("CockroachDB has %v, %v", all, err)
	}
	for _, bad := range []string{"cockroach_multiregion/0002_r.sql", "cockroach_multiregion/r.sql"} {
		if all, err := migrations(files("shared/0001_a.sql", bad), Cockroach); err == nil {
			t.Errorf("%s: %v", bad, all)
		}
	}
	// A later program brings a shared migration to a database that has its regions already.
	later := files("shared/0001_a.sql", "shared/0002_b.sql", "cockroach_multiregion/0001_r.sql", "cockroach_multiregion/0002_s.sql")
	newer, _ := migrations(later, Cockroach)
	ledger := map[string]Migration{all[0].String(): all[0], all[1].String(): all[1], all[2].String(): all[2]}
	if _, err := compare(newer, ledger); err != nil {
		t.Error(err)
	}
	ledger = map[string]Migration{all[0].String(): all[0], all[2].String(): all[2]}
	if _, err := compare(newer, ledger); err == nil || !strings.Contains(err.Error(), "comes before it") {
		t.Errorf("a gap among the optional ones: %v", err)
	}
}
