package simulate

import (
	"math"
	"slices"

	"plateia/waitingroom/controller"
	"plateia/waitingroom/frontier"
)

const (
	ordinaryStay = 300.0 // seconds inside on average
	idle         = 120   // seconds after which the session table notices a silent departure
	horizon      = 8192  // seconds that anything may lie ahead
	claimWindow  = 600
	window       = 20.0 // seconds within which a fan whose turn has come presses the button, or the page does
)

// claimant is a fan who will claim, or tries to.
type claimant struct {
	ticket frontier.Ticket
	cohort float64 // controller's clock of the step that opened the window
	known  bool    // counted as an arrival
	second bool    // comes through the second-chance lane
}

// fan is a number for the ticket's other random numbers.
func (c claimant) fan() uint64 { return uint64(c.ticket.Rank) ^ uint64(c.ticket.Second) }

// room is the session table as counts, and those who claim.
type room struct {
	inside, present int
	leaves          [horizon]int // by second: noticed departures
	goes            [horizon]int // by second: true departures
	comes           [horizon][]claimant
	door            []claimant // told "one moment", or stopped by a pause
	missed          []claimant // wait for the second-chance lane

	departures int // since the controller's last look
	second     int // claims through the second-chance lane since then
	arrivals   map[float64]int
	admitted   int
	admittedAt []claimant
}

// Those who are not there when their turn comes, and are no ghosts, may come back.
const (
	comeBack    = 0.3
	comeBackMin = 30.0   // seconds
	comeBackFor = 1200.0 // seconds from then on
)

// shows is the share of holders who claim within the window of their own turn.
func (b Behaviour) shows() float64 {
	if b.NoShow < 0.5 {
		return 1 - b.NoShow + b.NoShow*comeBack*(claimWindow-comeBackMin)/comeBackFor
	}
	return 1 - b.NoShow
}

// expect schedules the claim of a ticket whose turn has come, as its holder behaves.
func (r *room) expect(c claimant, now int, b Behaviour) {
	fan := c.fan()
	if chance(fan, 10) >= b.NoShow {
		delay := b.Stale*chance(fan, 11) + 2*chance(fan, 12) + window*math.Pow(chance(fan, 13), 3)
		r.at(now+1+int(delay), c)
		return
	}
	if b.NoShow < 0.5 && chance(fan, 14) < comeBack {
		r.at(now+int(comeBackMin+comeBackFor*chance(fan, 15)), c)
	}
}

func (r *room) at(second int, c claimant) {
	if i := second % horizon; second >= 0 {
		r.comes[i] = append(r.comes[i], c)
	}
}

// leave lets go whoever's time is over.
func (r *room) leave(now int) {
	i := now % horizon
	r.inside -= r.leaves[i]
	r.present -= r.goes[i]
	r.departures += r.leaves[i]
	r.leaves[i], r.goes[i] = 0, 0
}

// claims lets everybody claim who is there: first those who were told "one moment".
func (r *room) claims(now int, d *frontier.Document, target int, b Behaviour) {
	i := now % horizon
	all := slices.Concat(r.door, r.comes[i])
	r.door, r.comes[i] = nil, nil
	for _, c := range all {
		r.claim(c, now, d, target, b)
	}
}

func (r *room) claim(c claimant, now int, d *frontier.Document, target int, b Behaviour) {
	switch v := d.Gate(c.ticket, instant(d, now)); v.State {
	case frontier.MayClaim:
		c.second = v.Lap > 0 && !v.Own
	case frontier.Missed:
		r.missed = append(r.missed, c)
		return
	case frontier.Stopped, frontier.Waiting:
		r.door = append(r.door, c)
		return
	default:
		return
	}
	if !c.known {
		c.known = true
		if c.second {
			r.second++
		} else {
			r.arrivals[c.cohort]++
		}
	}
	if b.Breaker || !controller.Admissible(r.inside, target) {
		r.door = append(r.door, c)
		return
	}
	r.admit(c, now, b)
}

func (r *room) admit(c claimant, now int, b Behaviour) {
	stay := b.Dwell * ordinaryStay * (0.3 - 0.7*math.Log(1-chance(c.fan(), 20)))
	until := now + 1 + int(min(stay, horizon-idle-10))
	r.goes[until%horizon]++
	if chance(c.fan(), 21) < b.Lost {
		until += idle
	}
	r.leaves[until%horizon]++
	r.inside++
	r.present++
	r.admitted++
	r.admittedAt = append(r.admittedAt, c)
}

// again lets those who missed their turn look whether the second-chance lane has come by.
func (r *room) again(now int, d *frontier.Document) {
	rest := r.missed[:0]
	for _, c := range r.missed {
		if d.Gate(c.ticket, instant(d, now)).State == frontier.MayClaim {
			r.at(now+1, c)
		} else {
			rest = append(rest, c)
		}
	}
	r.missed = rest
}
