package inventory

import (
	"testing"

	"plateia/core/event"
	"plateia/core/fault"
	"plateia/core/id"
	"plateia/core/seatmap"
)

// pressOf is somebody's press under a key that is new.
func pressOf(account, session id.ID, seats ...seatmap.Ordinal) PlaceHold {
	p := placeOf(account, seats...)
	p.Session, p.Key, p.Fresh = session, p.Hold.String(), true
	return p
}

func TestFirstPressesAreNotLoaded(t *testing.T) {
	inRush(t, func(t *testing.T, m *memStore, inv *Inventory, spy *spyStore) {
		visitor, fan, session := id.New(), id.New(), id.New()
		m.buyers[fan] = Buyer{Account: fan, Session: session, Version: 1}
		for i, p := range []PlaceHold{pressOf(visitor, id.ID{}, 3), pressOf(fan, session, 4)} {
			if _, err := inv.Do(t.Context(), m.event.ID, p); err != nil || spy.asked != 0 || m.commit != i+1 {
				t.Fatalf("press %d: %v, %d accounts loaded, %d tries", i, err, spy.asked, m.commit)
			}
		}
		if b := m.buyers[fan]; b.Version != 2 || b.Held != 1 || b.Session != session {
			t.Errorf("the fan's row is %+v", b)
		}
		// The next press of the same people replaces their holds: they are known now, and loaded.
		for _, p := range []PlaceHold{pressOf(visitor, id.ID{}, 5), pressOf(fan, session, 6)} {
			if _, err := inv.Do(t.Context(), m.event.ID, p); err != nil {
				t.Fatal(err)
			}
		}
		if spy.asked != 2 || m.commit != 4 || m.seats[3].Status != Available || m.seats[4].Status != Available {
			t.Errorf("%d accounts loaded, %d tries, %+v, %+v", spy.asked, m.commit, m.seats[3], m.seats[4])
		}
	})
}

// Whatever the row is in truth, the answer is the truth's.
func TestWrongGuesses(t *testing.T) {
	session := id.New()
	for name, c := range map[string]struct {
		row  Buyer
		code fault.Code
	}{
		"bought enough":                {Buyer{Session: session, Version: 9, Sold: event.DefaultRules().MaxPerAccount}, fault.LimitExceeded},
		"came in again elsewhere":      {Buyer{Session: id.New(), Version: 2}, fault.SessionReplaced},
		"session of another version 1": {Buyer{Session: id.New(), Version: 1}, fault.SessionReplaced},
		"bought one":                   {Buyer{Session: session, Version: 9, Sold: 1}, ""},
		"came in twice":                {Buyer{Session: session, Version: 2}, ""},
	} {
		t.Run(name, func(t *testing.T) {
			inRush(t, func(t *testing.T, m *memStore, inv *Inventory, spy *spyStore) {
				fan := id.New()
				c.row.Account = fan
				m.buyers[fan] = c.row
				_, err := inv.Do(t.Context(), m.event.ID, pressOf(fan, session, 3))
				if fault.CodeOf(err) != c.code || m.commit != 2 || spy.asked != 1 {
					t.Fatalf("%v after %d tries, %d accounts loaded", err, m.commit, spy.asked)
				}
				if taken := m.seats[3].Status == Held; taken != (c.code == "") {
					t.Errorf("%+v", m.seats[3])
				}
			})
		})
	}
}

// Somebody presses for seats among which is one of the hold that another process gave: it is replaced, not refused.
func TestAHoldFoundEndsTheGuess(t *testing.T) {
	inRush(t, func(t *testing.T, m *memStore, inv *Inventory, spy *spyStore) {
		fan := id.New()
		old := m.one(t, placeOf(fan, 3, 9)).Hold
		inv.Apply(Delta{Event: m.event.ID, Changes: []Change{{Ordinal: 3, Status: Held, Version: 2}}})
		tries := m.commit
		out, err := inv.Do(t.Context(), m.event.ID, pressOf(fan, id.ID{}, 3, 4))
		if err != nil || m.commit != tries+1 || len(out.Hold.Seats) != 2 || !out.Hold.HardExpiresAt.Equal(old.HardExpiresAt) {
			t.Fatalf("%v after %d tries: %+v", err, m.commit-tries, out.Hold)
		}
		if m.seats[9].Status != Available || m.holds[old.ID].State != HoldReleased {
			t.Errorf("the old hold is %+v", m.holds[old.ID])
		}
	})
}

