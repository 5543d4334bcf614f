package inventory

import (
	"testing"
	"time"

	"plateia/core/event"
	"plateia/core/fault"
	"plateia/core/id"
	"plateia/core/order"
	"plateia/core/payment"
	"plateia/core/seatmap"
)

func placeOf(account id.ID, seats ...seatmap.Ordinal) PlaceHold {
	return PlaceHold{Hold: id.New(), Account: account, Seats: seats}
}

func wantCode(t testing.TB, out Outcome, code fault.Code) {
	t.Helper()
	if fault.CodeOf(out.Err) != code {
		t.Fatalf("outcome %v, want %q", out.Err, code)
	}
}

func ok(t *testing.T, out Outcome) Outcome {
	t.Helper()
	if out.Err != nil {
		t.Fatal(out.Err)
	}
	return out
}

func TestFirstComeInTheBatchWins(t *testing.T) {
	m := newMemStore(10)
	a, b, c := id.New(), id.New(), id.New()
	out := m.decide(t, placeOf(a, 1, 2), placeOf(b, 2, 3), placeOf(c, 3, 4))
	ok(t, out[0])
	wantCode(t, out[1], fault.SeatTaken)
	ok(t, out[2])
	m.check(t)
	if v := m.seats[3].Version; v != 2 {
		t.Fatalf("the loser's other seat changed: version %d", v)
	}
}

func TestThreeTabs(t *testing.T) {
	m := newMemStore(10)
	fan := id.New()
	for _, out := range m.decide(t, placeOf(fan, 1, 2), placeOf(fan, 2, 3), placeOf(fan, 5)) {
		ok(t, out)
	}
	m.check(t)
	if m.seats[5].Status != Held || m.seats[2].Status != Available {
		t.Fatal("the last tab does not win")
	}
}

func TestLimits(t *testing.T) {
	m := newMemStore(20)
	m.event.Rules.MaxPerAccount = 4
	fan := id.New()
	wantCode(t, m.one(t, placeOf(fan, 0, 1, 2, 3, 4)), fault.LimitExceeded)
	buy(t, m, fan, 0, 1, 2)
	wantCode(t, m.one(t, placeOf(fan, 4, 5)), fault.LimitExceeded)
	ok(t, m.one(t, placeOf(fan, 4)))
	ok(t, m.one(t, placeOf(fan, 5))) // replaces: not counted twice
	m.check(t)
}

// buy holds, pays and sells.
func buy(t *testing.T, m *memStore, fan id.ID, seats ...seatmap.Ordinal) (StartPayment, Outcome) {
	t.Helper()
	pay, started := pay(t, m, fan, seats...)
	return pay, ok(t, m.one(t, Sell{Order: pay.Order, Attempt: pay.Attempt, Captured: started.Attempt.Amount}))
}

func pay(t *testing.T, m *memStore, fan id.ID, seats ...seatmap.Ordinal) (StartPayment, Outcome) {
	t.Helper()
	h := ok(t, m.one(t, placeOf(fan, seats...))).Hold
	pay := StartPayment{Account: fan, Hold: h.ID, Order: id.New(), Attempt: id.New(), Provider: "sandbox"}
	return pay, ok(t, m.one(t, pay))
}

func TestRefusedPlaceHolds(t *testing.T) {
	fan, wrong := id.New(), int64(1)
	for name, c := range map[string]struct {
		code   fault.Code
		change func(*memStore, *PlaceHold)
	}{
		"scheduled":   {fault.EventState, func(m *memStore, _ *PlaceHold) { m.event.State = event.Scheduled }},
		"paused":      {fault.EventState, func(m *memStore, _ *PlaceHold) { m.event.State = event.Paused }},
		"closed":      {fault.EventState, func(m *memStore, _ *PlaceHold) { m.event.State = event.Closed }},
		"cancelled":   {fault.EventState, func(m *memStore, _ *PlaceHold) { m.event.State = event.Cancelled }},
		"empty":       {fault.Invalid, func(_ *memStore, p *PlaceHold) { p.Seats = nil }},
		"duplicate":   {fault.Invalid, func(_ *memStore, p *PlaceHold) { p.Seats = []seatmap.Ordinal{3, 1, 3} }},
		"unknown":     {fault.NotFound, func(_ *memStore, p *PlaceHold) { p.Seats = []seatmap.Ordinal{1, 99} }},
		"price":       {fault.PriceChanged, func(_ *memStore, p *PlaceHold) { p.ExpectedTotal = &wrong }},
		"session":     {fault.SessionReplaced, func(_ *memStore, p *PlaceHold) { p.Session = id.New() }},
		"old session": {fault.SessionReplaced, func(m *memStore, _ *PlaceHold) { m.buyers[fan] = Buyer{Account: fan, Session: id.New(), Version: 1} }},
		"blocked": {fault.SeatBlocked, func(m *memStore, _ *PlaceHold) {
			m.seats[1] = Seat{Ordinal: 1, Status: Blocked, Version: 1}
		}},
		"channel": {fault.SeatBlocked, func(m *memStore, _ *PlaceHold) { m.seats[1] = Seat{Ordinal: 1, Channel: 2, Version: 1} }},
	} {
		t.Run(name, func(t *testing.T) {
			m, command := newMemStore(10), placeOf(fan, 1, 2)
			c.change(m, &command)
			wantCode(t, m.one(t, command), c.code)
			if len(m.outbox) != 0 || len(m.holds) != 0 {
				t.Fatal("a refusal was stored")
			}
		})
	}
}

