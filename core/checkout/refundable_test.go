package checkout_test

import (
	"testing"
	"time"

	"plateia/core/checkout"
	"plateia/core/event"
	"plateia/core/id"
	"plateia/core/order"
	"plateia/core/seatmap"
	"plateia/core/ticket"
)

// The page adds up what single tickets bring. The engine refunds by order.PartsOf: both must agree for every choice.
func TestPartsOfARefundAddUp(t *testing.T) {
	rules := event.Rules{Fees: []event.Fee{{Name: "each", PerTicket: 150}, {Name: "order", PerOrder: 100}, {Name: "percent", Percent: 1000}}, TaxPercent: 700}
	lines := order.Price(&rules, []order.Line{order.Seat(7, 10001), order.Seat(8, 3333), order.Seat(9, 5000)}, order.Discount{Name: "early", Amount: 100})
	start := time.Date(2027, 2, 1, 20, 0, 0, 0, time.UTC)
	d := checkout.Details{Order: order.Order{Status: order.Confirmed, Currency: "BRL", Lines: lines, Total: order.Total(lines)}}
	for _, o := range []seatmap.Ordinal{7, 8, 9} {
		d.Tickets = append(d.Tickets, ticket.Ticket{ID: id.New(), Ordinal: o, State: ticket.Valid})
	}
	for _, keeps := range []bool{true, false} {
		e := event.Event{State: event.OnSale, StartsAt: start, Rules: event.Rules{Refund: &event.Refunds{UntilSeconds: 3600, KeepsFees: keeps}}}
		back := checkout.RefundableOf(d, e, start.Add(-2*time.Hour))
		if back == nil || len(back.Parts) != 3 || back.Amount.Currency != "BRL" {
			t.Fatalf("keeps %v: %+v", keeps, back)
		}
		paid := int64(0)
		for _, p := range back.Parts {
			paid += p.Amount + p.Kept
		}
		if paid != d.Order.Total {
			t.Errorf("keeps %v: the parts come to %d, paid was %d", keeps, paid, d.Order.Total)
		}
		for choice := 1; choice < 8; choice++ {
			var seats []seatmap.Ordinal
			sum := int64(0)
			for i, k := range d.Tickets {
				if choice>>i&1 == 1 {
					seats, sum = append(seats, k.Ordinal), sum+back.Parts[i].Amount
				}
			}
			if parts, ok := order.PartsOf(lines, seats, keeps); !ok || parts.Total() != sum {
				t.Errorf("keeps %v, seats %v: %d on the page, %d back", keeps, seats, sum, parts.Total())
			}
		}
		if checkout.RefundableOf(d, e, start.Add(-time.Hour)) != nil {
			t.Error("something can be given back after the last moment")
		}
	}
}
