package db

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/jackc/pgx/v5"

	"plateia/core/fault"
	"plateia/core/id"
	"plateia/core/seatmap"
)

// VerifyOptions say what else runs, and how much time the product's own repairs get.
// The zero value suits a database that a product runs on.
type VerifyOptions struct {
	// Stopped: no product runs on the database, so nothing sweeps, reconciles
	// or publishes; what would only be late is not reported.
	Stopped bool
	Sweep   time.Duration // a dead hold's seats are free again within; 0: 5 s after the grace of one second
	Publish time.Duration // a committed change is on the stream within; 0: 30 s
	Settle  time.Duration // the reconciliation window: captured money has its tickets, or is on its way back, within; 0: 10 min
	AtMost  int           // violations listed per rule; 0: 100
}

// Violation is one thing that may never happen and has.
type Violation struct {
	Rule  string            `json:"rule"`  // stable name, see Rules
	What  string            `json:"what"`  // the rule in words
	Where map[string]string `json:"where"` // ids and values of the rows
	text  string
}

// String is one line: rule, words, and the rows in a fixed order.
func (v Violation) String() string { return v.Rule + ": " + v.What + ": " + v.text }

// Report is what Verify found in one snapshot of the database.
type Report struct {
	Event      id.ID            `json:"eventId"`
	At         time.Time        `json:"at"`     // of the snapshot, the database's clock
	Rules      int              `json:"rules"`  // how many were checked
	Counts     map[string]int64 `json:"counts"` // seats by status, live holds, confirmed orders, valid tickets
	Violations []Violation      `json:"violations"`
	More       map[string]int64 `json:"more,omitempty"` // by rule: violations beyond AtMost
}

// Verify checks an event against what may never happen, in one snapshot: rows
// that are being changed are seen before or after the change, never between, so
// it raises no false alarm while seats are sold. fault.NotFound without the event.
func (d *DB) Verify(ctx context.Context, event id.ID, opts VerifyOptions) (Report, error) {
	opts.fill()
	var report Report
	err := snapshot(ctx, d, func(t pgx.Tx) error {
		v := verifier{tx: t, dialect: d.Dialect, opts: opts, report: Report{
			Event: event, Counts: map[string]int64{}, More: map[string]int64{}, Violations: []Violation{},
		}}
		err := v.run(ctx)
		report = v.report
		return err
	})
	return report, err
}

func (o *VerifyOptions) fill() {
	o.Sweep = cmp.Or(o.Sweep, 5*time.Second)
	o.Publish = cmp.Or(o.Publish, 30*time.Second)
	o.Settle = cmp.Or(o.Settle, 10*time.Minute)
	o.AtMost = cmp.Or(o.AtMost, 100)
}

// rule is one thing that may never happen. sql returns one row per violation;
// $1 is the event, $2 (when window is set) a time before which it must be over.
type rule struct {
	name   string
	what   string
	window func(VerifyOptions) time.Duration // nil: never allowed, however briefly
	sql    string
}

// Rules lists the names and words of everything Verify checks.
func Rules() map[string]string {
	out := map[string]string{chartRule.name: chartRule.what, companionRule.name: companionRule.what, areaRule.name: areaRule.what}
	for _, r := range allRules() {
		out[r.name] = r.what
	}
	return out
}

func allRules() (all []rule) {
	for _, group := range [][]rule{seatRules, holdRules, buyerRules, orderRules, moneyRules, bookRules, ticketRules, lateRules} {
		all = append(all, group...)
	}
	return all
}

// verifier is one run.
type verifier struct {
	tx      pgx.Tx
	dialect Dialect
	opts    VerifyOptions
	chart   *seatmap.Chart // nil when it cannot be read: places are told by ordinal
	report  Report
}

func (v *verifier) run(ctx context.Context) error {
	if err := v.prepare(ctx); err != nil {
		return err
	}
	if err := v.readEvent(ctx); err != nil {
		return err
	}
	for _, r := range allRules() {
		if r.window != nil && v.opts.Stopped {
			continue
		}
		if err := v.check(ctx, r); err != nil {
			return fmt.Errorf("verify %s: %w", r.name, err)
		}
	}
	if err := v.checkChart(ctx); err != nil || v.chart == nil {
		return err
	}
	return errors.Join(v.checkCompanions(ctx), v.checkAreas(ctx))
}

// prepare gives the statements time, and keeps PostgreSQL's planner from nested loops: every rule reads
// the whole event, and statistics from before the sale say that there is nothing to read (tried: five minutes
// instead of seconds on a stadium that had just sold out).
func (v *verifier) prepare(ctx context.Context) error {
	settings := []string{"statement_timeout = '5min'", "idle_in_transaction_session_timeout = '1min'"}
	if v.dialect == Postgres {
		settings = append(settings, "enable_nestloop = off", "work_mem = '64MB'")
	}
	for _, setting := range settings {
		if _, err := v.tx.Exec(ctx, "set local "+setting); err != nil {
			return err
		}
	}
	return nil
}

