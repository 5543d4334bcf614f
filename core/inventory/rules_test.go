package inventory

import (
	"context"
	"fmt"
	"slices"
	"testing"
	"time"

	"plateia/core/event"
	"plateia/core/fault"
	"plateia/core/id"
	"plateia/core/pick"
	"plateia/core/seatmap"
)

// house is a chart with all kinds of places: A-1 with 40 seats, A-2 with an accessible
// seat (40), its companion (41), another such pair (42, 43) and 16 plain ones (44 to 59), and an area GA of 10 (60 to 69).
func house(t testing.TB) *seatmap.Chart {
	t.Helper()
	front, back := seatmap.RowSpec{Label: "1"}, seatmap.RowSpec{Label: "2"}
	for i := range 40 {
		front.Seats = append(front.Seats, seatmap.SeatSpec{Number: fmt.Sprint(i + 1), X: float32(i)})
	}
	for i := range 20 {
		back.Seats = append(back.Seats, seatmap.SeatSpec{
			Number: fmt.Sprint(i + 1), X: float32(i), Y: 1, Category: 1, Accessible: i == 0 || i == 2, Companion: i == 1 || i == 3,
		})
	}
	c, err := seatmap.Build(seatmap.Spec{
		ID: id.New(), Version: 1, Name: "House",
		Categories: []seatmap.Category{{Key: "a", Name: "A", Color: "#000000"}, {Key: "b", Name: "B", Color: "#111111"}},
		Sections: []seatmap.SectionSpec{
			{Label: "A", Rows: []seatmap.RowSpec{front, back}},
			{Label: "GA", Places: 10, Category: 1, Outline: []seatmap.Point{{X: 0, Y: 5}, {X: 9, Y: 5}, {X: 5, Y: 9}}},
		},
	})
	if err != nil {
		t.Fatal(err)
	}
	return c
}

// sale is a store with the house on sale.
type sale struct {
	*memStore
	t     testing.TB
	chart *seatmap.Chart
}

func newSale(t testing.TB) *sale {
	c := house(t)
	s := &sale{memStore: newMemStore(c.Seats()), t: t, chart: c}
	for o, seat := range s.seats {
		seat.Category = c.Category(o)
		s.seats[o] = seat
	}
	return s
}

// do runs one command as a batch, with the chart and a projection that is up to date.
func (s *sale) do(command Command) Outcome {
	s.t.Helper()
	hall := Hall{Chart: s.chart, Free: func() pick.Bitmap {
		free := pick.NewBitmap(s.chart.Seats())
		for o, seat := range s.seats {
			if seat.Shown() == Available {
				free.Add(o)
			}
		}
		return free
	}}
	var out []Outcome
	err := s.Commit(context.Background(), s.event.ID, NeedsOf([]Command{command}), func(snap *Snapshot) (c *Changes) {
		out, c = Decide(hall, snap, []Command{command})
		return c
	})
	if err != nil {
		s.t.Fatal(err)
	}
	s.check(s.t)
	return out[0]
}

func detail(out Outcome, name string) any { return fault.From(out.Err).Details[name] }

func (s *sale) refused(command Command, code fault.Code, details ...any) {
	s.t.Helper()
	out := s.do(command)
	wantCode(s.t, out, code)
	for i := 0; i < len(details); i += 2 {
		if got := detail(out, details[i].(string)); fmt.Sprint(got) != fmt.Sprint(details[i+1]) {
			s.t.Fatalf("%s is %v, want %v: %v", details[i], got, details[i+1], out.Err)
		}
	}
}

var operator = By{Actor: "ana", Reason: "camera"}

func TestAccessibleSeatsGoTogetherToThoseWhoAsk(t *testing.T) {
	for _, c := range []struct {
		seats   []seatmap.Ordinal
		asks    bool
		refused string // seats
	}{
		{[]seatmap.Ordinal{40, 41}, true, ""},
		{[]seatmap.Ordinal{40, 41}, false, "[A-2-1 A-2-2]"},
		{[]seatmap.Ordinal{40}, true, ""}, // nobody has to bring somebody
		{[]seatmap.Ordinal{40}, false, "[A-2-1]"},
		{[]seatmap.Ordinal{41}, true, "[A-2-2]"},
		{[]seatmap.Ordinal{41, 44}, true, "[A-2-2]"},
		{[]seatmap.Ordinal{40, 43}, true, "[A-2-4]"}, // somebody else's companion
		{[]seatmap.Ordinal{40, 41, 42}, true, ""},
		{[]seatmap.Ordinal{44, 45}, true, ""}, // asking obliges to nothing
		{[]seatmap.Ordinal{43, 44}, false, "[A-2-4]"},
	} {
		release := time.Date(2026, 5, 2, 0, 0, 0, 0, time.UTC)
		for at, kept := range map[time.Duration]bool{-time.Hour: true, -time.Millisecond: true, 0: false, time.Millisecond: false} {
			s := newSale(t)
			s.event.Rules.AccessibleRelease, s.now = &release, release.Add(at)
			place := placeOf(id.New(), c.seats...)
			place.Accessible = c.asks
			if c.refused == "" || !kept {
				ok(t, s.do(place))
			} else {
				s.refused(place, fault.SeatBlocked, "reason", "accessible", "seats", c.refused, "releaseAt", release)
			}
		}
		s := newSale(t) // without a release: always
		place := placeOf(id.New(), c.seats...)
		place.Accessible = c.asks
		wantCode(t, s.do(place), map[bool]fault.Code{true: "", false: fault.SeatBlocked}[c.refused == ""])
	}
}

