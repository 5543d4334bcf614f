package inventory

import (
	"bytes"
	"context"
	"maps"
	"math/rand/v2"
	"reflect"
	"slices"
	"testing"
	"time"

	"plateia/core/event"
	"plateia/core/fault"
	"plateia/core/id"
	"plateia/core/money"
	"plateia/core/payment"
	"plateia/core/pick"
	"plateia/core/seatmap"
)

// tape turns arbitrary bytes into choices; when it is at its end it chooses the first of everything.
type tape struct{ rest []byte }

func (t *tape) pick(n int) int {
	if len(t.rest) == 0 {
		return 0
	}
	b := t.rest[0]
	t.rest = t.rest[1:]
	return int(b) % n
}

func pickOf[T any](t *tape, list ...T) T { return list[t.pick(len(list))] }

// clerk is a memStore whose every batch is looked at: what it may never do is a failure.
type clerk struct {
	t testing.TB
	*memStore
	tape     *tape
	hall     Hall
	accounts []id.ID
	serial   byte
}

const clerkSeats = 9

func newClerk(t testing.TB, data []byte) *clerk {
	c := &clerk{t: t, memStore: newMemStore(clerkSeats), tape: &tape{rest: data}, accounts: []id.ID{{1}, {2}, {3}}}
	c.event.Rules.MaxPerAccount = 4
	soon, later := c.now.Add(10*time.Minute), c.now.Add(time.Hour)
	c.event.Rules.Channels = []event.Channel{{ID: 1, Name: "club", ReleaseAt: &later}, {ID: 2, Name: "partner"}}
	if c.tape.pick(2) == 1 {
		c.event.Rules.AccessibleRelease = &soon
	}
	c.event.Rules.OrphanMode = pickOf(c.tape, event.OrphanOff, event.OrphanStrict, event.OrphanLenient)
	c.hall = Hall{Chart: clerkChart(t), Free: c.free}
	return c
}

// clerkChart has a row of six, of which one seat is accessible and the next its companion's, and three places to stand.
func clerkChart(t testing.TB) *seatmap.Chart {
	t.Helper()
	row := seatmap.RowSpec{Label: "1"}
	for i := range 6 {
		row.Seats = append(row.Seats, seatmap.SeatSpec{Number: string(rune('1' + i)), X: float32(i), Accessible: i == 4, Companion: i == 5})
	}
	chart, err := seatmap.Build(seatmap.Spec{
		ID: id.ID{9}, Version: 1, Name: "Hall", Categories: []seatmap.Category{{Key: "a", Name: "A", Color: "#aa0000"}},
		Sections: []seatmap.SectionSpec{{Label: "A", Rows: []seatmap.RowSpec{row}}, {
			Label: "F", Places: clerkSeats - 6, Outline: []seatmap.Point{{X: 0, Y: 5}, {X: 4, Y: 5}, {X: 4, Y: 9}},
		}},
	})
	if err != nil {
		t.Fatal(err)
	}
	return chart
}

// free is what a projection that is up to date says.
func (c *clerk) free() pick.Bitmap {
	free := pick.FullBitmap(clerkSeats)
	for o, s := range c.memStore.seats {
		if s.Shown() != Available {
			free.Remove(o)
		}
	}
	return free
}

// fresh ids are the same in every run of the same bytes.
func (c *clerk) fresh() id.ID {
	c.serial++
	return id.ID{0xff, c.serial}
}

func (c *clerk) seats() (seats []seatmap.Ordinal) {
	for range c.tape.pick(6) {
		seats = append(seats, seatmap.Ordinal(c.tape.pick(clerkSeats+2)-1)) // also such as do not exist, and twice
	}
	return seats
}

func (c *clerk) key() Idempotency {
	return pickOf(c.tape, Idempotency{}, Idempotency{Key: "a"}, Idempotency{Key: "a", BodyHash: [32]byte{1}}, Idempotency{Key: "b"})
}

func (c *clerk) amount() money.Amount {
	return money.Amount{Minor: int64(c.tape.pick(8)) * 500, Currency: pickOf(c.tape, "BRL", "BRL", "BRL", "JPY")}
}

