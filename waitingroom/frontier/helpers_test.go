package frontier

import (
	"testing"
	"time"

	"plateia/core/id"
	"plateia/waitingroom/draw"
	"plateia/waitingroom/token"
)

var (
	testEvent = id.ID{1}
	onSale    = time.Date(2026, 12, 1, 12, 0, 0, 0, time.UTC)
)

// drawn is a document just after the draw, with tickets in tiers.
func drawn(tiers ...int64) *Document {
	return &Document{
		Version: 1, Event: testEvent, Epoch: 1, Time: onSale.UnixMilli(), Phase: Open, OnSaleAt: onSale,
		Seed: &draw.Digest{1}, Frontiers: Frontiers{Lottery: make([]draw.Rank, len(tiers))}, Line: Line{Tiers: tiers},
		ClaimWindow: 600, Poll: Poll{FloorMS: 2000, CeilingMS: 60000, Divisor: 20},
	}
}

// next is Next that must succeed.
func next(t testing.TB, d *Document, after time.Duration, change func(*Document)) *Document {
	t.Helper()
	if change == nil {
		change = func(*Document) {}
	}
	out, err := Next(d, time.UnixMilli(d.Time).Add(after), change)
	if err != nil {
		t.Fatal(err)
	}
	return out
}

func move(tickets float64) func(*Document) {
	return func(d *Document) { d.Frontiers, _ = d.Line.Advance(d.Frontiers, tickets) }
}

func phase(p Phase) func(*Document) { return func(d *Document) { d.Phase = p } }

func at(d *Document) time.Time { return time.UnixMilli(d.Time).UTC() }

func lottery(share float64) Ticket {
	return Ticket{Event: testEvent, Epoch: 1, Class: draw.Lottery, Second: onSale.Unix() - 60, Rank: draw.RankAt(share)}
}

func late(second int64, share float64) Ticket {
	return Ticket{Event: testEvent, Epoch: 1, Class: draw.Late, Second: onSale.Unix() + second, Rank: draw.RankAt(share)}
}

func authority(t testing.TB) *token.Authority {
	t.Helper()
	a, err := token.New(token.Options{Current: make([]byte, 32), PseudonymKey: make([]byte, 32)})
	if err != nil {
		t.Fatal(err)
	}
	return a
}
