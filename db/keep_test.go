package db_test

import (
	"testing"
	"time"

	"plateia/core/id"
	"plateia/core/order"
	"plateia/core/payment"
)

// ending puts a hold in a state that ends so many seconds from now, absolutely and for now.
func (k *desk) ending(hold id.ID, state int, ends, hard float64) {
	k.t.Helper()
	k.sql(`update hold set state = $2, expires_at = now() + $3::float8 * interval '1 second', hard_expires_at = now() + $4::float8 * interval '1 second'
		where hold_id = $1`, [16]byte(hold), state, ends, hard)
	if state == 1 {
		k.sql(`insert into hold_due (due_id, event_id, due_at, holds) select $1, event_id, expires_at, array[hold_id] from hold where hold_id = $2`,
			[16]byte(id.New()), [16]byte(hold))
	}
}

// Holds that end soon and could be kept are found where the sweeper finds them, or behind an unfinished attempt.
func TestEndingHoldsAreFound(t *testing.T) {
	k := openDesk(t)
	place := func(state int, attempt payment.Status, ends, hard float64) id.ID {
		o := k.order(id.New(), order.PendingPayment, time.Now())
		if attempt != "" {
			k.attempt(o, attempt, "")
		}
		k.ending(o.Hold, state, ends, hard)
		return o.Hold
	}
	want := []id.ID{ // soonest first
		place(2, payment.Unknown, -10, 600), // its payment's time is over, nobody knows what became of it
		place(1, "", 20, 600),
		place(2, payment.Pending, 30, 600),
		place(1, "", 40, 600),
		place(2, payment.Created, 50, 600),
	}
	// and these are not
	place(1, "", 300, 600)              // does not end soon
	place(2, payment.Pending, 300, 600) // nor does this
	place(1, "", 30, 30)                // at its absolute end
	place(2, payment.Unknown, 30, 30)
	place(1, "", -5, 600)                 // over: the sweeper's
	place(4, "", 30, 600)                 // given back
	place(5, payment.Unknown, 30, 600)    // expired
	place(3, payment.Captured, 30, 600)   // sold
	place(2, payment.Declined, -100, 600) // its attempt is at an end

	holds, err := k.EndingHolds(t.Context(), 3*time.Minute, 100)
	if err != nil || len(holds) != len(want) {
		t.Fatalf("%d holds, %v, want %d", len(holds), err, len(want))
	}
	for i, h := range holds {
		if h.Hold != want[i] || h.Event.IsZero() || h.Account.IsZero() {
			t.Errorf("place %d: %+v, want hold %s", i, h, want[i])
		}
	}
	if few, err := k.EndingHolds(t.Context(), 3*time.Minute, 2); err != nil || len(few) != 2 || few[0].Hold != want[0] {
		t.Errorf("the first two are %+v, %v", few, err)
	}
}
