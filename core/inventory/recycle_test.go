package inventory

import (
	"reflect"
	"slices"
	"testing"

	"plateia/core/event"
	"plateia/core/id"
	"plateia/core/order"
	"plateia/core/payment"
	"plateia/core/seatmap"
	"plateia/core/ticket"
)

// A field that is new and not emptied would have one batch decided on the rows of another.
func TestARecycledSnapshotIsEmpty(t *testing.T) {
	m := newMemStore(4)
	account, hold := id.New(), id.New()
	command := PlaceHold{Hold: id.New(), Account: id.New(), Seats: []seatmap.Ordinal{0, 1}, Idempotency: Idempotency{Key: "k"}}
	needs := NeedsOf([]Command{command})
	needs.Orders, needs.guesses = []id.ID{id.New()}, map[id.ID]guess{account: {}}
	s := NewSnapshot(needs)
	s.Now, s.Event = m.now, m.event
	s.Event.Rules.OrphanMode = event.OrphanOff
	for _, seat := range m.seats {
		s.AddSeat(seat)
	}
	s.AddHold(Hold{ID: hold, Account: account, Event: m.event.ID, State: HoldActive, ExpiresAt: m.now, HardExpiresAt: m.now})
	s.AddHold(Hold{ID: id.New(), Account: account, State: HoldReleased})
	s.AddBuyer(Buyer{Account: account, Hold: hold})
	s.AddOrder(order.Order{ID: id.New(), Hold: hold})
	s.AddAttempt(AttemptRow{Attempt: payment.Attempt{ID: id.New()}})
	s.AddTicket(ticket.Ticket{ID: id.New()})
	s.AddRefund(payment.Refund{ID: id.New()})
	s.AddKey(RequestKey{Account: account})
	if outcomes, changes := Decide(Hall{}, s, []Command{command}); outcomes[0].Err != nil || len(changes.NewHolds) != 1 {
		t.Fatal(outcomes[0].Err, changes)
	}
	wantEmpty(t, "Snapshot", reflect.ValueOf(NewSnapshot(Needs{spare: s.recycled()})).Elem())
}

func wantEmpty(t *testing.T, name string, v reflect.Value) {
	t.Helper()
	switch v.Kind() {
	case reflect.Struct:
		for i := range v.NumField() {
			wantEmpty(t, name+"."+v.Type().Field(i).Name, v.Field(i))
		}
	case reflect.Map, reflect.Slice:
		if v.Len() > 0 {
			t.Errorf("%s has %d left", name, v.Len())
		}
	default:
		if !v.IsZero() {
			t.Errorf("%s is not zero", name)
		}
	}
}

// Whoever was answered keeps the answer for long, and batches whose memory is used again come after it.
func TestAnAnswerOutlivesItsBatch(t *testing.T) {
	engineOn(t, 100, Options{}, func(t *testing.T, m *memStore, inv *Inventory) {
		var answers []Outcome
		for i := range 10 {
			seats := []seatmap.Ordinal{seatmap.Ordinal(4 * i), seatmap.Ordinal(4*i + 1)}
			out, err := inv.Do(t.Context(), m.event.ID, PlaceHold{Hold: id.New(), Account: id.New(), Seats: seats})
			if err != nil {
				t.Fatal(err)
			}
			answers = append(answers, out)
		}
		for i, out := range answers {
			var seats []seatmap.Ordinal
			for _, s := range out.Hold.Seats {
				seats = append(seats, s.Ordinal)
			}
			stored := m.holds[out.Hold.ID]
			if want := []seatmap.Ordinal{seatmap.Ordinal(4 * i), seatmap.Ordinal(4*i + 1)}; !slices.Equal(seats, want) || stored.Account != out.Hold.Account {
				t.Errorf("answer %d has become %+v", i, out.Hold)
			}
		}
	})
}
