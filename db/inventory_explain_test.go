package db_test

import (
	"context"
	"encoding/json"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"strings"
	"testing"

	"github.com/jackc/pgx/v5"

	"plateia/core/id"
	"plateia/core/seatmap"
	"plateia/db"
)

// node is what we read of EXPLAIN's JSON.
type node struct {
	Type      string  `json:"Node Type"`
	Relation  string  `json:"Relation Name"`
	Index     string  `json:"Index Name"`
	IndexCond string  `json:"Index Cond"`
	TidCond   string  `json:"TID Cond"`
	Rows      float64 `json:"Actual Rows"` // of a loop, when the statement ran
	Loops     float64 `json:"Actual Loops"`
	Removed   float64 `json:"Rows Removed by Filter"`
	Plans     []node  `json:"Plans"`
}

// rowsOf is how many rows of a table were read.
func (n node) rowsOf(table string) int {
	rows := 0
	if n.Relation == table {
		rows = int((n.Rows + n.Removed) * n.Loops)
	}
	for _, child := range n.Plans {
		rows += child.rowsOf(table)
	}
	return rows
}

// TestNoStatementGrowsWithTheEvent reads the plan of every engine statement, as the engine's
// connections make it, with the statistics of an empty database under a full event: each
// table must be entered by a whole key, never walked.
func TestNoStatementGrowsWithTheEvent(t *testing.T) {
	b := openBooth(t, 4, 10)
	if b.d.Dialect != db.Postgres {
		t.Skip("the plans of PostgreSQL")
	}
	for _, table := range []string{"seat", "buyer", "hold", "orders", "attempt", "ticket", "refund", "request_key"} {
		b.exec("alter table " + table + " set (autovacuum_enabled = false)")
	}
	for name, prepare := range map[string]func(){
		"one row": func() { b.exec("delete from seat where ordinal > 0"); b.exec("vacuum analyze") },
		"never counted": func() {
			b.exec("delete from pg_statistic")
			b.exec("update pg_class set reltuples = -1, relpages = 0 where relname in ('seat', 'buyer', 'hold')")
		},
		"many small events, one big": func() {
			b.exec("insert into seat (event_id, ordinal, category) select gen_random_uuid(), 1, 0 from generate_series(1, 20000)")
			b.exec("vacuum analyze")
		},
	} {
		prepare()
		b.exec(`insert into seat (event_id, ordinal, category) select $1, n, 0 from generate_series(1, 20000) n
			on conflict (event_id, ordinal) do nothing`, [16]byte(b.event.ID))
		t.Run(name, func(t *testing.T) { explainAll(t, b) })
	}
}

// walks are statements that go through an event on purpose, when it gets warm and not for anybody's hold.
var walks = map[string]string{
	"sqlFreeSeatsPostgres":  "reads the free seats of a rush into memory",
	"sqlTouchSeatsPostgres": "touches the pages of an event before its sale",
}

// Whoever adds a statement to the engine has its plan read.
func TestEveryStatementIsExplained(t *testing.T) {
	tree, err := parser.ParseFile(token.NewFileSet(), "inventory_sql.go", nil, 0)
	if err != nil {
		t.Fatal(err)
	}
	explained, found := db.ExplainedStatements(), 0
	ast.Inspect(tree, func(n ast.Node) bool {
		spec, is := n.(*ast.ValueSpec)
		if !is || !strings.HasPrefix(spec.Names[0].Name, "sql") {
			return true
		}
		found++
		name := spec.Names[0].Name
		if explained[name] == "" && walks[name] == "" && !strings.HasSuffix(name, "Cockroach") {
			t.Errorf("nobody reads the plan of %s", name)
		}
		return true
	})
	if found < len(explained) {
		t.Errorf("%d statements were found", found)
	}
}

