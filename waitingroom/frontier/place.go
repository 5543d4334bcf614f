package frontier

import (
	"math"
	"time"

	"plateia/waitingroom/draw"
)

// Place is where a ticket stands. It is an estimate: nobody is counted one by one.
type Place struct {
	Ahead         float64       // tickets before it
	StandardError float64       // of Ahead; at most half the root of those in the lottery
	Low, High     time.Duration // the turn probably comes in this range; 0, 0: not known
}

// errors that are shown are this many standard errors wide.
const spread = 2

// Place estimates where a ticket stands; false before the draw.
func (d *Document) Place(t Ticket) (Place, bool) {
	if d.Seed == nil || t.Event != d.Event || t.Epoch != d.Epoch {
		return Place{}, false
	}
	if d.Frontiers.Reaches(t) {
		return Place{}, true
	}
	p := d.ahead(t)
	slow, fast := d.Pace()
	if slow > 0 {
		p.Low = seconds(max(p.Ahead-spread*p.StandardError, 0) / fast)
		p.High = seconds((p.Ahead + spread*p.StandardError + 1) / slow)
	}
	return p, true
}

func (d *Document) ahead(t Ticket) Place {
	count, variance := 0.0, 0.0
	for tier, n := range d.Line.Tiers {
		upTo := 1.0
		if t.Class == draw.Lottery && tier == t.Tier {
			upTo = t.Rank.Fraction()
		}
		if t.Class == draw.Lottery && tier > t.Tier {
			break
		}
		between := max(upTo-share(d.Frontiers.Lottery[tier]), 0)
		count += float64(n) * between
		variance += float64(n) * between * (1 - between)
	}
	if t.Class == draw.Late {
		own := d.Line.Late.upTo(float64(t.Second)+1) - d.Line.Late.upTo(float64(t.Second))
		u := t.Rank.Fraction()
		count += max(d.Line.Late.Before(LatePoint{t.Second, t.Rank})-d.Line.Late.Before(d.Frontiers.Late), 0)
		variance += own * u * (1 - u)
	}
	return Place{Ahead: count, StandardError: math.Sqrt(variance)}
}

// Pace is the least and the greatest speed of the line over the thirds of its history and the
// whole, in tickets a second without pauses; 0, 0 when it did not move.
func (d *Document) Pace() (slow, fast float64) {
	here := d.Point()
	for _, back := range []int{len(d.History) / 3, len(d.History) * 2 / 3, len(d.History)} {
		if back == 0 {
			continue
		}
		from := d.History[len(d.History)-back]
		span := float64(here.Active()-from.Active()) / 1000
		if span < 1 {
			continue
		}
		rate := (d.Line.Served(here.Frontiers) - d.Line.Served(from.Frontiers)) / span
		if rate <= 0 {
			return 0, 0
		}
		if slow == 0 || rate < slow {
			slow = rate
		}
		fast = max(fast, rate)
	}
	return slow, fast
}

// seconds is a time of at most a week, which is as good as never.
func seconds(s float64) time.Duration {
	const week = 7 * 24 * 3600
	return time.Duration(min(s, week) * float64(time.Second)).Truncate(time.Second)
}
