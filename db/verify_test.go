package db_test

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"

	"plateia/core/event"
	"plateia/core/fault"
	"plateia/core/id"
	"plateia/db"
	"plateia/db/dbtest"
)

// The rows of the scene, by readable ids.
const (
	accA, accB, accC, accD     = "a0000000-0000-4000-8000-000000000000", "b0000000-0000-4000-8000-000000000000", "c0000000-0000-4000-8000-000000000000", "d0000000-0000-4000-8000-000000000000"
	holdA, holdB, holdC, holdD = "a1000000-0000-4000-8000-000000000000", "b1000000-0000-4000-8000-000000000000", "c1000000-0000-4000-8000-000000000000", "d1000000-0000-4000-8000-000000000000"
	ordB, ordC, ordD           = "b2000000-0000-4000-8000-000000000000", "c2000000-0000-4000-8000-000000000000", "d2000000-0000-4000-8000-000000000000"
	attB, attC, attD           = "b3000000-0000-4000-8000-000000000000", "c3000000-0000-4000-8000-000000000000", "d3000000-0000-4000-8000-000000000000"
	tick4, tick5               = "c4000000-0000-4000-8000-000000000000", "c5000000-0000-4000-8000-000000000000"
	other                      = "ff000000-0000-4000-8000-000000000000"
)

// scene is an event in the middle of its sale: A holds seats 0 and 1, B pays for
// 2 and 3, C has bought 4 and 5, D's hold of 6 ended and its money was sent back; 7 is free.
func scene(t testing.TB) (*db.DB, event.Event) {
	t.Helper()
	d := dbtest.New(t)
	return d, stage(t, d)
}

