package room

import (
	"context"
	"testing"
	"time"

	"plateia/core/account"
	"plateia/core/event"
	"plateia/core/fault"
	"plateia/core/queue"
	"plateia/db"
	"plateia/waitingroom/draw"
)

// Case 3 and P14: a reset makes every old credential say so, and ends the sessions inside.
func TestAReset(t *testing.T) {
	w := newWorld(t)
	p := w.process(w.show(10, hourAgo())).opened()
	inside, waiting := p.fan().comeIn(), p.fan().enter()
	operators := NewOperators(p.Room, db.NewRooms(w.db), nil)
	reset := func(from int64) error {
		_, err := operators.Act(t.Context(), queue.Order{Event: p.which, Verb: queue.Reset, Who: "Ana", Why: "a test", From: from})
		return err
	}
	if err := reset(2); fault.CodeOf(err) != fault.EventState {
		t.Errorf("a reset of another epoch: %v", err)
	}
	before := p.doc().Version
	if err := reset(1); err != nil {
		t.Fatal(err)
	}
	w.shows.change(p.which, func(e *event.Event) { e.Epoch = 2 }) // as the catalog does, whose row the reset has changed
	if d := p.doc(); d.Version <= before || d.Epoch != 2 {
		t.Errorf("epoch %d, version %d after %d", d.Epoch, d.Version, before)
	}
	for _, f := range []*fan{inside, waiting} {
		if place := f.status(); place.Status != account.QueueClosed || place.Reason != reasonRestarted {
			t.Errorf("%+v", place)
		}
		_, err := f.claim()
		refused(t, err, fault.EventState, reasonRestarted)
	}
	if live := w.count("select count(*) from buyer where session_id is not null"); live != 0 {
		t.Errorf("%d sessions live on", live)
	}
	if err := p.store.Seen(t.Context(), []queue.Sign{{Event: p.which, Account: inside.who.Account}}); err != nil {
		t.Fatal(err)
	}
	if n := w.count("select count(*) from admission where left_at is null"); n != 0 {
		t.Errorf("a sign of life brought %d of the old epoch back", n)
	}
	p.opened()
	if m := p.led.view.memory; m.Admitted != 0 || m.Left != 0 || m.Inside != 0 || m.Served != 0 {
		t.Errorf("the new epoch begins with %+v", m)
	}
	inside.comeIn()
	inside.mustClaim()
	p.step()
	if m := p.led.view.memory; m.Admitted != 1 || m.Arrived != 1 || m.Inside != 1 {
		t.Errorf("the new epoch counts %+v", m)
	}
}

// The catalog may say for a second longer what was before a reset, and know of one before the leader does: the draw that a
// document shows is of its own epoch all the same.
func TestADrawIsOfItsRowsEpoch(t *testing.T) {
	w := newWorld(t)
	p := w.process(w.show(10, hourAgo())).opened()
	operators := NewOperators(p.Room, db.NewRooms(w.db), nil)
	says := func(epoch int64) { w.shows.change(p.which, func(e *event.Event) { e.Epoch = epoch }) }
	for from, catalog := range []int64{1: 1, 2: 4} {
		if from == 0 {
			continue
		}
		says(int64(from))
		if _, err := operators.Act(t.Context(), queue.Order{Event: p.which, Verb: queue.Reset, Who: "Ana", Why: "a test", From: int64(from)}); err != nil {
			t.Fatal(err)
		}
		says(catalog)
		p.until("the draw is made", func() bool { return p.step().Seed != nil })
		if seed := p.doc().Seed; int(seed[1]) != from+1 {
			t.Errorf("in epoch %d, of which the catalog says %d, the seed of epoch %d", from+1, catalog, seed[1])
		}
	}
}

// broken is a ceremony in which a reset of an epoch was stated, by a process that ended before it did the rest.
type broken struct {
	lots
	epoch int64
	at    time.Time
}

func (b *broken) Ended(_ context.Context, e event.Event) (reason string, at time.Time, ended bool, err error) {
	return "the wrong hall", b.at, e.Epoch == b.epoch, nil
}

// A process that ends between a reset's statements and its row: the leader does the rest, once, and the audit says so.
func TestAResetThatWasNotFinished(t *testing.T) {
	w := newWorld(t)
	p := w.process(w.show(10, hourAgo())).opened()
	waiting := p.fan().enter()
	b := &broken{lots: lots{draw.Digest{7}}, epoch: 1, at: time.Now()}
	p.ceremony = b
	p.led.looked = time.Time{} // as half a minute later
	if d := p.step(); d.Epoch != 1 {
		t.Fatal("a reset that has only just been begun is finished by somebody else")
	}
	b.at = time.Now().Add(-time.Minute)
	if d := p.step(); d.Epoch != 2 {
		t.Fatalf("the line goes on in epoch %d", d.Epoch)
	}
	w.shows.change(p.which, func(e *event.Event) { e.Epoch = 2 })
	if place := waiting.status(); place.Status != account.QueueClosed || place.Reason != reasonRestarted {
		t.Errorf("a fan of the old epoch: %+v", place)
	}
	p.opened()
	p.fan().comeIn()
	p.led.looked = time.Time{}
	if d := p.step(); d.Epoch != 2 {
		t.Errorf("it was reset again: epoch %d", d.Epoch)
	}
	actions, err := db.NewRooms(w.db).Actions(t.Context(), p.which, 0, 10)
	if err != nil || len(actions) != 1 || actions[0].Verb != queue.Reset || actions[0].Who != finisher || actions[0].Why != "the wrong hall" {
		t.Errorf("the audit says %+v, %v", actions, err)
	}
}
