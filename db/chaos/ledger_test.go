package chaos_test

import (
	"context"
	"fmt"
	"slices"
	"sync"

	"github.com/jackc/pgx/v5"

	"plateia/core/event"
	"plateia/core/id"
	"plateia/core/inventory"
	"plateia/core/order"
	"plateia/core/seatmap"
)

// ledger is what the clients were told, to be compared with what the database says.
type ledger struct {
	mu       sync.Mutex
	holds    map[id.ID]grant
	freed    map[id.ID]bool     // holds that were given back
	refusals map[request]string // requests refused for good, with no copy on its way
	sales    map[id.ID]sale     // by order
	unpaid   map[id.ID]bool     // orders whose money was refused; true: for good
}

type grant struct {
	account id.ID
	seats   []seatmap.Ordinal
	total   int64
}

type request struct {
	account id.ID
	key     string
}

type sale struct {
	account id.ID
	tickets map[seatmap.Ordinal]id.ID
}

func put[K comparable, V any](l *ledger, m *map[K]V, k K, v V) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if *m == nil {
		*m = map[K]V{}
	}
	(*m)[k] = v
}

func (l *ledger) granted(account id.ID, h inventory.Hold) {
	g := grant{account: account, total: order.Total(h.Lines(&event.Rules{}))}
	for _, s := range h.Seats {
		g.seats = append(g.seats, s.Ordinal)
	}
	put(l, &l.holds, h.ID, g)
}

func (l *ledger) released(hold id.ID) { put(l, &l.freed, hold, true) }
func (l *ledger) refused(account id.ID, key, code string) {
	put(l, &l.refusals, request{account, key}, code)
}
func (l *ledger) unsold(order id.ID, sure bool) { put(l, &l.unpaid, order, sure) }

func (l *ledger) sold(account id.ID, out inventory.Outcome) {
	s := sale{account: account, tickets: map[seatmap.Ordinal]id.ID{}}
	for _, t := range out.Tickets {
		s.tickets[t.Ordinal] = t.ID
	}
	put(l, &l.sales, out.Order.ID, s)
}

// truth is the database's side.
type truth struct {
	pool func(sql string, read func(pgx.CollectableRow) error, args ...any) error
	l    *ledger
	bad  []string
}

func (a *arena) compare(ctx context.Context) []string {
	t := &truth{l: &a.ledger, pool: func(sql string, read func(pgx.CollectableRow) error, args ...any) error {
		rows, err := a.truth.Pool().Query(ctx, sql, append([]any{[16]byte(a.show.ID)}, args...)...)
		if err != nil {
			return err
		}
		_, err = pgx.CollectRows(rows, func(row pgx.CollectableRow) (struct{}, error) { return struct{}{}, read(row) })
		return err
	}}
	for _, check := range []func() error{t.holds, t.orders, t.tickets} {
		if err := check(); err != nil {
			t.say("%v", err)
		}
	}
	return t.bad
}

func (t *truth) say(format string, args ...any) { t.bad = append(t.bad, fmt.Sprintf(format, args...)) }

// holds: what was granted is there as granted, what was given back is not live, what was refused is not there.
func (t *truth) holds() error {
	seen := map[id.ID]bool{}
	err := t.pool("select hold_id, account_id, ordinals, (select sum(p) from unnest(prices) p)::int8, state, idem_key from hold where event_id = $1",
		func(row pgx.CollectableRow) error {
			var hold, account [16]byte
			var ordinals []int64
			var total, state int64
			var key string
			if err := row.Scan(&hold, &account, &ordinals, &total, &state, &key); err != nil {
				return err
			}
			seen[hold] = true
			if g, told := t.l.holds[hold]; told && (g.account != account || g.total != total || !sameSeats(g.seats, ordinals)) {
				t.say("hold %v was granted as %v and is %v", id.ID(hold), g, ordinals)
			}
			if t.l.freed[hold] && state <= 3 {
				t.say("hold %v was given back and is in state %d", id.ID(hold), state)
			}
			if code, refused := t.l.refusals[request{account, key}]; refused {
				t.say("a hold that was refused (%s) is there: %v", code, id.ID(hold))
			}
			return nil
		})
	for hold := range t.l.holds {
		if !seen[hold] {
			t.say("hold %v was granted and is not there", hold)
		}
	}
	return err
}

func sameSeats(a []seatmap.Ordinal, b []int64) bool {
	return slices.EqualFunc(a, b, func(x seatmap.Ordinal, y int64) bool { return int64(x) == y })
}

// orders: what was answered sold is confirmed, and nothing is confirmed that nobody was told of.
func (t *truth) orders() error {
	confirmed := map[id.ID]bool{}
	err := t.pool("select order_id, account_id, status from orders where event_id = $1", func(row pgx.CollectableRow) error {
		var order, account [16]byte
		var status string
		if err := row.Scan(&order, &account, &status); err != nil {
			return err
		}
		s, told := t.l.sales[order]
		sure, refused := t.l.unpaid[order]
		confirmed[order] = status == "CONFIRMED"
		switch {
		case told && (status != "CONFIRMED" || s.account != account):
			t.say("order %v was answered sold and is %s", id.ID(order), status)
		case !told && !refused && status == "CONFIRMED":
			t.say("order %v is confirmed and nobody was told", id.ID(order))
		case refused && sure && status == "CONFIRMED":
			t.say("order %v was refused and is confirmed", id.ID(order))
		}
		return nil
	})
	for order := range t.l.sales {
		if !confirmed[order] {
			t.say("order %v was answered sold and is not confirmed", order)
		}
	}
	return err
}

// tickets: exactly those that were handed out, each valid, each seat once.
func (t *truth) tickets() error {
	seats := map[int64]bool{}
	valid := map[id.ID]int{}
	err := t.pool("select ticket_id, order_id, ordinal from ticket where event_id = $1 and state = 'VALID'", func(row pgx.CollectableRow) error {
		var ticket, order [16]byte
		var ordinal int64
		if err := row.Scan(&ticket, &order, &ordinal); err != nil {
			return err
		}
		if seats[ordinal] {
			t.say("seat %d has two tickets", ordinal)
		}
		seats[ordinal] = true
		valid[order]++
		if s, told := t.l.sales[order]; told && s.tickets[seatmap.Ordinal(ordinal)] != ticket {
			t.say("order %v has a ticket for seat %d that was not handed out", id.ID(order), ordinal)
		}
		return nil
	})
	for order, s := range t.l.sales {
		if valid[order] != len(s.tickets) {
			t.say("order %v was given %d tickets and has %d", order, len(s.tickets), valid[order])
		}
	}
	return err
}
