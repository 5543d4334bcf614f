package chaos_test

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"strconv"
	"sync"
	"sync/atomic"
	"time"

	"plateia/core/fault"
	"plateia/core/id"
	"plateia/core/inventory"
	"plateia/core/payment"
	"plateia/core/pick"
)

// fan is one client. It shops as one account after the other, and remembers what each was told.
type fan struct {
	a       *arena
	draw    *rand.Rand
	near    int // the process that it asks first
	account id.ID
	keys    int
	bought  int
}

func (a *arena) fan(n int) *fan {
	return &fan{a: a, draw: rand.New(rand.NewPCG(a.seed, uint64(100+n))), near: n % 2} //nolint:gosec // no secret, and small
}

func (f *fan) run() {
	for !f.a.soldOut() {
		f.account, f.keys, f.bought = id.New(), 0, 0
		for again := true; again && !f.a.soldOut(); again = again && f.chance(30) {
			again = f.shop()
			f.think()
		}
	}
}

func (f *fan) chance(percent int) bool { return f.draw.IntN(100) < percent }

func (f *fan) think() { time.Sleep(time.Duration(f.draw.IntN(40)) * time.Millisecond) }

func (f *fan) key() inventory.Idempotency {
	f.keys++
	return inventory.Idempotency{Key: strconv.Itoa(f.keys), BodyHash: [32]byte{1}}
}

// patience is how long a fan repeats a request.
const patience = 2 * time.Minute

// ask repeats a request, with the same key, until somebody knows what became of it. It is sure when no copy of
// the request can still be on its way: a process that was killed or did not answer may have one with the database.
func (f *fan) ask(command func() inventory.Command) (r Reply, sure bool) {
	sure = true
	began := time.Now()
	for try := 0; time.Since(began) < patience; try++ {
		wait := answerWithin - 2*time.Second
		if f.chance(2) {
			wait = time.Duration(1+f.draw.IntN(30)) * time.Millisecond // closes the page
		}
		asked := time.Now()
		r, err := f.a.processes[(f.near+try)%2].do(f.a.show.ID, command(), wait)
		f.a.report.answer(r, err, time.Since(asked))
		switch {
		case errors.Is(err, errNoAnswer):
			f.a.t.Errorf("%T: %v", command(), err)
			sure = false
		case errors.Is(err, errDown):
		case err != nil || r.Code == fault.OutcomeUnknown:
			sure = false
		case r.Code == fault.Internal:
			f.a.t.Errorf("%T: %s", command(), r.Text)
		case r.Code != fault.Busy && r.Code != fault.InProgress:
			f.a.report.finished(command(), r, time.Since(began))
			return r, sure
		}
		time.Sleep(time.Duration(5+f.draw.IntN(40)) * time.Millisecond)
	}
	f.a.t.Errorf("%T: no answer in %v: %s", command(), patience, r.Text)
	return Reply{Code: fault.OutcomeUnknown}, false
}

// twice sends the same request to both processes at once: the answers must be one.
func (f *fan) twice(command func() inventory.Command) (Reply, bool) {
	other := *f
	other.near, other.draw = 1-f.near, rand.New(rand.NewPCG(f.draw.Uint64(), 0)) //nolint:gosec // no secret
	var (
		both  sync.WaitGroup
		r2    Reply
		sure2 bool
	)
	both.Go(func() { r2, sure2 = other.ask(command) })
	r, sure := f.ask(command)
	both.Wait()
	if r.Code == "" && r2.Code == "" && identity(r) != identity(r2) {
		f.a.t.Errorf("%T: one key, two answers: %s and %s", command(), tell(r), tell(r2))
	}
	if r.Code != "" {
		return r2, sure && sure2 && r2.Code == ""
	}
	return r, sure && sure2
}

// identity is what stays the same in an answer that is repeated later: its rows are told as they are by then.
func identity(r Reply) string {
	out := r.Out
	text := fmt.Sprint(out.Hold.ID, out.Hold.Seats, out.Order.ID, out.Order.Total, out.Attempt.ID)
	for _, t := range out.Tickets {
		text += " " + t.ID.String()
	}
	return text
}

func (f *fan) send(command func() inventory.Command) (Reply, bool) {
	if f.chance(8) {
		return f.twice(command)
	}
	return f.ask(command)
}

