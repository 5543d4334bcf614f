package frontier

import (
	"slices"
	"sort"

	"plateia/waitingroom/draw"
)

// LatePoint is how far the late lane is: one-second buckets of entry time, and within a bucket by rank.
type LatePoint struct {
	Second int64     `json:"second"` // Unix
	Rank   draw.Rank `json:"rank"`
}

// SecondPoint is how far the second-chance lane is. It sweeps the ranks lap by lap, so that whoever missed a
// turn gets another when it comes by, however often.
type SecondPoint struct {
	Lap  int       `json:"lap"` // from 1; 0: the lane is closed
	Rank draw.Rank `json:"rank"`
}

// Frontiers are the places of all lanes. Tickets before them may claim.
type Frontiers struct {
	Lottery []draw.Rank `json:"lottery"` // of each tier
	Late    LatePoint   `json:"late"`
	Second  SecondPoint `json:"second"`
}

// ranked is true when a rank is before a frontier; the last frontier is behind everybody.
func ranked(r, frontier draw.Rank) bool { return r < frontier || frontier == draw.LastRank }

func (p LatePoint) reaches(second int64, r draw.Rank) bool {
	return second < p.Second || second == p.Second && ranked(r, p.Rank)
}

func (p SecondPoint) reaches(lap int, r draw.Rank) bool {
	return lap < p.Lap || lap == p.Lap && ranked(r, p.Rank)
}

// Reaches is true when a ticket is before the frontier of its lane.
func (f Frontiers) Reaches(t Ticket) bool {
	if t.Class == draw.Late {
		return f.Late.reaches(t.Second, t.Rank)
	}
	return t.Tier >= 0 && t.Tier < len(f.Lottery) && ranked(t.Rank, f.Lottery[t.Tier])
}

// Later takes, for each lane, the later of two frontiers.
func (f Frontiers) Later(g Frontiers) Frontiers {
	out := Frontiers{Lottery: slices.Clone(f.Lottery), Late: f.Late, Second: f.Second}
	for i := range out.Lottery {
		if i < len(g.Lottery) {
			out.Lottery[i] = max(out.Lottery[i], g.Lottery[i])
		}
	}
	if g.Late.Second > f.Late.Second || g.Late.Second == f.Late.Second && g.Late.Rank > f.Late.Rank {
		out.Late = g.Late
	}
	if g.Second.Lap > f.Second.Lap || g.Second.Lap == f.Second.Lap && g.Second.Rank > f.Second.Rank {
		out.Second = g.Second
	}
	return out
}

// Equal compares all lanes.
func (f Frontiers) Equal(g Frontiers) bool {
	return f.Late == g.Late && f.Second == g.Second && slices.Equal(f.Lottery, g.Lottery)
}

// Line is what the lanes move over: who stands in the lottery, by tier, and who came late.
type Line struct {
	Tiers []int64  `json:"tiers"` // entries of each tier at the cut-off
	Late  Arrivals `json:"late"`
}

// Lottery is how many entered before the on-sale instant, in all tiers.
func (l Line) Lottery() int64 {
	total := int64(0)
	for _, n := range l.Tiers {
		total += n
	}
	return total
}

// Served is how many tickets are before the frontiers of the lottery and the late lane.
func (l Line) Served(f Frontiers) float64 {
	served := l.Late.Before(f.Late)
	for i, n := range l.Tiers {
		if i < len(f.Lottery) {
			served += float64(n) * share(f.Lottery[i])
		}
	}
	return served
}

// share is the part of all ranks before a frontier.
func share(frontier draw.Rank) float64 {
	if frontier == draw.LastRank {
		return 1
	}
	return frontier.Fraction()
}

// Advance moves the frontiers over a number of tickets: tier by tier, then the late lane. It
// returns how many there were to move over, which is less at the end of the line.
func (l Line) Advance(f Frontiers, tickets float64) (Frontiers, float64) {
	f.Lottery = slices.Clone(f.Lottery)
	moved := 0.0
	for i, n := range l.Tiers {
		if f.Lottery[i] == draw.LastRank {
			continue
		}
		left := float64(n) * (1 - share(f.Lottery[i]))
		if step := tickets - moved; step < left {
			f.Lottery[i] = max(f.Lottery[i], draw.RankAt(share(f.Lottery[i])+step/float64(n)))
			return f, tickets
		}
		f.Lottery[i] = draw.LastRank
		moved += left
	}
	before := l.Late.Before(f.Late)
	if to := l.Late.At(before + tickets - moved); to.reaches(f.Late.Second, f.Late.Rank) {
		f.Late = to
	}
	return f, moved + l.Late.Before(f.Late) - before
}

