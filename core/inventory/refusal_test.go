package inventory

import (
	"testing"
	"time"

	"plateia/core/fault"
	"plateia/core/id"
)

func TestFastRefusal(t *testing.T) {
	engineOn(t, 10, Options{}, func(t *testing.T, m *memStore, inv *Inventory) {
		do := func(c Command) fault.Code {
			_, err := inv.Do(t.Context(), m.event.ID, c)
			return fault.CodeOf(err)
		}
		fan := id.New()
		first := placeOf(fan, 1)
		if code := do(first); code != "" {
			t.Fatal(code)
		}
		asked := m.commit
		if code := do(placeOf(id.New(), 1)); code != fault.SeatTaken || m.commit != asked {
			t.Fatalf("%s, asked the database: %v", code, m.commit != asked)
		}
		if code := do(placeOf(fan, 1, 2)); code != "" || m.commit == asked {
			t.Fatalf("the holder was refused: %s", code)
		}
		keyed := placeOf(id.New(), 1)
		keyed.Key, keyed.Fresh = "new", true
		if asked = m.commit; do(keyed) != fault.SeatTaken || m.commit != asked {
			t.Fatal("a key that was never sent before was looked up")
		}
		asked = m.commit
		time.Sleep(FastRefusalAge)
		if code := do(placeOf(id.New(), 1)); code != fault.SeatTaken || m.commit == asked {
			t.Fatalf("%s, on old news", code)
		}
		inv.Apply(Delta{Event: m.event.ID, Changes: []Change{{Ordinal: 1, Status: Available, Version: 99}}})
		asked = m.commit
		if do(placeOf(id.New(), 1)); m.commit == asked {
			t.Fatal("refused on news that the stream had contradicted")
		}
	})
}

// The first hold is given back and somebody else has its seat: what was answered is repeated all the same.
func TestAKeyIsHonouredBeforeARefusal(t *testing.T) {
	engineOn(t, 10, Options{}, func(t *testing.T, m *memStore, inv *Inventory) {
		do := func(c Command) Outcome {
			out, _ := inv.Do(t.Context(), m.event.ID, c)
			return out
		}
		first := placeOf(id.New(), 1)
		first.Key, first.Fresh = "k", true
		ok(t, do(first))
		ok(t, do(Release{Account: first.Account, Hold: first.Hold}))
		ok(t, do(placeOf(id.New(), 1)))
		again := first
		again.Hold, again.Fresh = id.New(), false
		if out := ok(t, do(again)); !out.Replayed || out.Hold.ID != first.Hold || out.Hold.State != HoldReleased {
			t.Errorf("the same key got %+v", out)
		}
	})
}
