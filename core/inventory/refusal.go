package inventory

import (
	"time"

	"plateia/core/fault"
	"plateia/core/id"
	"plateia/core/seatmap"
)

// FastRefusalAge is how old the news may be that a request is refused on without
// asking the database. In a recorded history such a refusal counts as called that much earlier.
const FastRefusalAge = 500 * time.Millisecond

// sighting is a seat that a committed batch saw taken.
type sighting struct {
	holder  id.ID
	until   time.Time // sure until then
	at      time.Time // read no earlier
	version int64
}

// sightings keeps the last second's in two generations, so that forgetting costs nothing.
type sightings struct {
	young, old map[seatmap.Ordinal]*sighting
	turned     time.Time
}

func newSightings() *sightings {
	return &sightings{young: map[seatmap.Ordinal]*sighting{}, old: map[seatmap.Ordinal]*sighting{}}
}

// turn drops what is too old to be used.
func (s *sightings) turn(now time.Time) {
	if now.Sub(s.turned) < FastRefusalAge {
		return
	}
	s.old, s.young = s.young, s.old
	clear(s.young)
	s.turned = now
}

// note replaces what was known of the seat: an older sighting in the other generation is not
// found while this one is there, and dropped before it.
func (s *sightings) note(ordinal seatmap.Ordinal, seen *sighting) { s.young[ordinal] = seen }

// forget drops a sighting that newer news contradict.
func (s *sightings) forget(ordinal seatmap.Ordinal, version int64) {
	for _, generation := range []map[seatmap.Ordinal]*sighting{s.young, s.old} {
		if seen, ok := generation[ordinal]; ok && seen.version < version {
			delete(generation, ordinal)
		}
	}
}

func (s *sightings) find(ordinal seatmap.Ordinal) (*sighting, bool) {
	if seen, ok := s.young[ordinal]; ok {
		return seen, true
	}
	seen, ok := s.old[ordinal]
	return seen, ok
}

// takenFrom lists the seats that are surely somebody else's than the account's, now by this process's clock.
func (p *projection) takenFrom(account id.ID, seats []seatmap.Ordinal, now time.Time) []seatmap.Ordinal {
	p.mu.RLock()
	defer p.mu.RUnlock()
	var taken []seatmap.Ordinal
	for _, ordinal := range seats {
		if p.open.Has(ordinal) { // most are: that costs a bit, not a look into two maps
			continue
		}
		seen, ok := p.seen.find(ordinal)
		if ok && seen.holder != account && now.Sub(seen.at) < FastRefusalAge && now.Before(seen.until) {
			taken = append(taken, ordinal)
		}
	}
	return taken
}

// refuseFast spares the database the losers of a race for the same seats. A key that may have been answered
// before is looked up: its hold may have ended since, and its seats be somebody else's by now.
func (e *engine) refuseFast(c *PlaceHold, now time.Time) *fault.Error {
	if len(c.Seats) == 0 || e.opts.NoFastRefusal || c.Key != "" && !c.Fresh {
		return nil
	}
	taken := e.view.takenFrom(c.Account, c.Seats, now)
	if len(taken) == 0 {
		return nil
	}
	return seatsTaken(e.chart, taken)
}