// hold is mostly one that exists and its owner; else somebody else's, or none.
func (c *clerk) hold() (hold, account id.ID) {
	account = pickOf(c.tape, c.accounts...)
	if len(c.holds) == 0 {
		return c.fresh(), account
	}
	holds := c.sortedHolds()
	h := holds[len(holds)-1-c.tape.pick(min(len(holds), 4))] // the newest matter most
	if c.tape.pick(8) > 0 {
		account = h.Account
	}
	return h.ID, account
}

// payment is mostly an attempt that exists and its order and hold.
func (c *clerk) payment() AttemptRow {
	attempts := slices.SortedFunc(maps.Values(c.attempts), func(a, b AttemptRow) int { return bytes.Compare(a.ID[:], b.ID[:]) })
	if len(attempts) == 0 {
		return AttemptRow{Attempt: payment.Attempt{ID: c.fresh(), Order: c.fresh()}}
	}
	a := attempts[len(attempts)-1-c.tape.pick(min(len(attempts), 4))]
	if c.tape.pick(16) == 15 {
		a.Order = c.fresh()
	}
	return a
}

// command reads the next command from the tape, sensible or not.
func (c *clerk) command() Command {
	switch c.tape.pick(13) {
	case 0, 1, 2:
		return c.place()
	case 11:
		return pickOf[Command](c.tape, Block{Seats: c.seats()}, Unblock{Seats: c.seats()})
	case 12:
		return Allocate{Seats: c.seats(), Channel: c.tape.pick(5) - 1}
	case 3:
		hold, account := c.hold()
		return Release{Account: account, Hold: hold}
	case 4:
		hold, account := c.hold()
		return Extend{Account: account, Hold: hold, Idempotency: c.key()}
	case 5, 6:
		hold, account := c.hold()
		return StartPayment{Account: account, Hold: hold, Order: c.fresh(), Attempt: c.fresh(),
			MinWindow: time.Duration(c.tape.pick(3)) * time.Minute, Idempotency: c.key()}
	case 7:
		a := c.payment()
		return StartPayment{Account: a.Account, Hold: c.orders[a.Order].Hold, Order: a.Order, Attempt: c.fresh(),
			Again: true, Idempotency: c.key()}
	case 8:
		a := c.payment()
		return EndAttempt{Order: a.Order, Attempt: a.ID, FreeSeats: c.tape.pick(2) == 1, CancelOrder: c.tape.pick(2) == 1,
			Status: pickOf(c.tape, payment.Declined, payment.Cancelled, payment.Unknown, payment.Captured, payment.Created, "")}
	case 9:
		a := c.payment()
		if c.tape.pick(4) == 3 {
			a.Amount = c.amount()
		}
		return Sell{Order: a.Order, Attempt: a.ID, Captured: a.Amount}
	}
	hold, _ := c.hold()
	return Expire{Hold: hold}
}

// place asks for seats, for places to stand, or for what the engine chose.
func (c *clerk) place() PlaceHold {
	place := PlaceHold{Hold: c.fresh(), Account: pickOf(c.tape, c.accounts...), Seats: c.seats(), Idempotency: c.key()}
	place.Accessible, place.Channel = c.tape.pick(3) == 2, c.tape.pick(6)/3
	switch c.tape.pick(6) {
	case 3:
		place.ExpectedTotal = &[]int64{int64(c.tape.pick(8)) * 500}[0]
	case 4:
		place.Areas = []AreaPlaces{{Section: pickOf(c.tape, 1, 1, 1, 0, -1, 2), Quantity: c.tape.pick(5) - 1}}
		chosen := c.seats()
		place.Seats, place.picked = append(place.Seats, chosen...), len(chosen)
	case 5:
		place.Best, place.picked = &pick.Query{Quantity: max(1, len(place.Seats)), Accessible: place.Accessible}, len(place.Seats)
	}
	return place
}

