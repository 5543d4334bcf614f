package inventory

import (
	"slices"
	"time"

	"plateia/core/fault"
	"plateia/core/seatmap"
)

// obstacle is why a seat cannot be had by somebody now.
type obstacle int

const (
	free       obstacle = iota
	taken               // held or sold
	offSale             // blocked by the organizer
	inChannel           // kept for another channel until its release
	accessible          // kept for those who ask for accessible seats, together with its own
	obstacles
)

// checkSeats collects the seats with their prices, or says which cannot be had and why: of
// several reasons the first in the order of the constants, with all of its seats.
func (s *Snapshot) checkSeats(hall Hall, p *placing) *fault.Error {
	var refused [obstacles][]seatmap.Ordinal
	kept := hall.Chart != nil && s.Event.Rules.AccessibleKept(s.Now)
	any := false
	p.seats = make([]HeldSeat, 0, len(p.Seats))
	for _, ordinal := range p.Seats {
		seat := &s.seats[ordinal].is
		why := s.obstacle(seat, p)
		if why == free && kept {
			why = p.accessObstacle(hall.Chart, ordinal)
		}
		if why != free {
			refused[why], any = append(refused[why], ordinal), true
			continue
		}
		if seat.Category < 0 || seat.Category >= len(s.Event.Prices) {
			return fault.New(fault.Internal, "seat %d has no price", ordinal)
		}
		p.seats = append(p.seats, HeldSeat{Ordinal: ordinal, Price: s.Event.Prices[seat.Category]})
	}
	if !any {
		return nil
	}
	return s.refuseSeats(hall, p, &refused)
}

// obstacle looks at the seat's row.
func (s *Snapshot) obstacle(seat *Seat, p *placing) obstacle {
	switch {
	case seat.Status == Blocked:
		return offSale
	case !s.free(seat, p):
		return taken
	case !s.sellsTo(p.Channel, seat.Channel):
		return inChannel
	}
	return free
}

// accessObstacle ties accessible seats to those who ask for them and companion seats to
// an accessible seat of theirs in the same choice. An accessible seat may be taken without
// its companion: nobody has to bring somebody.
func (p *placing) accessObstacle(chart *seatmap.Chart, o seatmap.Ordinal) obstacle {
	companion := chart.Companion(o)
	if !companion && !chart.Accessible(o) {
		return free
	}
	asked := p.Accessible || p.Best != nil && p.Best.Accessible
	if !asked || companion && !slices.ContainsFunc(chart.Partners(o), p.chosen) {
		return accessible
	}
	return free
}

func (p *placing) chosen(o seatmap.Ordinal) bool {
	_, found := slices.BinarySearch(p.Seats, o)
	return found
}

// sellsTo reports whether a buyer who comes through one channel may have the seats of
// another: everybody those of the public and of released channels, besides their own.
func (s *Snapshot) sellsTo(buyer, channel int) bool {
	return channel == 0 || channel == buyer || s.released(channel)
}

func (s *Snapshot) released(channel int) bool {
	c, known := s.Event.Rules.Channel(channel)
	return known && c.Released(s.Now)
}

// refuseSeats words the refusal. Seats that the engine chose are no news to the caller,
// who never named them: when only those are in the way the engine may choose again.
func (s *Snapshot) refuseSeats(hall Hall, p *placing, refused *[obstacles][]seatmap.Ordinal) *fault.Error {
	for why := taken; why < obstacles; why++ {
		named := slices.DeleteFunc(slices.Clone(refused[why]), func(o seatmap.Ordinal) bool { return slices.Contains(p.picks, o) })
		if len(named) > 0 {
			return s.seatsRefused(hall, why, named)
		}
	}
	p.missed = true
	return noSeats(reasonContended, "seats are going faster than we can choose; try again")
}

func (s *Snapshot) seatsRefused(hall Hall, why obstacle, seats []seatmap.Ordinal) *fault.Error {
	switch why {
	case taken:
		return seatsTaken(hall.Chart, seats)
	case offSale:
		return blockedAs("blocked", hall.Chart, seats, nil, "some of the seats are not for sale")
	case inChannel:
		return blockedAs("channel", hall.Chart, seats, s.releaseOf(seats), "some of the seats are kept for others at the moment")
	}
	return blockedAs("accessible", hall.Chart, seats, s.Event.Rules.AccessibleRelease,
		"accessible seats and their companion seats are sold together, to those who need them")
}

func blockedAs(reason string, chart *seatmap.Chart, seats []seatmap.Ordinal, release *time.Time, text string) *fault.Error {
	err := fault.New(fault.SeatBlocked, "%s", text).With("seats", labels(chart, seats)).With("reason", reason)
	if release != nil {
		err = err.With("releaseAt", release.UTC())
	}
	return err
}

// releaseOf is when the last of the seats' channels is released; nil when one never is.
func (s *Snapshot) releaseOf(seats []seatmap.Ordinal) (at *time.Time) {
	for _, o := range seats {
		c, _ := s.Event.Rules.Channel(s.seats[o].is.Channel)
		if c.ReleaseAt == nil {
			return nil
		}
		if at == nil || c.ReleaseAt.After(*at) {
			at = c.ReleaseAt
		}
	}
	return at
}

// Why there are no seats (fault.NoSeats, Details["reason"]), besides those of pick.Reason.
const (
	reasonSoldOut   = "sold_out"
	reasonQuantity  = "quantity"  // not so many, or not together
	reasonContended = "contended" // going faster than we can choose
)

func noSeats(reason, text string) *fault.Error {
	return fault.New(fault.NoSeats, "%s", text).With("reason", reason)
}
