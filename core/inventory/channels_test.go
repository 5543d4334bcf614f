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

// presale has one row of the house for channel 1, two of its accessible seats for channel 2, and nothing for the public.
func presale(t *testing.T, mode event.OrphanMode) (m *memStore, do func(Command) Outcome) {
	chart := house(t)
	m = newMemStore(chart.Seats())
	m.event.Rules.Channels = []event.Channel{{ID: 1, Name: "Fan club"}, {ID: 2, Name: "Partner"}}
	m.event.Rules.OrphanMode = mode
	for o, seat := range m.seats {
		switch seat.Category = chart.Category(o); {
		case o >= 44 && o < 60:
			seat.Channel = 1
		case o >= 40 && o < 44:
			seat.Channel = 2
		default:
			seat.Status = Blocked
		}
		m.seats[o] = seat
	}
	inv := newInventory(t, m, chart)
	return m, func(command Command) Outcome {
		out, _ := inv.Do(t.Context(), m.event.ID, command)
		return out
	}
}

func bestThrough(channel, quantity int) PlaceHold {
	return PlaceHold{Hold: id.New(), Account: id.New(), Channel: channel, Best: &pick.Query{Quantity: quantity}}
}

func TestBestAvailableThroughAChannel(t *testing.T) {
	for _, mode := range []event.OrphanMode{event.OrphanOff, event.OrphanStrict} {
		m, do := presale(t, mode)
		wantReason(t, do(bestThrough(0, 2)), string(pick.SoldOut))
		wantCode(t, do(bestThrough(2, 3)), fault.NoSeats) // its own are for those who ask for accessible seats
		var last Hold
		for range 8 {
			last = ok(t, do(bestThrough(1, 2))).Hold
			for _, seat := range last.Seats {
				if m.seats[seat.Ordinal].Channel != 1 {
					t.Errorf("%s: seat %d is of channel %d", mode, seat.Ordinal, m.seats[seat.Ordinal].Channel)
				}
			}
		}
		wantReason(t, do(bestThrough(1, 2)), string(pick.SoldOut))
		ok(t, do(Release{Account: last.Account, Hold: last.ID}))
		if again := ok(t, do(bestThrough(1, 2))).Hold; again.Seats[0] != last.Seats[0] {
			t.Errorf("%s: got %v, what was given back is %v", mode, again.Seats, last.Seats)
		}
	}
}

// What the organizer takes from a channel is not chosen for it any more, and what joins it is.
func TestPicksFollowTheSupplyOfAChannel(t *testing.T) {
	m, do := presale(t, event.OrphanOff)
	first := ok(t, do(bestThrough(1, 1))).Hold.Seats[0].Ordinal
	var rest []seatmap.Ordinal // all of the channel's but the first and two others
	for o := seatmap.Ordinal(44); o < 60; o++ {
		if o != first && len(rest) < 13 {
			rest = append(rest, o)
		}
	}
	ok(t, do(Block{Seats: rest, By: operator}))
	ok(t, do(Unblock{Seats: []seatmap.Ordinal{0, 1}, By: operator}))
	ok(t, do(Allocate{Seats: []seatmap.Ordinal{0, 1}, Channel: 1, By: operator}))
	for range 4 {
		if o := ok(t, do(bestThrough(1, 1))).Hold.Seats[0].Ordinal; slices.Contains(rest, o) {
			t.Errorf("seat %d was taken off the sale", o)
		}
	}
	wantReason(t, do(bestThrough(1, 1)), string(pick.SoldOut))
	if m.seats[0].Status != Held || m.seats[1].Status != Held {
		t.Error("what joined the channel was not chosen")
	}
}

// Without the channel's seats in the picture, the seat beside a choice would look single and refuse it.
func TestTheOrphanRuleSeesTheChannelsSeats(t *testing.T) {
	m, do := presale(t, event.OrphanStrict)
	for _, o := range []seatmap.Ordinal{50, 51} { // two public seats between those of the channel
		seat := m.seats[o]
		seat.Channel = 0
		m.seats[o] = seat
	}
	for o := range seatmap.Ordinal(10) { // so that the section is not too full for the rule
		seat := m.seats[o]
		seat.Status = Available
		m.seats[o] = seat
	}
	far := bestThrough(1, 1)
	far.Best.Accessible = true
	wantCode(t, do(far), fault.NoSeats) // the engine has now looked at the channel's seats
	named := placeOf(id.New(), 49, 50)
	wantCode(t, do(named), fault.SeatBlocked)
	wantCode(t, do(placeOf(id.New(), 50)), fault.OrphanSeat) // to the public 51 stands alone
	named.Channel = 1
	ok(t, do(named)) // who comes through the channel may have 52 beside it
}
