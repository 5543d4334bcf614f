package db

import (
	"context"
	"maps"
	"time"

	"github.com/jackc/pgx/v5"
)

// Tally is what the database holds, in numbers.
type Tally struct {
	HoldsEnded       map[string]int64 // booked, released, expired; since ever
	HoldsLive        map[string]int64 // active, paying
	Orders           map[string]int64 // by status
	Refunds          map[string]int64
	Attempts         map[string]int64
	Deliveries       map[string]int64 // received, flagged
	OldestUnfinished time.Duration    // of an attempt
	OldestWaiting    time.Duration    // of a delivery
	DoubleSold       int64            // seats
}

// tallies are one statement each, so that no snapshot is kept open over all of them. Every one names all of its values: a
// number that is missing looks like a program that does not run.
const (
	sqlTallyHolds = `select case state when 1 then 'active' when 2 then 'paying' when 3 then 'booked' when 4 then 'released' else 'expired' end, count(*)
		from hold group by state`
	sqlTallyOrders   = `select status, count(*) from orders group by status`
	sqlTallyRefunds  = `select status, count(*) from refund group by status`
	sqlTallyAttempts = `select status, count(*) from attempt group by status`
	sqlTallyInbox    = `select 'received', count(*) from webhook_delivery where state = 'RECEIVED'
		union all select 'flagged', count(*) from webhook_delivery where state = 'FLAGGED'`
	sqlOldest = `select coalesce(now() - min(created_at), interval '0') from attempt where status in ('CREATED', 'PENDING', 'UNKNOWN')`
	sqlLate   = `select coalesce(now() - min(received_at), interval '0') from webhook_delivery where state = 'RECEIVED'`
	// Status 2 is sold. The unique index makes the first impossible; this is what tells when it is not there.
	sqlDouble = `select (select count(*) from (select 1 from ticket where state = 'VALID' group by event_id, ordinal having count(*) > 1) d)
		+ (select count(*) from ticket t join seat s on s.event_id = t.event_id and s.ordinal = t.ordinal where t.state = 'VALID' and s.status <> 2)`
)

// openTallies count what is not finished, each behind an index of just that: what they cost does not grow with what was sold.
// An active hold is on the sweeper's list, one being paid behind an unfinished attempt.
var openTallies = []openTally{
	{`select 'active', count(*) from hold where state = 1 and hold_id in (select unnest(holds) from hold_due)
		union all select 'paying', count(*) from hold where state = 2 and hold_id in (
			select o.hold_id from attempt a join orders o on o.order_id = a.order_id where a.status in ('CREATED', 'PENDING', 'UNKNOWN'))`,
		func(t *Tally) map[string]int64 { return t.HoldsLive }},
	{`select 'PENDING_PAYMENT', count(*) from orders where status = 'PENDING_PAYMENT' and order_id in (
			select order_id from attempt where status in ('CREATED', 'PENDING', 'UNKNOWN'))
		union all select 'REVIEW', count(*) from orders where status = 'REVIEW'`,
		func(t *Tally) map[string]int64 { return t.Orders }},
	{`select s.name, (select count(*) from attempt where status in ('CREATED', 'PENDING', 'UNKNOWN') and status = s.name)
		from (values ('CREATED'), ('PENDING'), ('UNKNOWN')) s (name)`,
		func(t *Tally) map[string]int64 { return t.Attempts }},
	{`select s.name, (select count(*) from refund where status in ('REQUESTED', 'PENDING') and status = s.name)
		from (values ('REQUESTED'), ('PENDING')) s (name)`,
		func(t *Tally) map[string]int64 { return t.Refunds }},
	{sqlTallyInbox, func(t *Tally) map[string]int64 { return t.Deliveries }},
}

type openTally struct {
	sql  string
	into func(t *Tally) map[string]int64
}

// Renew counts again what is not finished, and leaves what was counted of the rest.
func (d *DB) Renew(ctx context.Context, last Tally) (Tally, error) {
	t := last
	for _, m := range []*map[string]int64{&t.HoldsLive, &t.Orders, &t.Refunds, &t.Attempts, &t.Deliveries} {
		*m = maps.Clone(*m) // last is being read
	}
	for _, c := range openTallies {
		if err := d.countInto(ctx, c.sql, c.into(&t)); err != nil {
			return last, err
		}
	}
	for sql, into := range map[string]any{sqlOldest: &t.OldestUnfinished, sqlLate: &t.OldestWaiting} {
		if err := d.pool.QueryRow(ctx, sql).Scan(into); err != nil {
			return last, translate(err)
		}
	}
	return t, nil
}

// Tally counts holds, orders, attempts, refunds and deliveries. It reads whole tables: let it rest much longer than it takes,
// and Renew in between.
func (d *DB) Tally(ctx context.Context) (Tally, error) {
	t := Tally{
		HoldsEnded: names("booked", "released", "expired"), HoldsLive: names("active", "paying"),
		Orders:     names("PENDING_PAYMENT", "CONFIRMED", "FAILED", "EXPIRED", "CANCELLED", "REVIEW", "PARTLY_REFUNDED", "REFUNDED"),
		Refunds:    names("REQUESTED", "PENDING", "DONE", "FAILED"),
		Attempts:   names("CREATED", "PENDING", "CAPTURED", "DECLINED", "CANCELLED", "UNKNOWN"),
		Deliveries: names("received", "flagged"),
	}
	for _, c := range []struct {
		sql  string
		into []map[string]int64
	}{
		{sqlTallyHolds, []map[string]int64{t.HoldsEnded, t.HoldsLive}}, {sqlTallyOrders, []map[string]int64{t.Orders}}, {sqlTallyRefunds, []map[string]int64{t.Refunds}},
		{sqlTallyAttempts, []map[string]int64{t.Attempts}}, {sqlTallyInbox, []map[string]int64{t.Deliveries}},
	} {
		if err := d.countInto(ctx, c.sql, c.into...); err != nil {
			return t, err
		}
	}
	for sql, into := range map[string]any{sqlOldest: &t.OldestUnfinished, sqlLate: &t.OldestWaiting, sqlDouble: &t.DoubleSold} {
		if err := d.pool.QueryRow(ctx, sql).Scan(into); err != nil {
			return t, translate(err)
		}
	}
	return t, nil
}

func names(all ...string) map[string]int64 {
	out := make(map[string]int64, len(all))
	for _, name := range all {
		out[name] = 0
	}
	return out
}

// countInto puts each counted name into the first map that has it.
func (d *DB) countInto(ctx context.Context, sql string, into ...map[string]int64) error {
	type count struct {
		name string
		n    int64
	}
	counts, err := collect(ctx, d, func(row pgx.Row) (c count, err error) { return c, row.Scan(&c.name, &c.n) }, sql)
	for _, c := range counts {
		for _, m := range into {
			if _, has := m[c.name]; has {
				m[c.name] = c.n
			}
		}
	}
	return translate(err)
}
