package checkout_test

import (
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"testing"

	"plateia/core/checkout"
	"plateia/core/event"
	"plateia/core/fault"
	"plateia/core/id"
	"plateia/core/inventory"
	"plateia/core/order"
	"plateia/core/payment"
	"plateia/core/purchase"
	"plateia/core/seatmap"
	"plateia/core/ticket"
)

// court is where a log is heard by the machine and by the real engine and store, and both are compared after each event.
type court struct {
	*shop
	oracle *oracle
}

// trial is one order.
type trial struct {
	*fan
	oracle  *oracle
	order   order.Order
	machine *purchase.Purchase
	seats   []seatmap.Ordinal
	log     []purchase.Event
}

func openCourt(t *testing.T, seats int, keepsFees bool) *court {
	t.Helper()
	rules := event.DefaultRules()
	rules.Fees = []event.Fee{{Name: "Service", PerTicket: 207}, {Name: "Delivery", PerOrder: 500}}
	rules.Refund = &event.Refunds{UntilSeconds: 3600, KeepsFees: keepsFees}
	c := &court{shop: openShopWith(t, seats, rules), oracle: &oracle{intents: map[string]payment.Intent{}, refunds: map[string]payment.RefundStatus{}}}
	var err error
	c.Service, err = checkout.New(c.orders, c.inv, checkout.Options{Providers: []payment.Provider{c.oracle}, Clock: c.now, Logger: c.log})
	if err != nil {
		t.Fatal(err)
	}
	return c
}

// open places an order of three seats that nobody has.
func (c *court) open(first seatmap.Ordinal, keepsFees bool) *trial {
	c.t.Helper()
	x := &trial{oracle: c.oracle, seats: []seatmap.Ordinal{first, first + 1, first + 2}}
	x.fan = c.fan(x.seats...)
	o, err := c.Place(c.t.Context(), x.id, x.hold, x.key())
	if err != nil {
		c.t.Fatal(err)
	}
	x.order, x.machine = o, purchase.New(o.Lines, keepsFees)
	c.must(c.Reconcile(c.t.Context(), o.ID))
	return x
}

func (s *shop) must(err error) {
	s.t.Helper()
	if err != nil {
		s.t.Fatal(err)
	}
}

// hear applies an event to both. Seats are numbered from the order's first.
func (x *trial) hear(e purchase.Event) {
	x.t.Helper()
	if r, ok := e.(purchase.Returned); ok {
		for i := range r.Seats {
			r.Seats[i] = x.seats[r.Seats[i]]
		}
		e = r
	}
	x.log = append(x.log, e)
	changed := x.machine.Apply(e)
	x.happen(e, changed)
	x.compare()
}

// happen makes an event true in the world.
func (x *trial) happen(e purchase.Event, changed bool) {
	t, ctx := x.t, x.t.Context()
	t.Helper()
	switch e := e.(type) {
	case purchase.Reported:
		if attempts := x.attempts(); e.Payment < len(attempts) {
			x.oracle.says(attempts[e.Payment].Reference, e.Status, e.Amount)
			x.tell(attempts[e.Payment])
		}
	case purchase.PaidAgain:
		_, err := x.PayAgain(ctx, x.id, x.order.ID, x.key())
		x.allow(err)
		x.must(x.Reconcile(ctx, x.order.ID))
	case purchase.CancelAsked:
		if d := x.details(); d.Order.Status.Open() {
			_, err := x.Cancel(ctx, x.id, x.order.ID, nil, x.key())
			x.allow(err)
		}
	case purchase.HoldEnded:
		if changed {
			x.exec(`update hold set expires_at = now() - interval '1 hour', hard_expires_at = now() - interval '11 minutes' where hold_id = $1`, [16]byte(x.hold))
			_, err := x.inv.Do(ctx, x.event.ID, inventory.Expire{Hold: x.hold})
			x.must(err)
		}
	case purchase.SeatsTaken:
		if changed {
			x.shop.fan(x.seats[0])
		}
	case purchase.Returned:
		x.giveBack(e)
	case purchase.RefundAnswered:
		if d := x.details(); e.Refund < len(d.Refunds) && d.Refunds[e.Refund].Round == e.Round {
			r := d.Refunds[e.Refund]
			if r.Status == payment.RefundRequested { // it has to be asked for before it can be answered
				x.exec(`update refund set next_try_at = now() - interval '1 second' where order_id = $1`, [16]byte(x.order.ID))
				x.must(x.RunOnce(ctx))
			}
			x.oracle.refunded(r.Key(), e.Status)
			x.tell(x.attemptOf(r.Attempt))
		}
	case purchase.Decided:
		action := map[bool]string{true: checkout.ActionConfirm, false: checkout.ActionRefund}[e.Confirm]
		_, err := x.Resolve(ctx, x.order.ID, action, "operator", "the log says so")
		x.allow(err)
	}
}

