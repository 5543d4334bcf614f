package door

import (
	"sync/atomic"
	"testing"
	"time"

	"plateia/core/account"
	"plateia/core/event"
	"plateia/core/fault"
)

// While nobody inside could pay, nobody new comes in: the line stands still, those
// who were called are told to wait, and no claim clock runs. Those inside stay.
func TestNobodyIsLetInWhilePaymentsAreDelayed(t *testing.T) {
	r := openRoom(t, 2)
	var closed atomic.Bool
	r.opts.Closed = func(event.Event) bool { return closed.Load() }
	inside, called, waiting := r.fan(), r.fan(), r.fan()
	for _, f := range []*fan{inside, called, waiting} {
		f.enter()
	}
	r.tick()
	inside.mustClaim()
	closed.Store(true)
	if err := r.Leave(t.Context(), inside.ticket); err != nil { // room for one more
		t.Fatal(err)
	}
	r.tick()
	r.tick()
	if p := waiting.status(); p.Status != account.QueueWaiting || p.Reason != "payments" || p.Wait != nil {
		t.Fatalf("somebody is let in to a house where nobody can pay: %+v", p)
	}
	_, err := called.claim()
	refused(t, err, fault.Waiting)
	r.exec("update door_step set at = at - interval '9 minutes'")
	r.exec("update door set paused_at = paused_at - interval '8 minutes'")
	if p := called.status(); p.Status != account.QueueAdmitted || p.Reason != "payments" {
		t.Fatalf("the delay cost a called fan the place: %+v", p)
	}
	closed.Store(false)
	r.tick()
	if left := time.Until(called.status().ClaimBy); left < 8*time.Minute {
		t.Errorf("the delay cost a called fan time: %v left", left)
	}
	called.mustClaim()
	r.tick()
	if p := waiting.status(); p.Status != account.QueueAdmitted || p.Reason != "" {
		t.Errorf("the line did not go on by itself: %+v", p)
	}
}

// A token is renewed for whoever is inside: they may still pay when a provider is back.
func TestThoseInsideStayWhilePaymentsAreDelayed(t *testing.T) {
	r := openRoom(t, 1)
	f := r.fan()
	f.enter()
	r.tick()
	first := f.mustClaim()
	r.opts.Closed = func(event.Event) bool { return true }
	if again := f.mustClaim(); again.Session != first.Session {
		t.Error("a renewal during the delay began another session")
	}
}
