package hub

import (
	"sort"
	"time"

	"plateia/core/id"
	"plateia/core/inventory"
	"plateia/core/seatmap"
	"plateia/realtime/wire"
)

// fold is the state of one event's seats as this process knows it.
//
// Per seat it remembers the sequence number of the last message that spoke of it,
// also when the message was no news: another gateway's fold may have begun before
// that change was committed, and its viewers resume here. So the exact delta since
// any position from base on can be told, without a ring of old frames.
//
// Positions are offsets as viewers see them: a message's sequence number times steps. Between two messages there is
// room for what is heard early, from the database, while the stream is away (see detour). It comes again as messages:
// no step has to mean the same at another gateway.
type fold struct {
	epoch    wire.Epoch
	life     uint64 // the stream's incarnation, which the epoch may have been salted away from
	base, at uint64 // first position that can be resumed; position now
	last     id.ID  // delta id of the newest message; zero: it came from elsewhere
	lone     bool   // of the database alone: the stream was away, its incarnation is not known
	statuses []inventory.Status
	versions []int64
	spokenAt []uint64 // by ordinal
	sections []section
}

// steps is how many offsets there are from one sequence number to the next.
const steps = 1 << 14

// offset is the position behind the message with a sequence number.
func offset(seq uint64) uint64 { return seq * steps }

// seq is the newest sequence number in the fold.
func (f *fold) seq() uint64 { return f.at / steps }

type section struct {
	wire.Range
	free     int
	spokenAt uint64 // the newest of its seats'
}

// newFold begins behind the message with the sequence number base.
func newFold(s Snapshot, incarnation, salt, base uint64) *fold {
	f := &fold{
		epoch: wire.Epoch{Event: s.Epoch, Stream: incarnation ^ salt}, life: incarnation, base: offset(base), at: offset(base),
		statuses: s.Statuses, versions: s.Versions, spokenAt: make([]uint64, len(s.Statuses)),
		sections: make([]section, len(s.Sections)),
	}
	for i, r := range s.Sections {
		f.sections[i].Range = r
		for _, status := range s.Statuses[r.From:r.To] {
			if status == inventory.Available {
				f.sections[i].free++
			}
		}
	}
	return f
}

// valid reports whether a snapshot can be folded at all: its sections must cover its seats without a hole.
func (s Snapshot) valid() bool {
	if len(s.Statuses) != len(s.Versions) || len(s.Statuses) > wire.MaxSeats || len(s.Sections) > wire.MaxSections {
		return false
	}
	end := seatmap.Ordinal(0)
	for _, r := range s.Sections {
		if r.From != end || r.To < r.From {
			return false
		}
		end = r.To
	}
	return int(end) == len(s.Statuses)
}

// apply folds a message and adds the indexes of the sections it touched to touched.
// It returns how many changes were news.
func (f *fold) apply(seq uint64, d inventory.Delta, touched bitmap) (news int) {
	if offset(seq) >= f.at {
		f.at, f.last = offset(seq), d.ID
	}
	return f.note(offset(seq), d.Changes, touched)
}

// note writes changes down as spoken of at a position.
func (f *fold) note(at uint64, changes []inventory.Change, touched bitmap) (news int) {
	for _, c := range changes {
		if c.Ordinal < 0 || int(c.Ordinal) >= len(f.statuses) {
			continue // a chart this event does not have; the comparison with the database reports it
		}
		f.spokenAt[c.Ordinal] = at
		sec := f.sectionOf(c.Ordinal)
		f.sections[sec].spokenAt = at
		touched.set(sec)
		if c.Version <= f.versions[c.Ordinal] {
			continue
		}
		f.versions[c.Ordinal] = c.Version
		news++
		f.set(c.Ordinal, c.Status, sec)
	}
	return news
}

func (f *fold) set(o seatmap.Ordinal, status inventory.Status, sec int) {
	was := f.statuses[o]
	f.statuses[o] = status
	if (was == inventory.Available) == (status == inventory.Available) {
		return
	}
	if status == inventory.Available {
		f.sections[sec].free++
	} else {
		f.sections[sec].free--
	}
}

// sectionOf is the index of the section with seat o.
func (f *fold) sectionOf(o seatmap.Ordinal) int {
	return sort.Search(len(f.sections), func(i int) bool { return f.sections[i].To > o })
}

// since appends the state of every seat of the view that was spoken of after a position.
func (f *fold) since(after uint64, v wire.View, changes []wire.SeatStatus) []wire.SeatStatus {
	if v.Mode == wire.Whole {
		for i := range f.sections {
			changes = f.sinceIn(i, after, changes)
		}
		return changes
	}
	for _, i := range v.Sections {
		changes = f.sinceIn(i, after, changes)
	}
	return changes
}

func (f *fold) sinceIn(i int, after uint64, changes []wire.SeatStatus) []wire.SeatStatus {
	s := &f.sections[i]
	if s.spokenAt <= after {
		return changes
	}
	for o := s.From; o < s.To; o++ {
		if f.spokenAt[o] > after {
			changes = append(changes, wire.SeatStatus{Ordinal: o, Status: f.statuses[o]})
		}
	}
	return changes
}

func (f *fold) position() wire.Position { return wire.Position{Epoch: f.epoch, Offset: f.at} }

// snapshot encodes the seats of a view.
func (f *fold) snapshot(v wire.View) []byte {
	s := wire.Snapshot{Position: f.position(), Seats: len(f.statuses)}
	if v.Mode == wire.Whole {
		if len(f.statuses) > 0 {
			s.Ranges = []wire.Range{{From: 0, To: seatmap.Ordinal(len(f.statuses))}}
		}
		s.Statuses = f.statuses
	} else {
		for _, i := range v.Sections {
			if r := f.sections[i].Range; r.To > r.From {
				s.Ranges = append(s.Ranges, r)
				s.Statuses = append(s.Statuses, f.statuses[r.From:r.To]...)
			}
		}
	}
	return wire.AppendSnapshot(make([]byte, 0, wire.SnapshotSize(len(s.Statuses), len(s.Ranges))), s)
}

// summary encodes the free seats of all sections.
func (f *fold) summary(at time.Time) []byte {
	s := wire.Summary{Position: f.position(), At: at, Free: make([]int, len(f.sections))}
	for i := range f.sections {
		s.Free[i] = f.sections[i].free
	}
	return wire.AppendSummary(make([]byte, 0, 40+3*len(s.Free)), s)
}

// seats is how many seats a view shows.
func (f *fold) seats(v wire.View) int {
	if v.Mode == wire.Whole {
		return len(f.statuses)
	}
	n := 0
	for _, i := range v.Sections {
		n += int(f.sections[i].To - f.sections[i].From)
	}
	return n
}

// bitmap is a set of section indexes.
type bitmap []uint64

func newBitmap(n int) bitmap { return make(bitmap, (n+63)/64) }

func (b bitmap) set(i int) { b[i/64] |= 1 << (i % 64) }

func (b bitmap) meets(other bitmap) bool {
	for i := range min(len(b), len(other)) {
		if b[i]&other[i] != 0 {
			return true
		}
	}
	return false
}