func (x *trial) giveBack(e purchase.Returned) {
	x.t.Helper()
	d := x.details()
	var tickets []id.ID
	for _, t := range d.Tickets {
		for _, s := range e.Seats {
			if t.Ordinal == s {
				tickets = append(tickets, t.ID)
			}
		}
	}
	if len(d.Tickets) == 0 || len(tickets) != len(e.Seats) {
		return
	}
	_, err := x.Cancel(x.t.Context(), x.id, x.order.ID, tickets, x.key())
	x.allow(err)
}

// allow lets through what an order may answer to a command that comes at the wrong moment.
func (x *trial) allow(err error) {
	x.t.Helper()
	switch fault.CodeOf(err) {
	case "", fault.OrderState, fault.PaymentInProgress, fault.HoldGone, fault.RefundTooMuch, fault.PaymentWindow:
	default:
		x.t.Fatalf("%v\n%+v", err, x.log)
	}
}

// tell sends a webhook about a payment, twice, and has it processed.
func (x *trial) tell(a payment.Attempt) {
	x.t.Helper()
	ctx := x.t.Context()
	body, err := json.Marshal(payment.Event{ID: id.New().String(), Reference: a.Reference, Order: x.order.ID})
	x.must(err)
	for range 2 {
		x.must(x.Receive(ctx, "oracle", nil, body))
	}
	x.must(x.RunOnce(ctx))
}

func (x *trial) attempts() []payment.Attempt {
	x.t.Helper()
	all, err := x.orders.AttemptsOf(x.t.Context(), x.order.ID)
	x.must(err)
	return all
}

func (x *trial) attemptOf(which id.ID) payment.Attempt {
	x.t.Helper()
	a, err := x.orders.Attempt(x.t.Context(), which)
	x.must(err)
	return a
}

func (x *trial) details() checkout.Details {
	x.t.Helper()
	d, err := x.Find(x.t.Context(), x.id, x.order.ID)
	x.must(err)
	return d
}

// compare checks that the store is where the machine is.
func (x *trial) compare() {
	x.t.Helper()
	d := x.details()
	valid := 0
	for _, t := range d.Tickets {
		if t.State == ticket.Valid {
			valid++
		}
	}
	kept := int64(0)
	for _, a := range x.attempts() {
		kept += a.Captured.Minor - a.Refunded
	}
	refunds, err := x.orders.RefundsOf(x.t.Context(), x.order.ID)
	x.must(err)
	store := fmt.Sprint(d.Order.Status, " ", valid, " tickets, kept ", kept, ", returned ", d.Order.Returned, ", refunds ", len(refunds))
	m := x.machine
	machine := fmt.Sprint(m.Order.Status, " ", m.Tickets(), " tickets, kept ", m.Kept(), ", returned ", m.Order.Returned, ", refunds ", len(m.Refunds))
	if store != machine {
		x.t.Fatalf("the store is   %s\nthe machine is %s\nafter %+v", store, machine, x.log)
	}
}

// finish lets the truth come out and a person decide, until nothing is open.
func (x *trial) finish() {
	x.t.Helper()
	for round := 0; !x.machine.Settled() || x.machine.Order.Status == order.Review || x.machine.Order.Status.Open(); round++ {
		if round > 20 {
			x.t.Fatalf("no end after %+v", x.log)
		}
		for n, a := range x.machine.Payments {
			if !a.Status.Final() {
				x.hear(purchase.Reported{Payment: n, Status: payment.Cancelled})
			}
		}
		x.hear(purchase.HoldEnded{})
		for n, r := range x.machine.Refunds {
			if r.Underway() {
				x.hear(purchase.RefundAnswered{Refund: n, Round: r.Round, Status: payment.RefundDone})
			}
		}
		if before := x.machine.Order.Status; before == order.Review {
			x.hear(purchase.Decided{Confirm: true})
			x.hear(purchase.Decided{})
		}
	}
	if x.machine.Kept() != x.machine.Worth() {
		x.t.Fatalf("keeps %d for what is worth %d after %+v", x.machine.Kept(), x.machine.Worth(), x.log)
	}
}

const seatTotal = 3*18000 + 3*207 + 500

func paid(n int) purchase.Event {
	return purchase.Reported{Payment: n, Status: payment.Captured, Amount: seatTotal}
}
func stopped(n int) purchase.Event {
	return purchase.Reported{Payment: n, Status: payment.Cancelled}
}
func declined(n int) purchase.Event {
	return purchase.Reported{Payment: n, Status: payment.Declined}
}
func answered(n, round int, s payment.RefundStatus) purchase.Event {
	return purchase.RefundAnswered{Refund: n, Round: round, Status: s}
}
func givenBack(seats ...seatmap.Ordinal) purchase.Event { return purchase.Returned{Seats: seats} }

