package room

import (
	"testing"
	"time"

	"github.com/jackc/pgx/v5"

	"plateia/core/fault"
	"plateia/core/id"
	"plateia/core/queue"
)

// Who counts as gone, and why; and each of them once.
func TestDepartures(t *testing.T) {
	w := newWorld(t)
	p := w.process(w.show(100, hourAgo())).opened()
	names := []string{"present", "idle", "expired", "bought", "idle with a live hold", "paying", "idle with a dead hold", "bought before"}
	fans := map[string]*fan{}
	event := [16]byte(p.which)
	for _, name := range names {
		fans[name] = p.fan().enter()
	}
	w.exec("insert into buyer (account_id, event_id, sold) values ($1, $2, 3)", [16]byte(fans["bought before"].who.Account), event)
	for _, f := range fans {
		f.comeIn()
	}
	who := func(name string) [16]byte { return fans[name].who.Account }
	hold := func(name string, state int, life string) {
		h := id.New()
		w.exec(`insert into hold (hold_id, event_id, account_id, ordinals, prices, state, expires_at, hard_expires_at, idem_key, body_hash, created_at)
			values ($1, $2, $3, '{1}', '{1}', $4, now() + $5::interval, now(), $6, '', now())`, [16]byte(h), event, who(name), state, life, id.New().String())
		w.exec("update buyer set hold_id = $2 where account_id = $1", who(name), [16]byte(h))
	}
	for _, name := range []string{"idle", "idle with a live hold", "paying", "idle with a dead hold"} {
		w.exec("update admission set last_seen = now() - interval '3 minutes' where account_id = $1", who(name))
	}
	hold("idle with a live hold", 1, "1 minute")
	hold("paying", 2, "-1 minute")
	hold("idle with a dead hold", 1, "-1 minute")
	w.exec("update admission set renewed_at = now() - interval '16 minutes' where account_id = $1", who("expired"))
	w.exec("update buyer set sold = sold + 2 where account_id = $1", who("bought"))
	p.depart()
	p.depart()
	for name, want := range map[string]string{
		"present": "", "idle": "idle", "expired": "expired", "bought": "bought", "idle with a live hold": "", "paying": "",
		"idle with a dead hold": "idle", "bought before": "",
	} {
		var got string
		err := w.db.Tx(t.Context(), func(tx pgx.Tx) error {
			return tx.QueryRow(t.Context(), "select left_reason from admission where account_id = $1", who(name)).Scan(&got)
		})
		if err != nil || got != want {
			t.Errorf("%s: left because %q, want %q (%v)", name, got, want, err)
		}
	}
	p.step()
	p.step()
	if m := p.led.view.memory; m.Left != 4 || m.Inside != 4 || m.Admitted != 8 {
		t.Errorf("counted %+v", m)
	}
	back := []queue.Sign{{Event: p.which, Account: fans["idle"].who.Account}}
	for range 2 { // two signs are one
		if err := p.store.Seen(t.Context(), back); err != nil {
			t.Fatal(err)
		}
	}
	p.step()
	if m := p.led.view.memory; m.Left != 4 || m.Inside != 5 || m.Admitted != 8 || m.Arrived != 8 {
		t.Errorf("after a sign of life: %+v", m)
	}
	for range 2 {
		if err := p.Leave(t.Context(), fans["idle"].ticket); err != nil {
			t.Fatal(err)
		}
	}
	p.step()
	if m := p.led.view.memory; m.Left != 5 || m.Inside != 4 {
		t.Errorf("after leaving: %+v", m)
	}
}

func (p *process) depart() {
	p.w.t.Helper()
	if _, err := p.store.Depart(p.w.t.Context(), p.which, queue.Departures{Idle: 2 * time.Minute, Life: 15 * time.Minute}); err != nil {
		p.w.t.Fatal(err)
	}
}

// Cases 1 and 2: ten inside leave, ten others come; whoever was told "one moment" and went away is counted out.
func TestTheRoomDrains(t *testing.T) {
	w := newWorld(t)
	p := w.process(w.show(10, hourAgo())).opened()
	fans := make([]*fan, 10)
	for i := range fans {
		fans[i] = p.fan().comeIn()
	}
	openWide(p)
	knocking := p.fan().enter()
	_, err := knocking.claim()
	refused(t, err, fault.Waiting, reasonMoment)
	p.step()
	if m := p.led.view.memory; m.AtDoor != 1 || m.Inside != 10 {
		t.Errorf("%+v", m)
	}
	for _, f := range fans {
		if err := p.Leave(t.Context(), f.ticket); err != nil {
			t.Fatal(err)
		}
	}
	w.exec("update admission set knocked_at = now() - interval '1 minute', last_seen = now() - interval '3 minutes' where admitted_at is null")
	p.depart()
	p.step()
	if m := p.led.view.memory; m.AtDoor != 0 || m.Inside != 0 || m.Left != 10 {
		t.Errorf("%+v", m)
	}
	knocking.mustClaim() // in time, the place is still there
	p.step()
	if m := p.led.view.memory; m.Inside != 1 || m.Arrived != 11 || m.Admitted != 11 {
		t.Errorf("%+v", m)
	}
}
