package ledger

import (
	"testing"

	"pgregory.net/rapid"

	"plateia/core/event"
	"plateia/core/id"
	"plateia/core/money"
	"plateia/core/order"
	"plateia/core/payment"
	"plateia/core/seatmap"
)

// book sums entries by account.
type book map[Account]int64

func (b book) post(t *rapid.T, postings ...Posting) {
	for _, p := range postings {
		if !p.Balanced() {
			t.Fatalf("%s does not balance: %+v", p.Kind, p.Entries)
		}
		for _, e := range p.Entries {
			if e.Amount == 0 {
				t.Fatalf("%s has an entry of zero", p.Kind)
			}
			b[e.Account] += e.Amount
		}
	}
}

func (b book) want(t *rapid.T, account Account, amount int64) {
	if b[account] != amount {
		t.Fatalf("%s is %d, want %d: %v", account, b[account], amount, b)
	}
}

// An order is paid, twice, and given back seat by seat; refunds fail and come back. At every step the
// book balances, deposits are empty, and at the end what is at the provider is what was kept.
func TestTheBookOfAnOrder(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		b, keepsFees := book{}, rapid.Bool().Draw(t, "keeps fees")
		o := drawOrder(t)
		first := payment.Attempt{ID: id.New(), Order: o.ID, Provider: "sandbox", Amount: money.Amount{Minor: o.Total, Currency: "BRL"}}
		b.post(t, Capture(first, first.Amount), Sale(o))
		b.want(t, Deposits, 0)

		second := payment.Attempt{ID: id.New(), Order: o.ID, Provider: "other", Amount: first.Amount}
		twice := payment.Refund{ID: id.New(), Order: o.ID, Attempt: second.ID, Amount: second.Amount}
		b.post(t, Capture(second, second.Amount), SendBack(twice))
		b.want(t, Deposits, 0)
		b.want(t, RefundsPayable, -o.Total)
		b.post(t, Refund(twice, "other"))
		b.want(t, Provider("other"), 0)

		kept := o.Total
		for _, s := range order.Shares(o.Lines) {
			parts, _ := order.PartsOf(o.Lines, []seatmap.Ordinal{s.Ordinal}, keepsFees)
			r := payment.Refund{ID: id.New(), Order: o.ID, Attempt: first.ID, Amount: money.Amount{Minor: parts.Total(), Currency: "BRL"}}
			b.post(t, Return(r, parts))
			b.want(t, RefundsPayable, -parts.Total())
			for r.Round = 0; rapid.IntRange(0, 3).Draw(t, "comes back") == 0; r.Round++ {
				b.post(t, Refund(r, "sandbox"), FailRefund(r, "sandbox"))
			}
			b.post(t, Refund(r, "sandbox"))
			kept -= parts.Total()
		}
		b.want(t, RefundsPayable, 0)
		b.want(t, Provider("sandbox"), kept)
		if b[Revenue] != 0 || -b[Fees]-b[Tax] != kept || !keepsFees && kept != 0 {
			t.Fatalf("kept %d: %v", kept, b)
		}
	})
}

func drawOrder(t *rapid.T) order.Order {
	rules := event.Rules{
		Fees:       []event.Fee{{Name: "a", PerOrder: rapid.Int64Range(1, 999).Draw(t, "fee")}, {Name: "b", Percent: 1234}},
		TaxPercent: rapid.IntRange(0, 3000).Draw(t, "tax"),
	}
	var seats []order.Line
	for i, price := range rapid.SliceOfN(rapid.Int64Range(0, 99_999), 1, 6).Draw(t, "prices") {
		seats = append(seats, order.Seat(seatmap.Ordinal(i), price))
	}
	o := order.Order{ID: id.New(), Currency: "BRL", Lines: order.Price(&rules, seats)}
	o.Total = order.Total(o.Lines)
	return o
}

// Money that does not match waits in deposits for a person, in whatever currency it came.
func TestMoneyThatDoesNotMatch(t *testing.T) {
	a := payment.Attempt{ID: id.New(), Order: id.New(), Provider: "sandbox", Amount: money.Amount{Minor: 36000, Currency: "BRL"}}
	got := Capture(a, money.Amount{Minor: 1, Currency: "USD"})
	if !got.Balanced() || got.Currency != "USD" || len(got.Entries) != 2 || got.Entries[1] != (Entry{Deposits, -1}) {
		t.Errorf("%+v", got)
	}
	if free := Sale(order.Order{ID: a.Order}); len(free.Entries) != 0 || !free.Balanced() {
		t.Errorf("an order that costs nothing posts %+v", free.Entries)
	}
}