// Sweep moves the second-chance lane on by a part of a lap. A lap ends where the lottery is, or when late fans are
// served at the last rank: nobody behind it has missed a turn. There the next one begins.
func (f Frontiers) Sweep(laps float64) Frontiers {
	end := slices.Max(append([]draw.Rank{0}, f.Lottery...))
	if f.Late.Second > 0 {
		end = draw.LastRank
	}
	if laps <= 0 || end == 0 {
		return f
	}
	if f.Second.Lap == 0 || f.Second.Rank >= end {
		f.Second = SecondPoint{Lap: f.Second.Lap + 1}
	}
	f.Second.Rank = min(end, draw.RankAt(share(f.Second.Rank)+laps*share(end)))
	return f
}

// Arrival is how many late entries there were before a second.
type Arrival struct {
	Second int64 `json:"second"` // Unix
	Count  int64 `json:"count"`  // entries in buckets before it
}

// Arrivals are late entries over time, cumulated: exact at each point and taken to be even
// between two. The last point is the end of what is known.
type Arrivals []Arrival

// maxArrivals bounds the document; two hours are then known to about a minute.
const maxArrivals = 96

// With is the arrivals with one more point. Seconds and counts that go back are ignored. Over the bound,
// the point goes whose absence changes the curve least.
func (a Arrivals) With(second, count int64) Arrivals {
	if n := len(a); n > 0 && (second <= a[n-1].Second || count < a[n-1].Count) {
		return a
	}
	a = append(slices.Clone(a), Arrival{second, count})
	if len(a) <= maxArrivals {
		return a
	}
	drop, least := 1, -1.0
	for i := 1; i < len(a)-1; i++ {
		if cost := a.withoutPoint(i); least < 0 || cost < least {
			drop, least = i, cost
		}
	}
	return slices.Delete(a, drop, drop+1)
}

// withoutPoint is how far the curve would be off between a point's neighbours without it, if the curve bends evenly there:
// the change of slope times a quarter of the span. How far the point itself would be off says too little: at the end of a long
// interval that is next to nothing, however far the interval has swallowed the curve before.
func (a Arrivals) withoutPoint(i int) float64 {
	slope := func(p, q Arrival) float64 { return float64(q.Count-p.Count) / float64(q.Second-p.Second) }
	return abs(slope(a[i-1], a[i])-slope(a[i], a[i+1])) * float64(a[i+1].Second-a[i-1].Second) / 4
}

func abs(v float64) float64 { return max(v, -v) }

// upTo is the number of entries before an instant in Unix seconds.
func (a Arrivals) upTo(second float64) float64 {
	next := sort.Search(len(a), func(i int) bool { return float64(a[i].Second) > second })
	switch {
	case next == 0:
		return 0
	case next == len(a):
		return float64(a[next-1].Count)
	}
	from, to := a[next-1], a[next]
	return float64(from.Count) + (second-float64(from.Second))/float64(to.Second-from.Second)*float64(to.Count-from.Count)
}

// Before is how many late entries are before a point.
func (a Arrivals) Before(p LatePoint) float64 {
	from := a.upTo(float64(p.Second))
	return from + share(p.Rank)*(a.upTo(float64(p.Second)+1)-from)
}

// At is the point before which a number of late entries are; at most the end of what is known.
func (a Arrivals) At(count float64) LatePoint {
	if len(a) == 0 {
		return LatePoint{}
	}
	next := sort.Search(len(a), func(i int) bool { return float64(a[i].Count) > count })
	switch {
	case next == len(a):
		return LatePoint{Second: a[next-1].Second}
	case next == 0: // what came before the first point came at times that are not known
		return LatePoint{Second: a[0].Second}
	}
	from, to := a[next-1], a[next]
	at := float64(from.Second) + (count-float64(from.Count))/float64(to.Count-from.Count)*float64(to.Second-from.Second)
	second := int64(at)
	return LatePoint{Second: second, Rank: draw.RankAt(at - float64(second))}
}
