package inventory

import (
	"fmt"
	"testing"
	"time"

	"plateia/core/event"
	"plateia/core/fault"
	"plateia/core/id"
	"plateia/core/ledger"
	"plateia/core/money"
	"plateia/core/order"
	"plateia/core/payment"
)

// post keeps the first posting of a name, as the database does.
func (m *memStore) post(postings []ledger.Posting) {
	for _, p := range postings {
		name := fmt.Sprint(p.Kind, p.Source, p.Round)
		if _, posted := m.book[name]; !posted {
			m.book[name] = p
		}
	}
}

// deposits is what waits for something to become of it, by order.
func (m *memStore) deposits() map[id.ID]int64 {
	waiting := map[id.ID]int64{}
	for _, p := range m.book {
		for _, e := range p.Entries {
			if e.Account == ledger.Deposits {
				waiting[p.Order] += e.Amount
			}
		}
	}
	return waiting
}

// checkBook finds postings that do not balance, sales that are not the order's total, and money
// that nobody thinks of.
func (m *memStore) checkBook(t interface {
	Fatalf(string, ...any)
	Helper()
}) {
	t.Helper()
	waiting := m.deposits()
	for _, p := range m.book {
		if !p.Balanced() {
			t.Fatalf("%+v does not balance", p)
		}
	}
	for _, o := range m.orders {
		sale, sold := m.book[fmt.Sprint(ledger.Sold, o.ID, 0)]
		if sold != (o.Status == order.Confirmed) || sold && sale.Entries[0].Amount != o.Total {
			t.Fatalf("order %+v is booked as %+v", o, sale)
		}
		if waiting[o.ID] != 0 && o.Status == order.Confirmed {
			t.Fatalf("%d wait for a confirmed order", waiting[o.ID])
		}
	}
}

// withFee charges case 26's fee and tax.
func withFee(m *memStore) *memStore {
	m.event.Prices = []int64{3400}
	m.event.Rules.Fees, m.event.Rules.TaxPercent = []event.Fee{{Name: "Service", PerOrder: 207}}, 700
	for o, s := range m.seats {
		s.Category = 0
		m.seats[o] = s
	}
	return m
}

func TestHoldAndOrderCostTheSame(t *testing.T) {
	m, fan := withFee(newMemStore(10)), id.New()
	for total, code := range map[int64]fault.Code{6800: fault.PriceChanged, 7007: ""} {
		command := placeOf(fan, 4, 5)
		command.ExpectedTotal = &total
		out := m.one(t, command)
		if fault.CodeOf(out.Err) != code {
			t.Errorf("expecting %d: %v", total, out.Err)
		}
		if code != "" && fmt.Sprint(fault.From(out.Err).Details["total"]) != "map[amount:7007 currency:BRL]" {
			t.Errorf("told %v", fault.From(out.Err).Details)
		}
	}
	hold := ok(t, m.one(t, placeOf(fan, 4, 5))).Hold
	p := StartPayment{Account: fan, Hold: hold.ID, Order: id.New(), Attempt: id.New(), Provider: "sandbox"}
	o := ok(t, m.one(t, p)).Order
	if fmt.Sprint(hold.Lines(&m.event.Rules)) != fmt.Sprint(o.Lines) || o.Total != 7007 || order.Tax(o.Lines) != 458 {
		t.Errorf("hold %v, order %d %v", hold.Lines(&m.event.Rules), o.Total, o.Lines)
	}
	ok(t, m.one(t, Sell{Order: p.Order, Attempt: p.Attempt, Captured: money.Amount{Minor: 7007, Currency: "BRL"}}))
	want := "[{deposits 7007} {revenue -6356} {fees -193} {tax -458}]"
	if sale := m.book[fmt.Sprint(ledger.Sold, p.Order, 0)]; fmt.Sprint(sale.Entries) != want {
		t.Errorf("sold as %v, want %s", sale.Entries, want)
	}
	m.check(t)
}

// Money that does not match is booked as what came, and waits; so does money of an order that is freed with it.
func TestEveryCaptureIsBooked(t *testing.T) {
	for name, captured := range map[string]money.Amount{"less": {Minor: 1, Currency: "BRL"}, "another currency": {Minor: 1000, Currency: "USD"}} {
		t.Run(name, func(t *testing.T) {
			m := newMemStore(10)
			p, _ := pay(t, m, id.New(), 0)
			for range 2 { // told twice
				wantCode(t, m.one(t, Sell{Order: p.Order, Attempt: p.Attempt, Captured: captured}), fault.OrderState)
			}
			posting := m.book[fmt.Sprint(ledger.Captured, p.Attempt, 0)]
			if len(m.book) != 1 || posting.Currency != captured.Currency || m.deposits()[p.Order] != -captured.Minor {
				t.Errorf("book %+v", m.book)
			}
			if a := m.attempts[p.Attempt]; a.Captured != captured {
				t.Errorf("attempt %+v", a)
			}
			m.check(t)
		})
	}
	m := newMemStore(10)
	p, _ := pay(t, m, id.New(), 0)
	m.now = m.now.Add(time.Minute)
	ok(t, m.one(t, EndAttempt{Order: p.Order, Attempt: p.Attempt, Status: payment.Captured, FreeSeats: true}))
	if m.deposits()[p.Order] != -1000 {
		t.Errorf("book %+v", m.book)
	}
}
