package inventory

import (
	"context"
	"slices"
	"testing"
	"time"

	"plateia/core/fault"
	"plateia/core/id"
	"plateia/core/pick"
	"plateia/core/seatmap"
)

// standing is a wish for places of the area, with those that an engine chose.
func standing(account id.ID, quantity int, picked ...seatmap.Ordinal) PlaceHold {
	c := placeOf(account, picked...)
	c.Areas, c.picked = []AreaPlaces{{Section: 1, Quantity: quantity}}, len(picked)
	return c
}

func ordinalsOf(h Hold) (list []seatmap.Ordinal) {
	for _, seat := range h.Seats {
		list = append(list, seat.Ordinal)
	}
	return list
}

func TestAreaPlacesAreCheckedLikeSeats(t *testing.T) {
	s := newSale(t)
	fan := id.New()
	mixed := standing(fan, 2, 65, 66)
	mixed.Seats = []seatmap.Ordinal{10, 11, 65, 66}
	total := int64(2*1000 + 2*500)
	mixed.ExpectedTotal = &total
	h := ok(t, s.do(mixed)).Hold
	if !slices.Equal(ordinalsOf(h), []seatmap.Ordinal{10, 11, 65, 66}) {
		t.Fatalf("held %v", ordinalsOf(h))
	}
	out := s.do(standing(id.New(), 2, 64, 65)) // one is gone: the engine may choose again
	wantCode(t, out, fault.NoSeats)
	if !out.missed || detail(out, "reason") != "contended" {
		t.Fatalf("%v, missed %v", out.Err, out.missed)
	}
	named := standing(id.New(), 1, 65)
	named.Seats = []seatmap.Ordinal{10, 65}
	out = s.do(named) // the caller hears of the seat that it named only
	wantCode(t, out, fault.SeatTaken)
	if out.missed || len(detail(out, "seats").([]string)) != 1 {
		t.Fatalf("%v", fault.From(out.Err).Details)
	}
	s.refused(standing(id.New(), 3, 60, 61), fault.NoSeats, "reason", "quantity", "section", "GA")
	s.refused(standing(id.New(), 3), fault.NoSeats, "reason", "sold_out")
	s.refused(standing(id.New(), 7, 60, 61, 62, 63, 64, 67, 68), fault.LimitExceeded, "limit", 6)
	for _, areas := range [][]AreaPlaces{{{0, 1}}, {{1, 0}}, {{1, -1}}, {{1, 1}, {1, 1}}} {
		bad := standing(id.New(), 1, 60, 61)
		bad.Areas = areas
		wantCode(t, s.do(bad), fault.Invalid)
	}
	for _, section := range []int{-1, 2} {
		bad := standing(id.New(), 1, 60)
		bad.Areas[0].Section = section
		wantCode(t, s.do(bad), fault.NotFound)
	}
}

// Places of the hold that is replaced are used first: the last ones of a full area are not lost
// to their own holder, and asking again does not make a longer life.
func TestAreaPlacesOfTheOldHoldComeFirst(t *testing.T) {
	s := newSale(t)
	fan := id.New()
	first := ok(t, s.do(standing(fan, 3, 60, 61, 62))).Hold
	ok(t, s.do(standing(id.New(), 6, 63, 64, 65, 66, 67, 68)))
	ok(t, s.do(standing(id.New(), 1, 69)))
	s.now = s.now.Add(time.Minute)
	again := ok(t, s.do(standing(fan, 2))).Hold
	if !slices.Equal(ordinalsOf(again), []seatmap.Ordinal{60, 61}) || !again.HardExpiresAt.Equal(first.HardExpiresAt) {
		t.Fatalf("held %v until %v", ordinalsOf(again), again.HardExpiresAt)
	}
	s.refused(standing(fan, 4, 62), fault.NoSeats, "reason", "quantity")
	if s.holds[again.ID].State != HoldActive {
		t.Fatal("a refused replacement took the old hold")
	}
	ok(t, s.do(standing(fan, 3, 62)))
}

// Places are all alike, so other places of the area inherit the absolute end too.
func TestAreaInheritsTheAbsoluteEnd(t *testing.T) {
	s := newSale(t)
	fan := id.New()
	first := ok(t, s.do(standing(fan, 2, 60, 61))).Hold
	s.now = s.now.Add(time.Minute)
	ok(t, s.do(Release{Account: fan, Hold: first.ID}))
	s.now = s.now.Add(InheritWindow - time.Millisecond)
	other := ok(t, s.do(standing(fan, 2, 64, 65))).Hold
	if !other.HardExpiresAt.Equal(first.HardExpiresAt) {
		t.Fatalf("until %v, not %v", other.HardExpiresAt, first.HardExpiresAt)
	}
	if seat := ok(t, s.do(placeOf(fan, 5))).Hold; seat.HardExpiresAt.Equal(first.HardExpiresAt) {
		t.Fatal("a seat is no place of the area")
	}
}

// The engine chooses places and seats for mixed wishes, answers with the reason when there
// are none, and chooses again when another process was faster.
func TestEngineChoosesPlaces(t *testing.T) {
	s := newSale(t)
	s.event.Rules.MaxPerAccount = 100
	inv := newInventory(t, s.memStore, s.chart)
	do := func(c PlaceHold) Outcome {
		out, _ := inv.Do(t.Context(), s.event.ID, c)
		return out
	}
	mixed := standing(id.New(), 4)
	mixed.Seats = []seatmap.Ordinal{10}
	h := ok(t, do(mixed)).Hold
	if len(h.Seats) != 5 || h.Seats[0].Ordinal != 10 || h.Seats[1].Ordinal < 60 {
		t.Fatalf("held %v", ordinalsOf(h))
	}
	other := ok(t, do(standing(id.New(), 5))).Hold
	for _, o := range ordinalsOf(other) {
		if slices.Contains(ordinalsOf(h), o) {
			t.Fatalf("%d was held before", o)
		}
	}
	wantReason(t, do(standing(id.New(), 2)), "quantity")
	ok(t, do(standing(id.New(), 1)))
	wantReason(t, do(standing(id.New(), 1)), "sold_out")
	cheap := int64(1)
	best := func(q pick.Query) PlaceHold {
		c := placeOf(id.New())
		c.Best = &q
		return c
	}
	wantReason(t, do(best(pick.Query{Quantity: 2, MaxPrice: &cheap})), "price")
	wantReason(t, do(best(pick.Query{Quantity: 2, Categories: []string{"none"}})), "price")
	wantReason(t, do(best(pick.Query{Quantity: 2, Sections: []string{"GA"}})), "sections")
	wantReason(t, do(best(pick.Query{Quantity: 3, Accessible: true, Sections: []string{"GA"}})), "sections")
	ok(t, do(best(pick.Query{Quantity: 4, Accessible: true})))
	ok(t, do(best(pick.Query{Quantity: 2, Accessible: true})))
	wantReason(t, do(best(pick.Query{Quantity: 1, Accessible: true})), "accessible")
	s.check(t)
}

func wantReason(t *testing.T, out Outcome, reason string) {
	t.Helper()
	wantCode(t, out, fault.NoSeats)
	if got := detail(out, "reason"); got != reason {
		t.Fatalf("reason %v, want %s", got, reason)
	}
}

func newInventory(t *testing.T, m *memStore, chart *seatmap.Chart) *Inventory {
	t.Helper()
	inv := New(m, oneEvent{m, chart}, nil, Options{})
	t.Cleanup(func() {
		if err := inv.Stop(context.Background()); err != nil {
			t.Error(err)
		}
	})
	return inv
}
