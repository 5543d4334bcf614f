package room

import (
	"slices"

	"plateia/core/account"
	"plateia/core/queue"
	"plateia/waitingroom/controller"
	"plateia/waitingroom/draw"
	"plateia/waitingroom/frontier"
)

// trail is where the frontiers were at the leader's latest steps, so that an arrival finds the step that called it. A new
// leader has none and takes the document's history, whose points are a sixtieth of a window apart.
type trail []mark

type mark struct {
	clock     float64 // of the controller
	second    int64   // Unix
	frontiers frontier.Frontiers
}

const trailLength = 600 // steps: two minutes and a half at the least, and older arrivals tell nothing

// with is the trail with one more step.
func (t trail) with(clock float64, second int64, f frontier.Frontiers) trail {
	if n := len(t); n > 0 && t[n-1].frontiers.Equal(f) {
		return t
	}
	if len(t) >= trailLength {
		t = slices.Clone(t[len(t)-trailLength/2:])
	}
	return append(t, mark{clock, second, f})
}

// arrivals names the step that called each arrival.
func (t trail) arrivals(v *view, came []queue.Turn) []controller.Arrivals {
	counts := make(map[float64]int)
	for _, turn := range came {
		counts[t.clock(v, turn)]++
	}
	out := make([]controller.Arrivals, 0, len(counts))
	for clock, n := range counts {
		out = append(out, controller.Arrivals{Clock: clock, Count: n})
	}
	return out
}

func (t trail) clock(v *view, turn queue.Turn) float64 {
	ticket := frontier.Ticket{Event: v.doc.Event, Epoch: v.doc.Epoch, Class: account.Lottery, Tier: turn.Tier, Second: turn.Second, Rank: draw.Rank(turn.Rank)}
	if turn.Late {
		ticket.Class = account.Late
	}
	for i, m := range t {
		if m.frontiers.Reaches(ticket) && m.second >= turn.Second { // while the door stands open the frontier is there before
			if i == 0 {
				break // at this step, or long before
			}
			return m.clock
		}
	}
	here := v.memory.Controller.Clock
	for _, p := range v.doc.History {
		if p.Frontiers.Reaches(ticket) {
			return here - float64(v.doc.Point().Active()-p.Active())/1000
		}
	}
	return here
}