// hold asks for seats and remembers the answer.
func (f *fan) hold() (inventory.Hold, bool) {
	key, n := f.key(), 1+f.draw.IntN(4)
	choice := inventory.PlaceHold{Account: f.account, Idempotency: key}
	choice.Seats = f.a.choose(f.draw, n)
	if len(choice.Seats) == 0 && !f.chance(5) {
		time.Sleep(50 * time.Millisecond) // looks at the map again
		return inventory.Hold{}, false
	}
	if len(choice.Seats) == 0 || f.chance(25) {
		choice.Seats, choice.Best = nil, &pick.Query{Quantity: n}
	}
	var sent atomic.Bool
	r, sure := f.send(func() inventory.Command {
		again := choice
		again.Hold, again.Seats, again.Fresh = id.New(), slices.Clone(choice.Seats), !sent.Swap(true)
		return again
	})
	switch {
	case r.Code == "":
		f.a.ledger.granted(f.account, r.Out.Hold)
		return r.Out.Hold, true
	case sure:
		f.a.ledger.refused(f.account, key.Key, string(r.Code))
	}
	return inventory.Hold{}, false
}

// shop is one visit; false when the account is done with.
func (f *fan) shop() bool {
	h, ok := f.hold()
	if !ok {
		return f.bought == 0 && f.chance(50)
	}
	f.think()
	switch p := f.draw.IntN(100); {
	case p < 8:
		f.a.report.act("abandoned")
		return false
	case p < 14 || !f.a.mayFinish():
		return f.release(h)
	case p < 22:
		f.a.report.act("replaced")
		if h, ok = f.hold(); !ok {
			return false
		}
	case p < 32:
		f.extend(h)
	case p < 38:
		return f.rivals()
	}
	return f.buy(h)
}

func (f *fan) release(h inventory.Hold) bool {
	f.a.report.act("released")
	r, _ := f.send(func() inventory.Command { return inventory.Release{Account: f.account, Hold: h.ID} })
	if r.Code == "" {
		f.a.ledger.released(h.ID)
	}
	return true
}

func (f *fan) extend(h inventory.Hold) {
	f.a.report.act("extended")
	key := f.key()
	f.send(func() inventory.Command { return inventory.Extend{Account: f.account, Hold: h.ID, Idempotency: key} })
}

// rivals are two tabs of one account that ask for different seats at once. At most one hold lives, the database says which.
func (f *fan) rivals() bool {
	f.a.report.act("rival tabs")
	other := *f
	other.near, other.draw, other.keys = 1-f.near, rand.New(rand.NewPCG(f.draw.Uint64(), 0)), f.keys+100 //nolint:gosec // no secret
	var both sync.WaitGroup
	both.Go(func() { other.hold() })
	f.hold()
	both.Wait()
	return false
}

// buy pays for a hold, sometimes with a card that is declined first.
func (f *fan) buy(h inventory.Hold) bool {
	pay := inventory.StartPayment{Account: f.account, Hold: h.ID, Provider: "sandbox", Idempotency: f.key()}
	started, _ := f.send(func() inventory.Command {
		again := pay
		again.Order, again.Attempt = id.New(), id.New()
		return again
	})
	if started.Code != "" {
		return f.bought == 0
	}
	order, attempt := started.Out.Order.ID, started.Out.Attempt
	if f.chance(5) { // a payment runs: the seats stay
		if r, sure := f.ask(func() inventory.Command { return inventory.Release{Account: f.account, Hold: h.ID} }); r.Code != fault.PaymentInProgress && sure {
			f.a.t.Errorf("released while a payment runs: %q", r.Code)
		}
	}
	if f.chance(15) {
		var ok bool
		if attempt, ok = f.declined(pay, order, attempt); !ok {
			return false
		}
	}
	if f.chance(4) {
		f.a.report.act("payment cancelled")
		f.send(func() inventory.Command {
			return inventory.EndAttempt{Order: order, Attempt: attempt.ID, Status: payment.Cancelled, FreeSeats: true}
		})
		return false
	}
	return f.sell(order, attempt)
}

// declined ends the first attempt and makes another.
func (f *fan) declined(pay inventory.StartPayment, order id.ID, attempt payment.Attempt) (payment.Attempt, bool) {
	f.a.report.act("declined")
	if r, _ := f.send(func() inventory.Command {
		return inventory.EndAttempt{Order: order, Attempt: attempt.ID, Status: payment.Declined, Reason: "no money"}
	}); r.Code != "" {
		return attempt, false
	}
	f.think()
	pay.Again, pay.Order, pay.Idempotency = true, order, f.key()
	r, _ := f.send(func() inventory.Command {
		again := pay
		again.Attempt = id.New()
		return again
	})
	return r.Out.Attempt, r.Code == ""
}

func (f *fan) sell(order id.ID, attempt payment.Attempt) bool {
	r, sure := f.send(func() inventory.Command {
		return inventory.Sell{Order: order, Attempt: attempt.ID, Captured: attempt.Amount}
	})
	if r.Code != "" {
		f.a.ledger.unsold(order, sure)
		f.a.report.act("money refused: " + string(r.Code))
		return false
	}
	f.a.ledger.sold(f.account, r.Out)
	f.bought += len(r.Out.Tickets)
	return true
}
