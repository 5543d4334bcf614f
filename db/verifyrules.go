package db

import "time"

// What may never happen, as far as the database can tell, each as a question
// whose every row is a violation. Seats, holds, buyers, orders and tickets are
// compared in both directions, because a fault that loses a row is seen from one side only.
//
// Numbers: seat.status 0 available, 1 held, 2 sold, 3 blocked; hold.state 1 active,
// 2 paying, 3 converted, 4 released, 5 expired.

const countsSQL = `
	select case status when 0 then 'available' when 1 then 'held' when 2 then 'sold' when 3 then 'blocked' else 'other' end, count(*)
		from seat where event_id = $1 group by 1
	union all select 'liveHolds', count(*) from hold where event_id = $1 and state in (1, 2)
	union all select 'confirmedOrders', count(*) from orders where event_id = $1 and status in ('CONFIRMED', 'PARTLY_REFUNDED')
	union all select 'validTickets', count(*) from ticket where event_id = $1 and state = 'VALID'`

// listedSQL is every seat of every hold of the event, with its price.
const listedSQL = `with listed as (
	select hold_id, account_id, state, unnest(ordinals) as ordinal, unnest(prices) as price from hold where event_id = $1) `

// linesSQL is every line of every order of the event.
const linesSQL = `lines as (
	select order_id, status, hold_id, (line->>'ordinal')::int8 as ordinal, (line->>'amount')::int8 as amount, line->>'kind' as kind,
		coalesce((line->>'rate')::int8, 0) as rate
	from (select order_id, status, hold_id, jsonb_array_elements(lines) as line from orders where event_id = $1) as l) `

var seatRules = []rule{
	{name: "seat-held-by-nobody", what: "a held seat whose owner is not a live hold of this event", sql: `
		select s.ordinal, s.owner as hold, h.state, h.event_id as hold_event from seat s left join hold h on h.hold_id = s.owner
		where s.event_id = $1 and s.status = 1 and (h.hold_id is null or h.event_id <> $1 or h.state not in (1, 2))`},

	{name: "seat-not-in-its-hold", what: "a held seat that its hold does not list", sql: `
		select s.ordinal, s.owner as hold from seat s join hold h on h.hold_id = s.owner
		where s.event_id = $1 and s.status = 1 and not (s.ordinal = any(h.ordinals))`},

	{name: "seat-sold-without-order", what: "a sold seat whose owner is not an order of this event that keeps its seats", sql: `
		select s.ordinal, s.owner as "order", o.status, o.event_id as order_event from seat s left join orders o on o.order_id = s.owner
		where s.event_id = $1 and s.status = 2
			and (o.order_id is null or o.event_id <> $1 or o.status not in ('CONFIRMED', 'PARTLY_REFUNDED', 'REVIEW'))`},

	{name: "seat-sold-without-ticket", what: "a sold seat without a valid ticket of its order", sql: `
		select s.ordinal, s.owner as "order" from seat s
		where s.event_id = $1 and s.status = 2 and not exists (
			select 1 from ticket t where t.event_id = $1 and t.ordinal = s.ordinal and t.order_id = s.owner and t.state = 'VALID')`},

	{name: "seat-blocked-with-owner", what: "a seat that is off the sale and somebody's all the same", sql: `
		select ordinal, owner from seat where event_id = $1 and status = 3 and owner is not null`},

	{name: "seat-channel", what: "a seat of a channel that the event's rules do not have", sql: `
		select s.ordinal, s.channel from seat s where s.event_id = $1 and s.channel <> 0 and s.channel not in (
			select (c->>'id')::int8 from event e, jsonb_array_elements(e.rules->'channels') as c
			where e.event_id = $1 and jsonb_typeof(e.rules->'channels') = 'array')`},

	{name: "seat-free-with-owner", what: "a seat that is not held or sold and has an owner, or the other way round", sql: `
		select ordinal, status, owner from seat where event_id = $1 and (status in (1, 2)) <> (owner is not null)`},

	{name: "capacity", what: "the seats by status do not add up to the event's capacity", sql: `
		select e.capacity, count(s.ordinal) as seats from event e left join seat s on s.event_id = e.event_id and s.status between 0 and 3
		where e.event_id = $1 group by e.capacity having count(s.ordinal) <> e.capacity`},

	{name: "stock", what: "the counts that lists show do not add up to the event's capacity", sql: `
		select s.available, s.held, s.sold, s.blocked, e.capacity from event_stock s join event e on e.event_id = s.event_id
		where s.event_id = $1 and s.available + s.held + s.sold + s.blocked <> e.capacity`},
}

