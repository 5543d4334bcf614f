package inventory

import (
	"slices"
	"testing"

	"plateia/core/event"
	"plateia/core/fault"
	"plateia/core/id"
	"plateia/core/pick"
	"plateia/core/seatmap"
)

// lastFew is a row of so many seats with an engine on it.
func lastFew(t *testing.T, seats int) (m *memStore, do func(Command) Outcome) {
	t.Helper()
	m = newMemStore(seats)
	inv := newInventory(t, m, testChart(t, seats))
	return m, func(command Command) Outcome {
		out, _ := inv.Do(t.Context(), m.event.ID, command)
		return out
	}
}

func bestFor(account id.ID, quantity int) PlaceHold {
	return PlaceHold{Hold: id.New(), Account: account, Best: &pick.Query{Quantity: quantity}}
}

// A press whose answer was lost is repeated when nothing is left to choose from: it has its seats, and is told so.
func TestBestAvailableIsRepeatedThoughNothingIsLeft(t *testing.T) {
	for _, fresh := range []bool{false, true} { // whoever claims that the key is new has a proxy in between that repeats
		_, do := lastFew(t, 2)
		fan := id.New()
		press := func(hash byte) PlaceHold {
			c := bestFor(fan, 2)
			c.Idempotency = Idempotency{Key: "k", BodyHash: [32]byte{hash}, Fresh: fresh}
			return c
		}
		first := ok(t, do(press(1))).Hold
		again := ok(t, do(press(1)))
		if again.Hold.ID != first.ID || !again.Replayed {
			t.Fatalf("told %+v, at first %+v", again, first)
		}
		wantCode(t, do(press(2)), fault.KeyReused)
		ok(t, do(Release{Account: fan, Hold: first.ID}))
		ok(t, do(placeOf(id.New(), 0, 1)))
		if late := ok(t, do(press(1))); late.Hold.ID != first.ID || late.Hold.State != HoldReleased {
			t.Fatalf("told %+v when the seats are somebody else's", late)
		}
		wantReason(t, do(bestFor(id.New(), 1)), "sold_out")
	}
}

// Seats that the fan holds are theirs to have again: nobody hears "sold out" of seats that one has oneself.
func TestBestAvailableCountsOnesOwnSeats(t *testing.T) {
	m, do := lastFew(t, 5)
	ana := id.New()
	ok(t, do(placeOf(id.New(), 0, 1)))
	held := ok(t, do(placeOf(ana, 2, 3))).Hold
	three := ok(t, do(bestFor(ana, 3))).Hold
	if !slices.Equal(ordinalsOf(three), []seatmap.Ordinal{2, 3, 4}) || !three.HardExpiresAt.Equal(held.HardExpiresAt) {
		t.Fatalf("three of the last three: %v until %v", ordinalsOf(three), three.HardExpiresAt)
	}
	two := ok(t, do(bestFor(ana, 2))).Hold
	if m.seats[two.Seats[0].Ordinal].Owner != two.ID || len(two.Seats) != 2 {
		t.Fatalf("two of one's own three: %+v", two)
	}
	wantReason(t, do(bestFor(ana, 4)), "quantity")
	if m.holds[two.ID].State != HoldActive {
		t.Fatal("a refused wish took the seats")
	}
	ok(t, do(bestFor(id.New(), 1)))
	wantReason(t, do(bestFor(id.New(), 1)), "sold_out")
	m.check(t)
}

// Where there is nothing to choose from the other reasons come first, as for seats that are named.
func TestNothingToChooseIsNotTheFirstReason(t *testing.T) {
	m, do := lastFew(t, 2)
	ana := id.New()
	h := ok(t, do(placeOf(ana, 0, 1))).Hold
	pay := StartPayment{Account: ana, Hold: h.ID, Order: id.New(), Attempt: id.New(), Provider: "sandbox"}
	ok(t, do(pay))
	wantCode(t, do(bestFor(ana, 1)), fault.PaymentInProgress)
	old := bestFor(id.New(), 1)
	old.Session = id.New()
	wantCode(t, do(old), fault.SessionReplaced)
	m.mu.Lock()
	m.event.State = event.Paused
	m.mu.Unlock()
	wantCode(t, do(bestFor(id.New(), 1)), fault.EventState)
}
