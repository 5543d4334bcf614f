package inventory

import (
	"testing"
	"time"

	"plateia/core/event"
	"plateia/core/fault"
	"plateia/core/id"
	"plateia/core/money"
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

func TestPayDeadline(t *testing.T) {
	m := newMemStore(10)
	_, out := pay(t, m, id.New(), 1)
	if got := out.Attempt.ExpiresAt.Sub(m.now); got != 5*time.Minute {
		t.Fatalf("the provider gets %v", got)
	}
	if got := out.Hold.ExpiresAt; got.Before(out.Attempt.ExpiresAt.Add(30 * time.Second)) {
		t.Fatalf("the hold ends at %v, before the provider's deadline and the margin", got)
	}
	for left, want := range map[time.Duration]fault.Code{
		89 * time.Second: fault.PaymentWindow, 90 * time.Second: "", 3 * time.Minute: "",
	} {
		h := ok(t, m.one(t, placeOf(id.New(), 2))).Hold
		row := m.holds[h.ID]
		row.HardExpiresAt = m.now.Add(left)
		row.ExpiresAt = row.HardExpiresAt
		m.holds[h.ID] = row
		c := StartPayment{Account: h.Account, Hold: h.ID, Order: id.New(), Attempt: id.New()}
		out := m.one(t, c)
		wantCode(t, out, want)
		if want == "" {
			if !out.Attempt.ExpiresAt.Equal(row.HardExpiresAt.Add(-30 * time.Second)) {
				t.Fatalf("deadline %v", out.Attempt.ExpiresAt)
			}
			ok(t, m.one(t, EndAttempt{Order: c.Order, Attempt: c.Attempt, Status: payment.Cancelled, FreeSeats: true}))
		} else {
			ok(t, m.one(t, Release{Account: h.Account, Hold: h.ID}))
		}
	}
	h := ok(t, m.one(t, placeOf(id.New(), 2))).Hold
	wantCode(t, m.one(t, StartPayment{Account: h.Account, Hold: h.ID, Order: id.New(), Attempt: id.New(), MinWindow: time.Hour}), fault.PaymentWindow)
}

func TestWhilePaying(t *testing.T) {
	m := newMemStore(10)
	fan := id.New()
	p, out := pay(t, m, fan, 1)
	wantCode(t, m.one(t, placeOf(fan, 2)), fault.PaymentInProgress)
	wantCode(t, m.one(t, Release{Account: fan, Hold: p.Hold}), fault.PaymentInProgress)
	wantCode(t, m.one(t, Extend{Account: fan, Hold: p.Hold}), fault.PaymentInProgress)
	second := p
	second.Order, second.Attempt = id.New(), id.New()
	wantCode(t, m.one(t, second), fault.OrderState)
	second.Order, second.Again = p.Order, true
	wantCode(t, m.one(t, second), fault.PaymentInProgress)
	m.now = out.Hold.ExpiresAt.Add(time.Hour) // PAYING is never taken lazily
	wantCode(t, m.one(t, placeOf(id.New(), 1)), fault.SeatTaken)
	m.now = out.Hold.HardExpiresAt.Add(PayingGrace)
	if h := ok(t, m.one(t, Expire{Hold: p.Hold})).Hold; h.State != HoldPaying {
		t.Fatalf("ended early: %v", h.State)
	}
	m.now = m.now.Add(time.Second)
	if h := ok(t, m.one(t, Expire{Hold: p.Hold})).Hold; h.State != HoldExpired || m.orders[p.Order].Status != order.Expired {
		t.Fatalf("hold %v, order %v", h.State, m.orders[p.Order].Status)
	}
	m.check(t)
}

func TestUnknownAttemptKeepsTheSeats(t *testing.T) {
	m := newMemStore(10)
	fan := id.New()
	p, first := pay(t, m, fan, 1)
	a := m.attempts[p.Attempt]
	a.Status = payment.Unknown
	m.attempts[p.Attempt] = a
	again := p
	again.Again, again.Attempt = true, id.New()
	ok(t, m.one(t, again))
	out := ok(t, m.one(t, EndAttempt{Order: p.Order, Attempt: again.Attempt, Status: payment.Declined, FreeSeats: true}))
	if out.Hold.State != HoldPaying || out.Order.Status != order.PendingPayment {
		t.Fatalf("freed although the first attempt may bring money: %+v", out)
	}
	ok(t, m.one(t, Sell{Order: p.Order, Attempt: p.Attempt, Captured: first.Attempt.Amount}))
	wantCode(t, m.one(t, Sell{Order: p.Order, Attempt: again.Attempt, Captured: first.Attempt.Amount}), fault.OrderState)
	m.check(t)
}

func TestSellRefusals(t *testing.T) {
	m := newMemStore(10)
	p, out := pay(t, m, id.New(), 1)
	sell := Sell{Order: p.Order, Attempt: p.Attempt, Captured: out.Attempt.Amount}
	m.event.State = event.Cancelled
	wantCode(t, m.one(t, sell), fault.EventState)
	m.event.State = event.Closed // holds of a closed sale are honoured while they live
	ok(t, m.one(t, sell))
	p, out = func() (StartPayment, Outcome) { m.event.State = event.OnSale; return pay(t, m, id.New(), 2) }()
	wrong := Sell{Order: p.Order, Attempt: p.Attempt, Captured: money.Amount{Minor: out.Order.Total, Currency: "USD"}}
	wantCode(t, m.one(t, wrong), fault.OrderState)
	if m.orders[p.Order].Status != order.Review || m.attempts[p.Attempt].Status != payment.Captured || m.seats[2].Status != Held {
		t.Fatal("a mismatch did not go to review with its seats kept")
	}
	wantCode(t, m.one(t, wrong), fault.OrderState) // the same again changes nothing
	if m.orders[p.Order].Version != 2 {
		t.Fatalf("order version %d", m.orders[p.Order].Version)
	}
}

func TestLateMoney(t *testing.T) {
	late := func(t *testing.T) (*memStore, Sell, id.ID) {
		m := newMemStore(20)
		fan := id.New()
		p, out := pay(t, m, fan, 1, 2)
		ok(t, m.one(t, EndAttempt{Order: p.Order, Attempt: p.Attempt, Status: payment.Cancelled, FreeSeats: true}))
		return m, Sell{Order: p.Order, Attempt: p.Attempt, Captured: out.Attempt.Amount}, fan
	}
	t.Run("seats free", func(t *testing.T) {
		m, sell, _ := late(t)
		if out := ok(t, m.one(t, sell)); out.Order.Status != order.Confirmed || len(out.Tickets) != 2 {
			t.Fatalf("%+v", out)
		}
		m.check(t)
	})
	t.Run("in the way of a dead hold", func(t *testing.T) {
		m, sell, _ := late(t)
		victim := ok(t, m.one(t, placeOf(id.New(), 2, 3))).Hold
		m.now = victim.ExpiresAt.Add(time.Minute)
		ok(t, m.one(t, sell))
		if m.holds[victim.ID].State != HoldExpired || m.seats[3].Status != Available {
			t.Fatal("the victim's hold did not go whole")
		}
		m.check(t)
	})
	t.Run("seat held again", func(t *testing.T) {
		m, sell, _ := late(t)
		ok(t, m.one(t, placeOf(id.New(), 2)))
		wantCode(t, m.one(t, sell), fault.HoldGone)
		m.check(t)
	})
	t.Run("over the limit by now", func(t *testing.T) {
		m, sell, fan := late(t)
		ok(t, m.one(t, placeOf(fan, 5, 6, 7, 8, 9)))
		wantCode(t, m.one(t, sell), fault.HoldGone)
	})
	t.Run("sale closed", func(t *testing.T) {
		m, sell, _ := late(t)
		m.event.State = event.Closed
		wantCode(t, m.one(t, sell), fault.HoldGone)
	})
	t.Run("cancelled by the fan", func(t *testing.T) {
		m := newMemStore(10)
		p, out := pay(t, m, id.New(), 1)
		ok(t, m.one(t, EndAttempt{Order: p.Order, Attempt: p.Attempt, Status: payment.Cancelled, FreeSeats: true, CancelOrder: true}))
		wantCode(t, m.one(t, Sell{Order: p.Order, Attempt: p.Attempt, Captured: out.Attempt.Amount}), fault.OrderState)
	})
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
