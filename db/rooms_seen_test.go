package db_test

import (
	"testing"
	"time"

	"plateia/core/id"
	"plateia/core/queue"
	"plateia/db"
	"plateia/db/dbtest"
)

// Whoever was only quiet is inside again with the next sign of life. Who has bought or left may look on, and is inside again when they hold seats.
func TestASignOfLifeBringsBackWhoWasOnlyQuiet(t *testing.T) {
	d := dbtest.New(t)
	event, rooms := id.New(), db.NewRooms(d)
	exec := func(sql string, args ...any) {
		t.Helper()
		if _, err := d.Pool().Exec(t.Context(), sql, args...); err != nil {
			t.Fatal(err)
		}
	}
	for _, c := range []struct {
		reason      string
		holds, back bool
	}{
		{"idle", false, true}, {"expired", false, true}, {"bought", false, false}, {"left", false, false}, {"restarted", true, false}, {"bought", true, true},
	} {
		who, hold := id.New(), id.New()
		exec(`insert into admission (account_id, event_id, epoch, session_id, admitted_at, renewed_at, last_seen, sold_before, left_at, left_reason)
			values ($1, $2, 1, $1, now(), now(), now(), 0, now(), $3)`, [16]byte(who), [16]byte(event), c.reason)
		if c.holds {
			exec(`insert into hold (hold_id, event_id, account_id, ordinals, prices, state, expires_at, hard_expires_at, idem_key, body_hash, created_at)
				values ($1, $2, $3, array[1], array[1], 1, $4, $4, 'k', '', now())`, [16]byte(hold), [16]byte(event), [16]byte(who), time.Now().Add(time.Hour))
			exec("insert into buyer (account_id, event_id, hold_id, held) values ($1, $2, $3, 1)", [16]byte(who), [16]byte(event), [16]byte(hold))
		}
		if err := rooms.Seen(t.Context(), []queue.Sign{{Event: event, Account: who}}); err != nil {
			t.Fatal(err)
		}
		var back bool
		if err := d.Pool().QueryRow(t.Context(), "select left_at is null from admission where account_id = $1", [16]byte(who)).Scan(&back); err != nil || back != c.back {
			t.Errorf("%q, with a hold %v: back inside %v, %v", c.reason, c.holds, back, err)
		}
	}
}