func TestBlock(t *testing.T) {
	s := newSale(t)
	held := ok(t, s.do(placeOf(id.New(), 3, 4))).Hold
	s.refused(Block{Seats: []seatmap.Ordinal{2, 3, 4, 5}, By: operator}, fault.SeatTaken, "seats", "[A-1-4 A-1-5]")
	if s.seats[2].Status != Available {
		t.Fatal("blocked half")
	}
	if out := ok(t, s.do(Block{Seats: []seatmap.Ordinal{9, 8, 8}, By: operator})); !slices.Equal(out.Seats, []seatmap.Ordinal{8, 9}) {
		t.Fatalf("blocked %v", out.Seats)
	}
	version := s.seats[8].Version
	if out := ok(t, s.do(Block{Seats: []seatmap.Ordinal{8, 9}, By: operator})); len(out.Seats) != 0 || s.seats[8].Version != version {
		t.Fatalf("the second time it changed %v", out.Seats)
	}
	s.refused(placeOf(id.New(), 7, 8, 9), fault.SeatBlocked, "reason", "blocked", "seats", "[A-1-9 A-1-10]", "releaseAt", nil)
	if out := ok(t, s.do(Unblock{Seats: []seatmap.Ordinal{3, 7, 8, 9}, By: operator})); !slices.Equal(out.Seats, []seatmap.Ordinal{8, 9}) {
		t.Fatalf("unblocked %v", out.Seats)
	}
	ok(t, s.do(placeOf(id.New(), 8, 9)))
	s.now = held.ExpiresAt.Add(ExpiryGrace) // alive to the end of the grace second
	s.refused(Block{Seats: []seatmap.Ordinal{3}, By: operator}, fault.SeatTaken)
	s.now = s.now.Add(time.Millisecond)
	ok(t, s.do(Block{Seats: []seatmap.Ordinal{3}, By: operator}))
	if s.holds[held.ID].State != HoldExpired || s.seats[4].Status != Available || !s.seats[3].Owner.IsZero() {
		t.Fatal("the dead hold did not go whole")
	}
	s.refused(Block{Seats: []seatmap.Ordinal{99}, By: operator}, fault.NotFound)
	s.refused(Block{By: operator}, fault.Invalid)
	buyer := id.New()
	p, out := pay(t, s.memStore, buyer, 20)
	ok(t, s.one(t, Sell{Order: p.Order, Attempt: p.Attempt, Captured: out.Attempt.Amount}))
	s.refused(Block{Seats: []seatmap.Ordinal{20}, By: operator}, fault.SeatTaken)
	ok(t, s.do(Unblock{Seats: []seatmap.Ordinal{20}, By: operator}))
	if s.seats[20].Status != Sold {
		t.Fatal("a sold seat was unblocked")
	}
}

// Two channels: 1 is released at an instant, 2 never.
func (s *sale) channels() (release time.Time) {
	release = s.now.Add(time.Hour)
	s.event.Rules.Channels = []event.Channel{{ID: 1, Name: "Fan club", ReleaseAt: &release}, {ID: 2, Name: "Partner"}}
	return release
}