func (v *verifier) readEvent(ctx context.Context) error {
	var key chartKey
	err := v.tx.QueryRow(ctx, "select now(), chart_id, chart_version from event where event_id = $1", uid(v.report.Event)).
		Scan(&v.report.At, into(&key.id), &key.version)
	if err != nil {
		return notFound(err, "event")
	}
	document, err := chartDocument(ctx, v.tx, key)
	if err != nil && fault.CodeOf(err) != fault.NotFound {
		return err
	}
	if err == nil {
		v.chart, _ = seatmap.ParseJSON(document) // unreadable: checkChart says so
	}
	return v.count(ctx)
}

func (v *verifier) count(ctx context.Context) error {
	rows, err := v.tx.Query(ctx, countsSQL, uid(v.report.Event))
	if err != nil {
		return err
	}
	var name string
	var n int64
	_, err = pgx.ForEachRow(rows, []any{&name, &n}, func() error { v.report.Counts[name] = n; return nil })
	return err
}

func (v *verifier) check(ctx context.Context, r rule) error {
	args := []any{uid(v.report.Event)}
	if r.window != nil {
		args = append(args, v.report.At.Add(-r.window(v.opts)))
	}
	rows, err := v.tx.Query(ctx, r.sql, args...)
	if err != nil {
		return err
	}
	defer rows.Close()
	for rows.Next() {
		values, err := rows.Values()
		if err != nil {
			return err
		}
		names := make([]string, len(values))
		for i, field := range rows.FieldDescriptions() {
			names[i] = field.Name
		}
		v.found(r, names, values)
	}
	v.report.Rules++
	return rows.Err()
}

// found records a violation: its row's columns by name, and the seat's label beside an ordinal.
func (v *verifier) found(r rule, names []string, values []any) {
	if v.listed(r.name) >= v.opts.AtMost {
		v.report.More[r.name]++
		return
	}
	violation := Violation{Rule: r.name, What: r.what, Where: map[string]string{}}
	var text []string
	note := func(name, value string) {
		violation.Where[name] = value
		text = append(text, name+"="+value)
	}
	for i, name := range names {
		note(name, show(values[i]))
		if o, ok := values[i].(int64); ok && name == "ordinal" && v.chart != nil && o >= 0 && o < int64(v.chart.Seats()) {
			note("seat", v.chart.Label(seatmap.Ordinal(o)))
		}
	}
	violation.text = strings.Join(text, " ")
	v.report.Violations = append(v.report.Violations, violation)
}

// listed counts a rule's violations; rules run one after the other, so its own are at the end.
func (v *verifier) listed(rule string) (n int) {
	for i := len(v.report.Violations) - 1; i >= 0 && v.report.Violations[i].Rule == rule; i-- {
		n++
	}
	return n
}

func show(value any) string {
	switch value := value.(type) {
	case nil:
		return "none"
	case [16]byte:
		return id.ID(value).String()
	case time.Time:
		return value.UTC().Format(time.RFC3339Nano)
	}
	return fmt.Sprint(value)
}

var chartRule = rule{name: "seat-outside-chart", what: "the seat rows are not the chart's seats"}

// checkChart compares the seat rows with the chart: the same ordinals, the same
// categories, as many as the event says.
func (v *verifier) checkChart(ctx context.Context) error {
	v.report.Rules++
	if v.chart == nil {
		v.found(chartRule, []string{"chart"}, []any{"unreadable"})
		return nil
	}
	missing := make([]bool, v.chart.Seats())
	for i := range missing {
		missing[i] = true
	}
	rows, err := v.tx.Query(ctx, "select ordinal, category from seat where event_id = $1", uid(v.report.Event))
	if err != nil {
		return err
	}
	var ordinal, category int64
	_, err = pgx.ForEachRow(rows, []any{&ordinal, &category}, func() error {
		if ordinal < 0 || ordinal >= int64(len(missing)) {
			v.found(chartRule, []string{"ordinal", "chart_seats"}, []any{ordinal, len(missing)})
			return nil
		}
		missing[ordinal] = false
		if want := v.chart.Category(seatmap.Ordinal(ordinal)); int64(want) != category {
			v.found(chartRule, []string{"ordinal", "category", "chart_category"}, []any{ordinal, category, want})
		}
		return nil
	})
	for o, gone := range missing {
		if gone && err == nil {
			v.found(chartRule, []string{"ordinal", "row"}, []any{int64(o), nil})
		}
	}
	return err
}
