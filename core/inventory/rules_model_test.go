package inventory

import (
	"context"
	"slices"
	"testing"
	"time"

	"pgregory.net/rapid"

	"plateia/core/event"
	"plateia/core/fault"
	"plateia/core/id"
	"plateia/core/seatmap"
)

// napkin is what is for sale, as one would explain it to a friend: whose each seat is, and why it may not be had.
// It knows nothing of rows, versions or the order of checks: it lists every reason against a wish, and Decide must
// refuse with one of them, or grant when there is none.
type napkin struct {
	now      time.Time
	holder   map[int]id.ID // by seat
	ends     map[id.ID]time.Time
	blocked  map[int]bool
	channel  map[int]int
	club     time.Time // when channel 1 is anyone's; channel 2 never is
	kept     time.Time // until then accessible seats are kept
	orphans  bool      // strict
	lastSeat int
}

// The hall of the fuzz test: a row of six, the fifth accessible, the sixth its companion's, and three places to stand.
const napkinLimit, napkinWheelchair, napkinCompanion, napkinRow = 4, 4, 5, 6

func (n *napkin) dead(account id.ID) bool { return n.now.After(n.ends[account].Add(time.Second)) }

func (n *napkin) heldByOther(seat int, account id.ID) bool {
	who := n.holder[seat]
	return !who.IsZero() && who != account && !n.dead(who)
}

func (n *napkin) against(c PlaceHold, seats []int, total int64) map[fault.Code]bool {
	why := map[fault.Code]bool{}
	note := func(code fault.Code, applies bool) {
		if applies {
			why[code] = true
		}
	}
	note(fault.Invalid, len(seats) == 0)
	note(fault.LimitExceeded, len(seats) > napkinLimit)
	for i, seat := range seats {
		note(fault.Invalid, slices.Contains(seats[:i], seat))
		if seat < 0 || seat > n.lastSeat {
			note(fault.NotFound, true)
			continue
		}
		note(fault.SeatTaken, n.heldByOther(seat, c.Account))
		ch := n.channel[seat]
		note(fault.SeatBlocked, n.blocked[seat] || ch != 0 && ch != c.Channel && (ch != 1 || n.now.Before(n.club)))
		if n.now.Before(n.kept) {
			note(fault.SeatBlocked, (seat == napkinWheelchair || seat == napkinCompanion) && !c.Accessible)
			note(fault.SeatBlocked, seat == napkinCompanion && !slices.Contains(seats, napkinWheelchair))
		}
	}
	note(fault.PriceChanged, c.ExpectedTotal != nil && *c.ExpectedTotal != total)
	note(fault.OrphanSeat, n.orphans && n.leavesOne(c.Account, seats))
	return why
}

// leavesOne reports whether a seat next to the choice would be left single that was not before.
func (n *napkin) leavesOne(account id.ID, seats []int) bool {
	open := func(seat int, after bool) bool {
		free := n.holder[seat].IsZero() || n.holder[seat] == account
		return seat >= 0 && seat < napkinRow && free && !n.blocked[seat] && (!after || !slices.Contains(seats, seat))
	}
	single := func(seat int, after bool) bool {
		return open(seat, after) && !open(seat-1, after) && !open(seat+1, after)
	}
	for seat := range napkinWheelchair { // accessible and companion seats are never orphans
		near := slices.Contains(seats, seat-1) || slices.Contains(seats, seat+1)
		if near && single(seat, true) && !single(seat, false) {
			return true
		}
	}
	return false
}

func (n *napkin) take(account id.ID, seats []int) {
	n.give(account)
	for _, seat := range seats {
		if who := n.holder[seat]; !who.IsZero() { // dead: it loses all of its seats
			n.give(who)
		}
		n.holder[seat] = account
	}
	n.ends[account] = n.now.Add(7 * time.Minute)
}

func (n *napkin) give(account id.ID) {
	for seat, who := range n.holder {
		if who == account {
			delete(n.holder, seat)
		}
	}
}

// supply is a Block, Unblock or Allocate: all of its seats or none.
func (n *napkin) supply(command Command, seats []int) (code fault.Code) {
	for _, seat := range seats {
		busy := n.heldByOther(seat, id.ID{})
		switch command.(type) {
		case Block:
			if !n.blocked[seat] && busy {
				return fault.SeatTaken
			}
		case Allocate:
			if busy {
				return fault.SeatTaken
			}
			if n.blocked[seat] {
				code = fault.SeatBlocked
			}
		}
	}
	return code
}

func (n *napkin) change(command Command, seats []int) {
	for _, seat := range seats {
		if who := n.holder[seat]; !who.IsZero() && n.dead(who) {
			if _, unblocks := command.(Unblock); !unblocks {
				n.give(who)
			}
		}
		switch c := command.(type) {
		case Block:
			n.blocked[seat] = true
		case Unblock:
			delete(n.blocked, seat)
		case Allocate:
			n.channel[seat] = c.Channel
		}
	}
}