func TestRightTotalIsAccepted(t *testing.T) {
	m, total := newMemStore(10), int64(1500)
	command := placeOf(id.New(), 0, 1)
	command.ExpectedTotal = &total
	if got := order.Total(ok(t, m.one(t, command)).Hold.Lines(&m.event.Rules)); got != total {
		t.Fatalf("total %d", got)
	}
}

func TestRefusedReplacementLeavesTheOldHold(t *testing.T) {
	m := newMemStore(10)
	fan := id.New()
	old := ok(t, m.one(t, placeOf(fan, 1, 2))).Hold
	ok(t, m.one(t, placeOf(id.New(), 3)))
	wantCode(t, m.one(t, placeOf(fan, 3, 4)), fault.SeatTaken)
	if m.holds[old.ID].State != HoldActive || m.seats[1].Owner != old.ID {
		t.Fatal("the old hold is gone")
	}
	m.check(t)
}

func TestAbsoluteEndIsInherited(t *testing.T) {
	m := newMemStore(10)
	fan := id.New()
	first := ok(t, m.one(t, placeOf(fan, 1, 2))).Hold
	m.now = m.now.Add(5 * time.Minute)
	if h := ok(t, m.one(t, placeOf(fan, 2, 3))).Hold; !h.HardExpiresAt.Equal(first.HardExpiresAt) {
		t.Fatalf("replaced: %v, want %v", h.HardExpiresAt, first.HardExpiresAt)
	}
	if h := ok(t, m.one(t, placeOf(fan, 7))).Hold; !h.HardExpiresAt.Equal(m.now.Add(30 * time.Minute)) {
		t.Fatalf("other seats: %v", h.HardExpiresAt)
	}
	if h := ok(t, m.one(t, placeOf(fan, 1))).Hold; !h.HardExpiresAt.Equal(first.HardExpiresAt) {
		t.Fatalf("within ten minutes of its end: %v, want %v", h.HardExpiresAt, first.HardExpiresAt)
	}
}

// A hold that was kept to its absolute end: the same seats are refused until ten minutes later,
// and it makes no difference whether anybody swept the hold.
func TestAbsoluteEndIsInheritedForTenMinutes(t *testing.T) {
	for _, swept := range []bool{false, true} {
		for after, code := range map[time.Duration]fault.Code{
			ExpiryGrace + time.Millisecond: fault.HoldLimit, InheritWindow - time.Millisecond: fault.HoldLimit, InheritWindow: "",
		} {
			m := newMemStore(10)
			h := ok(t, m.one(t, placeOf(id.New(), 1, 2))).Hold
			for h.ExpiresAt.Before(h.HardExpiresAt) {
				m.now = h.ExpiresAt
				h = ok(t, m.one(t, Extend{Account: h.Account, Hold: h.ID})).Hold
			}
			m.now = h.HardExpiresAt.Add(after)
			if swept {
				ok(t, m.one(t, Expire{Hold: h.ID}))
			}
			wantCode(t, m.one(t, placeOf(h.Account, 2, 3)), code)
			ok(t, m.one(t, placeOf(h.Account, 5))) // other seats have a life of their own
			m.check(t)
		}
	}
}

func TestExpiryBoundary(t *testing.T) {
	for past, code := range map[time.Duration]fault.Code{
		0: fault.SeatTaken, ExpiryGrace: fault.SeatTaken, ExpiryGrace + time.Microsecond: "",
	} {
		m := newMemStore(10)
		victim := ok(t, m.one(t, placeOf(id.New(), 1, 2))).Hold
		m.now = victim.ExpiresAt.Add(past)
		wantCode(t, m.one(t, placeOf(id.New(), 2)), code)
		ownerCode := fault.HoldGone
		if code != "" {
			ownerCode = ""
		}
		wantCode(t, m.one(t, Extend{Account: victim.Account, Hold: victim.ID}), ownerCode)
		m.check(t)
	}
}

