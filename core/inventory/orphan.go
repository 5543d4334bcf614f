package inventory

import (
	"slices"

	"plateia/core/event"
	"plateia/core/fault"
	"plateia/core/pick"
	"plateia/core/seatmap"
)

// checkOrphans refuses choices that leave a single seat alone, as the event's mode has it:
//
//   - An orphan is a single free seat between taken seats, aisles or row ends, next to a chosen
//     seat: one that was single before is somebody else's doing and costs nobody a choice.
//   - strict: no choice may leave one. lenient: a choice may, when every choice of that size in
//     that row would. off: any choice is fine.
//   - Where less than 5 % of a section's seats are free (before the choice) every mode is off there.
//   - Accessible and companion seats, kept for others, and places of an area are never orphans.
//     Blocked seats and those of an unreleased channel are taken, but for a buyer who comes through it. The seats
//     that the choice itself gives back (the replaced hold's, dead holds') are free.
//
// It looks at the projection, so with several engines it is best effort.
func (s *Snapshot) checkOrphans(hall Hall, p *placing) *fault.Error {
	mode := s.Event.Rules.OrphanMode
	if mode == event.OrphanOff || mode == "" || hall.Chart == nil || hall.Free == nil {
		return nil
	}
	free := s.openSeats(hall)
	if free == nil {
		return nil
	}
	if p.Channel != 0 {
		free = s.openThrough(hall, p, free)
	}
	given := s.giveBack(p, free)
	orphans := pick.Orphans(hall.Chart, free, p.Seats, mode)
	for _, ordinal := range given {
		free.Remove(ordinal)
	}
	if len(orphans) == 0 {
		return nil
	}
	p.missed = p.picked == len(p.Seats) // the engine's choice; it may make another
	return fault.New(fault.OrphanSeat, "your choice would leave a single seat alone").With("seats", labels(hall.Chart, orphans))
}

// openSeats is the projection with the batch's own rows on top, kept up to date as the batch is decided.
func (s *Snapshot) openSeats(hall Hall) pick.Bitmap {
	if s.open != nil {
		return s.open
	}
	s.open = hall.Free()
	for ordinal := range s.seats {
		s.keepOpen(ordinal)
	}
	return s.open
}

// openThrough is a copy with what the buyer's channel has besides. The batch's own rows are surer than the engine's picture.
func (s *Snapshot) openThrough(hall Hall, p *placing, public pick.Bitmap) pick.Bitmap {
	free := slices.Clone(public)
	if hall.Own != nil {
		free.Join(hall.Own(p.Channel))
	}
	for ordinal, r := range s.seats {
		if int(ordinal>>6) >= len(free) {
			continue
		}
		if r.is.Status == Available && s.sellsTo(p.Channel, r.is.Channel) {
			free.Add(ordinal)
		} else {
			free.Remove(ordinal)
		}
	}
	return free
}

func (s *Snapshot) keepOpen(ordinal seatmap.Ordinal) {
	r := s.seats[ordinal]
	if s.open == nil || int(ordinal>>6) >= len(s.open) {
		return
	}
	if r.is.Shown() == Available {
		s.open.Add(ordinal)
	} else {
		s.open.Remove(ordinal)
	}
}

// giveBack counts as free what the choice itself would free: the old hold and dead ones.
func (s *Snapshot) giveBack(p *placing, free pick.Bitmap) []seatmap.Ordinal {
	var given []seatmap.Ordinal
	for _, r := range append(p.dead[:len(p.dead):len(p.dead)], p.old) {
		if r == nil {
			continue
		}
		for _, held := range r.is.Seats {
			if seat := s.seats[held.Ordinal]; seat == nil || !s.sellsTo(p.Channel, seat.is.Channel) {
				continue
			}
			if int(held.Ordinal>>6) < len(free) && !free.Has(held.Ordinal) {
				free.Add(held.Ordinal)
				given = append(given, held.Ordinal)
			}
		}
	}
	return given
}