func TestSellingRulesAgainstTheNapkin(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		m := newMemStore(clerkSeats)
		n := &napkin{now: m.now, holder: map[int]id.ID{}, ends: map[id.ID]time.Time{}, blocked: map[int]bool{}, channel: map[int]int{},
			club: m.now.Add(20 * time.Minute), kept: m.now.Add(40 * time.Minute), orphans: rapid.Bool().Draw(t, "strict"), lastSeat: clerkSeats - 1}
		m.event.Rules.MaxPerAccount, m.event.Rules.HoldMaxSeconds = napkinLimit, 24*3600
		m.event.Rules.Channels = []event.Channel{{ID: 1, Name: "club", ReleaseAt: &n.club}, {ID: 2, Name: "partner"}}
		m.event.Rules.AccessibleRelease = &n.kept
		if n.orphans {
			m.event.Rules.OrphanMode = event.OrphanStrict
		}
		clerk := &clerk{memStore: m}
		hall := Hall{Chart: clerkChart(noTB{}), Free: clerk.free}
		for range rapid.IntRange(1, 30).Draw(t, "commands") {
			if !n.orphans { // the rule looks at what looks free: dead holds nobody has noticed do not
				n.now = n.now.Add(time.Duration(rapid.SampledFrom([]int{0, 0, 30, 400, 900}).Draw(t, "seconds")) * time.Second)
				m.now = n.now
			}
			step(t, m, n, hall)
		}
	})
}

// noTB lets a chart be built where there is no test but rapid's.
type noTB struct{ testing.TB }

func (noTB) Helper() {}

func step(t *rapid.T, m *memStore, n *napkin, hall Hall) {
	seats := rapid.SliceOfNDistinct(rapid.IntRange(0, clerkSeats-1), 0, 5, rapid.ID[int]).Draw(t, "seats")
	if rapid.IntRange(0, 19).Draw(t, "senseless") == 0 {
		seats = append(seats, rapid.SampledFrom([]int{-1, clerkSeats, 0}).Draw(t, "one more"))
	}
	account := rapid.SampledFrom([]id.ID{{1}, {2}, {3}}).Draw(t, "account")
	ordinals := make([]seatmap.Ordinal, len(seats))
	var total int64
	for i, seat := range seats {
		ordinals[i] = seatmap.Ordinal(seat)
		total += []int64{1000, 500}[seat&1]
	}
	var command Command
	kind := rapid.IntRange(0, 9).Draw(t, "kind")
	switch {
	case kind >= 6 && kind <= 7 && !n.orphans:
		command = Allocate{Seats: ordinals, Channel: rapid.IntRange(0, 2).Draw(t, "channel")}
	case kind == 8:
		command = Block{Seats: ordinals}
	case kind == 9:
		command = Unblock{Seats: ordinals}
	default:
		place := PlaceHold{Hold: id.New(), Account: account, Seats: ordinals, Accessible: rapid.Bool().Draw(t, "accessible"),
			Channel: rapid.IntRange(0, 1).Draw(t, "through")}
		if rapid.IntRange(0, 3).Draw(t, "total") == 0 {
			expected := total + int64(rapid.IntRange(0, 1).Draw(t, "off"))
			place.ExpectedTotal = &expected
		}
		command = place
	}
	out := decideOne(t, m, hall, command)
	compareStep(t, n, command, seats, total, out)
	m.check(t)
	for seat, s := range m.seats {
		who := n.holder[int(seat)]
		if held := s.Status == Held; held != !who.IsZero() || held && m.holds[s.Owner].Account != who || (s.Status == Blocked) != n.blocked[int(seat)] {
			t.Fatalf("after %T %+v seat %d is %+v, the napkin says %v, blocked %v", command, command, seat, s, who, n.blocked[int(seat)])
		}
	}
}

func compareStep(t *rapid.T, n *napkin, command Command, seats []int, total int64, out Outcome) {
	code := fault.CodeOf(out.Err)
	if place, places := command.(PlaceHold); places {
		why := n.against(place, seats, total)
		if code == "" && len(why) > 0 || code != "" && !why[code] {
			t.Fatalf("%+v: %v; the napkin knows of %v", place, out.Err, why)
		}
		if code == "" {
			n.take(place.Account, seats)
		}
		return
	}
	senseless := len(seats) == 0 || slices.ContainsFunc(seats, func(s int) bool { return s < 0 || s > n.lastSeat })
	channel, allocates := command.(Allocate)
	released := allocates && channel.Channel == 1 && !n.now.Before(n.club)
	switch {
	case code == fault.Invalid || code == fault.NotFound:
		if !senseless && !released {
			t.Fatalf("%T %v: %v", command, seats, out.Err)
		}
	case senseless || released:
		t.Fatalf("%T %v was done", command, seats)
	default:
		if want := n.supply(command, seats); code != want {
			t.Fatalf("%T %v: %v, the napkin says %q", command, seats, out.Err, want)
		}
		if code == "" {
			n.change(command, seats)
		}
	}
}

func decideOne(t *rapid.T, m *memStore, hall Hall, command Command) (out Outcome) {
	commands := []Command{command}
	err := m.Commit(context.Background(), m.event.ID, NeedsOf(commands), func(s *Snapshot) *Changes {
		outcomes, changes := Decide(hall, s, commands)
		out = outcomes[0]
		return changes
	})
	if err != nil {
		t.Fatal(err)
	}
	return out
}