// stage empties a database and puts the scene in it.
func stage(t testing.TB, d *db.DB) event.Event {
	t.Helper()
	exec(t, d, "truncate seat, hold, hold_due, buyer, orders, attempt, refund, ticket, ledger_entry, outbox, event_stock, event, chart")
	e := onSale(t, db.NewCatalog(d), 1, 8)
	script := `
insert into hold (hold_id, event_id, account_id, ordinals, prices, state, expires_at, hard_expires_at, ended_at, idem_key, body_hash, created_at) values
	('{holdA}', '{event}', '{accA}', '{0,1}', '{18000,18000}', 1, now() + interval '5 min', now() + interval '25 min', null, 'k', '', now()),
	('{holdB}', '{event}', '{accB}', '{2,3}', '{18000,18000}', 2, now() + interval '5 min', now() + interval '25 min', null, 'k', '', now()),
	('{holdC}', '{event}', '{accC}', '{4,5}', '{18000,18000}', 3, now() + interval '5 min', now() + interval '25 min', now(), 'k', '', now()),
	('{holdD}', '{event}', '{accD}', '{6}', '{18000}', 5, now() - interval '1 hour', now() - interval '1 hour', now(), 'k', '', now());
update seat set status = 1, owner = '{holdA}', version = 2 where ordinal in (0, 1);
update seat set status = 1, owner = '{holdB}', version = 2 where ordinal in (2, 3);
update seat set status = 2, owner = '{ordC}', version = 3 where ordinal in (4, 5);
insert into hold_due (due_id, event_id, due_at, holds) values ('{other}', '{event}', now() + interval '4 min', '{{holdA},{holdB}}');
insert into buyer (account_id, event_id, hold_id, held, sold, session_id) values
	('{accA}', '{event}', '{holdA}', 2, 0, '{other}'), ('{accB}', '{event}', '{holdB}', 2, 0, '{other}'),
	('{accC}', '{event}', null, 0, 2, '{other}'), ('{accD}', '{event}', null, 0, 0, '{other}');
insert into orders (order_id, event_id, account_id, hold_id, status, currency, total, lines, idem_key, body_hash, created_at, updated_at) values
	('{ordB}', '{event}', '{accB}', '{holdB}', 'PENDING_PAYMENT', 'BRL', 36000, '[{"kind":"seat","ordinal":2,"amount":18000},{"kind":"seat","ordinal":3,"amount":18000}]', 'k', '', now(), now()),
	('{ordC}', '{event}', '{accC}', '{holdC}', 'CONFIRMED', 'BRL', 36000, '[{"kind":"seat","ordinal":4,"amount":18000},{"kind":"seat","ordinal":5,"amount":18000}]', 'k', '', now(), now()),
	('{ordD}', '{event}', '{accD}', '{holdD}', 'REFUNDED', 'BRL', 18000, '[{"kind":"seat","ordinal":6,"amount":18000}]', 'k', '', now() - interval '1 hour', now() - interval '1 hour');
insert into attempt (attempt_id, order_id, account_id, provider, status, amount, currency, expires_at, idem_key, body_hash, created_at, updated_at) values
	('{attB}', '{ordB}', '{accB}', 'sandbox', 'PENDING', 36000, 'BRL', now() + interval '4 min', 'k', '', now(), now()),
	('{attC}', '{ordC}', '{accC}', 'sandbox', 'CAPTURED', 36000, 'BRL', now() + interval '4 min', 'k', '', now(), now()),
	('{attD}', '{ordD}', '{accD}', 'sandbox', 'CAPTURED', 18000, 'BRL', now() - interval '1 hour', 'k', '', now() - interval '1 hour', now() - interval '1 hour');
insert into refund (refund_id, order_id, attempt_id, status, amount, currency, reason, next_try_at, created_at, updated_at) values
	('{other}', '{ordD}', '{attD}', 'DONE', 18000, 'BRL', 'late', now(), now(), now());
update attempt set captured = amount, captured_currency = currency where status = 'CAPTURED';
insert into ledger_entry (source, kind, account, order_id, amount, currency, at) values
	('{attC}', 'capture', 'provider:sandbox', '{ordC}', 36000, 'BRL', now()), ('{attC}', 'capture', 'deposits', '{ordC}', -36000, 'BRL', now()),
	('{ordC}', 'sale', 'deposits', '{ordC}', 36000, 'BRL', now()), ('{ordC}', 'sale', 'revenue', '{ordC}', -36000, 'BRL', now()),
	('{attD}', 'capture', 'provider:sandbox', '{ordD}', 18000, 'BRL', now()), ('{attD}', 'capture', 'deposits', '{ordD}', -18000, 'BRL', now()),
	('{other}', 'send_back', 'deposits', '{ordD}', 18000, 'BRL', now()), ('{other}', 'send_back', 'refunds_payable', '{ordD}', -18000, 'BRL', now()),
	('{other}', 'refund', 'refunds_payable', '{ordD}', 18000, 'BRL', now()), ('{other}', 'refund', 'provider:sandbox', '{ordD}', -18000, 'BRL', now());
insert into ticket (ticket_id, order_id, event_id, account_id, ordinal, state, issued_at) values
	('{tick4}', '{ordC}', '{event}', '{accC}', 4, 'VALID', now()), ('{tick5}', '{ordC}', '{event}', '{accC}', 5, 'VALID', now());
insert into outbox (outbox_id, event_id, kind, payload, created_at, published_at) values
	(gen_random_uuid(), '{event}', 1, '', now(), null), (gen_random_uuid(), '{event}', 1, '', now() - interval '1 hour', now()),
	(gen_random_uuid(), '{event}', 2, '', now() - interval '1 hour', null)`
	run(t, d, e, script)
	return e
}

// run executes statements with the scene's names filled in.
func run(t testing.TB, d *db.DB, e event.Event, script string) {
	t.Helper()
	script = strings.NewReplacer("{event}", e.ID.String(), "{other}", other,
		"{accA}", accA, "{accB}", accB, "{accC}", accC, "{accD}", accD,
		"{holdA}", holdA, "{holdB}", holdB, "{holdC}", holdC, "{holdD}", holdD,
		"{ordB}", ordB, "{ordC}", ordC, "{ordD}", ordD, "{attB}", attB, "{attC}", attC, "{attD}", attD,
		"{tick4}", tick4, "{tick5}", tick5).Replace(script)
	for statement := range strings.SplitSeq(script, ";") {
		if _, err := d.Pool().Exec(t.Context(), statement); err != nil {
			t.Fatalf("%s: %v", statement, err)
		}
	}
}

