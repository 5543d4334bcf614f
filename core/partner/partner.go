// Package partner is about those who sell our seats on pages of their own: who they are, from which origins their pages come and
// which events they may show. What is read here decides who may frame our pages, read public data across origins
// and open the live map, so there are no patterns and no defaults: what is not on the list is refused.
package partner

import (
	"slices"
	"time"

	"plateia/core/fault"
	"plateia/core/id"
)

// Partner may show the map of some or all events on pages of its origins.
type Partner struct {
	ID        id.ID
	Version   int64 // grows by one with every change; 0: not there yet
	Name      string
	Suspended bool     // kept, and as good as not there
	Origins   []Origin // sorted, each once
	AllEvents bool
	Events    []id.ID // when not all: these, sorted, each once
	CreatedAt time.Time
	ChangedAt time.Time
}

// Bounds of what is kept, so that the whole list fits into every process and an event's origins into a header.
const (
	MaxPartners   = 1000
	MaxName       = 200    // bytes
	MaxOrigins    = 20     // of one partner
	MaxEvents     = 1000   // listed by one partner
	MaxListed     = 50_000 // events listed by all partners together
	MaxPerEvent   = 100    // origins that may show one event
	MaxConfigured = 20     // of them, by the configuration of a process
)

// Normal puts a partner into the form that is kept: lists sorted, each entry once. It says with fault.Invalid what is wrong.
func (p Partner) Normal() (Partner, error) {
	p.Origins = slices.Compact(slices.Sorted(slices.Values(p.Origins)))
	p.Events = slices.Compact(slices.SortedFunc(slices.Values(p.Events), func(a, b id.ID) int { return slices.Compare(a[:], b[:]) }))
	invalid := func(field, format string, args ...any) error {
		return fault.New(fault.Invalid, format, args...).With("field", field)
	}
	switch {
	case p.Name == "" || len(p.Name) > MaxName:
		return p, invalid("name", "a partner has a name of at most %d bytes", MaxName)
	case len(p.Origins) == 0 || len(p.Origins) > MaxOrigins:
		return p, invalid("origins", "a partner has 1 to %d origins", MaxOrigins)
	case len(p.Events) > MaxEvents:
		return p, invalid("events", "a partner lists at most %d events", MaxEvents)
	case p.AllEvents && len(p.Events) > 0:
		return p, invalid("events", "either all events or some")
	}
	return p, nil
}
