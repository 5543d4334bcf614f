package db_test

import (
	"encoding/json"
	"testing"
	"time"

	"plateia/core/id"
	"plateia/core/order"
	"plateia/core/payment"
	"plateia/db"
)

// What is not finished is counted anew; the rest stays as it was counted last.
func TestRenewCountsWhatIsNotFinished(t *testing.T) {
	k := openDesk(t)
	at := time.Now().Add(-time.Minute)
	waiting, sold := k.order(id.New(), order.PendingPayment, at), k.order(id.New(), order.Confirmed, at)
	first := k.attempt(waiting, payment.Created, "")
	k.attempt(sold, payment.Captured, "r")
	k.order(id.New(), order.Review, at)
	k.sql(`update hold set state = 3 where hold_id = $1`, [16]byte(sold.Hold))
	all, err := k.d.Tally(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	if all.Orders["PENDING_PAYMENT"] != 1 || all.Orders["CONFIRMED"] != 1 || all.Orders["REVIEW"] != 1 || all.HoldsEnded["booked"] != 1 ||
		all.Attempts["CREATED"] != 1 || all.Attempts["CAPTURED"] != 1 {
		t.Errorf("counted %+v", all)
	}

	k.sql(`update attempt set status = 'UNKNOWN' where attempt_id = $1`, [16]byte(first))
	more := k.order(id.New(), order.PendingPayment, at)
	k.attempt(more, payment.Pending, "s")
	k.ending(k.order(id.New(), order.Cancelled, at).Hold, 1, 30, 600)
	k.order(id.New(), order.Confirmed, at)
	now, err := k.d.Renew(t.Context(), all)
	if err != nil {
		t.Fatal(err)
	}
	if now.Attempts["CREATED"] != 0 || now.Attempts["UNKNOWN"] != 1 || now.Attempts["PENDING"] != 1 || now.Attempts["CAPTURED"] != 1 {
		t.Errorf("attempts %v", now.Attempts)
	}
	if now.Orders["PENDING_PAYMENT"] != 2 || now.Orders["REVIEW"] != 1 || now.Orders["CONFIRMED"] != 1 {
		t.Errorf("orders %v", now.Orders)
	}
	if now.HoldsLive["active"] != 1 || now.HoldsLive["paying"] != 2 || now.HoldsEnded["booked"] != 1 {
		t.Errorf("holds %v, %v", now.HoldsLive, now.HoldsEnded)
	}
	if all.Attempts["CREATED"] != 1 || all.Orders["PENDING_PAYMENT"] != 1 {
		t.Error("the last count was written to")
	}
}

// What a renewal reads does not grow with what was sold.
func TestRenewReadsNothingFinished(t *testing.T) {
	k := openDesk(t)
	if k.d.Dialect != db.Postgres {
		t.Skip("the plans of PostgreSQL")
	}
	k.attempt(k.order(id.New(), order.PendingPayment, time.Now()), payment.Unknown, "")
	k.sql(`insert into hold (hold_id, event_id, account_id, ordinals, prices, state, expires_at, hard_expires_at, idem_key, body_hash, created_at)
		select gen_random_uuid(), gen_random_uuid(), gen_random_uuid(), '{1}', '{1}', 3, now(), now(), n::text, '', now() from generate_series(1, 20000) n`)
	k.sql(`insert into orders (order_id, event_id, account_id, hold_id, status, currency, total, lines, idem_key, body_hash, created_at, updated_at)
		select gen_random_uuid(), event_id, account_id, hold_id, 'CONFIRMED', 'BRL', 1, '[]', idem_key, '', now(), now() from hold where state = 3`)
	k.sql(`insert into attempt (attempt_id, order_id, account_id, provider, reference, status, amount, currency, expires_at, idem_key, body_hash, created_at, updated_at)
		select gen_random_uuid(), order_id, account_id, 'sandbox', order_id::text, 'CAPTURED', 1, 'BRL', now(), idem_key, '', now(), now()
		from orders where status = 'CONFIRMED'`)
	k.sql(`vacuum analyze`)
	for _, sql := range db.OpenTallies() {
		var text []byte
		if err := k.d.Pool().QueryRow(t.Context(), "explain (analyze, format json) "+sql).Scan(&text); err != nil {
			t.Fatal(err)
		}
		var plans []struct {
			Plan node `json:"Plan"`
		}
		if err := json.Unmarshal(text, &plans); err != nil {
			t.Fatal(err)
		}
		for _, table := range []string{"hold", "orders", "attempt", "refund", "webhook_delivery"} {
			if rows := plans[0].Plan.rowsOf(table); rows > 100 {
				t.Errorf("reads %d rows of %s: %s", rows, table, sql)
			}
		}
	}
}
