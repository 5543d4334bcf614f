package inventory

import (
	"slices"

	"plateia/core/fault"
	"plateia/core/id"
	"plateia/core/order"
	"plateia/core/seatmap"
)

// supply is a change of what is for sale on its way through the checks.
type supply struct {
	Audit
	rows []*row[Seat] // that have to be changed
	dead []*row[Hold] // in their way
}

func (s *Snapshot) block(hall Hall, c Block) Outcome {
	a := &supply{Audit: Audit{Action: "block", Seats: c.Seats, By: c.By}}
	err := s.supply(hall, a, func(seat *Seat) bool { return seat.Status == Blocked })
	if err != nil {
		return refuse(err)
	}
	return s.change(a, func(r *row[Seat]) { s.giveSeat(r, Blocked, id.ID{}) })
}

// unblock leaves alone whatever is not blocked: it may be held or sold by now.
func (s *Snapshot) unblock(hall Hall, c Unblock) Outcome {
	a := &supply{Audit: Audit{Action: "unblock", Seats: c.Seats, By: c.By}}
	err := s.supply(hall, a, func(seat *Seat) bool { return seat.Status != Blocked })
	if err != nil {
		return refuse(err)
	}
	return s.change(a, func(r *row[Seat]) { s.giveSeat(r, Available, id.ID{}) })
}

func (s *Snapshot) allocate(hall Hall, c Allocate) Outcome {
	channel, known := s.Event.Rules.Channel(c.Channel)
	switch {
	case !known && c.Channel != 0:
		return refuse(fault.New(fault.NotFound, "the event has no such channel").With("channel", c.Channel))
	case channel.Released(s.Now):
		return refuse(fault.New(fault.Invalid, "the seats of %s have been released already", channel.Name).With("releaseAt", channel.ReleaseAt.UTC()))
	}
	a := &supply{Audit: Audit{Action: "allocate", Channel: c.Channel, Seats: c.Seats, By: c.By}}
	err := s.supply(hall, a, func(seat *Seat) bool { return seat.Status == Available && seat.Channel == c.Channel })
	if err == nil {
		err = blockedAmong(hall, a.rows)
	}
	if err != nil {
		return refuse(err)
	}
	return s.change(a, func(r *row[Seat]) { s.moveSeat(r, c.Channel) })
}

// supply collects the seats that are not yet as wanted. One that somebody holds, or has bought,
// refuses the command; dead holds do not count.
func (s *Snapshot) supply(hall Hall, a *supply, done func(*Seat) bool) *fault.Error {
	if err := organizerLimit(len(a.Seats)); err != nil {
		return err
	}
	var busy []seatmap.Ordinal
	look := &placing{}
	for _, ordinal := range slices.Compact(slices.Sorted(slices.Values(a.Seats))) {
		r := s.seats[ordinal]
		switch {
		case r == nil:
			return fault.New(fault.NotFound, "there is no such seat").With("ordinal", int(ordinal))
		case done(&r.is):
		case r.is.Status != Blocked && !s.free(&r.is, look):
			busy = append(busy, ordinal)
		default:
			a.rows = append(a.rows, r)
		}
	}
	a.dead = look.dead
	if len(busy) > 0 {
		return fault.New(fault.SeatTaken, "%d of the seats are held or sold", len(busy)).With("seats", labels(hall.Chart, busy))
	}
	return nil
}

// blockedAmong refuses to allocate what is off the sale: only free seats move.
func blockedAmong(hall Hall, rows []*row[Seat]) *fault.Error {
	var blocked []seatmap.Ordinal
	for _, r := range rows {
		if r.is.Status == Blocked {
			blocked = append(blocked, r.is.Ordinal)
		}
	}
	if len(blocked) == 0 {
		return nil
	}
	return blockedAs("blocked", hall.Chart, blocked, nil, "blocked seats cannot be given to a channel; unblock them first")
}

// change changes the rows and writes the audit; nothing at all when all was as wanted.
func (s *Snapshot) change(a *supply, to func(*row[Seat])) Outcome {
	for _, victim := range a.dead {
		s.endHold(victim, HoldExpired, order.Expired, "the time to pay has passed")
	}
	var out Outcome
	for _, r := range a.rows {
		to(r)
		out.Seats = append(out.Seats, r.is.Ordinal)
	}
	if len(out.Seats) > 0 {
		a.ID, a.Seats = id.New(), out.Seats
		s.touched.audits = append(s.touched.audits, a.Audit)
	}
	return out
}