var holdRules = []rule{
	{name: "seat-in-two-holds", what: "a seat in two live holds", sql: listedSQL + `
		select l.ordinal, l.hold_id as hold, l.account_id as account from listed l
		where l.state in (1, 2) and l.ordinal in (
			select ordinal from listed where state in (1, 2) group by ordinal having count(*) > 1)
		order by l.ordinal, l.hold_id`},

	{name: "hold-without-its-seat", what: "a live hold that lists a seat it does not own", sql: listedSQL + `
		select l.hold_id as hold, l.account_id as account, l.ordinal, s.status, s.owner
		from listed l left join seat s on s.event_id = $1 and s.ordinal = l.ordinal
		where l.state in (1, 2) and (s.status is distinct from 1 or s.owner is distinct from l.hold_id)`},

	{name: "hold-shape", what: "a hold without seats, with a seat twice, or whose prices do not match its seats", sql: `
		select h.hold_id as hold, h.account_id as account, coalesce(array_length(h.ordinals, 1), 0) as seats,
			coalesce(array_length(h.prices, 1), 0) as prices from hold h
		where h.event_id = $1 and (array_length(h.ordinals, 1) is null
			or array_length(h.ordinals, 1) is distinct from array_length(h.prices, 1)
			or array_length(h.ordinals, 1) <> (select count(distinct o) from unnest(h.ordinals) as u (o)))`},

	{name: "hold-times", what: "a hold kept past its absolute end, or whose end does not match its state", sql: `
		select hold_id as hold, account_id as account, state, expires_at, hard_expires_at, ended_at from hold
		where event_id = $1 and (expires_at > hard_expires_at or (state in (1, 2)) <> (ended_at is null))`},

	{name: "account-with-two-holds", what: "an account with two live holds", sql: `
		select h.account_id as account, h.hold_id as hold from hold h
		where h.event_id = $1 and h.state in (1, 2) and h.account_id in (
			select account_id from hold where event_id = $1 and state in (1, 2) group by account_id having count(*) > 1)
		order by h.account_id, h.hold_id`},

	{name: "hold-converted-without-order", what: "a converted hold without an order that was paid", sql: `
		select h.hold_id as hold, h.account_id as account, o.order_id as "order", o.status from hold h left join orders o on o.hold_id = h.hold_id
		where h.event_id = $1 and h.state = 3
			and (o.order_id is null or o.status in ('PENDING_PAYMENT', 'FAILED', 'EXPIRED'))`},

	{name: "hold-paying-without-order", what: "a hold that is being paid without an order that waits for money", sql: `
		select h.hold_id as hold, h.account_id as account, o.order_id as "order", o.status from hold h left join orders o on o.hold_id = h.hold_id
		where h.event_id = $1 and h.state = 2 and (o.order_id is null or o.status not in ('PENDING_PAYMENT', 'REVIEW'))`},
}