func TestVerifyFindsNothingInAHealthySale(t *testing.T) {
	d, e := scene(t)
	report, err := d.Verify(t.Context(), e.ID, db.VerifyOptions{})
	if err != nil {
		t.Fatal(err)
	}
	for _, v := range report.Violations {
		t.Error(v)
	}
	want := map[string]int64{"available": 2, "held": 4, "sold": 2, "liveHolds": 2, "confirmedOrders": 1, "validTickets": 2}
	if !maps.Equal(report.Counts, want) || report.Rules != len(db.Rules()) || report.At.IsZero() {
		t.Errorf("report %+v", report)
	}
	if _, err := d.Verify(t.Context(), id.New(), db.VerifyOptions{}); fault.CodeOf(err) != fault.NotFound {
		t.Errorf("an unknown event: %v", err)
	}
}

// breaks are faults made by hand, the rules that must name them, and what the line must say.
var breaks = []struct {
	rules string // all that must be named
	sql   string
	says  string
}{
	{"seat-held-by-nobody", "update seat set status = 1, owner = '{other}' where ordinal = 7", "seat=A-1-8 hold=" + other},
	{"seat-held-by-nobody seat-not-in-its-hold", "update seat set status = 1, owner = '{holdD}' where ordinal = 7", "hold=" + holdD + " state=5"},
	{"seat-not-in-its-hold", "update seat set status = 1, owner = '{holdA}' where ordinal = 7", "ordinal=7"},
	{"seat-sold-without-order seat-sold-without-ticket", "update seat set status = 2, owner = '{other}' where ordinal = 7", "order=" + other},
	{"seat-sold-without-order", "update seat set status = 2, owner = '{ordB}' where ordinal = 7", "status=PENDING_PAYMENT"},
	{"seat-sold-without-ticket", "update ticket set state = 'VOID' where ordinal = 4", "ordinal=4"},
	{"seat-blocked-with-owner seat-free-with-owner", "alter table seat drop constraint if exists seat_check; update seat set status = 3, owner = '{holdA}' where ordinal = 7", "owner=" + holdA},
	{"seat-channel", "update seat set channel = 3 where ordinal = 7", "ordinal=7 seat=A-1-8 channel=3"},
	{"seat-free-with-owner", "alter table seat drop constraint if exists seat_check; update seat set owner = '{holdA}' where ordinal = 7", "owner=" + holdA},
	{"seat-free-with-owner seat-held-by-nobody hold-without-its-seat", "alter table seat drop constraint if exists seat_check; update seat set owner = null where ordinal = 0", "owner=none"},
	{"capacity seat-outside-chart", "delete from seat where ordinal = 7", "capacity=8 seats=7"},
	{"capacity", "alter table seat drop constraint if exists seat_status_check; update seat set status = 4 where ordinal = 7", "seats=7"},
	{"capacity seat-outside-chart", "insert into seat (event_id, ordinal, category) values ('{event}', 8, 0)", "ordinal=8 chart_seats=8"},
	{"seat-outside-chart", "update seat set category = 1 where ordinal = 3", "category=1 chart_category=0"},
	{"stock", "update event_stock set held = 3", "held=3"},
	{"seat-in-two-holds hold-without-its-seat", `insert into hold (hold_id, event_id, account_id, ordinals, prices, state, expires_at, hard_expires_at, idem_key, body_hash, created_at)
		values ('{other}', '{event}', '{accD}', '{1}', '{18000}', 1, now() + interval '1 min', now() + interval '1 min', 'x', '', now())`, "hold=" + other},
	{"hold-without-its-seat", "update seat set status = 0, owner = null where ordinal = 1", "ordinal=1 seat=A-1-2 status=0"},
	{"hold-without-its-seat", "update hold set ordinals = '{0,1,99}', prices = '{1,2,3}' where hold_id = '{holdA}'", "ordinal=99 status=none"},
	{"hold-shape", "update hold set prices = '{18000}' where hold_id = '{holdA}'", "seats=2 prices=1"},
	{"hold-shape", "update hold set ordinals = '{0,0}' where hold_id = '{holdA}'", "hold=" + holdA},
	{"hold-shape buyer-held", "update hold set ordinals = '{}', prices = '{}' where hold_id = '{holdA}'", "seats=0"},
	{"hold-times", "update hold set expires_at = hard_expires_at + interval '1 second' where hold_id = '{holdA}'", "hold=" + holdA},
	{"hold-times", "update hold set ended_at = now() where hold_id = '{holdA}'", "hold=" + holdA},
	{"hold-times", "update hold set ended_at = null where hold_id = '{holdC}'", "hold=" + holdC},
	{"hold-unlisted", "delete from hold_due", "hold=" + holdA},
	{"hold-unlisted", "update hold_due set due_at = now() + interval '1 day'", "hold=" + holdA},
	{"account-with-two-holds", "update hold set account_id = '{accA}', idem_key = 'x' where hold_id = '{holdB}'", "hold=" + holdB},
	{"hold-converted-without-order order-of-another", "update orders set hold_id = '{other}' where order_id = '{ordC}'", "hold=" + holdC},
	{"hold-paying-without-order", "update orders set status = 'FAILED' where order_id = '{ordB}'", "status=FAILED"},
	{"buyer-hold buyer-held", "update buyer set hold_id = null where account_id = '{accA}'", "buyer_hold=none hold=" + holdA},
	{"buyer-hold buyer-held", "update buyer set hold_id = '{holdD}', held = 1 where account_id = '{accD}'", "buyer_hold=" + holdD},
	{"buyer-hold", "delete from buyer where account_id = '{accA}'", "account=" + accA},
	{"buyer-held", "update buyer set held = 1 where account_id = '{accA}'", "held=1 seats=2"},
	{"buyer-sold", "update buyer set sold = 3 where account_id = '{accC}'", "counted=3 seats=2"},
	{"buyer-sold", "delete from buyer where account_id = '{accC}'", "counted=0 seats=2"},
	{"buyer-over-limit", `update event set rules = jsonb_set(rules, '{maxPerAccount}', '1')`, "allowed=1"},
	{"order-without-its-seat ticket-without-seat buyer-sold", "update seat set status = 0, owner = null where ordinal = 5", "order=" + ordC},
	{"order-price order-total", `update orders set lines = '[{"kind":"seat","ordinal":4,"amount":18000},{"kind":"seat","ordinal":5,"amount":20000}]' where order_id = '{ordC}'`, "charged=20000 held_at=18000"},
	{"order-lacks-line order-total", `update orders set lines = '[{"kind":"seat","ordinal":4,"amount":18000}]' where order_id = '{ordC}'`, "hold=" + holdC + " ordinal=5"},
	{"order-price order-without-its-seat", `update orders set lines = lines || '[{"kind":"seat","ordinal":7,"amount":1}]' where order_id = '{ordC}'`, "held_at=none"},
	{"order-total attempt-amount", "update orders set total = 1 where order_id = '{ordB}'", "total=1 sum_of_lines=36000"},
	{"order-tax", `update orders set lines = lines || '[{"kind":"tax","ordinal":-1,"amount":2354,"rate":700,"included":true}]' where order_id = '{ordC}'`, "tax=2354"},
	{"order-tickets", "insert into ticket values ('{other}', '{ordC}', '{event}', '{accC}', 7, 'VOID', now())", "ordinal=7 seat=A-1-8 tickets=1 lines=0"},
	{"order-tickets", "delete from ticket where ordinal = 5", "ordinal=5 seat=A-1-6 tickets=0 lines=1"},
	{"order-of-another", "update orders set account_id = '{accD}', idem_key = 'x' where order_id = '{ordB}'", "hold_account=" + accB},
	{"order-confirmed-on-live-hold", "update hold set state = 1, ended_at = null where hold_id = '{holdC}'", "order=" + ordC},
	{"order-pending-without-hold", "update hold set state = 1 where hold_id = '{holdB}'", "order=" + ordB},
	{"attempts-open", `drop index if exists attempt_open; insert into attempt (attempt_id, order_id, account_id, provider, status, amount, currency, expires_at, idem_key, body_hash, created_at, updated_at)
		values ('{other}', '{ordB}', '{accB}', 'sandbox', 'CREATED', 36000, 'BRL', now() + interval '4 min', 'x', '', now(), now())`, "attempt=" + other},
	{"seat-with-two-tickets", `drop index if exists ticket_valid; insert into ticket values ('{other}', '{ordC}', '{event}', '{accC}', 4, 'VALID', now())`, "ticket=" + other},
	{"ticket-without-seat ticket-of-unpaid-order", "insert into ticket values ('{other}', '{ordB}', '{event}', '{accB}', 2, 'VALID', now())", "seat=A-1-3"},
	{"ticket-of-unpaid-order seat-sold-without-order", "update orders set status = 'CANCELLED' where order_id = '{ordC}'", "ticket=" + tick4},
	{"ticketed-without-money", "update attempt set status = 'DECLINED' where order_id = '{ordC}'", "order=" + ordC + " total=36000"},
	{"attempt-amount", "update attempt set amount = 1 where order_id = '{ordC}'", "attempt=" + attC},
	{"attempt-amount", "update attempt set currency = 'JPY' where order_id = '{ordC}'", "currency=JPY"},
	{"refund-over-captured", "update refund set amount = 18001", "refunded=18001"},
	{"refund-over-captured", "update attempt set captured = 17999 where order_id = '{ordD}'", "captured=17999"},
	{"book-unbalanced book-earned", "update ledger_entry set amount = -35999 where kind = 'sale' and account = 'revenue'", "kind=sale source=" + ordC + " round=0 sum=1"},
	{"book-unbalanced", "update ledger_entry set currency = 'JPY' where kind = 'refund' and account = 'refunds_payable'", "currencies=2"},
	{"book-deposits book-earned", "delete from ledger_entry where kind = 'sale'", "status=CONFIRMED currency=BRL deposits=-36000"},
	{"book-refunds", "update refund set status = 'PENDING'", "booked=0 refunds=18000"},
	{"book-refunds book-provider", "delete from ledger_entry where kind = 'refund'", "booked=18000 refunds=0"},
	{"book-provider book-deposits", "delete from ledger_entry where kind = 'capture' and order_id = '{ordC}'", "account=provider:sandbox booked=0 captured_less_refunds=36000"},
	{"book-provider", "update attempt set captured = 1 where order_id = '{ordC}'", "captured_less_refunds=1"},
	{"book-earned", "update orders set returned = 18000 where order_id = '{ordC}'", "earned=36000 kept=18000"},
	{"hold-dead-but-held", "update hold set expires_at = now() - interval '7 s' where hold_id = '{holdA}'", "hold=" + holdA},
	{"hold-paying-for-ever", "update hold set expires_at = now() - interval '1 h', hard_expires_at = now() - interval '1 h' where hold_id = '{holdB}'", "hold=" + holdB},
	{"money-without-tickets", "update refund set status = 'FAILED'", "order=" + ordD},
	{"money-twice", `insert into attempt (attempt_id, order_id, account_id, provider, status, amount, currency, expires_at, idem_key, body_hash, created_at, updated_at)
		values ('{other}', '{ordC}', '{accC}', 'sandbox', 'CAPTURED', 36000, 'BRL', now(), 'x', '', now(), now() - interval '11 min'); update attempt set captured = amount, captured_currency = currency, updated_at = now() - interval '11 min'`, "captured=72000"},
	{"attempt-open-on-ended-order", "update attempt set status = 'PENDING' where order_id = '{ordD}'", "attempt=" + attD},
	{"attempt-unsettled", "update attempt set expires_at = now() - interval '2 h' where order_id = '{ordB}'", "attempt=" + attB},
	{"outbox-unpublished", "update outbox set created_at = now() - interval '1 min' where published_at is null and kind = 1", "outbox="},
}

