package fanoutbench

import (
	"context"
	"slices"
	"sync"
	"time"

	"plateia/core/id"
	"plateia/core/inventory"
	"plateia/core/seatmap"
	"plateia/realtime/wire"
)

// sale makes up the changes: seats are held and freed again, all over the chart.
type sale struct {
	events []id.ID
	turn   int

	mu       sync.Mutex
	versions [][]int64 // of each event, by ordinal
}

func newSale(events []id.ID) *sale {
	s := &sale{events: events}
	for range events {
		s.versions = append(s.versions, make([]int64, chartSeats))
	}
	return s
}

func (s *sale) versionsOf(event int) []int64 {
	s.mu.Lock()
	defer s.mu.Unlock()
	return slices.Clone(s.versions[event])
}

// single is one change of every event, as a busy batch would make it.
func (s *sale) single(at time.Time) []inventory.Delta {
	deltas := make([]inventory.Delta, len(s.events))
	for i := range s.events {
		deltas[i] = s.delta(i, roundSeats, at)
	}
	return deltas
}

// stride visits all seats of the chart before it comes back: it shares no factor with chartSeats.
const stride = 7_919

// delta changes the next seats of an event.
func (s *sale) delta(event, seats int, at time.Time) inventory.Delta {
	d := inventory.Delta{ID: id.New(), Event: s.events[event], At: at}
	s.mu.Lock()
	defer s.mu.Unlock()
	for range seats {
		s.turn++
		o := seatmap.Ordinal(s.turn * stride % chartSeats)
		s.versions[event][o]++
		version := s.versions[event][o]
		d.Changes = append(d.Changes, inventory.Change{Ordinal: o, Version: version, Status: statusOf(version)})
	}
	slices.SortFunc(d.Changes, func(a, b inventory.Change) int { return int(a.Ordinal - b.Ordinal) })
	return d
}

// flow changes seats at the rate of the run, two at a time as fans do, more when
// that would be more than 500 batches a second.
func (s *sale) flow(ctx context.Context, c *contender) error {
	o := c.run.o
	seats := max(2, (o.Rate+499)/500)
	interval := time.Duration(float64(time.Second) * float64(seats) / float64(o.Rate))
	g := &gathering{c: c, since: time.Now(), changes: make([]map[seatmap.Ordinal]inventory.Change, len(s.events)), oldest: make([]time.Time, len(s.events))}
	start, duration := time.Now(), o.Duration
	if c.atMost > 0 {
		duration = min(duration, c.atMost)
	}
	for n := 0; ; n++ {
		next := start.Add(time.Duration(n) * interval)
		if next.Sub(start) >= duration {
			return g.send(ctx, s)
		}
		if err := pause(ctx, time.Until(next)); err != nil {
			return err
		}
		event := n % len(s.events)
		d := s.delta(event, seats, time.Now())
		if c.gather > 0 {
			g.add(event, d)
			if err := g.sendIfDue(ctx, s); err != nil {
				return err
			}
			continue
		}
		if err := c.publish(ctx, d, wire.EncodeStream(d)); err != nil {
			return err
		}
	}
}

// gathering is the coalescing of a publisher whose service does none.
type gathering struct {
	c       *contender
	since   time.Time
	changes []map[seatmap.Ordinal]inventory.Change
	oldest  []time.Time
}

func (g *gathering) add(event int, d inventory.Delta) {
	if g.changes[event] == nil {
		g.changes[event], g.oldest[event] = map[seatmap.Ordinal]inventory.Change{}, d.At
	}
	for _, c := range d.Changes {
		g.changes[event][c.Ordinal] = c
	}
}

func (g *gathering) sendIfDue(ctx context.Context, s *sale) error {
	if time.Since(g.since) < g.c.gather {
		return nil
	}
	g.since = time.Now()
	return g.send(ctx, s)
}

func (g *gathering) send(ctx context.Context, s *sale) error {
	for i, changes := range g.changes {
		if changes == nil {
			continue
		}
		d := inventory.Delta{Event: s.events[i], At: g.oldest[i]}
		for _, c := range changes {
			d.Changes = append(d.Changes, c)
		}
		slices.SortFunc(d.Changes, func(a, b inventory.Change) int { return int(a.Ordinal - b.Ordinal) })
		g.changes[i] = nil
		if err := g.c.publish(ctx, d, nil); err != nil {
			return err
		}
	}
	return nil
}
