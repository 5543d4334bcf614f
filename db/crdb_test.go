package db

import (
	"strings"
	"testing"
	"time"

	"plateia/core/event"
)

func TestOldCockroachIsNamed(t *testing.T) {
	for version, want := range map[string]string{
		"CockroachDB CCL v24.1.0 (x86_64-pc-linux-gnu, built 2024/05/15)": "",
		"CockroachDB CCL v25.4.11 (aarch64)":                              "",
		"CockroachDB CCL v24.3.0-beta.2 (x86_64)":                         "",
		"CockroachDB CCL v100.0.0":                                        "",
		"CockroachDB CCL v23.2.9 (x86_64)":                                "v23.2 is older than v24.1",
		"CockroachDB OSS v20.2.19 (x86_64)":                               "v20.2 is older than v24.1",
		"CockroachDB CCL v9.10.1":                                         "v9.10 is older",
		"something else":                                                  "no version of CockroachDB that is known",
		"":                                                                "no version",
	} {
		err := tooOld(version)
		if want == "" && err != nil || want != "" && (err == nil || !strings.Contains(err.Error(), want)) {
			t.Errorf("%q: %v, want %q", version, err, want)
		}
	}
}

// The clause follows FROM and precedes WHERE, once, outside every subquery; without regions there is none.
func TestStaleReads(t *testing.T) {
	near := &DB{Dialect: Cockroach, regions: Regions{"eu", "us"}}
	if err := near.expect(Regions{"eu", "us"}); err != nil {
		t.Fatal(err)
	}
	const clause = "as of system time follower_read_timestamp()"
	for name, build := range map[string]func(asOf string) string{
		"event":  eventSQL,
		"walked": func(asOf string) string { return pageSQL(event.Query{}, step{most: 5}, asOf) },
		"around": func(asOf string) string {
			return pageSQL(event.Query{Near: event.Area{Km: 5}, Sort: event.ByDistance}, step{most: 5}, asOf)
		},
		"collected": func(asOf string) string { return pageSQL(event.Query{Text: "a b"}, step{collect: true, most: 5}, asOf) },
		"directory": func(asOf string) string { return entriesSQL("city_key", 5, asOf) },
	} {
		sql := build(near.stale())
		at := strings.Index(sql, clause)
		where := max(strings.LastIndex(sql, "where "), strings.LastIndex(sql, "order by "))
		if at < 0 || strings.Count(sql, clause) != 1 || strings.TrimSpace(sql[at+len(clause):where]) != "" {
			t.Errorf("%s: %s", name, sql)
		}
		if open := strings.Count(sql[:at], "(") - strings.Count(sql[:at], ")"); open != 0 {
			t.Errorf("%s: the clause is inside %d brackets: %s", name, open, sql)
		}
		for _, plain := range []*DB{{Dialect: Postgres}, {Dialect: Cockroach}, {Dialect: Cockroach, regions: Regions{"eu", "us"}}} {
			if sql := build(plain.stale()); strings.Contains(sql, "system time") {
				t.Errorf("%s on %s: %s", name, plain.Dialect, sql)
			}
		}
	}
}

func pageSQL(q event.Query, how step, asOf string) string {
	sql, _ := newListing(q.Canonical(), time.Now()).statement(how, asOf)
	return sql
}

// Whoever asks for regions gets exactly those, or no database.
func TestExpectedRegions(t *testing.T) {
	for want, c := range map[string]struct {
		have, asked Regions
		dialect     Dialect
	}{
		"":                     {Regions{"eu", "us"}, nil, Cockroach},
		"PostgreSQL":           {nil, Regions{"eu"}, Postgres},
		"migrate up --regions": {nil, Regions{"eu"}, Cockroach},
		`"eu" "us"], not ["us`: {Regions{"eu", "us"}, Regions{"us", "eu"}, Cockroach},
		`region "us", which`:   {Regions{"eu", "us"}, Regions{"eu"}, Cockroach},
		`not ["eu" "us" "sa"]`: {Regions{"eu", "us"}, Regions{"eu", "us", "sa"}, Cockroach},
	} {
		d := &DB{Dialect: c.dialect, regions: c.have}
		err := d.expect(c.asked)
		if want == "" && err != nil || want != "" && (err == nil || !strings.Contains(err.Error(), want)) {
			t.Errorf("%q for %q: %v, want %q", c.have, c.asked, err, want)
		}
		if d.follow {
			t.Errorf("%q for %q: reads what is stale", c.have, c.asked)
		}
	}
}
