package partner

import (
	"slices"

	"plateia/core/fault"
	"plateia/core/id"
)

// Grant is what one partner may do, as the list needs it.
type Grant struct {
	Origins   []Origin
	AllEvents bool
	Events    []id.ID
}

// List is who may show what, at one moment. It does not change; safe for concurrent use.
type List struct {
	version    string
	grants     []Grant
	everywhere []Origin            // may show all events, sorted
	known      map[Origin]struct{} // may show some event
	byEvent    map[id.ID][]Grant   // that name the event
}

// NewList makes the list of a version of the data. always are origins that the configuration of this process
// allows for all events.
func NewList(version string, grants []Grant, always []Origin) *List {
	l := &List{version: version, grants: grants, known: map[Origin]struct{}{}, byEvent: map[id.ID][]Grant{}}
	l.everywhere = slices.Clone(always)
	for _, g := range grants {
		if g.AllEvents {
			l.everywhere = append(l.everywhere, g.Origins...)
		}
		for _, event := range g.Events {
			l.byEvent[event] = append(l.byEvent[event], g)
		}
		if g.AllEvents || len(g.Events) > 0 {
			l.knows(g.Origins)
		}
	}
	l.knows(always)
	l.everywhere = slices.Compact(slices.Sorted(slices.Values(l.everywhere)))
	return l
}

func (l *List) knows(origins []Origin) {
	for _, o := range origins {
		l.known[o] = struct{}{}
	}
}

// Version of the data that the list was made of.
func (l *List) Version() string { return l.version }

// Grants are what the list was made of, without what a configuration adds. The caller does not change them.
func (l *List) Grants() []Grant { return l.grants }

// Origins that may show an event, sorted. Whether there is such an event is not known here. The caller does not change them.
func (l *List) Origins(event id.ID) []Origin {
	some := l.byEvent[event]
	if len(some) == 0 {
		return l.everywhere
	}
	all := slices.Clone(l.everywhere)
	for _, g := range some {
		all = append(all, g.Origins...)
	}
	return slices.Compact(slices.Sorted(slices.Values(all)))
}

// Allows reports whether a page of an origin may show an event. The origin is compared as the browser sent it:
// "null" and whatever is not in the one form are nobody's.
func (l *List) Allows(event id.ID, origin string) bool {
	if _, found := slices.BinarySearch(l.everywhere, Origin(origin)); found {
		return true
	}
	return slices.ContainsFunc(l.byEvent[event], func(g Grant) bool { return slices.Contains(g.Origins, Origin(origin)) })
}

// Knows reports whether an origin may show any event at all: what belongs to no event is for those.
func (l *List) Knows(origin string) bool {
	_, known := l.known[Origin(origin)]
	return known
}

// GrantsOf are what partners may do; the suspended may nothing.
func GrantsOf(all []Partner) []Grant {
	var grants []Grant
	for _, p := range all {
		if !p.Suspended {
			grants = append(grants, Grant{p.Origins, p.AllEvents, p.Events})
		}
	}
	return grants
}

// CheckAll says with fault.LimitExceeded which bound all partners together are over.
func CheckAll(all []Partner) error {
	listed := 0
	for _, p := range all {
		listed += len(p.Events)
	}
	switch {
	case len(all) > MaxPartners:
		return fault.New(fault.LimitExceeded, "there are at most %d partners", MaxPartners)
	case listed > MaxListed:
		return fault.New(fault.LimitExceeded, "partners list at most %d events together; give some of them all events", MaxListed)
	}
	l := NewList("", GrantsOf(all), nil)
	if len(l.everywhere) > MaxPerEvent-MaxConfigured {
		return fault.New(fault.LimitExceeded, "at most %d origins may show all events", MaxPerEvent-MaxConfigured)
	}
	for event := range l.byEvent {
		if len(l.Origins(event)) > MaxPerEvent-MaxConfigured {
			return fault.New(fault.LimitExceeded, "at most %d origins may show one event", MaxPerEvent-MaxConfigured).With("eventId", event.String())
		}
	}
	return nil
}
