package mint

import (
	"testing"
	"time"

	"plateia/core/account"
	"plateia/core/event"
	"plateia/core/fault"
	"plateia/core/id"
	"plateia/core/queue"
	"plateia/waitingroom/frontier"
)

const old = 20 * time.Minute // a session that stands for nothing but itself

func refusedWith(t *testing.T, err error, code fault.Code, reason string) {
	t.Helper()
	if f := fault.From(err); f.Code != code || f.Details["reason"] != reason {
		t.Fatalf("%v %v, want %s %s", err, f.Details, code, reason)
	}
}

func TestAPlaceIsGivenOnceAndKeptForEver(t *testing.T) {
	h := newHall(t, nil)
	who := h.session(id.New(), old)
	first, err := h.enter(who, "laptop", queue.Asked{})
	if err != nil || first.Class != account.Lottery || first.Tier != 1 || !first.EnteredAt.Equal(h.now) || first.KeyThumb != "laptop" {
		t.Fatalf("%+v %v", first, err)
	}
	h.now = h.event.OnSaleAt.Add(time.Second) // a reload, an hour later: still in the lottery
	again, err := h.enter(who, "laptop", queue.Asked{})
	if first.ExpiresAt = again.ExpiresAt; err != nil || again != first {
		t.Errorf("%+v %v", again, err)
	}
	late, err := h.enter(h.session(id.New(), old), "other", queue.Asked{})
	if err != nil || late.Class != account.Late || !late.EnteredAt.Equal(h.now) {
		t.Errorf("%+v %v", late, err)
	}
	h.doc.Epoch = 2 // started over
	if fresh, err := h.enter(who, "laptop", queue.Asked{}); err != nil || fresh.Class != account.Late || fresh.Epoch != 2 {
		t.Errorf("%+v %v", fresh, err)
	}
}

func TestAtTheInstantItselfTheLotteryIsOver(t *testing.T) {
	h := newHall(t, nil)
	for at, class := range map[time.Duration]account.Class{-time.Millisecond: account.Lottery, 0: account.Late} {
		h.now = h.event.OnSaleAt.Add(at)
		if got, err := h.enter(h.session(id.New(), old), "k", queue.Asked{}); err != nil || got.Class != class {
			t.Errorf("at %v: %+v %v", at, got, err)
		}
	}
}

func TestLinesThatTakeNobody(t *testing.T) {
	h := newHall(t, nil)
	from := h.now.Add(time.Minute)
	for reason, change := range map[string]func(){
		"soldout":   func() { h.doc.Phase = frontier.SoldOut },
		"ended":     func() { h.doc.Phase = frontier.Ended },
		"closed":    func() { h.event.State = event.Closed },
		"cancelled": func() { h.event.State = event.Cancelled },
		"early":     func() { h.event.Rules.Queue = &event.Queue{EntriesFrom: &from} },
	} {
		was, doc := h.event, *h.doc
		change()
		_, err := h.enter(h.session(id.New(), old), "k", queue.Asked{})
		refusedWith(t, err, fault.EventState, reason)
		if fault.From(err).Details["queueStatus"] != account.QueueClosed {
			t.Errorf("%s: %v", reason, fault.From(err).Details)
		}
		h.event, *h.doc = was, doc
	}
}

func TestAnotherDeviceNeedsANewSignInAndAMinute(t *testing.T) {
	h := newHall(t, nil)
	who := id.New()
	if _, err := h.enter(h.session(who, old), "laptop", queue.Asked{}); err != nil {
		t.Fatal(err)
	}
	_, err := h.enter(h.session(who, old), "phone", queue.Asked{})
	refusedWith(t, err, fault.Forbidden, "moved")
	h.now = h.now.Add(2 * time.Second)
	moved, err := h.enter(h.session(who, time.Second), "phone", queue.Asked{})
	if err != nil || moved.KeyThumb != "phone" {
		t.Fatalf("%+v %v", moved, err)
	}
	h.now = h.now.Add(10 * time.Second)
	_, err = h.enter(h.session(who, time.Second), "laptop", queue.Asked{})
	refusedWith(t, err, fault.RateLimited, "moved")
	if wait := fault.From(err).RetryAfter; wait != 50*time.Second {
		t.Errorf("wait %v", wait)
	}
	h.now = h.now.Add(time.Minute)
	if back, err := h.enter(h.session(who, time.Second), "laptop", queue.Asked{}); err != nil || back.KeyThumb != "laptop" || !back.EnteredAt.Equal(moved.EnteredAt) {
		t.Errorf("%+v %v", back, err)
	}
}

func TestAChallengeThatFailsNeverCostsThePlace(t *testing.T) {
	h := newHall(t, &Dev{})
	who := h.session(id.New(), old)
	for _, c := range []struct{ challenge, reason string }{{"", "missing"}, {"yes", "failed"}, {"dev:", "failed"}} {
		_, err := h.enter(who, "k", queue.Asked{Challenge: c.challenge})
		refusedWith(t, err, fault.ChallengeRequired, c.reason)
	}
	if _, err := h.enter(who, "k", queue.Asked{Challenge: "dev:1"}); err != nil {
		t.Fatal(err)
	}
	_, err := h.enter(h.session(id.New(), old), "k", queue.Asked{Challenge: "dev:1"})
	refusedWith(t, err, fault.ChallengeRequired, "used")
	if _, err := h.enter(who, "k", queue.Asked{Challenge: "rubbish"}); err != nil {
		t.Errorf("who has a place is asked again: %v", err)
	}
	if _, err := h.enter(h.session(id.New(), time.Minute), "k", queue.Asked{}); err != nil {
		t.Errorf("a mailbox that was proved a minute ago does not stand for it: %v", err)
	}
}

func TestPresaleCodes(t *testing.T) {
	h := newHall(t, nil)
	ana, bob := h.session(id.New(), old), h.session(id.New(), old)
	code := h.codes.Make(h.event.ID, 0, 7)
	for _, wrong := range []string{"x", h.codes.Make(id.New(), 0, 7), h.codes.Make(h.event.ID, 5, 7), code[:22] + "0"} {
		_, err := h.enter(ana, "k", queue.Asked{Code: wrong})
		if wrong != code {
			refusedWith(t, err, fault.Invalid, "unknown")
		}
	}
	if _, found, err := h.log.Find(t.Context(), queue.Key{Event: h.event.ID, Epoch: 1}, h.tokens.Pseudonym(ana.Account, h.event.ID)); found || err != nil {
		t.Errorf("a wrong code left an entry: %v", err)
	}
	got, err := h.enter(ana, "k", queue.Asked{Code: code})
	if err != nil || got.Tier != 0 {
		t.Fatalf("%+v %v", got, err)
	}
	_, err = h.enter(bob, "k", queue.Asked{Code: code})
	refusedWith(t, err, fault.Invalid, "used")
	if got, err := h.enter(bob, "k", queue.Asked{}); err != nil || got.Tier != 1 {
		t.Errorf("without a code: %+v %v", got, err)
	}
	if got, err := h.enter(bob, "k", queue.Asked{Code: "nonsense"}); err != nil || got.Tier != 1 {
		t.Errorf("a code of who has a place: %+v %v", got, err)
	}
}