// A refusal rests on no guess; that somebody else has the seat does not depend on who asks.
func TestRefusalsAreNotGuessed(t *testing.T) {
	inRush(t, func(t *testing.T, m *memStore, inv *Inventory, spy *spyStore) {
		m.one(t, placeOf(id.New(), 7))
		inv.Apply(Delta{Event: m.event.ID, Changes: []Change{{Ordinal: 7, Status: Held, Version: 2}}})
		tries := m.commit
		if _, err := inv.Do(t.Context(), m.event.ID, pressOf(id.New(), id.ID{}, 7)); fault.CodeOf(err) != fault.SeatTaken || spy.asked != 0 {
			t.Errorf("%v, %d accounts loaded", err, spy.asked)
		}
		wrong := pressOf(id.New(), id.ID{}, 3)
		wrong.ExpectedTotal = new(int64)
		if _, err := inv.Do(t.Context(), m.event.ID, wrong); fault.CodeOf(err) != fault.PriceChanged || spy.asked != 1 || m.commit != tries+3 {
			t.Errorf("%v, %d accounts loaded, %d tries", err, spy.asked, m.commit-tries)
		}
	})
}

// Nobody guesses about keys that may have been answered, about two presses of one account at a time, or without a rush.
func TestWhatIsNotGuessed(t *testing.T) {
	engineOn(t, 100, Options{NoFastRefusal: true}, func(t *testing.T, m *memStore, inv *Inventory) {
		e, err := inv.engine(t.Context(), m.event.ID)
		if err != nil {
			t.Fatal(err)
		}
		guesses := func(commands ...Command) int {
			needs, calls := NeedsOf(commands), []*call(nil)
			for _, c := range commands {
				calls = append(calls, &call{command: c})
			}
			e.guess(&needs, calls)
			return len(needs.guesses)
		}
		fan := id.New()
		again := pressOf(fan, id.ID{}, 1)
		again.Fresh = false
		area := pressOf(id.New(), id.ID{})
		area.Areas = []AreaPlaces{{Quantity: 1}}
		if n := guesses(pressOf(fan, id.ID{}, 1)); n != 0 {
			t.Errorf("%d guesses without a rush", n)
		}
		if err := e.readFree(t.Context()); err != nil {
			t.Fatal(err)
		}
		other := pressOf(id.New(), id.ID{}, 5)
		for name, c := range map[string]struct {
			commands []Command
			want     int
		}{
			"one":             {[]Command{pressOf(fan, id.ID{}, 1)}, 1},
			"two of one":      {[]Command{pressOf(fan, id.ID{}, 1), pressOf(fan, id.ID{}, 2), other}, 1},
			"a repeated key":  {[]Command{again, other}, 1},
			"repeated, fresh": {[]Command{again, pressOf(fan, id.ID{}, 2)}, 0},
			"an area":         {[]Command{area, other}, 1},
			"with a block":    {[]Command{Block{Seats: []seatmap.Ordinal{9}}, other}, 0},
		} {
			if n := guesses(c.commands...); n != c.want {
				t.Errorf("%s: %d guesses", name, n)
			}
		}
	})
}

func TestTrust(t *testing.T) {
	var tr trust
	met, strangers := make([]id.ID, 500), 0
	for i := range met {
		met[i] = id.New()
		tr.met(met[i], 1000)
	}
	for _, account := range met {
		if !tr.has(account) {
			t.Fatal("somebody is forgotten")
		}
		if tr.has(id.New()) {
			strangers++
		}
	}
	if strangers > 50 {
		t.Errorf("%d of 500 strangers are taken for known", strangers)
	}
	for _, want := range []int{1, 2, 4, 8, 16, 32, 64, 64} {
		if tr.end(1, false); tr.rest != want {
			t.Errorf("%d batches of rest, want %d", tr.rest, want)
		}
	}
	for range 64 {
		if tr.begin() {
			t.Fatal("guessing before the rest is over")
		}
	}
	tr.end(0, false) // made no guess: says nothing
	if !tr.begin() {
		t.Error("never again")
	}
	if tr.drop(); tr.has(met[0]) {
		t.Error("remembered when the rush is over")
	}
}
