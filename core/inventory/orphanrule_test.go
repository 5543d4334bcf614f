package inventory

import (
	"testing"

	"plateia/core/event"
	"plateia/core/fault"
	"plateia/core/id"
	"plateia/core/seatmap"
)

// leaveFree blocks everything of section A but the seats named (of 60: 3 are exactly 5 %).
func (s *sale) leaveFree(seats ...seatmap.Ordinal) {
	for o := range seatmap.Ordinal(60) {
		seat := s.seats[o]
		seat.Status = Blocked
		s.seats[o] = seat
	}
	for _, o := range seats {
		seat := s.seats[o]
		seat.Status = Available
		s.seats[o] = seat
	}
}

func TestOrphanRuleInDecide(t *testing.T) {
	for name, c := range map[string]struct {
		mode   event.OrphanMode
		open   []seatmap.Ordinal // what is free of section A; nil: all
		choose []seatmap.Ordinal
		single string // left alone; "": allowed
	}{
		"off":                                {event.OrphanOff, nil, []seatmap.Ordinal{1, 2}, ""},
		"strict, at the end of the row":      {event.OrphanStrict, nil, []seatmap.Ordinal{1, 2}, "[A-1-1]"},
		"strict, two are no single":          {event.OrphanStrict, nil, []seatmap.Ordinal{2, 3}, ""},
		"strict, nothing better in the row":  {event.OrphanStrict, []seatmap.Ordinal{4, 5, 6}, []seatmap.Ordinal{4, 5}, "[A-1-7]"},
		"lenient, nothing better in the row": {event.OrphanLenient, []seatmap.Ordinal{4, 5, 6}, []seatmap.Ordinal{4, 5}, ""},
		"lenient, something better":          {event.OrphanLenient, []seatmap.Ordinal{4, 5, 6, 10, 11}, []seatmap.Ordinal{4, 5}, "[A-1-7]"},
		"somebody else's single":             {event.OrphanStrict, []seatmap.Ordinal{4, 6, 7, 8, 9}, []seatmap.Ordinal{6, 7, 8, 9}, ""},
		"exactly 5 % free":                   {event.OrphanStrict, []seatmap.Ordinal{4, 5, 6}, []seatmap.Ordinal{5, 6}, "[A-1-5]"},
		"below 5 %":                          {event.OrphanStrict, []seatmap.Ordinal{4, 5}, []seatmap.Ordinal{5}, ""},
		"beside an accessible pair":          {event.OrphanStrict, nil, []seatmap.Ordinal{44, 45}, ""},
	} {
		t.Run(name, func(t *testing.T) {
			s := newSale(t)
			s.event.Rules.OrphanMode = c.mode
			if c.open != nil {
				s.leaveFree(c.open...)
			}
			if c.single == "" {
				ok(t, s.do(placeOf(id.New(), c.choose...)))
			} else {
				s.refused(placeOf(id.New(), c.choose...), fault.OrphanSeat, "seats", c.single)
			}
		})
	}
}

// What the choice itself gives back is free: a fan may move within the seats already held.
func TestOrphanRuleCountsWhatIsGivenBack(t *testing.T) {
	s := newSale(t)
	s.event.Rules.OrphanMode = event.OrphanStrict
	fan := id.New()
	ok(t, s.do(placeOf(fan, 0, 1, 2)))
	s.refused(placeOf(fan, 1, 2), fault.OrphanSeat, "seats", "[A-1-1]") // seat 1 would be free again, and single
	ok(t, s.do(placeOf(fan, 0, 1)))
	s.refused(placeOf(id.New(), 3), fault.OrphanSeat, "seats", "[A-1-3]")
	ok(t, s.do(placeOf(fan, 2, 3))) // 0 and 1 come back together
}
