package chaos_test

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"
	"sync"
	"text/tabwriter"
	"time"

	"github.com/jackc/pgx/v5"

	"plateia/core/id"
	"plateia/core/ledger"
	"plateia/db"
	"plateia/edge/payments/sandbox"
)

// report counts what happened.
type report struct {
	mu     sync.Mutex
	counts map[string]int
}

func (r *report) count(what string) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.counts == nil {
		r.counts = map[string]int{}
	}
	r.counts[what]++
}

func (r *report) get(what string) int {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.counts[what]
}

// faults are those that the banks have committed.
func (a *arena) faults() map[string]int {
	out := map[string]int{}
	for _, b := range a.banks {
		_, done, err := b.provider.Disturbed(a.t.Context())
		if err != nil {
			a.t.Fatal(err)
		}
		for f, n := range done {
			out[string(f)] += n
		}
	}
	return out
}

func (a *arena) entries(b *bank) []sandbox.Entry {
	a.t.Helper()
	entries, err := b.provider.WholeLedger(a.t.Context())
	if err != nil {
		a.t.Fatal(err)
	}
	return entries
}

// differences are between our book and the banks', entry by entry.
func (a *arena) differences() (out []ledger.Difference) {
	a.t.Helper()
	kinds := map[sandbox.EntryKind]ledger.Kind{
		sandbox.EntryCapture: ledger.Captured, sandbox.EntryRefund: ledger.Refunded, sandbox.EntryReversal: ledger.RefundFailed,
	}
	for _, b := range a.banks {
		ours, err := a.truth.Movements(a.t.Context(), b.name)
		if err != nil {
			a.t.Fatal(err)
		}
		var theirs []ledger.Movement
		for _, e := range a.entries(b) {
			theirs = append(theirs, ledger.Movement{Kind: kinds[e.Kind], Key: e.Key, Order: e.Order, Amount: e.Signed(), Currency: e.Currency, At: e.At})
		}
		out = append(out, ledger.Compare(ours, theirs)...)
	}
	return out
}

// missingHere counts charges that our book does not know of.
func (a *arena) missingHere() (n int) {
	for _, d := range a.differences() {
		if d.Fault == ledger.MissingHere && d.Theirs.Kind == ledger.Captured {
			n++
		}
	}
	return n
}

// kept is what the banks have of each order, in minor units.
func (a *arena) kept() map[id.ID]int64 {
	out := map[id.ID]int64{}
	for _, b := range a.banks {
		for _, e := range a.entries(b) {
			out[e.Order] += e.Signed()
		}
	}
	return out
}

// sale is what we say of an order.
type sale struct {
	Status  string
	Total   int64
	Tickets int64 // valid
	Going   int64 // minor units on their way back
}

func (a *arena) sales() map[id.ID]sale {
	a.t.Helper()
	rows, err := a.truth.Pool().Query(a.t.Context(), `select o.order_id, o.status, o.total,
		(select count(*) from ticket t where t.order_id = o.order_id and t.state = 'VALID'),
		(select coalesce(sum(r.amount), 0)::int8 from refund r where r.order_id = o.order_id and r.status <> 'DONE') from orders o`)
	if err != nil {
		a.t.Fatal(err)
	}
	out := map[id.ID]sale{}
	var order [16]byte
	var s sale
	if _, err := pgx.ForEachRow(rows, []any{&order, &s.Status, &s.Total, &s.Tickets, &s.Going}, func() error {
		out[order] = s
		return nil
	}); err != nil {
		a.t.Fatal(err)
	}
	return out
}

// noMoneyAlone is what must be true after one round: money that a bank has kept has its tickets, is on its way back, or
// is with a person. A refund that was made and came back since is what no round can know of: the next question, half a
// minute after it was made, must find it.
func (a *arena) noMoneyAlone() {
	a.t.Helper()
	alone := a.alone()
	if len(alone) == 0 {
		return
	}
	returned := a.returned()
	for order, what := range alone {
		if !returned[order] {
			a.t.Error(what)
		}
	}
	a.setAhead(a.t.Context(), 26*time.Minute)
	a.eventually("refunds that came back are on their way again", patience, func() bool { return len(a.alone()) == 0 })
}

// alone says of each order whose money is in nobody's care what is kept.
func (a *arena) alone() map[id.ID]string {
	a.t.Helper()
	out := map[id.ID]string{}
	sales := a.sales()
	for order, kept := range a.kept() {
		s := sales[order]
		owed := kept - s.Going
		if s.Tickets > 0 {
			owed -= s.Total
		}
		if owed > 0 && s.Status != "REVIEW" {
			out[order] = fmt.Sprintf("order %s is %s: %d of %d kept without tickets or refund; attempts %v", order, s.Status, owed, kept, a.attempts(order))
		}
	}
	return out
}

