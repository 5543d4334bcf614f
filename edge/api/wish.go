package api

import (
	"slices"

	"plateia/core/event"
	"plateia/core/fault"
	"plateia/core/inventory"
	"plateia/core/seatmap"
	"plateia/edge/decode"
)

// maxWish is for how many people one request may ask; selling rules are far below it.
const maxWish = 100

// named fills in the seats and areas that a request names. A seat id of a place in an area, as
// holds and tickets have it, stands for one place of that area, whichever.
func (r holdRequest) named(cmd *inventory.PlaceHold, e event.Event, chart *seatmap.Chart) error {
	places := map[int]int{} // by section
	if r.SeatIDs != nil {
		seats, err := r.ordinals(e, chart)
		if err != nil {
			return err
		}
		for _, o := range seats {
			if section := chart.Section(o); chart.Sections()[section].General {
				places[section]++
			} else {
				cmd.Seats = append(cmd.Seats, o)
			}
		}
	}
	if r.Areas != nil {
		if err := r.areas(places, e, chart); err != nil {
			return err
		}
	}
	for section, quantity := range places {
		cmd.Areas = append(cmd.Areas, inventory.AreaPlaces{Section: section, Quantity: quantity})
	}
	slices.SortFunc(cmd.Areas, func(a, b inventory.AreaPlaces) int { return a.Section - b.Section })
	return nil
}

// ordinals finds seats by name. All or none: an unknown or repeated one refuses the request.
func (r holdRequest) ordinals(e event.Event, chart *seatmap.Chart) ([]seatmap.Ordinal, error) {
	names := *r.SeatIDs
	if len(names) == 0 && r.Areas == nil {
		return nil, fault.New(fault.Invalid, "no seats were chosen").With("field", "seatIds")
	}
	if len(names) > maxWish {
		return nil, tooMany(e)
	}
	out := make([]seatmap.Ordinal, len(names))
	seen := make(map[seatmap.Ordinal]bool, len(names))
	unknown := []string{}
	for i, name := range names {
		o, ok := chart.Find(name)
		switch {
		case !ok:
			unknown = append(unknown, decode.Clip(name))
		case seen[o]:
			return nil, fault.New(fault.Invalid, "the seat %s was chosen twice", decode.Clip(name)).With("seats", []string{decode.Clip(name)})
		}
		seen[o] = ok
		out[i] = o
	}
	if len(unknown) > 0 {
		return nil, fault.New(fault.NotFound, "this event has no such seat").With("seats", unknown)
	}
	return out, nil
}

// areas adds up the places asked for by section.
func (r holdRequest) areas(places map[int]int, e event.Event, chart *seatmap.Chart) error {
	if len(*r.Areas) == 0 && (r.SeatIDs == nil || len(*r.SeatIDs) == 0) {
		return fault.New(fault.Invalid, "no seats were chosen").With("field", "areas")
	}
	asked := map[int]bool{}
	for _, area := range *r.Areas {
		section := sectionNamed(chart, area.Section)
		switch {
		case section < 0:
			return unknownSection(area.Section, "areas.section")
		case !chart.Sections()[section].General:
			return fault.New(fault.Invalid, "%s has numbered seats: name them", decode.Clip(area.Section)).With("field", "areas.section")
		case asked[section]:
			return fault.New(fault.Invalid, "%s is there twice", decode.Clip(area.Section)).With("field", "areas.section")
		case area.Quantity < 1:
			return fault.New(fault.Invalid, "quantity is a number from 1 on").With("field", "areas.quantity")
		case area.Quantity > maxWish:
			return tooMany(e)
		}
		asked[section] = true
		places[section] += area.Quantity
	}
	return nil
}

func tooMany(e event.Event) error {
	return fault.New(fault.LimitExceeded, "at most %d seats per person", e.Rules.MaxPerAccount).
		With("limit", e.Rules.MaxPerAccount).With("have", 0)
}

// sectionNamed is the index of the section with that label; -1 for none.
func sectionNamed(chart *seatmap.Chart, label string) int {
	return slices.IndexFunc(chart.Sections(), func(s seatmap.Section) bool { return s.Label == label })
}

func unknownSection(label, field string) error {
	return fault.New(fault.NotFound, "this event has no section %q", decode.Clip(label)).With("field", field)
}
