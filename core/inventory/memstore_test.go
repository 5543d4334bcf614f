package inventory

import (
	"cmp"
	"context"
	"maps"
	"slices"
	"sync"
	"testing"
	"time"

	"plateia/core/event"
	"plateia/core/fault"
	"plateia/core/id"
	"plateia/core/ledger"
	"plateia/core/order"
	"plateia/core/payment"
	"plateia/core/seatmap"
	"plateia/core/ticket"
)

// memStore is a store with the behaviour of a database: snapshots, guards, unique
// constraints, settlement. The real one passes the same checks in db/.
type memStore struct {
	mu       sync.Mutex
	now      time.Time
	event    event.Event
	seats    map[seatmap.Ordinal]Seat
	holds    map[id.ID]Hold
	buyers   map[id.ID]Buyer
	orders   map[id.ID]order.Order
	attempts map[id.ID]AttemptRow
	tickets  map[id.ID]ticket.Ticket
	keys     map[keyRef]RequestKey
	book     map[string]ledger.Posting
	refunds  map[id.ID]payment.Refund
	audits   []OrderAudit
	outbox   map[id.ID]bool // true: batch, false: tombstone

	before func(commit int) error // asked before each load
	after  func(commit int) error // asked after each commit that happened: the answer that is lost
	commit int
}

func newMemStore(seats int) *memStore {
	m := &memStore{
		now: time.Date(2026, 5, 1, 20, 0, 0, 0, time.UTC),
		event: event.Event{
			ID: id.New(), State: event.OnSale, Currency: "BRL", Prices: []int64{1000, 500}, Rules: event.DefaultRules(), Epoch: 1,
		},
		seats: map[seatmap.Ordinal]Seat{}, holds: map[id.ID]Hold{}, buyers: map[id.ID]Buyer{}, orders: map[id.ID]order.Order{},
		attempts: map[id.ID]AttemptRow{}, tickets: map[id.ID]ticket.Ticket{}, keys: map[keyRef]RequestKey{}, book: map[string]ledger.Posting{},
		refunds: map[id.ID]payment.Refund{}, outbox: map[id.ID]bool{},
	}
	for o := range seats {
		m.seats[seatmap.Ordinal(o)] = Seat{Ordinal: seatmap.Ordinal(o), Category: o % 2, Version: 1}
	}
	return m
}

// decide runs one batch as a transaction, without an engine.
func (m *memStore) decide(t testing.TB, commands ...Command) []Outcome {
	t.Helper()
	var outcomes []Outcome
	err := m.Commit(context.Background(), m.event.ID, NeedsOf(commands), func(s *Snapshot) (changes *Changes) {
		outcomes, changes = Decide(Hall{}, s, commands)
		return changes
	})
	if err != nil {
		t.Fatalf("commit: %v", err)
	}
	return outcomes
}

func (m *memStore) one(t testing.TB, command Command) Outcome {
	t.Helper()
	return m.decide(t, command)[0]
}

func (m *memStore) Commit(_ context.Context, _ id.ID, needs Needs, decide func(*Snapshot) *Changes) error {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.commit++
	if m.before != nil {
		if err := m.before(m.commit); err != nil {
			return err
		}
	}
	s := NewSnapshot(needs)
	s.Now, s.Event = m.now, m.event
	for !needs.Empty() {
		m.load(s, needs)
		needs = s.Missing(&needs)
	}
	changes := decide(s)
	if changes == nil {
		return nil
	}
	if _, used := m.outbox[changes.Delta.ID]; used || !m.guard(changes) {
		return ErrConflict
	}
	m.store(changes)
	if m.after != nil {
		return m.after(m.commit)
	}
	return nil
}

func (m *memStore) load(s *Snapshot, n Needs) {
	for _, o := range n.Seats {
		if seat, ok := m.seats[o]; ok {
			s.AddSeat(seat)
		}
	}
	for _, a := range slices.Concat(n.Accounts, n.Buyers) {
		if b, ok := m.buyers[a]; ok {
			s.AddBuyer(b)
		}
	}
	for _, h := range m.sortedHolds() {
		recent := h.State.Live() || m.now.Sub(h.EndedAt) < InheritWindow || slices.Contains(n.HoldKeys, h.Key)
		if slices.Contains(n.Holds, h.ID) || slices.Contains(n.Accounts, h.Account) && recent {
			s.AddHold(h)
		}
	}
	for _, o := range m.orders {
		byKey := slices.Contains(n.PayAccounts, o.Account) && slices.Contains(n.PayKeys, o.Key)
		if slices.Contains(n.Orders, o.ID) || slices.Contains(n.OrdersOf, o.Hold) || byKey {
			s.AddOrder(o)
		}
	}
	for _, a := range m.attempts {
		byKey := slices.Contains(n.PayAccounts, a.Account) && slices.Contains(n.PayKeys, a.Key)
		if slices.Contains(n.Orders, a.Order) || byKey {
			s.AddAttempt(a)
		}
	}
	for _, t := range m.tickets {
		if slices.Contains(n.Orders, t.Order) {
			s.AddTicket(t)
		}
	}
	for _, k := range m.keys {
		s.AddKey(k)
	}
	for _, r := range m.refunds {
		if slices.Contains(n.Refunds, r.Order) {
			s.AddRefund(r)
		}
	}
}