func TestExtend(t *testing.T) {
	m := newMemStore(10)
	h := ok(t, m.one(t, placeOf(id.New(), 1))).Hold
	for range 4 {
		m.now = m.now.Add(6 * time.Minute)
		if got := ok(t, m.one(t, Extend{Account: h.Account, Hold: h.ID})).Hold.ExpiresAt; got.After(h.HardExpiresAt) || !got.After(m.now) {
			t.Fatalf("extended to %v", got)
		}
	}
	wantCode(t, m.one(t, Extend{Account: h.Account, Hold: h.ID}), fault.HoldLimit)
	wantCode(t, m.one(t, Extend{Account: id.New(), Hold: h.ID}), fault.NotFound)
}

// While nobody can pay we keep seats for their fans, paying or not, and never past the absolute end.
func TestOutageKeepsHolds(t *testing.T) {
	m := newMemStore(10)
	active := ok(t, m.one(t, placeOf(id.New(), 1))).Hold
	_, paying := pay(t, m, id.New(), 2)
	for _, h := range []Hold{active, paying.Hold} {
		began := m.now
		for m.now.Before(h.HardExpiresAt.Add(-6 * time.Minute)) {
			m.now = m.now.Add(5 * time.Minute)
			got := ok(t, m.one(t, Extend{Account: h.Account, Hold: h.ID, Outage: true})).Hold
			if got.State != h.State || got.ExpiresAt.After(h.HardExpiresAt) || !got.ExpiresAt.After(m.now) {
				t.Fatalf("at %v kept until %v, absolute end %v", m.now, got.ExpiresAt, h.HardExpiresAt)
			}
		}
		m.now = m.now.Add(5 * time.Minute)
		ok(t, m.one(t, Extend{Hold: h.ID, Outage: true}))
		if out := ok(t, m.one(t, Extend{Hold: h.ID, Outage: true})); !out.Replayed || !out.Hold.ExpiresAt.Equal(h.HardExpiresAt) {
			t.Errorf("at its absolute end a hold was moved to %v", out.Hold.ExpiresAt)
		}
		m.now = began
	}
	wantCode(t, m.one(t, Extend{Hold: id.New(), Outage: true}), fault.NotFound)
}

// A hold that has ended is not revived by an outage.
func TestOutageRevivesNothing(t *testing.T) {
	m := newMemStore(10)
	h := ok(t, m.one(t, placeOf(id.New(), 1))).Hold
	m.now = h.ExpiresAt.Add(time.Minute)
	if out := ok(t, m.one(t, Extend{Hold: h.ID, Outage: true})); !out.Hold.ExpiresAt.Equal(h.ExpiresAt) {
		t.Errorf("a dead hold lives until %v", out.Hold.ExpiresAt)
	}
}

func TestKeys(t *testing.T) {
	m := newMemStore(10)
	fan := id.New()
	with := func(key string, body byte) Idempotency { return Idempotency{Key: key, BodyHash: [32]byte{body}} }
	hold := placeOf(fan, 1)
	hold.Idempotency = with("k", 1)
	out := m.decide(t, hold, hold)
	if ok(t, out[0]); !ok(t, out[1]).Replayed || out[1].Hold.ID != hold.Hold {
		t.Fatalf("the same press twice in a batch: %+v", out[1])
	}
	other := hold
	other.BodyHash = [32]byte{2}
	wantCode(t, m.one(t, other), fault.KeyReused)
	stranger := hold
	stranger.Hold, stranger.Account, stranger.Seats = id.New(), id.New(), []seatmap.Ordinal{5}
	ok(t, m.one(t, stranger)) // keys are per account
	first := StartPayment{Account: fan, Hold: hold.Hold, Order: id.New(), Attempt: id.New(), Idempotency: with("pay", 1)}
	ok(t, m.one(t, first))
	retry := first
	retry.Order, retry.Attempt = id.New(), id.New()
	if got := ok(t, m.one(t, retry)); !got.Replayed || got.Order.ID != first.Order || got.Attempt.ID != first.Attempt {
		t.Fatalf("order repeated: %+v", got)
	}
	retry.BodyHash = [32]byte{2}
	wantCode(t, m.one(t, retry), fault.KeyReused)
	ok(t, m.one(t, EndAttempt{Order: first.Order, Attempt: first.Attempt, Status: payment.Declined}))
	again := StartPayment{Account: fan, Hold: hold.Hold, Order: first.Order, Again: true, Attempt: id.New(), Idempotency: with("pay2", 1)}
	ok(t, m.one(t, again))
	repeat := again
	repeat.Attempt = id.New()
	if got := ok(t, m.one(t, repeat)); !got.Replayed || got.Attempt.ID != again.Attempt {
		t.Fatalf("pay repeated: %+v", got)
	}
}
