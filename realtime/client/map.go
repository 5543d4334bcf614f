package client

import (
	"slices"

	"plateia/core/inventory"
	"plateia/realtime/wire"
)

// maxEarly bounds the deltas that wait for the one before them.
const maxEarly = 64

// Map is what a viewer shows: a pure state that frames are applied to, by the
// rules of package wire. The page's TypeScript has the same.
type Map struct {
	Position *wire.Position // nil: nothing is shown yet
	Ranges   []wire.Range   // what is shown; seats outside are not known
	Statuses []inventory.Status
	early    []wire.Delta // not yet connected to what is shown, by From
}

// Apply applies a snapshot or delta; other frames change nothing. It returns the
// seats that the frame set, and whether a delta is missing: when that stays so
// for a moment the viewer must ask for a snapshot.
func (m *Map) Apply(f wire.Frame) (set []wire.SeatStatus, gap bool) {
	switch f := f.(type) {
	case wire.Snapshot:
		set = m.snapshot(f)
	case wire.Delta:
		m.keep(f)
	}
	return append(set, m.drain()...), len(m.early) > 0
}

// Reset forgets everything but what is on the screen: the next snapshot counts, whatever its position.
func (m *Map) Reset() { m.Position, m.early = nil, nil }

func (m *Map) snapshot(s wire.Snapshot) []wire.SeatStatus {
	if m.Position != nil && m.Position.Epoch == s.Epoch && s.Offset < m.Position.Offset {
		return nil // a late copy of an old one
	}
	if len(m.Statuses) != s.Seats {
		m.Statuses = make([]inventory.Status, s.Seats)
	}
	set := make([]wire.SeatStatus, 0, len(s.Statuses))
	i := 0
	for _, r := range s.Ranges {
		for o := r.From; o < r.To; o++ {
			m.Statuses[o] = s.Statuses[i]
			set = append(set, wire.SeatStatus{Ordinal: o, Status: s.Statuses[i]})
			i++
		}
	}
	p := s.Position
	m.Position, m.Ranges = &p, s.Ranges
	return set
}

// keep sorts a delta in among those that wait; without a map all deltas wait.
func (m *Map) keep(d wire.Delta) {
	if m.Position != nil && (d.Mark != m.Position.Mark() || d.To <= m.Position.Offset) {
		return
	}
	i, _ := slices.BinarySearchFunc(m.early, d, func(a, b wire.Delta) int { return int(min(a.From, 1<<62)) - int(min(b.From, 1<<62)) })
	m.early = slices.Insert(m.early, i, d)
	if len(m.early) > maxEarly {
		m.early = m.early[1:]
	}
}

// drain applies the waiting deltas that connect.
func (m *Map) drain() (set []wire.SeatStatus) {
	if m.Position == nil {
		return nil
	}
	rest := m.early[:0]
	for _, d := range m.early {
		switch {
		case d.Mark != m.Position.Mark() || d.To <= m.Position.Offset:
		case d.From > m.Position.Offset:
			rest = append(rest, d)
		default:
			set = append(set, m.delta(d)...)
		}
	}
	m.early = rest
	return set
}

func (m *Map) delta(d wire.Delta) []wire.SeatStatus {
	for _, c := range d.Changes {
		if int(c.Ordinal) < len(m.Statuses) {
			m.Statuses[c.Ordinal] = c.Status
		}
	}
	m.Position.Offset = d.To
	return d.Changes
}
