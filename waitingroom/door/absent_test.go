package door

import (
	"testing"
	"time"

	"github.com/jackc/pgx/v5"

	"plateia/core/account"
	"plateia/core/id"
	"plateia/core/queue"
)

// Case 1: ten slots, ten present, ten gone, ten present.
func TestAbsentWinnersCostOneWindow(t *testing.T) {
	r := openRoom(t, 10)
	fans := make([]*fan, 30)
	for i := range fans {
		fans[i] = r.fan()
		fans[i].enter()
	}
	r.tick()
	for _, f := range fans[:10] {
		f.mustClaim()
	}
	r.exec("update admission set renewed_at = now() - interval '16 minutes'")
	r.departAll()
	r.tick()
	if p := fans[19].status(); p.Status != account.QueueAdmitted {
		t.Fatalf("%+v", p)
	}
	r.tick()
	if p := fans[20].status(); p.Status != account.QueueWaiting {
		t.Fatalf("those called keep their room for a window: %+v", p)
	}
	r.exec("update door_step set at = at - interval '10 minutes'")
	r.tick()
	for _, f := range fans[20:] {
		f.mustClaim()
	}
	if p := fans[15].status(); p.Status != account.QueueExpired {
		t.Errorf("%+v", p)
	}
	if p := fans[15].enter(); p.Position != 31 {
		t.Errorf("after a missed turn, a place at the end: %+v", p)
	}
	r.departAll() // case 2: nothing of "waiting size" is left behind
	r.exec("update admission set renewed_at = now() - interval '16 minutes'")
	r.departAll()
	r.tick()
	fans[15].mustClaim()
	l, err := r.store.Line(t.Context(), r.line, window)
	if err != nil || l.Inside != 1 || l.Called != 0 || l.Entered != l.Frontier {
		t.Errorf("%+v %v", l, err)
	}
}

func (r *room) departAll() {
	r.t.Helper()
	if err := r.departFrom(r.t.Context(), r.show.e.ID, queue.Departures{Idle: 2 * time.Minute, Life: 15 * time.Minute}); err != nil {
		r.t.Fatal(err)
	}
}

func TestDepartures(t *testing.T) {
	r := openRoom(t, 10)
	names := []string{"present", "idle", "expired", "bought", "idle with a live hold", "paying", "idle with a dead hold", "bought before"}
	fans := map[string]*fan{}
	for _, name := range names {
		fans[name] = r.fan()
		fans[name].enter()
	}
	r.exec("insert into buyer (account_id, event_id, sold) values ($1, $2, 3)", [16]byte(fans["bought before"].who.Account), [16]byte(r.show.e.ID))
	r.tick()
	for _, name := range names {
		fans[name].mustClaim()
	}
	idle := "update admission set last_seen = now() - interval '3 minutes' where account_id = $1"
	hold := func(f *fan, state int, life string) {
		h := id.New()
		r.exec(`insert into hold (hold_id, event_id, account_id, ordinals, prices, state, expires_at, hard_expires_at, idem_key, body_hash, created_at)
			values ($1, $2, $3, '{1}', '{1}', $4, now() + $5::interval, now(), $6, '', now())`,
			[16]byte(h), [16]byte(r.show.e.ID), [16]byte(f.who.Account), state, life, id.New().String())
		r.exec("update buyer set hold_id = $2 where account_id = $1", [16]byte(f.who.Account), [16]byte(h))
	}
	for _, name := range []string{"idle", "idle with a live hold", "paying", "idle with a dead hold"} {
		r.exec(idle, [16]byte(fans[name].who.Account))
	}
	hold(fans["idle with a live hold"], 1, "1 minute")
	hold(fans["paying"], 2, "-1 minute")
	hold(fans["idle with a dead hold"], 1, "-1 minute")
	r.exec("update admission set renewed_at = now() - interval '15 minutes' where account_id = $1", [16]byte(fans["expired"].who.Account))
	r.exec("update buyer set sold = sold + 2 where account_id = $1", [16]byte(fans["bought"].who.Account))
	r.departAll()
	for name, want := range map[string]string{
		"present": "", "idle": "idle", "expired": "expired", "bought": "bought", "idle with a live hold": "", "paying": "",
		"idle with a dead hold": "idle", "bought before": "",
	} {
		var got string
		err := r.db.Tx(t.Context(), func(tx pgx.Tx) error {
			return tx.QueryRow(t.Context(), "select left_reason from admission where account_id = $1", [16]byte(fans[name].who.Account)).Scan(&got)
		})
		if err != nil || got != want {
			t.Errorf("%s: left because %q, want %q (%v)", name, got, want, err)
		}
	}
	if err := r.store.Seen(t.Context(), []queue.Sign{{Event: r.show.e.ID, Account: fans["idle"].who.Account}}); err != nil {
		t.Fatal(err)
	}
	if p := fans["idle"].status(); p.Status != account.QueueAdmitted {
		t.Errorf("a sign of life brings somebody back: %+v", p)
	}
}
