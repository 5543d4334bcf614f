package inventory

import (
	"fmt"
	"testing"
	"time"

	"plateia/core/event"
	"plateia/core/id"
	"plateia/core/pick"
	"plateia/core/seatmap"
)

// plainBatch is 500 people who hold two seats each, and what the database says about them.
func plainBatch(chart *seatmap.Chart) (commands []Command, load func() *Snapshot) {
	rules := event.DefaultRules()
	now := time.Date(2026, 5, 1, 20, 0, 0, 0, time.UTC)
	for i := range 500 {
		first := seatmap.Ordinal(4000 + 4*i)
		commands = append(commands, PlaceHold{Hold: id.New(), Account: id.New(), Seats: []seatmap.Ordinal{first, first + 1},
			Idempotency: Idempotency{Key: fmt.Sprint("press-", i)}})
	}
	needs := NeedsOf(commands)
	return commands, func() *Snapshot {
		s := NewSnapshot(needs)
		s.Now = now
		s.Event = event.Event{State: event.OnSale, Currency: "BRL", Prices: []int64{1, 2, 3, 4, 5}, Rules: rules}
		for _, o := range needs.Seats {
			s.AddSeat(Seat{Ordinal: o, Category: chart.Category(o), Version: 1})
		}
		return s
	}
}

// BenchmarkDecide is one batch of 500 plain holds of two seats, loading left out.
func BenchmarkDecide(b *testing.B) {
	chart, err := seatmap.Build(seatmap.Stadium())
	if err != nil {
		b.Fatal(err)
	}
	free := pick.FullBitmap(chart.Seats())
	for _, mode := range []event.OrphanMode{event.OrphanOff, event.OrphanStrict} {
		b.Run(string(mode), func(b *testing.B) {
			commands, load := plainBatch(chart)
			b.ReportAllocs()
			for b.Loop() {
				b.StopTimer()
				s := load()
				s.Event.Rules.OrphanMode = mode
				hall := Hall{Chart: chart, Free: func() pick.Bitmap { return append(pick.Bitmap(nil), free...) }}
				b.StartTimer()
				if outcomes, _ := Decide(hall, s, commands); outcomes[0].Err != nil {
					b.Fatal(outcomes[0].Err)
				}
			}
		})
	}
}
