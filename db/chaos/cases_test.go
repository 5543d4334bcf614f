package chaos_test

import (
	"context"
	"fmt"

	"plateia/core/event"
	"plateia/core/fault"
	"plateia/core/id"
	"plateia/core/inventory"
	"plateia/core/payment"
	"plateia/core/pick"
	"plateia/core/seatmap"
	"plateia/db"
)

// stageSeats is how many seats a stage has.
const stageSeats = 40

// stage is one event for one command, with an engine that nothing disturbs.
type stage struct {
	truth *db.DB
	event event.Event
	calm  doer
	fan   id.ID
}

// must is for what comes before the command: it panics with a failed, which is caught by the case's runner.
func (s *stage) must(command inventory.Command) inventory.Outcome {
	r, err := s.calm.do(s.event.ID, command, answerWithin)
	if err != nil || r.Code != "" {
		panic(failed(fmt.Sprintf("before: %T: %v %s", command, err, r.Text)))
	}
	return r.Out
}

type failed string

func (s *stage) exec(sql string, args ...any) {
	if _, err := s.truth.Pool().Exec(context.Background(), sql, args...); err != nil {
		panic(failed(err.Error()))
	}
}

func key(k string) inventory.Idempotency {
	return inventory.Idempotency{Key: k, BodyHash: [32]byte{1}}
}

func place(account id.ID, k string, seats ...seatmap.Ordinal) inventory.PlaceHold {
	return inventory.PlaceHold{Hold: id.New(), Account: account, Seats: seats, Idempotency: key(k)}
}

// die makes a hold's time pass.
func (s *stage) die(hold id.ID) {
	s.exec("update hold set expires_at = now() - interval '3 seconds' where hold_id = $1", [16]byte(hold))
}

func (s *stage) pay() (inventory.StartPayment, inventory.Outcome) {
	h := s.must(place(s.fan, "h", 0, 1)).Hold
	p := inventory.StartPayment{Account: s.fan, Hold: h.ID, Order: id.New(), Attempt: id.New(), Provider: "sandbox", Idempotency: key("p")}
	return p, s.must(p)
}

// giveBack returns so many tickets of a sale; 0: all.
func (s *stage) giveBack(tickets int) func() inventory.Command {
	s.exec("update event set starts_at = starts_at + interval '10 days' where event_id = $1", [16]byte(s.event.ID)) // they are taken back yet
	p, paid := s.pay()
	out := s.must(inventory.Sell{Order: p.Order, Attempt: p.Attempt, Captured: paid.Attempt.Amount})
	var ids []id.ID
	for _, t := range out.Tickets[:tickets] {
		ids = append(ids, t.ID)
	}
	return func() inventory.Command {
		return inventory.Return{Account: s.fan, Order: out.Order.ID, Refund: id.New(), Tickets: ids, Idempotency: key("k")}
	}
}

// decide ends the review of an order for which too much was paid.
func (s *stage) decide(confirm bool) func() inventory.Command {
	p, out := s.pay()
	much := out.Attempt.Amount
	much.Minor++
	r, err := s.calm.do(s.event.ID, inventory.Sell{Order: p.Order, Attempt: p.Attempt, Captured: much}, answerWithin)
	if err != nil || r.Code != fault.OrderState {
		panic(failed(fmt.Sprintf("too much was paid: %v %s", err, r.Text)))
	}
	return same(inventory.Resolve{Order: p.Order, Confirm: confirm, By: organizer})
}

// repeatable prepares a stage and returns what the caller sends, the first time and every time it repeats
// the request: the same key, fresh ids, as the API makes them.
type repeatable struct {
	name  string
	begin func(s *stage) func() inventory.Command
	// again is how a repetition is refused that finds the thing done: the caller knows by it. "" when it is answered like the first.
	again fault.Code
}

var organizer = inventory.By{Actor: "o@example.org", Reason: "camera platform"}

func same(c inventory.Command) func() inventory.Command { return func() inventory.Command { return c } }

