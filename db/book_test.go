package db_test

import (
	"testing"
	"time"

	"plateia/core/id"
	"plateia/core/money"
	"plateia/core/order"
	"plateia/db"
)

// A database from before there was a book gets one from its rows, once, however often the migration is begun.
func TestMoneyFromBeforeTheBookIsBooked(t *testing.T) {
	d, e := scene(t)
	for range 2 {
		exec(t, d, "update attempt set captured = 0, captured_currency = ''; delete from schema_migration where number >= 3")
		if _, err := d.Up(t.Context()); err != nil {
			t.Fatal(err)
		}
	}
	whole := countOf(t, d, "select count(*) from ledger_entry")
	exec(t, d, "truncate ledger_entry; delete from schema_migration where number >= 3")
	if _, err := d.Up(t.Context()); err != nil {
		t.Fatal(err)
	}
	report, err := d.Verify(t.Context(), e.ID, db.VerifyOptions{})
	if err != nil || len(report.Violations) != 0 {
		t.Errorf("%v, %v", report.Violations, err)
	}
	if n := countOf(t, d, "select count(*) from ledger_entry"); n != whole || n != 10 {
		t.Errorf("%d entries, then %d", whole, n)
	}
}

// A mismatch that is told again, or a refund that is asked for again, is booked once.
func TestTheSameIsBookedOnce(t *testing.T) {
	k := openDesk(t)
	o := k.order(id.New(), order.PendingPayment, time.Now())
	a := k.attempt(o, "PENDING", "r1")
	for i := range 3 {
		k.changed(i == 0)(k.Review(t.Context(), o.ID, a, money.Amount{Minor: 17999, Currency: "BRL"}, "differs"))
	}
	if n := countOf(t, k.d, "select count(*) from ledger_entry where amount in (17999, -17999) and order_id = $1", [16]byte(o.ID)); n != 2 {
		t.Errorf("%d entries", n)
	}
}

func countOf(t *testing.T, d *db.DB, sql string, args ...any) (n int) {
	t.Helper()
	if err := d.Pool().QueryRow(t.Context(), sql, args...).Scan(&n); err != nil {
		t.Fatal(err)
	}
	return n
}
