package inventory

import (
	"slices"

	"plateia/core/fault"
	"plateia/core/seatmap"
)

// checkAreas gives each area its places: first those of the hold that is being replaced,
// because the fan has them already, then what the engine chose. Too few is a refusal, told after
// those that concern the buyer. What it chose too much is left.
func (s *Snapshot) checkAreas(hall Hall, p *placing) *fault.Error {
	if len(p.Areas) == 0 {
		return nil
	}
	seats := slices.Clone(p.Seats[:len(p.Seats)-p.picked])
	for i, area := range p.Areas {
		section, err := generalSection(hall.Chart, area, p.Areas[:i])
		if err != nil {
			return err
		}
		places := s.placesOf(section, p, seats, area.Quantity)
		if len(places) < area.Quantity {
			p.short = tooFewPlaces(section, len(places))
		}
		seats = append(seats, places...)
	}
	p.Seats = seats
	return nil
}

// generalSection finds an area and refuses what makes no sense.
func generalSection(chart *seatmap.Chart, area AreaPlaces, before []AreaPlaces) (*seatmap.Section, *fault.Error) {
	twice := slices.ContainsFunc(before, func(other AreaPlaces) bool { return other.Section == area.Section })
	switch {
	case chart == nil || area.Section < 0 || area.Section >= len(chart.Sections()):
		return nil, fault.New(fault.NotFound, "there is no such area")
	case !chart.Sections()[area.Section].General:
		return nil, fault.New(fault.Invalid, "this section has numbered seats")
	case area.Quantity < 1 || twice:
		return nil, fault.New(fault.Invalid, "each area is asked for once, for one person or more")
	}
	return &chart.Sections()[area.Section], nil
}

// placesOf is at most n places of the section that are not chosen yet.
func (s *Snapshot) placesOf(section *seatmap.Section, p *placing, chosen []seatmap.Ordinal, n int) (places []seatmap.Ordinal) {
	add := func(o seatmap.Ordinal) {
		if len(places) < n && o >= section.From && o < section.To && !slices.Contains(chosen, o) && !slices.Contains(places, o) {
			places = append(places, o)
		}
	}
	if p.old != nil {
		for _, held := range p.old.is.Seats {
			add(held.Ordinal)
		}
	}
	for _, o := range p.picks {
		add(o)
	}
	return places
}

func tooFewPlaces(section *seatmap.Section, left int) *fault.Error {
	if left == 0 {
		return noSeats(reasonSoldOut, "there are no places left in "+section.Name).With("section", section.Label)
	}
	return noSeats(reasonQuantity, "there are not so many places left in "+section.Name).With("section", section.Label)
}
