package db_test

import (
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"plateia/db"
)

// The store suite runs on PLATEIA_TEST_DSN or, with COCKROACH_BINARY, on CockroachDB. Where neither is given,
// PostgreSQL at least runs the statements that CockroachDB gets.

// speakVariable makes every store of the suite speak a dialect that is not its database's.
const speakVariable = "PLATEIA_TEST_STATEMENTS"

func TestStoreSuiteWithCockroachsStatements(t *testing.T) {
	t.Setenv(speakVariable, string(db.Cockroach))
	for name, test := range map[string]func(*testing.T){
		"hold and sell":   TestHoldSellAndWhatTheRowsSay,
		"replace, repeat": TestReplacementReleaseAndRepetition,
		"dead holds":      TestDeadHoldsAreTakenWhole,
		"sweeper":         TestSweeperFreesSeats,
		"late money":      TestDeclineLateMoneyAndReview,
		"failed orders":   TestReleasedHoldTakesItsFailedOrderAlong,
		"best available":  TestBestAvailable,
		"refusals":        TestRefusalsChangeNothing,
		"settlement":      TestSettleTellsTheTruth,
		"many for few":    TestTwoHundredBuyersForTheLastFourSeats,
		"opposite orders": TestOppositeOrdersNeverDeadlock,
	} {
		t.Run(name, test)
	}
}

// absent is what CockroachDB does not have, or has not had from v24.1 on, or has in name only.
var absent = regexp.MustCompile(`(?i)\bctid\b|\bxmin\b|\bfrom stdin\b|\bpg_(try_)?advisory|^\s*(un)?listen\b|^\s*notify\b|pg_notify` +
	`|\bskip locked\b|\bon conflict on constraint\b|^\s*merge\b|\bdeferrable\b|\binitially deferred\b|\bexclude using\b|\bcreate domain\b` +
	`|\b(int4|int8|num|ts|tstz|date)range\b|\brollup\b|\bgrouping sets\b|\boverriding system\b|\bcreate extension\b` +
	`|\bsha256\(|\bdigest\(|\bto_char\(|\bat time zone\b|\bcardinality\(|\bjsonb_path|@@|\bcockroach_restart\b|\bunlogged\b` +
	`|\bserial\b|\bgenerated (always|by default) as identity\b|\bdo \$\$|\bcreate trigger\b|\breltuples\b|\btablesample\b`)

// forPostgresAlone are the places whose SQL CockroachDB never sees: names that say so, COPY (engineSQL.copies guards it)
// and the private server.
func forPostgresAlone(path, constant string) bool {
	return strings.Contains(constant, "Postgres") || strings.HasPrefix(constant, "sqlCopy") ||
		strings.HasPrefix(path, "privatepg/") || strings.HasPrefix(path, "migrations/postgres/")
}

func TestSharedSQLHasNothingThatCockroachLacks(t *testing.T) {
	looked := 0
	err := fs.WalkDir(os.DirFS("."), ".", func(path string, entry fs.DirEntry, err error) error {
		if err != nil || entry.IsDir() {
			return err
		}
		for constant, sql := range sqlOf(t, path) {
			looked++
			if found := absent.FindString(sql); found != "" && !forPostgresAlone(path, constant) {
				t.Errorf("%s: %s says %q, which CockroachDB lacks", path, constant, found)
			}
		}
		return nil
	})
	if err != nil || looked < 100 {
		t.Errorf("looked at %d texts only: %v", looked, err)
	}
}

func TestAbsentFindsWhatItShould(t *testing.T) {
	for _, sql := range []string{
		"select ctid from seat", "copy hold from stdin", "select pg_advisory_xact_lock(1)", "select 1 for update skip locked",
		"insert into a values (1) on conflict on constraint a_key do nothing", "alter table a add x serial", "listen seats",
	} {
		if !absent.MatchString(sql) {
			t.Errorf("%q is not found", sql)
		}
	}
}

// sqlOf is the texts of a file that may be SQL, by the name of what holds them.
func sqlOf(t *testing.T, path string) map[string]string {
	t.Helper()
	switch {
	case filepath.Ext(path) == ".sql":
		text, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		return map[string]string{"file": string(text)}
	case filepath.Ext(path) != ".go" || strings.HasSuffix(path, "_test.go"):
		return nil
	}
	file, err := parser.ParseFile(token.NewFileSet(), path, nil, parser.SkipObjectResolution)
	if err != nil {
		t.Fatal(err)
	}
	out := map[string]string{}
	for _, decl := range file.Decls {
		name := "?"
		ast.Inspect(decl, func(n ast.Node) bool {
			switch n := n.(type) {
			case *ast.FuncDecl:
				name = n.Name.Name
			case *ast.ValueSpec:
				name = n.Names[0].Name
			case *ast.BasicLit:
				if text, err := strconv.Unquote(n.Value); err == nil && n.Kind == token.STRING {
					out[name] += text + "\n"
				}
			}
			return true
		})
	}
	return out
}
