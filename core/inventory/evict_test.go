package inventory

import (
	"context"
	"testing"
	"testing/synctest"
	"time"

	"plateia/core/event"
	"plateia/core/id"
	"plateia/core/seatmap"
)

// manyEvents is a catalog in which every event has a chart of its kind.
type manyEvents map[id.ID]*seatmap.Chart

func (m manyEvents) Event(_ context.Context, ev id.ID) (event.Event, error) {
	return event.Event{ID: ev, ChartID: ev}, nil
}

func (m manyEvents) Chart(_ context.Context, chart id.ID, _ int) (*seatmap.Chart, error) {
	return m[chart], nil
}

func TestWarmEventsAreBoundedByTheirSeats(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		catalog := manyEvents{}
		inv := New(newMemStore(0), catalog, nil, Options{WarmEvents: 50, WarmSeats: 1000})
		open := func(seats int) *engine {
			ev := id.New()
			catalog[ev] = testChart(t, seats)
			time.Sleep(time.Second)
			e, err := inv.engine(t.Context(), ev)
			if err != nil {
				t.Fatal(err)
			}
			return e
		}
		check := func(events, seats int) {
			t.Helper()
			sum := 0
			for _, e := range inv.engines {
				sum += e.chart.Seats()
			}
			if n, s := inv.Warm(); n != events || s != seats || s != sum {
				t.Fatalf("%d events with %d (%d) seats are warm, want %d with %d", n, s, sum, events, seats)
			}
		}
		first := open(100)
		for range 9 {
			open(100)
		}
		check(10, 1000)
		first.queue.used = time.Now() // a visitor: the second has been idle for longest now
		open(50)
		if check(10, 950); inv.engines[first.event] == nil {
			t.Error("not the least recently used one went")
		}
		busy := open(300)
		busy.queue.flights = append(busy.queue.flights, newFlight(0))
		open(1500) // more than is allowed: it is served, and nothing else stays that is not at work
		check(2, 1800)
		open(10)
		check(2, 310)
		for range 60 {
			open(1)
		}
		if n, _ := inv.Warm(); n > 50 {
			t.Errorf("%d events are warm", n)
		}
	})
}
