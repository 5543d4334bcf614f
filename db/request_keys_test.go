package db_test

import (
	"fmt"
	"testing"

	"plateia/db/dbtest"
)

// Keys go when they are a day old, and not before; the walk comes round again.
func TestOldRequestKeysAreForgotten(t *testing.T) {
	d := dbtest.New(t)
	fill := func(rows int, age string) {
		exec(t, d, fmt.Sprintf(`insert into request_key (account_id, route, idem_key, body_hash, answer, created_at)
			select a.account_id, r.route, 'k', 'x', '{}', now() - interval '%s' from (select gen_random_uuid() as account_id from generate_series(1, %d)) a,
			(values ('extend %s'), ('return %s')) r (route)`, age, rows, age, age))
	}
	fill(40, "24 hours 1 minute")
	fill(7, "23 hours 59 minutes")
	keys := d.RequestKeys()
	steps := func(n int) (gone int64) {
		for range n {
			forgotten, err := keys.Forget(t.Context(), 10)
			if err != nil {
				t.Fatal(err)
			}
			if forgotten > 11 { // an account's keys go together
				t.Errorf("a step deleted %d keys", forgotten)
			}
			gone += forgotten
		}
		return gone
	}
	if gone := steps(11); gone != 80 {
		t.Errorf("%d keys of 80 are forgotten", gone)
	}
	var left int
	if err := d.Pool().QueryRow(t.Context(), "select count(*) from request_key").Scan(&left); err != nil || left != 14 {
		t.Errorf("%d keys are left, %v", left, err)
	}
	exec(t, d, "update request_key set created_at = created_at - interval '2 minutes'")
	if gone := steps(11); gone != 14 {
		t.Errorf("the second time round %d keys of 14 are forgotten", gone)
	}
}
