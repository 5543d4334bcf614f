package checkout_test

import (
	"plateia/core/inventory"
	"plateia/core/order"
)

// balanced checks, for every order, that money kept equals the price of its
// valid tickets once nothing is pending, and that each ticket's seat is sold to it.
func (s *shop) balanced() {
	s.t.Helper()
	rows, err := s.d.Pool().Query(s.t.Context(), `select o.order_id::text, o.status,
			(select coalesce(sum(captured - refunded), 0) from attempt a where a.order_id = o.order_id and a.status = 'CAPTURED')::int8,
			(select count(*) from ticket t where t.order_id = o.order_id and t.state = 'VALID'),
			(select count(*) from seat s where s.owner = o.order_id and s.status = 2),
			(select count(*) from refund r where r.order_id = o.order_id and r.status in ('REQUESTED', 'PENDING'))
		from orders o`)
	if err != nil {
		s.t.Fatal(err)
	}
	defer rows.Close()
	for rows.Next() {
		var name, status string
		var kept, tickets, sold, refunding int64
		if err := rows.Scan(&name, &status, &kept, &tickets, &sold, &refunding); err != nil {
			s.t.Fatal(err)
		}
		if refunding == 0 && status != string(order.Review) && kept != tickets*18000 || tickets != sold {
			s.t.Errorf("order %s is %s: keeps %d for %d tickets and %d sold seats", name, status, kept, tickets, sold)
		}
	}
	if err := rows.Err(); err != nil {
		s.t.Fatal(err)
	}
}

func (s *shop) count(query string, args ...any) (n int) {
	s.t.Helper()
	if err := s.d.Pool().QueryRow(s.t.Context(), query, args...).Scan(&n); err != nil {
		s.t.Fatal(err)
	}
	return n
}

func (s *shop) exec(statement string, args ...any) {
	s.t.Helper()
	if _, err := s.d.Pool().Exec(s.t.Context(), statement, args...); err != nil {
		s.t.Fatal(err)
	}
}

// seats counts the event's seats in a status.
func (s *shop) seats(status inventory.Status) int {
	return s.count(`select count(*) from seat where event_id = $1 and status = $2`, [16]byte(s.event.ID), int(status))
}