// moment lets time pass and, seldom, the event's state change.
func (c *clerk) moment() {
	c.now = c.now.Add(pickOf(c.tape, 0, 0, time.Second, 30*time.Second, 5*time.Minute, 20*time.Minute))
	if c.tape.pick(8) == 7 {
		c.event.State = pickOf(c.tape, event.OnSale, event.OnSale, event.OnSale, event.Paused, event.Closed, event.Cancelled, event.Scheduled)
	}
}

// batch decides one batch and looks at what it did.
func (c *clerk) batch(commands []Command) []Outcome {
	before := c.versions()
	var outcomes []Outcome
	var changes *Changes
	err := c.Commit(context.Background(), c.event.ID, NeedsOf(commands), func(s *Snapshot) *Changes {
		outcomes, changes = Decide(c.hall, s, commands)
		return changes
	})
	if err != nil { // nobody else is there to conflict with
		c.t.Fatal(err)
	}
	c.check(c.t)
	after := c.versions()
	if changed := !maps.Equal(before, after); changed != (changes != nil) {
		c.t.Fatalf("changed %v, to be stored %+v", changed, changes)
	}
	for row, version := range after {
		if old, there := before[row]; version != old && (version != old+1 && there || !there && version != 1) {
			c.t.Fatalf("%v went from version %d to %d in one batch", row, old, version)
		}
	}
	c.judge(commands, outcomes, changes)
	return outcomes
}

// judge checks what is true of outcomes whatever the commands were.
func (c *clerk) judge(commands []Command, outcomes []Outcome, changes *Changes) {
	idle := true
	for i, out := range outcomes {
		code := fault.CodeOf(out.Err)
		review := reflect.TypeOf(commands[i]) == reflect.TypeFor[Sell]() && code == fault.OrderState
		if code == fault.Internal {
			c.t.Fatalf("%T %+v: %v", commands[i], commands[i], out.Err)
		}
		out.missed = false
		if out.Err != nil && !review && !reflect.DeepEqual(out, Outcome{Err: out.Err}) {
			c.t.Fatalf("a refusal with an answer: %+v", out)
		}
		idle = idle && (out.Replayed || out.Err != nil && !review)
		if h := out.Hold; code == "" && h.State.Live() && len(h.Seats) == 0 {
			c.t.Fatalf("%T: a hold of nothing: %+v", commands[i], out)
		}
	}
	if idle && changes != nil {
		c.t.Fatalf("only refusals and repetitions, but changes: %+v", changes)
	}
	if changes != nil && len(changes.Delta.Changes) != len(changes.Seats) {
		c.t.Fatalf("%d seats change, %d are told", len(changes.Seats), len(changes.Delta.Changes))
	}
}

// versions are of every row there is.
func (c *clerk) versions() map[any]int64 {
	all := map[any]int64{}
	for o, s := range c.memStore.seats {
		all[o] = s.Version
	}
	for k, h := range c.holds {
		all["hold "+k.String()] = h.Version
	}
	for k, b := range c.buyers {
		all["buyer "+k.String()] = b.Version
	}
	for k, o := range c.orders {
		all["order "+k.String()] = o.Version
	}
	for k, a := range c.attempts {
		all["attempt "+k.String()] = a.Version
	}
	return all
}

// FuzzCommands sends any commands in any order, in batches of up to four: Decide never panics, no seat is in two
// holds, counts are right, versions grow by one, and refusals change nothing.
func FuzzCommands(f *testing.F) {
	f.Add([]byte{})
	addNoise(f)
	f.Fuzz(func(t *testing.T, data []byte) {
		c := newClerk(t, data[:min(len(data), 1000)])
		for len(c.tape.rest) > 0 && c.serial < 250 {
			c.moment()
			var commands []Command
			for range 1 + c.tape.pick(4) {
				commands = append(commands, c.command())
			}
			c.batch(commands)
		}
	})
}

// addNoise gives a fuzz target seeds that do a little of everything.
func addNoise(f *testing.F) {
	for seed := range uint64(20) {
		noise := rand.NewChaCha8([32]byte{byte(seed)})
		data := make([]byte, 400)
		_, _ = noise.Read(data)
		f.Add(data)
	}
}