// returned are the orders of which a bank took a refund back that it had made.
func (a *arena) returned() map[id.ID]bool {
	out := map[id.ID]bool{}
	for _, b := range a.banks {
		for _, e := range a.entries(b) {
			if e.Kind == sandbox.EntryReversal {
				out[e.Order] = true
			}
		}
	}
	return out
}

// attempts are an order's, with what went wrong at them.
func (a *arena) attempts(order id.ID) []string {
	return a.texts(fmt.Sprintf(`select provider || ' ' || reference || ' ' || status || ' ' || reason from attempt where order_id = '%s'`, order))
}

// judge compares everything with everything, when nothing is open any more.
func (a *arena) judge() {
	a.t.Helper()
	kept, sales := a.kept(), a.sales()
	for order, s := range sales {
		want := int64(0)
		if s.Tickets > 0 {
			want = s.Total
		}
		if kept[order] != want {
			a.t.Errorf("order %s is %s with %d tickets: the banks keep %d, want %d", order, s.Status, s.Tickets, kept[order], want)
		}
	}
	for order := range kept {
		if _, ok := sales[order]; !ok {
			a.t.Errorf("a bank knows an order %s that we do not", order)
		}
	}
	for i, d := range a.differences() {
		if a.t.Errorf("books: %s", d); i == 20 {
			break
		}
	}
	for _, line := range a.texts(`select 'seat ' || ordinal || ' is sold ' || count(*) || ' times' from ticket
		where state = 'VALID' group by event_id, ordinal having count(*) > 1`) {
		a.t.Error(line)
	}
	for _, line := range a.texts(`select 'account ' || account_id || ' has ' || count(*) from ticket
		where state = 'VALID' group by event_id, account_id having count(*) > 6`) {
		a.t.Error(line)
	}
	a.verify()
}

func (a *arena) verify() {
	ctx, cancel := context.WithTimeout(a.t.Context(), 2*time.Minute)
	defer cancel()
	for _, h := range a.halls {
		found, err := a.truth.Verify(ctx, h.event.ID, db.VerifyOptions{Publish: 24 * time.Hour})
		if err != nil {
			a.t.Fatal(err)
		}
		for _, v := range found.Violations {
			a.t.Errorf("verify: %v", v)
		}
	}
}

func (a *arena) texts(sql string) []string {
	a.t.Helper()
	rows, err := a.truth.Pool().Query(a.t.Context(), sql)
	if err != nil {
		a.t.Fatal(err)
	}
	out, err := pgx.CollectRows(rows, pgx.RowTo[string])
	if err != nil {
		a.t.Fatal(err)
	}
	return out
}

// table is the closing table.
func (a *arena) table(run size, sold, round time.Duration) string {
	var b strings.Builder
	w := tabwriter.NewWriter(&b, 0, 0, 2, ' ', 0)
	fmt.Fprintf(w, "orders\t%d in %.1f s, in %d waves\n", a.placed.Load(), sold.Seconds(), run.waves)
	section(w, "by state", a.numbers(`select status, count(*) from orders group by status`))
	section(w, "refunds by rounds", a.numbers(`select 'asked ' || round + 1 || ' times', count(*) from refund group by round`))
	section(w, "faults at 5 %", a.faults())
	section(w, "fans and kills", a.report.counts)
	var charged, refunded int64
	n := 0
	for _, bank := range a.banks {
		for _, e := range a.entries(bank) {
			if n++; e.Kind == sandbox.EntryCapture {
				charged += e.Amount
			} else {
				refunded -= e.Signed()
			}
		}
	}
	fmt.Fprintf(w, "reconciliation\tone round took %.1f s\n", round.Seconds())
	fmt.Fprintf(w, "money in minor units\tcharged %d, refunded %d, kept %d, in %d entries of both books\n", charged, refunded, charged-refunded, n)
	_ = w.Flush()
	return b.String()
}

func (a *arena) numbers(sql string) map[string]int {
	a.t.Helper()
	rows, err := a.truth.Pool().Query(a.t.Context(), sql)
	if err != nil {
		a.t.Fatal(err)
	}
	out := map[string]int{}
	var name string
	var n int
	if _, err := pgx.ForEachRow(rows, []any{&name, &n}, func() error { out[name] = n; return nil }); err != nil {
		a.t.Fatal(err)
	}
	return out
}

func section(w *tabwriter.Writer, title string, counts map[string]int) {
	total := 0
	for _, n := range counts {
		total += n
	}
	fmt.Fprintf(w, "%s\t%d\n", title, total)
	for _, name := range slices.Sorted(maps.Keys(counts)) {
		fmt.Fprintf(w, "  %s\t%d\n", name, counts[name])
	}
}
