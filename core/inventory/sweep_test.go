package inventory

import (
	"context"
	"testing"
	"time"

	"plateia/core/event"
	"plateia/core/id"
	"plateia/core/seatmap"
)

// A rush whose fans all went away ends as it came: its holds are not swept second by second, a few at a time.
func TestAWholeRushIsSweptAtOnce(t *testing.T) {
	const holds = 2*sweepAtMost + 100
	m := newMemStore(holds)
	inv := newInventory(t, m, testChart(t, holds))
	commands := make([]Command, holds)
	for i := range commands {
		commands[i] = placeOf(id.New(), seatmap.Ordinal(i))
	}
	for _, out := range m.decide(t, commands...) {
		ok(t, out)
	}
	m.now = m.now.Add(time.Hour)
	if err := inv.SweepOnce(t.Context()); err != nil {
		t.Fatal(err)
	}
	for o, seat := range m.seats {
		if seat.Status != Available {
			t.Fatalf("seat %d is still %v", o, seat.Status)
		}
	}
}

// A channel of a stand is released at its instant, not a thousand seats a second.
func TestAWholeChannelIsReleasedAtOnce(t *testing.T) {
	const seats = 2*releasedAtOnce + 100
	m := newMemStore(seats)
	inv := newInventory(t, m, testChart(t, seats))
	past := m.now.Add(-time.Minute)
	m.event.Rules.Channels = []event.Channel{{ID: 1, Name: "club", ReleaseAt: &past}}
	for o, seat := range m.seats {
		seat.Channel = 1
		m.seats[o] = seat
	}
	if err := inv.SweepOnce(t.Context()); err != nil {
		t.Fatal(err)
	}
	for o, seat := range m.seats {
		if seat.Channel != 0 {
			t.Fatalf("seat %d is still the channel's", o)
		}
	}
}

// stubborn lists a hold for ever that nobody can end.
type stubborn struct {
	Store
	lists int
}

func (s *stubborn) DueHolds(context.Context, int) ([]DueHold, bool, error) {
	s.lists++
	return []DueHold{{Event: id.New(), Hold: id.New()}}, true, nil
}

func TestSweepingEndsWhereItGetsNowhere(t *testing.T) {
	m := newMemStore(1)
	inv := newInventory(t, m, testChart(t, 1))
	list := &stubborn{Store: m}
	inv.store = list
	if err := inv.SweepOnce(t.Context()); err != nil || list.lists != 1 {
		t.Errorf("the list was read %d times, %v", list.lists, err)
	}
}