var repeatables = []repeatable{
	{name: "PlaceHold", begin: func(s *stage) func() inventory.Command {
		return func() inventory.Command { return place(s.fan, "k", 0, 1) }
	}},
	{name: "PlaceHold replacing", begin: func(s *stage) func() inventory.Command {
		s.must(place(s.fan, "h", 0, 1))
		return func() inventory.Command { return place(s.fan, "k", 1, 2) }
	}},
	{name: "PlaceHold over a dead hold", begin: func(s *stage) func() inventory.Command {
		s.die(s.must(place(id.New(), "h", 1, 2, 3)).Hold.ID)
		return func() inventory.Command { return place(s.fan, "k", 3) }
	}},
	{name: "PlaceHold best available", begin: func(s *stage) func() inventory.Command {
		return func() inventory.Command {
			return inventory.PlaceHold{Hold: id.New(), Account: s.fan, Best: &pick.Query{Quantity: 2}, Idempotency: key("k")}
		}
	}},
	{name: "PlaceHold best available of the last seats", begin: func(s *stage) func() inventory.Command {
		var others []seatmap.Ordinal
		for o := seatmap.Ordinal(2); o < stageSeats; o++ {
			others = append(others, o)
		}
		s.must(inventory.Block{Seats: others, By: organizer})
		return func() inventory.Command {
			return inventory.PlaceHold{Hold: id.New(), Account: s.fan, Best: &pick.Query{Quantity: 2}, Idempotency: key("k")}
		}
	}},
	{name: "Release", begin: func(s *stage) func() inventory.Command {
		return same(inventory.Release{Account: s.fan, Hold: s.must(place(s.fan, "h", 0, 1)).Hold.ID})
	}},
	{name: "Extend", begin: func(s *stage) func() inventory.Command {
		return same(inventory.Extend{Account: s.fan, Hold: s.must(place(s.fan, "h", 0, 1)).Hold.ID, Idempotency: key("k")})
	}},
	{name: "Extend in an outage", begin: func(s *stage) func() inventory.Command {
		hold := s.must(place(s.fan, "h", 0, 1)).Hold.ID
		s.exec("update hold set hard_expires_at = expires_at + interval '1 microsecond' where hold_id = $1", [16]byte(hold)) // it is moved once
		return same(inventory.Extend{Hold: hold, Outage: true})
	}},
	{name: "StartPayment", begin: func(s *stage) func() inventory.Command {
		h := s.must(place(s.fan, "h", 0, 1)).Hold
		return func() inventory.Command {
			return inventory.StartPayment{Account: s.fan, Hold: h.ID, Order: id.New(), Attempt: id.New(), Provider: "sandbox", Idempotency: key("k")}
		}
	}},
	{name: "StartPayment again", begin: func(s *stage) func() inventory.Command {
		p, _ := s.pay()
		s.must(inventory.EndAttempt{Order: p.Order, Attempt: p.Attempt, Status: payment.Declined})
		return func() inventory.Command {
			p := p
			p.Again, p.Attempt, p.Idempotency = true, id.New(), key("k")
			return p
		}
	}},
	{name: "EndAttempt declined", begin: func(s *stage) func() inventory.Command {
		p, _ := s.pay()
		return same(inventory.EndAttempt{Order: p.Order, Attempt: p.Attempt, Status: payment.Declined, Reason: "no money"})
	}},
	{name: "EndAttempt and seats freed", begin: func(s *stage) func() inventory.Command {
		p, _ := s.pay()
		return same(inventory.EndAttempt{Order: p.Order, Attempt: p.Attempt, Status: payment.Cancelled, FreeSeats: true})
	}},
	{name: "Sell", begin: func(s *stage) func() inventory.Command {
		p, out := s.pay()
		return same(inventory.Sell{Order: p.Order, Attempt: p.Attempt, Captured: out.Attempt.Amount})
	}},
	{name: "Sell late", begin: func(s *stage) func() inventory.Command {
		p, out := s.pay()
		s.must(inventory.EndAttempt{Order: p.Order, Attempt: p.Attempt, Status: payment.Cancelled, FreeSeats: true})
		return same(inventory.Sell{Order: p.Order, Attempt: p.Attempt, Captured: out.Attempt.Amount})
	}},
	{name: "Return", begin: func(s *stage) func() inventory.Command {
		return s.giveBack(0)
	}},
	{name: "Return of one ticket", begin: func(s *stage) func() inventory.Command {
		return s.giveBack(1)
	}},
	{name: "Resolve by confirming", again: fault.OrderState, begin: func(s *stage) func() inventory.Command {
		return s.decide(true)
	}},
	{name: "Resolve by refunding", again: fault.OrderState, begin: func(s *stage) func() inventory.Command {
		return s.decide(false)
	}},
	{name: "Expire", begin: func(s *stage) func() inventory.Command {
		h := s.must(place(s.fan, "h", 0, 1)).Hold
		s.die(h.ID)
		return same(inventory.Expire{Hold: h.ID})
	}},
	{name: "Block", begin: func(s *stage) func() inventory.Command {
		s.die(s.must(place(id.New(), "h", 1, 2)).Hold.ID)
		return same(inventory.Block{Seats: []seatmap.Ordinal{2, 3}, By: organizer})
	}},
	{name: "Unblock", begin: func(s *stage) func() inventory.Command {
		s.must(inventory.Block{Seats: []seatmap.Ordinal{2, 3}, By: organizer})
		return same(inventory.Unblock{Seats: []seatmap.Ordinal{2, 3}, By: organizer})
	}},
	{name: "Allocate", begin: func(s *stage) func() inventory.Command {
		s.exec(`update event set rules = jsonb_set(rules, '{channels}', '[{"id": 1, "name": "fan club"}]') where event_id = $1`, [16]byte(s.event.ID))
		return same(inventory.Allocate{Seats: []seatmap.Ordinal{2, 3}, Channel: 1, By: organizer})
	}},
}