// Small logs in every order: the engine and the store end where the machine does, to the cent.
func TestLogsInEveryOrder(t *testing.T) {
	t.Parallel()
	logs := [][]purchase.Event{
		{declined(0), purchase.PaidAgain{}, paid(0), paid(1)},
		{stopped(0), purchase.HoldEnded{}, purchase.SeatsTaken{}, paid(0)},
		{paid(0), givenBack(1), answered(0, 0, payment.RefundFailed), answered(0, 1, payment.RefundDone)},
	}
	c := openCourt(t, 3*24*len(logs), true)
	at := seatmap.Ordinal(0)
	for _, log := range logs {
		permute(len(log), func(by []int) {
			x := c.open(at, true)
			at += 3
			for _, i := range by {
				x.hear(clone(log[i]))
			}
			x.finish()
		})
	}
	c.wholeBook()
}

// Long random ones.
func TestRandomLogs(t *testing.T) {
	t.Parallel()
	const runs = 12
	c := openCourt(t, 3*runs, false)
	seed := rand.Uint64()
	t.Logf("seed %d", seed)
	rng := rand.New(rand.NewPCG(seed, 4))
	for run := range runs {
		x := c.open(seatmap.Ordinal(3*run), false)
		for range 4 + rng.IntN(8) {
			x.hear(anyEvent(rng))
		}
		x.finish()
	}
	c.wholeBook()
}

func anyEvent(rng *rand.Rand) purchase.Event {
	n := rng.IntN(2)
	switch rng.IntN(13) {
	case 0, 1, 2:
		return paid(n)
	case 3:
		return declined(n)
	case 4:
		return stopped(n)
	case 5:
		return purchase.Reported{Payment: n, Status: payment.Captured, Amount: seatTotal + int64(rng.IntN(3)-1)}
	case 6:
		return purchase.PaidAgain{}
	case 7:
		return purchase.CancelAsked{}
	case 8:
		return []purchase.Event{purchase.HoldEnded{}, purchase.SeatsTaken{}}[rng.IntN(2)]
	case 9:
		return givenBack(seatmap.Ordinal(rng.IntN(3)))
	case 10:
		return givenBack()
	case 11:
		return purchase.Decided{Confirm: rng.IntN(2) == 0}
	}
	return answered(n, rng.IntN(3), payment.RefundStatuses()[1+rng.IntN(3)])
}

// clone keeps a log's seats from being numbered twice.
func clone(e purchase.Event) purchase.Event {
	if r, ok := e.(purchase.Returned); ok {
		return purchase.Returned{Seats: append([]seatmap.Ordinal(nil), r.Seats...)}
	}
	return e
}

// wholeBook checks every order's book: it balances, nothing waits in deposits, and what is owed is what failed or is on its way.
func (c *court) wholeBook() {
	c.t.Helper()
	if n := c.count(`select count(*) from (select source, kind, round from ledger_entry group by source, kind, round having sum(amount) <> 0) as x`); n != 0 {
		c.t.Errorf("%d postings do not balance", n)
	}
	if n := c.count(`select count(*) from (select order_id from ledger_entry where account = 'deposits' group by order_id having sum(amount) <> 0) as x`); n != 0 {
		c.t.Errorf("money of %d orders waits in deposits", n)
	}
	if n := c.count(`select count(*) from (select order_id from ledger_entry where account = 'refunds_payable' group by order_id having sum(amount) <> 0) as x`); n != 0 {
		c.t.Errorf("refunds of %d orders are owed", n)
	}
	if n := c.count(`select count(*) from (
		select o.order_id from orders o where (select coalesce(sum(captured - refunded), 0) from attempt a where a.order_id = o.order_id)
			<> (select coalesce(sum(amount), 0) from ledger_entry l where l.order_id = o.order_id and account = 'provider:oracle')) as x`); n != 0 {
		c.t.Errorf("the book of %d orders says something else than their payments", n)
	}
}

// permute calls visit with every order of 0..n-1.
func permute(n int, visit func([]int)) {
	var step func(done []int, left []int)
	step = func(done, left []int) {
		if len(left) == 0 {
			visit(done)
		}
		for i := range left {
			rest := append(append([]int(nil), left[:i]...), left[i+1:]...)
			step(append(append([]int(nil), done...), left[i]), rest)
		}
	}
	all := make([]int, n)
	for i := range all {
		all[i] = i
	}
	step(nil, all)
}
