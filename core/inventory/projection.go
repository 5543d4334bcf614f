package inventory

import (
	"slices"
	"sync"
	"time"

	"plateia/core/id"
	"plateia/core/pick"
	"plateia/core/seatmap"
)

// projection is what one process believes about an event's seats: for maps, for
// best available and for refusing quickly. It is never the reason to grant
// anything. The highest version of a seat wins, so news may come twice, late and in any order.
//
// It costs 4.4 bytes per seat, plus the seats looked at in the last second, plus 8 bytes per seat in a rush (see memory).
type projection struct {
	mu       sync.RWMutex
	reading  sync.Mutex  // held while the whole event is read
	packed   []byte      // two bits per seat, first seat lowest
	open     pick.Bitmap // the same as packed, for picks: which seats are available
	versions []uint32
	warmAt   time.Time // when the whole event was last read; zero: never
	changes  uint64    // seat changes contained: the sum of what versions have grown by since the seats were made
	changed  uint64    // grows with every change of what is known
	shot     *Availability
	shotAt   uint64 // changed when shot was taken
	seen     *sightings
	memory   memory
}

func newProjection(seats int) *projection {
	return &projection{
		packed: make([]byte, (seats+3)/4), open: pick.FullBitmap(seats),
		versions: make([]uint32, seats), seen: newSightings(),
	}
}

// fold takes one piece of news. The caller holds the lock.
func (p *projection) fold(ordinal seatmap.Ordinal, status Status, version int64) {
	if ordinal < 0 || int(ordinal) >= len(p.versions) || uint32(version) <= p.versions[ordinal] {
		return
	}
	p.changes += uint64(uint32(version) - max(p.versions[ordinal], 1)) // a seat begins with version 1
	p.versions[ordinal] = uint32(version)
	p.memory.forget(ordinal)
	shift := 2 * (ordinal % 4)
	cell := &p.packed[ordinal/4]
	*cell = *cell&^(3<<shift) | byte(status)<<shift
	if status == Available {
		p.open.Add(ordinal)
	} else {
		p.open.Remove(ordinal)
	}
	p.changed++
}

func (p *projection) isNewest(ordinal seatmap.Ordinal, version int64) bool {
	return ordinal >= 0 && int(ordinal) < len(p.versions) && p.versions[ordinal] == uint32(version)
}

// apply takes the news of a delta.
func (p *projection) apply(changes []Change) {
	p.mu.Lock()
	defer p.mu.Unlock()
	for _, c := range changes {
		p.fold(c.Ordinal, c.Status, c.Version)
		p.seen.forget(c.Ordinal, c.Version)
	}
}

// observe takes the rows of a committed batch as they are now. The batch began
// to be loaded at began: nothing it read is older.
func (p *projection) observe(s *Snapshot, began time.Time) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.seen.turn(began)
	slab := make([]sighting, 0, len(s.loaded)) // never grows: the maps point into it
	var before *Seat                           // neighbours are often of one hold
	var holder id.ID
	var until time.Time
	known := false
	for _, r := range s.loaded {
		ordinal := r.is.Ordinal
		p.fold(ordinal, r.is.Shown(), r.is.Version)
		if before == nil || r.is.Owner != before.Owner || r.is.Status != before.Status {
			holder, until, known = s.holder(&r.is, began)
		}
		before = &r.is
		if known && p.isNewest(ordinal, r.is.Version) {
			slab = append(slab, sighting{holder: holder, until: until, at: began, version: r.is.Version})
			p.seen.note(ordinal, &slab[len(slab)-1])
		} else {
			p.seen.forget(ordinal, r.is.Version)
		}
	}
}

// holder says whose a taken seat is and until when that is sure, on this
// process's monotonic clock: the database's clock was s.Now at some moment after began.
func (s *Snapshot) holder(seat *Seat, began time.Time) (holder id.ID, until time.Time, known bool) {
	switch seat.Status {
	case Held:
		if h := s.holds[seat.Owner]; h != nil {
			return h.is.Account, began.Add(h.is.ExpiresAt.Sub(s.Now)), true
		}
	case Sold:
		if o := s.orders[seat.Owner]; o != nil {
			return o.is.Account, began.Add(time.Hour), true
		}
	}
	return id.ID{}, time.Time{}, false
}

// free is the set of seats that look free, a copy; nil while the projection is cold.
func (p *projection) free() pick.Bitmap {
	p.mu.RLock()
	defer p.mu.RUnlock()
	if p.warmAt.IsZero() {
		return nil
	}
	return slices.Clone(p.open)
}