var buyerRules = []rule{
	{name: "buyer-hold", what: "a buyer row that does not name its live hold, or names one that is not", sql: `
		select coalesce(b.account_id, h.account_id) as account, b.hold_id as buyer_hold, h.hold_id as hold
		from (select * from buyer where event_id = $1) as b
			full join (select hold_id, account_id from hold where event_id = $1 and state in (1, 2)) as h on h.account_id = b.account_id
		where b.hold_id is distinct from h.hold_id`},

	{name: "buyer-held", what: "a buyer row whose count of held seats is not what its live hold has", sql: `
		select b.account_id as account, b.held, coalesce(array_length(h.ordinals, 1), 0) as seats, h.hold_id as hold
		from buyer b left join hold h on h.hold_id = b.hold_id and h.state in (1, 2)
		where b.event_id = $1 and b.held <> coalesce(array_length(h.ordinals, 1), 0)`},

	{name: "buyer-sold", what: "a buyer row whose count of sold seats is not what the account has bought", sql: `
		select coalesce(b.account_id, s.account_id) as account, coalesce(b.sold, 0) as counted, coalesce(s.seats, 0) as seats
		from (select * from buyer where event_id = $1) as b
			full join (select o.account_id, count(*) as seats from seat s join orders o on o.order_id = s.owner
				where s.event_id = $1 and s.status = 2 group by o.account_id) as s on s.account_id = b.account_id
		where coalesce(b.sold, 0) <> coalesce(s.seats, 0)`},

	{name: "buyer-over-limit", what: "an account with more seats than the event allows", sql: `
		select b.account_id as account, b.held, b.sold, e.rules->>'maxPerAccount' as allowed from buyer b join event e on e.event_id = b.event_id
		where b.event_id = $1 and b.held + b.sold > (e.rules->>'maxPerAccount')::int8`},
}

var orderRules = []rule{
	{name: "order-without-its-seat", what: "a confirmed order with a seat that is not sold to it", sql: `with ` + linesSQL + `
		select l.order_id as "order", l.ordinal, s.status, s.owner from lines l left join seat s on s.event_id = $1 and s.ordinal = l.ordinal
		where l.status = 'CONFIRMED' and l.kind = 'seat' and (s.status is distinct from 2 or s.owner is distinct from l.order_id)`},

	{name: "order-price", what: "a price charged that differs from the price at hold", sql: listedSQL + `, ` + linesSQL + `
		select l.order_id as "order", l.hold_id as hold, l.ordinal, l.amount as charged, h.price as held_at
		from lines l left join listed h on h.hold_id = l.hold_id and h.ordinal = l.ordinal
		where l.kind = 'seat' and l.amount is distinct from h.price`},

	{name: "order-lacks-line", what: "a seat of the hold that its order does not charge", sql: listedSQL + `, ` + linesSQL + `
		select o.order_id as "order", h.hold_id as hold, h.ordinal from listed h join orders o on o.hold_id = h.hold_id
		where not exists (select 1 from lines l where l.order_id = o.order_id and l.ordinal = h.ordinal and l.kind = 'seat')`},

	{name: "order-total", what: "an order whose total is not the sum of its lines", sql: `with ` + linesSQL + `
		select o.order_id as "order", o.total, coalesce(sum(l.amount), 0)::int8 as sum_of_lines
		from orders o left join lines l on l.order_id = o.order_id and l.kind <> 'tax'
		where o.event_id = $1 group by o.order_id, o.total having o.total <> coalesce(sum(l.amount), 0)`},

	{name: "order-tax", what: "an order whose tax is not its rate of the total, which it is in", sql: `with ` + linesSQL + `
		select o.order_id as "order", o.total, l.amount as tax, l.rate from orders o join lines l on l.order_id = o.order_id
		where o.event_id = $1 and l.kind = 'tax' and abs(o.total * 10000 - (o.total - l.amount) * (10000 + l.rate)) * 2 > 10000 + l.rate`},

	{name: "order-tickets", what: "an order with tickets for other seats than it charges", sql: `with ` + linesSQL + `,
		printed as (select order_id, ordinal, count(*) as n from ticket where event_id = $1 group by order_id, ordinal),
		charged as (select order_id, ordinal, count(*) as n from lines where kind = 'seat'
			and order_id in (select order_id from printed) group by order_id, ordinal)
		select coalesce(p.order_id, c.order_id) as "order", coalesce(p.ordinal, c.ordinal) as ordinal, coalesce(p.n, 0) as tickets, coalesce(c.n, 0) as lines
		from printed p full join charged c on c.order_id = p.order_id and c.ordinal = p.ordinal
		where coalesce(p.n, 0) <> coalesce(c.n, 0)`},

	{name: "order-of-another", what: "an order whose hold is somebody else's or of another event", sql: `
		select o.order_id as "order", o.account_id as account, h.account_id as hold_account, h.event_id as hold_event
		from orders o left join hold h on h.hold_id = o.hold_id
		where o.event_id = $1 and (h.account_id is distinct from o.account_id or h.event_id is distinct from o.event_id)`},

	{name: "order-confirmed-on-live-hold", what: "a confirmed order whose hold still lives", sql: `
		select o.order_id as "order", h.hold_id as hold, h.state from orders o join hold h on h.hold_id = o.hold_id
		where o.event_id = $1 and o.status in ('CONFIRMED', 'PARTLY_REFUNDED') and h.state in (1, 2)`},

	{name: "order-pending-without-hold", what: "an order that waits for money while its hold is not being paid", sql: `
		select o.order_id as "order", h.hold_id as hold, h.state from orders o left join hold h on h.hold_id = o.hold_id
		where o.event_id = $1 and o.status = 'PENDING_PAYMENT' and h.state is distinct from 2`},

	{name: "attempts-open", what: "two attempts of one order that can take money", sql: `
		select a.order_id as "order", a.attempt_id as attempt, a.status from attempt a join orders o on o.order_id = a.order_id
		where o.event_id = $1 and a.status in ('CREATED', 'PENDING') and (
			select count(*) from attempt b where b.order_id = a.order_id and b.status in ('CREATED', 'PENDING')) > 1
		order by a.order_id, a.attempt_id`},
}