func TestVerifyNamesWhatMayNeverHappen(t *testing.T) {
	d := dbtest.New(t) // one for all: constraints that a case drops are only in the way of others
	covered := map[string]bool{}
	for _, c := range breaks {
		t.Run(c.rules, func(t *testing.T) {
			e := stage(t, d)
			if d.Dialect == db.Cockroach && strings.Contains(c.sql, "drop constraint") {
				t.Skip("the constraint has another name")
			}
			run(t, d, e, c.sql)
			report, err := d.Verify(t.Context(), e.ID, db.VerifyOptions{})
			if err != nil {
				t.Fatal(err)
			}
			text := ""
			for _, v := range report.Violations {
				text += v.String() + "\n"
			}
			for rule := range strings.FieldsSeq(c.rules) {
				covered[rule] = true
				if !strings.Contains(text, rule+": ") {
					t.Errorf("%s is not named:\n%s", rule, text)
				}
			}
			if !strings.Contains(text, c.says) {
				t.Errorf("%q is not said:\n%s", c.says, text)
			}
		})
	}
	for _, rule := range slices.Sorted(maps.Keys(db.Rules())) {
		if !covered[rule] && !slices.Contains(chartBreaks, rule) {
			t.Errorf("no test breaks %s", rule)
		}
	}
}

