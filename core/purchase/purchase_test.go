package purchase

import (
	"fmt"
	"testing"

	"pgregory.net/rapid"

	"plateia/core/event"
	"plateia/core/order"
	"plateia/core/payment"
	"plateia/core/seatmap"
)

// lines are three seats with fees and tax: 3 × 34.00 + 2.07 each + 5.00.
func lines() []order.Line {
	rules := event.Rules{Fees: []event.Fee{{Name: "Service", PerTicket: 207}, {Name: "Delivery", PerOrder: 500}}, TaxPercent: 700}
	return order.Price(&rules, []order.Line{order.Seat(0, 3400), order.Seat(1, 3400), order.Seat(2, 3400)})
}

var total = order.Total(lines())

func paid(n int) Event     { return Reported{n, payment.Captured, total} }
func declined(n int) Event { return Reported{Payment: n, Status: payment.Declined} }
func stopped(n int) Event  { return Reported{Payment: n, Status: payment.Cancelled} }
func refund(n, round int, s payment.RefundStatus) Event {
	return RefundAnswered{Refund: n, Round: round, Status: s}
}
func back(seats ...seatmap.Ordinal) Event { return Returned{Seats: seats} }

// The logs whose every order is tried. Twice means: told by a webhook and found by a poll.
var logs = map[string][]Event{
	"told twice, pending late":   {paid(0), paid(0), Unanswered{0}, Reported{Payment: 0, Status: payment.Pending}},
	"declined, paid again":       {declined(0), declined(0), PaidAgain{}, paid(1), paid(1)},
	"double capture":             {Unanswered{0}, PaidAgain{}, paid(0), paid(1), refund(0, 0, payment.RefundDone), refund(0, 0, payment.RefundDone)},
	"late money, seats free":     {stopped(0), HoldEnded{}, paid(0), paid(0)},
	"late money, seats taken":    {stopped(0), HoldEnded{}, SeatsTaken{}, paid(0), paid(0), refund(0, 0, payment.RefundDone)},
	"cancelled, paid all along":  {CancelAsked{}, paid(0), stopped(0), refund(0, 0, payment.RefundDone)},
	"returned by seat":           {paid(0), back(0), back(1), back(2), refund(0, 0, payment.RefundDone), refund(1, 0, payment.RefundPending), refund(2, 0, payment.RefundDone)},
	"returned whole and by seat": {paid(0), back(1), back(), back(1), refund(0, 0, payment.RefundDone), refund(1, 0, payment.RefundDone)},
	"refund comes back":          {paid(0), back(), refund(0, 0, payment.RefundDone), refund(0, 0, payment.RefundFailed), refund(0, 1, payment.RefundDone)},
	"too little":                 {Reported{0, payment.Captured, total - 1}, Decided{Confirm: true}, Decided{}, HoldEnded{}, refund(0, 0, payment.RefundDone)},
	"too much":                   {Reported{0, payment.Captured, total + 1}, Decided{Confirm: true}, HoldEnded{}, SeatsTaken{}, back(2)},
}

func TestEveryOrder(t *testing.T) {
	for name, log := range logs {
		for _, keeps := range []bool{true, false} {
			tried := 0
			permute(log, len(log), func(log []Event) {
				p := New(lines(), keeps)
				for _, e := range log {
					p.Apply(e)
					check(t, p, log)
				}
				finish(t, p, log)
				tried++
			})
			if tried == 0 {
				t.Errorf("%s: nothing was tried", name)
			}
		}
	}
}

// What providers say, in any order and any number of times, has one end.
func TestReportsAlone(t *testing.T) {
	for name, told := range map[string][]Event{
		"captured": {paid(0), paid(0), Unanswered{0}, Reported{Payment: 0, Status: payment.Pending}, paid(0)},
		"declined": {declined(0), declined(0), Unanswered{0}, Reported{Payment: 0, Status: payment.Pending}},
		"late":     {stopped(0), paid(0), paid(0), Unanswered{0}, declined(0)},
	} {
		ends := map[string]bool{}
		permute(told, len(told), func(log []Event) {
			p := New(lines(), true)
			for _, e := range log {
				p.Apply(e)
			}
			finish(t, p, log)
			ends[fmt.Sprint(p.Order.Status, p.Tickets(), p.Kept())] = true
		})
		if len(ends) != 1 {
			t.Errorf("%s ends as %v", name, ends)
		}
	}
}

