package db

import (
	"slices"
	"strings"
	"testing"
)

func TestStatements(t *testing.T) {
	for sql, want := range map[string][]string{
		"":                                nil,
		" ;;\n; ":                         nil,
		"-- only; comments\n/* ; */":      nil,
		"a; b":                            {"a", "b"},
		"select ';'; b;":                  {"select ';'", "b"},
		"select 'it''s;'; b":              {"select 'it''s;'", "b"},
		`"odd;name"; b`:                   {`"odd;name"`, "b"},
		"a -- why; really\n; b":           {"a -- why; really", "b"},
		"do $$ begin; end; $$; b":         {"do $$ begin; end; $$", "b"},
		"do $x$ $$;$$ $x$; b":             {"do $x$ $$;$$ $x$", "b"},
		"select $1; select $2":            {"select $1", "select $2"},
		"select 'never closed; b":         {"select 'never closed; b"},
		"-- about a\na;\n\n-- about b\nb": {"-- about a\na", "-- about b\nb"},
	} {
		if got := statements(sql); !slices.Equal(got, want) {
			t.Errorf("statements(%q) = %q, want %q", sql, got, want)
		}
	}
}

func FuzzStatements(f *testing.F) {
	f.Add("a; b")
	f.Add("do $$;$$; 'x;' -- ;\n; /*;*/")
	f.Fuzz(func(t *testing.T, sql string) {
		for _, statement := range statements(sql) {
			if !strings.Contains(sql, statement) || strings.TrimSpace(statement) == "" {
				t.Errorf("statements(%q) made up %q", sql, statement)
			}
		}
	})
}