var ticketRules = []rule{
	{name: "seat-with-two-tickets", what: "a seat with two valid tickets", sql: `
		select t.ordinal, t.ticket_id as ticket, t.order_id as "order", t.account_id as account from ticket t
		where t.event_id = $1 and t.state = 'VALID' and t.ordinal in (
			select ordinal from ticket where event_id = $1 and state = 'VALID' group by ordinal having count(*) > 1)
		order by t.ordinal, t.ticket_id`},

	{name: "ticket-without-seat", what: "a valid ticket whose seat is not sold to its order", sql: `
		select t.ticket_id as ticket, t.ordinal, t.order_id as "order", s.status, s.owner
		from ticket t left join seat s on s.event_id = t.event_id and s.ordinal = t.ordinal
		where t.event_id = $1 and t.state = 'VALID' and (s.status is distinct from 2 or s.owner is distinct from t.order_id)`},

	{name: "ticket-of-unpaid-order", what: "a valid ticket of an order that is not confirmed", sql: `
		select t.ticket_id as ticket, t.ordinal, t.order_id as "order", o.status, o.event_id as order_event
		from ticket t left join orders o on o.order_id = t.order_id
		where t.event_id = $1 and t.state = 'VALID' and (o.order_id is null or o.event_id <> $1
			or o.status not in ('CONFIRMED', 'PARTLY_REFUNDED', 'REVIEW'))`},
}

// moneySQL is each order's captured money, what is back or on its way back (a refund that failed brought nothing), and
// what the order is worth: its total less what was given back, nothing when it was never sold.
const moneySQL = `with money as (
	select o.order_id, o.status, o.updated_at, coalesce(sum(a.captured), 0)::int8 as captured, max(a.updated_at) as captured_at,
		case when exists (select 1 from ticket t where t.order_id = o.order_id) then o.total - o.returned else 0 end as worth,
		(select coalesce(sum(r.amount), 0)::int8 from refund r where r.order_id = o.order_id and r.status <> 'FAILED') as refunded
	from orders o join attempt a on a.order_id = o.order_id and a.status = 'CAPTURED'
	where o.event_id = $1 group by o.order_id, o.status, o.total, o.returned, o.updated_at) `

