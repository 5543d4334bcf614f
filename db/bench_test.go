package db_test

import (
	"fmt"
	"testing"
	"time"

	"plateia/core/event"
	"plateia/core/id"
	"plateia/core/seatmap"
	"plateia/db"
	"plateia/db/dbtest"
)

// patient is a database whose statements may take long: they make the rows to measure on.
func patient(b *testing.B) *db.DB {
	b.Helper()
	return dbtest.Open(b, dbtest.URL(b), db.Options{Session: map[string]string{"statement_timeout": "10min"}})
}

// stadium is the demo stadium, sold out: what the slow statements meet at worst.
func stadium(b *testing.B) (*db.DB, *db.Catalog, event.Event) {
	b.Helper()
	d := patient(b)
	c := db.NewCatalog(d)
	spec := seatmap.Stadium()
	spec.ID, spec.Version = id.New(), 1
	chart, err := seatmap.Build(spec)
	if err != nil {
		b.Fatal(err)
	}
	began := time.Now()
	e := dbtest.OnSale(b, c, chart)
	b.ReportMetric(float64(time.Since(began).Milliseconds()), "create-ms")
	b.ReportMetric(float64(chart.Seats()), "seats")
	for _, sql := range []string{
		`insert into hold (hold_id, event_id, account_id, ordinals, prices, state, expires_at, hard_expires_at, ended_at, idem_key, body_hash, created_at)
			select gen_random_uuid(), $1, gen_random_uuid(), array[n * 2, n * 2 + 1], array[9000, 9000], 3, now(), now(), now(), 'k', '', now()
			from generate_series(0, $2::int8 / 2 - 1) as n`,
		`insert into orders (order_id, event_id, account_id, hold_id, status, currency, total, lines, idem_key, body_hash, created_at, updated_at)
			select gen_random_uuid(), $1, account_id, hold_id, 'CONFIRMED', 'BRL', 18000, jsonb_build_array(
				jsonb_build_object('kind', 'seat', 'ordinal', ordinals[1], 'amount', 9000),
				jsonb_build_object('kind', 'seat', 'ordinal', ordinals[2], 'amount', 9000)), 'k', '', now(), now() from hold where event_id = $1 and $2 > 0`,
		`update seat set status = 2, owner = l.order_id, version = 3 from (
			select o.order_id, unnest(h.ordinals) as ordinal from orders o join hold h on h.hold_id = o.hold_id) as l
			where seat.event_id = $1 and seat.ordinal = l.ordinal and $2 > 0`,
		`insert into buyer (account_id, event_id, sold) select account_id, $1, 2 from orders where event_id = $1 and $2 > 0`,
		`insert into ticket select gen_random_uuid(), s.owner, $1, o.account_id, s.ordinal, 'VALID', now() from seat s join orders o on o.order_id = s.owner where $2 > 0`,
		`insert into attempt (attempt_id, order_id, account_id, provider, status, amount, currency, expires_at, idem_key, body_hash, created_at, updated_at)
			select gen_random_uuid(), order_id, account_id, 'sandbox', 'CAPTURED', 18000, 'BRL', now(), 'k', '', now(), now() from orders where event_id = $1 and $2 > 0`,
	} {
		if _, err := d.Pool().Exec(b.Context(), sql, [16]byte(e.ID), chart.Seats()&^1); err != nil {
			b.Fatalf("%s: %v", sql, err)
		}
	}
	return d, c, e
}

// BenchmarkVerifyStadium checks a stadium that is sold out, right after the sale: statistics are old.
func BenchmarkVerifyStadium(b *testing.B) {
	d, _, e := stadium(b)
	for b.Loop() {
		report, err := d.Verify(b.Context(), e.ID, db.VerifyOptions{})
		if err != nil || len(report.Violations) > 0 {
			b.Fatalf("%d violations, %.1v, %v", len(report.Violations), report.Violations, err)
		}
	}
}

// BenchmarkStockCount counts a stadium's seats for the lists.
func BenchmarkStockCount(b *testing.B) {
	d, _, e := stadium(b)
	s := db.NewStock(d, nil, quiet)
	for b.Loop() {
		exec(b, d, "update event_stock set counted_at = now() - interval '1 hour'")
		if err := s.Count(b.Context(), e.ID); err != nil {
			b.Fatal(err)
		}
	}
}

// BenchmarkList pages and searches half a million listed events.
func BenchmarkList(b *testing.B) {
	d := patient(b)
	c := db.NewCatalog(d)
	first := dbtest.OnSale(b, c, dbtest.Hall(b, id.New(), 1, 1, 2))
	if _, err := d.Pool().Exec(b.Context(), `insert into event (event_id, title, venue, genre, time_zone, currency, home_region, starts_at,
		on_sale_at, state, chart_id, chart_version, capacity, prices, rules, search)
		select gen_random_uuid(), 'Show ' || n, venue, genre, time_zone, currency, home_region, starts_at + n * interval '20 seconds',
			on_sale_at, state, chart_id, chart_version, capacity, prices, rules,
			(array['rock', 'samba', 'jazz', 'opera'])[n % 4 + 1] || ' show ' || n || ' ' || md5((n % 5000)::text) || ' hall recife'
		from event, generate_series(1, 500000) as n where event_id = $1`, [16]byte(first.ID)); err != nil {
		b.Fatal(err)
	}
	exec(b, d, "analyze event", "analyze event_stock")
	for name, q := range map[string]event.Query{
		"first":     {Limit: 20},
		"middle":    {Limit: 20, After: event.Cursor{StartsAt: first.StartsAt.Add(1000 * time.Hour).UnixMilli(), ID: first.ID}},
		"common":    {Limit: 20, Text: "samba recife"},
		"rare":      {Limit: 20, Text: "show 499999"},
		"nothing":   {Limit: 20, Text: "zzzz qqqq"},
		"two-words": {Limit: 20, Text: fmt.Sprint("jazz ", "e4da3b7f")},
	} {
		b.Run(name, func(b *testing.B) {
			for b.Loop() {
				if _, err := c.ListNow(b.Context(), q); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}
