package db

// bookSQL is every entry of the event's book. Accounts: see core/ledger.
const bookSQL = `with book as (
	select l.source, l.kind, l.round, l.account, l.order_id, l.amount, l.currency
	from ledger_entry l join orders o on o.order_id = l.order_id where o.event_id = $1) `

// bookRules hold the double-entry book against itself and against the rows that it is about. They are true at every
// instant: each posting is written with its rows.
var bookRules = []rule{
	{name: "book-unbalanced", what: "a posting that does not sum to zero, or is in two currencies", sql: bookSQL + `
		select order_id as "order", kind, source, round, sum(amount)::int8 as sum, count(distinct currency) as currencies from book
		group by order_id, kind, source, round having sum(amount) <> 0 or count(distinct currency) > 1`},

	{name: "book-deposits", what: "captured money that was neither sold for nor sent back, of an order that nobody looks at", sql: bookSQL + `
		select b.order_id as "order", o.status, b.currency, sum(b.amount)::int8 as deposits from book b join orders o on o.order_id = b.order_id
		where b.account = 'deposits' and o.status <> 'REVIEW' group by b.order_id, o.status, b.currency having sum(b.amount) <> 0`},

	{name: "book-refunds", what: "refunds that are owed by the book and not by the refunds, or the other way round", sql: bookSQL + `,
		booked as (select order_id, currency, sum(-amount) as owed from book where account = 'refunds_payable' group by order_id, currency),
		asked as (select r.order_id, r.currency, sum(r.amount) as owed from refund r join orders o on o.order_id = r.order_id
			where o.event_id = $1 and r.status <> 'DONE' group by r.order_id, r.currency)
		select coalesce(b.order_id, a.order_id) as "order", coalesce(b.owed, 0)::int8 as booked, coalesce(a.owed, 0)::int8 as refunds
		from booked b full join asked a on a.order_id = b.order_id and a.currency = b.currency
		where coalesce(b.owed, 0) <> coalesce(a.owed, 0)`},

	{name: "book-provider", what: "money at a provider that is not what was captured less what was paid back", sql: bookSQL + `,
		booked as (select order_id, account, currency, sum(amount) as amount from book where account like 'provider:%' group by order_id, account, currency),
		back as (select attempt_id, sum(amount) as amount from refund where status = 'DONE' group by attempt_id),
		there as (select a.order_id, 'provider:' || a.provider as account, a.captured_currency as currency, sum(a.captured - coalesce(b.amount, 0)) as amount
			from attempt a join orders o on o.order_id = a.order_id left join back b on b.attempt_id = a.attempt_id
			where o.event_id = $1 and a.status = 'CAPTURED' group by a.order_id, a.provider, a.captured_currency)
		select coalesce(b.order_id, t.order_id) as "order", coalesce(b.account, t.account) as account,
			coalesce(b.amount, 0)::int8 as booked, coalesce(t.amount, 0)::int8 as captured_less_refunds
		from booked b full join there t on t.order_id = b.order_id and t.account = b.account and t.currency = b.currency
		where coalesce(b.amount, 0) <> coalesce(t.amount, 0)`},

	{name: "book-earned", what: "an order that has earned something else than its total less what was given back", sql: bookSQL + `,
		earned as (select order_id, sum(-amount) as amount from book where account in ('revenue', 'fees', 'tax') group by order_id),
		kept as (select order_id, case when exists (select 1 from ticket t where t.order_id = orders.order_id) then total - returned else 0 end as amount
			from orders where event_id = $1)
		select k.order_id as "order", coalesce(e.amount, 0)::int8 as earned, k.amount as kept from kept k left join earned e on e.order_id = k.order_id
		where coalesce(e.amount, 0) <> k.amount`},
}