func (m *memStore) sortedHolds() []Hold {
	return slices.SortedFunc(maps.Values(m.holds), func(a, b Hold) int { return slices.Compare(a.ID[:], b.ID[:]) })
}

// guard is every "where version =" and every unique constraint.
func (m *memStore) guard(c *Changes) bool {
	ok := true
	for _, s := range c.Seats {
		ok = ok && m.seats[s.Ordinal].Version == s.Version-1
	}
	for _, b := range c.UpdatedBuyers {
		was := m.buyers[b.Account]
		ok = ok && was.Version == b.Version-1 && was.Session == b.Session
	}
	for _, b := range c.NewBuyers {
		_, exists := m.buyers[b.Account]
		ok = ok && !exists
	}
	for _, h := range c.UpdatedHolds {
		ok = ok && m.holds[h.ID].Version == h.Version-1
	}
	for _, h := range c.NewHolds {
		for _, other := range m.holds {
			ok = ok && other.ID != h.ID && (other.Account != h.Account || other.Key != h.Key)
		}
	}
	for _, o := range c.UpdatedOrders {
		ok = ok && m.orders[o.ID].Version == o.Version-1
	}
	for _, a := range c.UpdatedAttempts {
		ok = ok && m.attempts[a.ID].Version == a.Version-1
	}
	for _, t := range c.Voided {
		ok = ok && m.tickets[t.ID].State == ticket.Valid
	}
	for _, t := range c.Tickets {
		for _, other := range m.tickets {
			ok = ok && (other.Ordinal != t.Ordinal || other.State != ticket.Valid)
		}
	}
	return ok
}

func (m *memStore) store(c *Changes) {
	m.outbox[c.Delta.ID] = true
	for _, s := range c.Seats {
		m.seats[s.Ordinal] = s
	}
	for _, b := range slices.Concat(c.NewBuyers, c.UpdatedBuyers) {
		m.buyers[b.Account] = b
	}
	for _, h := range slices.Concat(c.NewHolds, c.UpdatedHolds) {
		m.holds[h.ID] = h
	}
	for _, o := range slices.Concat(c.NewOrders, c.UpdatedOrders) {
		m.orders[o.ID] = o
	}
	for _, a := range slices.Concat(c.NewAttempts, c.UpdatedAttempts) {
		m.attempts[a.ID] = a
	}
	for _, t := range c.Tickets {
		m.tickets[t.ID] = t
	}
	for _, t := range c.Voided {
		m.tickets[t.ID] = t
	}
	for _, r := range c.NewRefunds {
		m.refunds[r.ID] = r
	}
	for _, r := range c.RetriedRefunds {
		m.refunds[r.ID] = r
	}
	m.audits = append(m.audits, c.OrderAudits...)
	for _, k := range c.Keys {
		m.keys[keyRef{k.Account, k.Route + " " + k.Key}] = k
	}
	m.post(c.Postings)
	for _, e := range c.Ended {
		for _, o := range m.orders {
			if o.Hold == e.Hold && o.Status.Open() {
				o.Status, o.Reason, o.Version = e.Status, e.Reason, o.Version+1
				m.orders[o.ID] = o
			}
		}
	}
}

func (m *memStore) Settle(_ context.Context, _, outbox id.ID) (bool, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	batch, there := m.outbox[outbox]
	if !there {
		m.outbox[outbox] = false
	}
	return batch, nil
}

func (m *memStore) Seats(_ context.Context, _ id.ID, visit func(seatmap.Ordinal, Status, int64)) (time.Time, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	for o, s := range m.seats {
		visit(o, s.Shown(), s.Version)
	}
	return m.now, nil
}

func (m *memStore) Prepare(context.Context, id.ID) error { return nil }

