package door

import (
	"testing"
	"time"

	"plateia/core/account"
	"plateia/core/event"
	"plateia/core/fault"
	"plateia/core/id"
)

func TestPauseStopsEveryClock(t *testing.T) {
	r := openRoom(t, 1)
	a, b := r.fan(), r.fan()
	a.enter()
	b.enter()
	r.tick()
	r.show.change(func(e *event.Event) { e.State = event.Paused })
	r.tick()
	r.exec("update door_step set at = at - interval '9 minutes'")
	r.exec("update door set paused_at = paused_at - interval '8 minutes'") // paused eight minutes, one minute in
	if p := a.status(); p.Status != account.QueueAdmitted || p.Reason != "paused" {
		t.Fatalf("%+v", p)
	}
	if p := b.status(); p.Status != account.QueueWaiting || p.Reason != "paused" || p.Wait != nil {
		t.Fatalf("%+v", p)
	}
	before := a.status().ClaimBy
	r.show.change(func(e *event.Event) { e.State = event.OnSale })
	r.tick()
	after := a.status()
	if left := time.Until(after.ClaimBy); left < 8*time.Minute || left > 10*time.Minute || after.ClaimBy.Before(before.Add(-time.Second)) {
		t.Errorf("the pause cost the fan: %v left, by %v (was %v)", left, after.ClaimBy, before)
	}
	a.mustClaim()
}

// Case 3 and P14: a reset makes every old ticket say so.
func TestReset(t *testing.T) {
	r := openRoom(t, 1)
	a := r.fan()
	a.enter()
	r.tick()
	r.show.change(func(e *event.Event) { e.Epoch = 2 })
	if p := a.status(); p.Status != account.QueueClosed || p.Reason != "restarted" {
		t.Errorf("%+v", p)
	}
	_, err := a.claim()
	refused(t, err, fault.EventState)
	if p := a.enter(); p.Position != 1 || p.Status != account.QueueWaiting {
		t.Errorf("a new line: %+v", p)
	}
}

func TestClosedEvents(t *testing.T) {
	r := openRoom(t, 1)
	a := r.fan()
	a.enter()
	for state, details := range map[event.State]string{event.Closed: "closed", event.Cancelled: "cancelled", event.Scheduled: "scheduled"} {
		r.show.change(func(e *event.Event) { e.State = state })
		_, _, err := r.Enter(t.Context(), r.show.e.ID, r.fan().who, "k")
		refused(t, err, fault.EventState)
		if got := fault.From(err).Details["state"]; got != state {
			t.Errorf("details say %v", got)
		}
		if p := a.status(); p.Status != account.QueueClosed || p.Reason != details {
			t.Errorf("%+v", p)
		}
		_, err = a.claim()
		refused(t, err, fault.EventState)
	}
	_, _, err := r.Enter(t.Context(), id.New(), a.who, a.key)
	refused(t, err, fault.NotFound)
}
