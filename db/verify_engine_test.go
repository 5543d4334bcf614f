package db_test

import (
	"context"
	"math/rand/v2"
	"sync"
	"testing"
	"time"

	"plateia/core/fault"
	"plateia/core/id"
	"plateia/core/inventory"
	"plateia/core/payment"
	"plateia/core/seatmap"
	"plateia/db"
)

// Two engines sell one event to fans who do everything fans do, holds die within
// a second, and Verify looks all the time: it must find nothing, neither while they sell nor afterwards.
func TestVerifyIsCleanWhileTwoEnginesSell(t *testing.T) {
	sweep := func(o *inventory.Options) { o.Sweep, o.SweepEvery = true, 200*time.Millisecond }
	first := openBooth(t, 6, 20, sweep)
	first.exec(`update event set rules = jsonb_set(rules, '{holdSeconds}', '1')`)
	second := anotherBooth(t, first.d, db.NewCatalog(first.d), first.event, sweep)

	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	began := time.Now()
	var fans sync.WaitGroup
	for n := range 24 {
		b := []*booth{first, second}[n%2]
		fans.Go(func() { (&fan{b: b, account: id.New(), rand: rand.New(rand.NewPCG(uint64(n), 1))}).live(ctx) })
	}
	looks := 0
	look := func() {
		looks++
		report, err := first.d.Verify(t.Context(), first.event.ID, db.VerifyOptions{Publish: time.Hour})
		if err != nil {
			t.Error(err)
		}
		for _, v := range report.Violations {
			t.Error(v)
		}
	}
	sold := 0
	for !t.Failed() && (time.Since(began) < 4*time.Second || sold == 0 && time.Since(began) < time.Minute) { // until there is something to see
		look()
		sold = first.count("select count(*) from seat where status = 2")
	}
	cancel()
	fans.Wait()
	look()
	if t.Logf("%d looks, %d seats sold", looks, sold); sold == 0 {
		t.Error("nothing was sold: nothing was tested")
	}
}

// fan presses buttons without plan until the time is over.
type fan struct {
	b       *booth
	account id.ID
	rand    *rand.Rand
	hold    id.ID
	pay     inventory.StartPayment
	attempt payment.Attempt
}

func (f *fan) live(ctx context.Context) {
	for ctx.Err() == nil {
		command := f.next()
		out, err := f.b.do(command)
		switch code := fault.CodeOf(err); code {
		case "":
			f.note(command, out)
		case fault.Internal, fault.OutcomeUnknown:
			f.b.t.Errorf("%T: %v", command, err)
			return
		}
	}
}

func (f *fan) next() inventory.Command {
	switch f.rand.IntN(8) {
	case 0:
		return inventory.Release{Account: f.account, Hold: f.hold}
	case 1:
		return inventory.Extend{Account: f.account, Hold: f.hold}
	case 2, 3:
		f.pay = inventory.StartPayment{Account: f.account, Hold: f.hold, Order: id.New(), Attempt: id.New(), Provider: "sandbox"}
		return f.pay
	case 4:
		return inventory.EndAttempt{Order: f.attempt.Order, Attempt: f.attempt.ID, Status: payment.Declined, Reason: "no", FreeSeats: f.rand.IntN(2) == 0}
	case 5:
		return inventory.Sell{Order: f.attempt.Order, Attempt: f.attempt.ID, Captured: f.attempt.Amount}
	}
	first := seatmap.Ordinal(f.rand.IntN(118))
	seats := []seatmap.Ordinal{first, first + 1, first + 2}[:1+f.rand.IntN(3)]
	return place(f.account, seats...)
}

func (f *fan) note(command inventory.Command, out inventory.Outcome) {
	switch command.(type) {
	case inventory.PlaceHold:
		f.hold = out.Hold.ID
	case inventory.StartPayment:
		f.attempt = out.Attempt
	}
}