func (m *memStore) FreeSeats(_ context.Context, _ id.ID, visit func(Seat)) error {
	m.mu.Lock()
	defer m.mu.Unlock()
	for _, s := range m.seats {
		if s.Status == Available && s.Channel == 0 {
			s.Place = Place(s.Ordinal) + 1
			visit(s)
		}
	}
	return nil
}

func (m *memStore) ChannelSeats(_ context.Context, _ id.ID, visit func(Seat)) error {
	m.mu.Lock()
	defer m.mu.Unlock()
	for _, s := range m.seats {
		if s.Status == Available && s.Channel != 0 {
			visit(s)
		}
	}
	return nil
}

func (m *memStore) Hold(_ context.Context, hold id.ID) (Hold, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if h, ok := m.holds[hold]; ok {
		return h, nil
	}
	return Hold{}, fault.New(fault.NotFound, "there is no such hold")
}

func (m *memStore) LiveHold(_ context.Context, _, account id.ID) (Hold, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	for _, h := range m.holds {
		if h.Account == account && h.State.Live() && !dead(&h, m.now) {
			return h, nil
		}
	}
	return Hold{}, fault.New(fault.NotFound, "there is no such hold")
}

func (m *memStore) DueHolds(_ context.Context, limit int) (due []DueHold, more bool, err error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	for _, h := range m.sortedHolds() {
		if dead(&h, m.now) {
			due = append(due, DueHold{Event: h.Event, Hold: h.ID})
		}
	}
	return due[:min(limit, len(due))], len(due) > limit, nil
}

func (m *memStore) DueReleases(_ context.Context, seats int) (due []DueRelease, err error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	for _, c := range m.event.Rules.Channels {
		r := DueRelease{Event: m.event.ID, Channel: c.ID}
		for o, s := range m.seats {
			if s.Channel == c.ID && s.Status == Available && c.Released(m.now) && len(r.Seats) < seats {
				r.Seats = append(r.Seats, o)
			}
		}
		if len(r.Seats) > 0 {
			due = append(due, r)
		}
	}
	return due, nil
}

// check finds what may never be.
func (m *memStore) check(t interface {
	Fatalf(string, ...any)
	Helper()
}) {
	t.Helper()
	held := map[id.ID]int{}
	for _, s := range m.seats {
		switch s.Status {
		case Held:
			h := m.holds[s.Owner]
			if !h.State.Live() || !slices.ContainsFunc(h.Seats, func(x HeldSeat) bool { return x.Ordinal == s.Ordinal }) {
				t.Fatalf("seat %d is held by %+v", s.Ordinal, h)
			}
			held[s.Owner]++
		case Sold:
			if o := m.orders[s.Owner]; o.Status != order.Confirmed && o.Status != order.PartlyRefunded && o.Status != order.Review {
				t.Fatalf("seat %d is sold to %+v", s.Ordinal, o)
			}
		case Available:
			if !s.Owner.IsZero() {
				t.Fatalf("free seat %d has an owner", s.Ordinal)
			}
		}
	}
	m.checkHolds(t, held)
	m.checkBook(t)
	valid := slices.SortedFunc(maps.Values(m.tickets), func(a, b ticket.Ticket) int { return cmp.Compare(a.Ordinal, b.Ordinal) })
	valid = slices.DeleteFunc(valid, func(t ticket.Ticket) bool { return t.State == ticket.Void })
	for i, x := range valid {
		if m.seats[x.Ordinal].Owner != x.Order || i > 0 && valid[i-1].Ordinal == x.Ordinal {
			t.Fatalf("ticket %+v does not match its seat", x)
		}
	}
}

func (m *memStore) checkHolds(t interface {
	Fatalf(string, ...any)
	Helper()
}, held map[id.ID]int) {
	t.Helper()
	live := map[id.ID]Hold{}
	for _, h := range m.holds {
		if !h.State.Live() {
			continue
		}
		if _, second := live[h.Account]; second {
			t.Fatalf("account %s has two live holds", h.Account)
		}
		live[h.Account] = h
		if held[h.ID] != len(h.Seats) {
			t.Fatalf("hold %+v has %d of its seats", h, held[h.ID])
		}
		if h.ExpiresAt.After(h.HardExpiresAt) {
			t.Fatalf("hold %+v outlives its absolute end", h)
		}
	}
	for _, b := range m.buyers {
		h := live[b.Account]
		if b.Hold != h.ID || b.Held != len(h.Seats) || b.Held+b.Sold > m.event.Rules.MaxPerAccount {
			t.Fatalf("buyer %+v, live hold %+v", b, h)
		}
	}
}