func TestVerifyGivesRepairsTheirTime(t *testing.T) {
	d, e := scene(t)
	run(t, d, e, "update hold set expires_at = now() - interval '1 min' where hold_id = '{holdA}'; update refund set status = 'FAILED'; delete from ledger_entry where kind = 'refund'")
	for _, opts := range []db.VerifyOptions{{Sweep: time.Hour, Settle: 2 * time.Hour}, {Stopped: true}} {
		if report, err := d.Verify(t.Context(), e.ID, opts); err != nil || len(report.Violations) != 0 {
			t.Errorf("%+v: %v, %v", opts, report.Violations, err)
		}
	}
}

func TestVerifyListsAtMost(t *testing.T) {
	d, e := scene(t)
	run(t, d, e, "update seat set status = 2, owner = '{other}' where ordinal < 4")
	report, err := d.Verify(t.Context(), e.ID, db.VerifyOptions{AtMost: 3})
	if err != nil || report.More["seat-sold-without-order"] != 1 || report.More["hold-without-its-seat"] != 1 {
		t.Errorf("more %v, %v", report.More, err)
	}
}

// Seats change hands all the time while Verify looks: one snapshot sees each
// transaction whole, so nothing looks broken.
func TestVerifyRaisesNoFalseAlarm(t *testing.T) {
	d, e := scene(t)
	var stop atomic.Bool
	var moves atomic.Int32
	done := make(chan struct{})
	go func() {
		defer close(done)
		for n := 0; !stop.Load(); n++ {
			if err := swap(t, d, n%2 == 0); err != nil {
				t.Error(err)
				return
			}
			moves.Add(1)
		}
	}()
	for range 20 {
		report, err := d.Verify(t.Context(), e.ID, db.VerifyOptions{})
		if err != nil || len(report.Violations) != 0 {
			t.Errorf("%v, %v", report.Violations, err)
			break
		}
	}
	stop.Store(true)
	<-done
	if moves.Load() < 20 {
		t.Errorf("only %d moves while looking", moves.Load())
	}
}

// swap moves A's hold between one seat and two, in one transaction.
func swap(t *testing.T, d *db.DB, one bool) error {
	ordinals, prices, seats := "{0,1}", "{18000,18000}", 2
	if one {
		ordinals, prices, seats = "{0}", "{18000}", 1
	}
	return d.Tx(t.Context(), func(tx pgx.Tx) error {
		for _, sql := range []string{
			fmt.Sprintf("update hold set ordinals = '%s', prices = '%s', version = version + 1 where hold_id = '%s'", ordinals, prices, holdA),
			fmt.Sprintf("update seat set status = %d, owner = %s where ordinal = 1", seats-1, map[bool]string{true: "null", false: "'" + holdA + "'"}[one]),
			fmt.Sprintf("update buyer set held = %d where account_id = '%s'", seats, accA),
		} {
			if _, err := tx.Exec(t.Context(), sql); err != nil {
				return err
			}
		}
		return nil
	})
}