var moneyRules = []rule{
	{name: "ticketed-without-money", what: "a confirmed order without captured money", sql: `
		select o.order_id as "order", o.total from orders o
		where o.event_id = $1 and o.status = 'CONFIRMED' and o.total > 0
			and not exists (select 1 from attempt a where a.order_id = o.order_id and a.status = 'CAPTURED')`},

	{name: "attempt-amount", what: "an attempt for another amount, currency or account than its order's", sql: `
		select a.attempt_id as attempt, a.order_id as "order", a.amount, o.total, a.currency, o.currency as order_currency,
			a.account_id as account, o.account_id as order_account
		from attempt a join orders o on o.order_id = a.order_id
		where o.event_id = $1 and (a.amount <> o.total or a.currency <> o.currency or a.account_id <> o.account_id)`},

	{name: "refund-over-captured", what: "more money given back than was captured", sql: `
		select a.attempt_id as attempt, a.order_id as "order", a.captured, sum(r.amount)::int8 as refunded
		from refund r join attempt a on a.attempt_id = r.attempt_id join orders o on o.order_id = a.order_id
		where o.event_id = $1 and r.status <> 'FAILED' group by a.attempt_id, a.order_id, a.captured
		having sum(r.amount) > a.captured`},
}

func sweepWindow(o VerifyOptions) time.Duration   { return o.Sweep + time.Second } // a hold lives for a second of grace
func publishWindow(o VerifyOptions) time.Duration { return o.Publish }
func settleWindow(o VerifyOptions) time.Duration  { return o.Settle }

// lateRules are about what the product repairs by itself, and has not in time. $2 is by when it should have begun.
var lateRules = []rule{
	{name: "hold-dead-but-held", what: "a hold that is dead for longer than the sweep interval and still keeps its seats", window: sweepWindow, sql: `
		select hold_id as hold, account_id as account, expires_at from hold
		where event_id = $1 and state = 1 and expires_at < $2::timestamptz`},

	{name: "hold-unlisted", what: "an active hold that no sweeper will look at when its time has passed", sql: `
		select h.hold_id as hold, h.account_id as account, h.expires_at from hold h
			left join (select due_at, unnest(holds) as hold_id from hold_due where event_id = $1) d
				on d.hold_id = h.hold_id and d.due_at <= h.expires_at
		where h.event_id = $1 and h.state = 1 and h.expires_at > now() and d.hold_id is null`},

	{name: "hold-paying-for-ever", what: "a hold that is being paid for longer than ten minutes past its absolute end", window: settleWindow, sql: `
		select hold_id as hold, account_id as account, hard_expires_at from hold
		where event_id = $1 and state = 2 and hard_expires_at < $2::timestamptz - interval '10 minutes'`},

	{name: "money-without-tickets", what: "captured money that bought no tickets and is not on its way back, older than the reconciliation window",
		window: settleWindow, sql: moneySQL + `
		select order_id as "order", status, captured, refunded, worth, captured_at from money
		where captured - refunded > worth and status not in ('CONFIRMED', 'PARTLY_REFUNDED', 'REVIEW') and captured_at < $2::timestamptz`},

	{name: "money-twice", what: "more captured than the order costs, not on its way back, older than the reconciliation window",
		window: settleWindow, sql: moneySQL + `
		select order_id as "order", worth, captured, refunded, captured_at from money
		where captured - refunded > worth and status in ('CONFIRMED', 'PARTLY_REFUNDED') and captured_at < $2::timestamptz`},

	{name: "attempt-open-on-ended-order", what: "an attempt that can take money for an order that has ended", window: settleWindow, sql: `
		select a.attempt_id as attempt, a.order_id as "order", a.status, o.status as order_status from attempt a join orders o on o.order_id = a.order_id
		where o.event_id = $1 and a.status in ('CREATED', 'PENDING') and o.status not in ('PENDING_PAYMENT', 'FAILED', 'REVIEW')
			and o.updated_at < $2::timestamptz and a.expires_at < $2::timestamptz`},

	{name: "attempt-unsettled", what: "an attempt whose outcome nobody has found out", window: settleWindow, sql: `
		select a.attempt_id as attempt, a.order_id as "order", a.status, a.expires_at from attempt a join orders o on o.order_id = a.order_id
		where o.event_id = $1 and a.status in ('CREATED', 'PENDING', 'UNKNOWN') and a.expires_at < $2::timestamptz - interval '1 hour'`},

	{name: "outbox-unpublished", what: "a committed change that is not on the stream", window: publishWindow, sql: `
		select outbox_id as outbox, created_at from outbox
		where event_id = $1 and kind = 1 and published_at is null and created_at < $2::timestamptz`},
}