// fingerprint is everything that a command can change of an event: how many rows there are, in which states, and
// how often each was rewritten. A change made twice, or half, shows.
func (s *stage) fingerprint(ctx context.Context) (print string, err error) {
	err = s.truth.Pool().QueryRow(ctx, `select concat_ws(' ',
		(select string_agg(ordinal || ':' || status || 'c' || channel || 'v' || version, ',' order by ordinal) from seat where event_id = $1 and version > 1),
		'holds', (select string_agg(state || 'v' || version, ',' order by state, version) from hold where event_id = $1),
		'buyers', (select string_agg(held || '+' || sold || 'v' || version, ',' order by held, sold, version) from buyer where event_id = $1),
		'orders', (select string_agg(status || 'v' || version, ',' order by status, version) from orders where event_id = $1),
		'attempts', (select string_agg(a.status || 'v' || a.version, ',' order by a.status, a.version)
			from attempt a join orders o on o.order_id = a.order_id where o.event_id = $1),
		'tickets', (select string_agg(state, ',' order by state) from ticket where event_id = $1),
		'refunds', (select string_agg(r.kind || ':' || r.status || ':' || r.amount || ':' || r.round, ',' order by r.kind, r.amount)
			from refund r join orders o on o.order_id = r.order_id where o.event_id = $1),
		'book', (select string_agg(l.kind || ':' || l.account || l.amount, ',' order by l.kind, l.account, l.amount)
			from ledger_entry l join orders o on o.order_id = l.order_id where o.event_id = $1),
		'decisions', (select count(*)::text from order_audit where event_id = $1),
		'keys', (select count(*)::text from request_key k where k.account_id = $2),
		'audits', (select count(*)::text from seat_audit where event_id = $1),
		'batches', (select count(*)::text from outbox where event_id = $1 and kind = 1))`,
		[16]byte(s.event.ID), [16]byte(s.fan)).Scan(&print)
	return print, err
}