func explainAll(t *testing.T, b *booth) {
	conn, err := pgx.Connect(t.Context(), b.d.URL())
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close(context.Background())
	for _, pin := range db.EnginePins() {
		if _, err := conn.Exec(t.Context(), pin); err != nil {
			t.Fatal(err)
		}
	}
	for name, sql := range db.ExplainedStatements() {
		handle := strings.ToLower(name) // as the catalogue has it
		if _, err := conn.Exec(t.Context(), "prepare "+handle+" as "+sql); err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		var params int
		if err := conn.QueryRow(t.Context(), "select cardinality(parameter_types) from pg_prepared_statements where name = $1", handle).Scan(&params); err != nil {
			t.Fatal(err)
		}
		nulls := strings.TrimSuffix(strings.Repeat("null,", params), ",")
		var text string
		if err := conn.QueryRow(t.Context(), fmt.Sprintf("explain (format json) execute %s(%s)", handle, nulls)).Scan(&text); err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		var plans []struct{ Plan node }
		if err := json.Unmarshal([]byte(text), &plans); err != nil {
			t.Fatal(err)
		}
		checkPlan(t, name, plans[0].Plan)
	}
}

// wholeKeys is what an index condition must pin: fewer columns would be a walk.
var wholeKeys = map[string][]string{
	"seat_pkey": {"event_id", "ordinal"}, "buyer_pkey": {"account_id", "event_id"}, "hold_pkey": {"hold_id"},
	"event_pkey": {"event_id"}, "event_listed": {"event_id"}, "orders_pkey": {"order_id"}, "orders_hold_id_key": {"hold_id"}, "orders_failed": {"hold_id"},
	"orders_account_id_idem_key_key": {"account_id"}, "orders_by_account": {"account_id"},
	"attempt_pkey": {"attempt_id"}, "attempt_by_order": {"order_id"}, "attempt_open": {"order_id"},
	"attempt_account_id_idem_key_key": {"account_id"}, "ticket_by_order": {"order_id"}, "ticket_pkey": {"ticket_id"},
	"refund_pkey": {"refund_id"}, "refund_by_order": {"order_id"},
	"request_key_pkey": {"account_id"}, "hold_again": {"account_id", "event_id"},
}

func checkPlan(t *testing.T, name string, n node) {
	t.Helper()
	switch n.Type {
	case "Seq Scan":
		t.Errorf("%s walks %s", name, n.Relation)
	case "Index Scan", "Index Only Scan", "Bitmap Index Scan":
		key, known := wholeKeys[n.Index]
		if !known {
			t.Errorf("%s uses index %s, which says nothing about keys", name, n.Index)
		}
		for _, column := range key {
			if !strings.Contains(n.IndexCond, column) {
				t.Errorf("%s enters %s by %q only", name, n.Index, n.IndexCond)
			}
		}
	case "Tid Scan":
		if n.TidCond == "" {
			t.Errorf("%s: a tid scan without a place", name)
		}
	}
	for _, child := range n.Plans {
		checkPlan(t, name, child)
	}
}

// TestHotPathTouchesOnlyWhatItNeeds counts the pages that a batch reads in a full event whose statistics are stale.
func TestHotPathTouchesOnlyWhatItNeeds(t *testing.T) {
	b := openBooth(t, 4, 10)
	if b.d.Dialect != db.Postgres {
		t.Skip("the counters of PostgreSQL")
	}
	b.exec("alter table seat set (autovacuum_enabled = false)")
	b.must(place(id.New(), 1)) // plans are made while the event is small
	b.exec("insert into seat (event_id, ordinal, category) select $1, n, 0 from generate_series(40, 60000) n", [16]byte(b.event.ID))
	read := func() int {
		b.exec("select pg_stat_force_next_flush()")
		return b.count("select coalesce(sum(idx_tup_fetch + seq_tup_read), 0)::int8 from pg_stat_user_tables where relname = 'seat'")
	}
	before := read()
	for i := range 20 {
		b.must(place(id.New(), seatmap.Ordinal(2+i)))
	}
	if got := read() - before; got > 20*10 {
		t.Errorf("20 holds of one seat read %d seat rows", got)
	}
}