func TestChannelsAreReleasedAtTheirInstant(t *testing.T) {
	for at, open := range map[time.Duration]bool{-time.Millisecond: false, 0: true, time.Millisecond: true} {
		s := newSale(t)
		release := s.channels()
		ok(t, s.do(Allocate{Seats: []seatmap.Ordinal{0, 1}, Channel: 1, By: operator}))
		ok(t, s.do(Allocate{Seats: []seatmap.Ordinal{2, 3}, Channel: 2, By: operator}))
		if seat := s.seats[0]; seat.Shown() != Blocked || seat.Status != Available {
			t.Fatalf("shown %v", seat)
		}
		s.now = release.Add(at)
		if !open {
			s.refused(placeOf(id.New(), 0, 1, 5), fault.SeatBlocked, "reason", "channel", "seats", "[A-1-1 A-1-2]", "releaseAt", release)
			through := placeOf(id.New(), 0, 5) // its own and the public's
			through.Channel = 1
			ok(t, s.do(through))
		} else {
			h := ok(t, s.do(placeOf(id.New(), 0, 1, 5))).Hold
			if s.seats[0].Channel != 0 {
				t.Fatal("a released seat stays in its channel when it changes hands")
			}
			ok(t, s.do(Release{Account: h.Account, Hold: h.ID}))
			if seat := s.seats[0]; seat.Shown() != Available {
				t.Fatalf("shown %v", seat)
			}
		}
		s.refused(placeOf(id.New(), 1, 2), fault.SeatBlocked, "releaseAt", nil)
		wrong := placeOf(id.New(), 2)
		wrong.Channel = 1
		s.refused(wrong, fault.SeatBlocked, "reason", "channel", "seats", "[A-1-3]")
	}
}

func TestAllocate(t *testing.T) {
	s := newSale(t)
	release := s.channels()
	ok(t, s.do(placeOf(id.New(), 3)))
	ok(t, s.do(Block{Seats: []seatmap.Ordinal{6}, By: operator}))
	s.refused(Allocate{Seats: []seatmap.Ordinal{2, 3}, Channel: 1}, fault.SeatTaken, "seats", "[A-1-4]")
	s.refused(Allocate{Seats: []seatmap.Ordinal{5, 6}, Channel: 1}, fault.SeatBlocked, "reason", "blocked", "seats", "[A-1-7]")
	s.refused(Allocate{Seats: []seatmap.Ordinal{2}, Channel: 3}, fault.NotFound)
	if s.seats[2].Channel != 0 || s.seats[5].Channel != 0 {
		t.Fatal("allocated half")
	}
	ok(t, s.do(Allocate{Seats: []seatmap.Ordinal{1, 2}, Channel: 1}))
	if out := ok(t, s.do(Allocate{Seats: []seatmap.Ordinal{1, 2}, Channel: 1})); len(out.Seats) != 0 {
		t.Fatalf("again: %v", out.Seats)
	}
	ok(t, s.do(Allocate{Seats: []seatmap.Ordinal{1}, Channel: 2}))
	ok(t, s.do(Allocate{Seats: []seatmap.Ordinal{2}})) // back to the public
	ok(t, s.do(placeOf(id.New(), 2)))
	ok(t, s.do(Block{Seats: []seatmap.Ordinal{1}})) // keeps its channel
	ok(t, s.do(Unblock{Seats: []seatmap.Ordinal{1}}))
	if seat := s.seats[1]; seat.Channel != 2 || seat.Status != Available {
		t.Fatalf("%+v", seat)
	}
	s.now = release
	s.refused(Allocate{Seats: []seatmap.Ordinal{7}, Channel: 1}, fault.Invalid)
}

// The reasons have an order: taken, blocked, channel, accessible; each names its own seats only.
func TestOneReasonAtATime(t *testing.T) {
	s := newSale(t)
	s.channels()
	ok(t, s.do(placeOf(id.New(), 1)))
	ok(t, s.do(Block{Seats: []seatmap.Ordinal{2}}))
	ok(t, s.do(Allocate{Seats: []seatmap.Ordinal{3}, Channel: 1}))
	s.refused(placeOf(id.New(), 1, 2, 3, 41), fault.SeatTaken, "seats", "[A-1-2]")
	s.refused(placeOf(id.New(), 2, 3, 41), fault.SeatBlocked, "reason", "blocked", "seats", "[A-1-3]")
	s.refused(placeOf(id.New(), 3, 41), fault.SeatBlocked, "reason", "channel", "seats", "[A-1-4]")
	s.refused(placeOf(id.New(), 5, 41), fault.SeatBlocked, "reason", "accessible", "seats", "[A-2-2]")
}

func TestLimitSaysWhatThereIs(t *testing.T) {
	s := newSale(t)
	fan := id.New()
	buy(t, s.memStore, fan, 0, 1)
	hundred := placeOf(fan)
	for o := range seatmap.Ordinal(100) {
		hundred.Seats = append(hundred.Seats, o)
	}
	s.refused(hundred, fault.LimitExceeded, "limit", 6, "have", 2)
	s.refused(placeOf(fan, 5, 6, 7, 8, 9), fault.LimitExceeded, "limit", 6, "have", 2)
	ok(t, s.do(placeOf(fan, 5, 6, 7, 8))) // exactly at the limit
}