func TestRandomLogs(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		p := New(lines(), rapid.Bool().Draw(t, "keeps fees"))
		var log []Event
		for range rapid.IntRange(1, 30).Draw(t, "events") {
			e := random(t)
			log = append(log, e)
			p.Apply(e)
			check(t, p, log)
			if twice := *p; p.Apply(e) && !repeatable(e) {
				t.Fatalf("%T %+v changed %+v twice", e, e, twice.Order)
			}
			check(t, p, log)
		}
		finish(t, p, log)
	})
}

// repeatable are commands, which ask for something anew.
func repeatable(e Event) bool {
	switch e.(type) {
	case PaidAgain, Returned, Decided:
		return true
	}
	return false
}

func random(t *rapid.T) Event {
	n := rapid.IntRange(0, 2).Draw(t, "n")
	switch rapid.IntRange(0, 14).Draw(t, "kind") {
	case 0:
		return paid(n)
	case 1:
		return declined(n)
	case 2:
		return stopped(n)
	case 3:
		return Unanswered{n}
	case 4, 13:
		return Reported{n, payment.Captured, total + int64(rapid.IntRange(-1, 1).Draw(t, "off by"))}
	case 5:
		return PaidAgain{}
	case 6:
		return CancelAsked{}
	case 7:
		return HoldEnded{}
	case 8:
		return SeatsTaken{}
	case 9:
		return back(seatmap.Ordinal(n))
	case 10:
		return back()
	case 11, 14:
		return Decided{rapid.Bool().Draw(t, "confirm")}
	}
	status := rapid.SampledFrom(payment.RefundStatuses()[1:]).Draw(t, "refund is")
	return refund(n, rapid.IntRange(0, 2).Draw(t, "round"), status)
}

// failing is what testing and rapid have in common.
type failing interface {
	Helper()
	Fatalf(format string, args ...any)
}

// check is what must be true at every moment: tickets only for money, no more back than came.
func check(t failing, p *Purchase, log []Event) {
	t.Helper()
	o := p.Order
	asked := int64(0)
	for n := range p.Payments {
		a := p.Payments[n]
		if p.left(n) < 0 || a.Refunded < 0 || a.Refunded > a.Captured {
			t.Fatalf("payment %d %+v gives back more than it took: %+v\n%+v", n, a, p.Refunds, log)
		}
		if a.Status == payment.Captured {
			asked += p.left(n)
		}
	}
	if o.Status.Stands() && o.Status != order.Review && asked != p.Worth() {
		t.Fatalf("%s: %d stays for what is worth %d\n%+v\n%+v", o.Status, asked, p.Worth(), p, log)
	}
	if p.Tickets() > 0 && !o.Status.Stands() && o.Status != order.Review || p.Tickets() == 0 && o.Status == order.Confirmed {
		t.Fatalf("%s with %d tickets\n%+v", o.Status, p.Tickets(), log)
	}
}

// finish lets the truth come out, as reconciliation does, and a person decide: afterwards the money kept is the price
// of the valid tickets and the fees that stay.
func finish(t failing, p *Purchase, log []Event) {
	t.Helper()
	for round := 0; !over(p); round++ {
		if round > 20 {
			t.Fatalf("no end: %+v\n%+v", p, log)
		}
		for n, a := range p.Payments {
			if !a.Status.Final() {
				p.Apply(stopped(n))
			}
		}
		p.Apply(HoldEnded{})
		for n, r := range p.Refunds {
			p.Apply(refund(n, r.Round, payment.RefundDone))
		}
		if !p.Apply(Decided{Confirm: true}) {
			p.Apply(Decided{})
		}
	}
	check(t, p, log)
	if p.Kept() != p.Worth() {
		t.Fatalf("%s keeps %d for what is worth %d\n%+v\n%+v", p.Order.Status, p.Kept(), p.Worth(), p, log)
	}
}

func over(p *Purchase) bool {
	return p.Settled() && p.Order.Status != order.Review && !p.Order.Status.Open()
}

// permute calls visit with every order of the log.
func permute(log []Event, n int, visit func([]Event)) {
	if n == 1 {
		visit(log)
		return
	}
	for i := range n {
		permute(log, n-1, visit)
		j := 0
		if n%2 == 0 {
			j = i
		}
		log[j], log[n-1] = log[n-1], log[j]
	}
}
