package inventory

import (
	"context"
	"errors"
	"sync"
	"time"

	"plateia/core/id"
	"plateia/core/seatmap"
)

// memory is where the free seats of an event in a rush are kept, so that a batch need not load them: half of
// what a hold costs the database is finding its rows.
//
// Only rows that are free and public are remembered, at one version. What is granted on such a row is guarded by
// that version, so that a memory that has aged costs a batch a second try and nothing else. And no refusal can rest on one:
// it says that the seat can be had, and commands for which that may be the wrong answer (an organizer's, a channel's)
// make their batch load everything. Whatever is not remembered is loaded.
type memory []uint64 // by ordinal: category<<48 | place; 0: not remembered; nil: no rush

const (
	categoryShift = 48
	mostPlaces    = 1<<categoryShift - 1
	mostCategory  = 1<<(64-categoryShift) - 1
)

func (m memory) forget(ordinal seatmap.Ordinal) {
	if m != nil {
		m[ordinal] = 0
	}
}

// remember takes a row that was read. Somebody may have sold it meanwhile: news of a higher version wins.
func (p *projection) remember(seat Seat) {
	p.fold(seat.Ordinal, seat.Shown(), seat.Version)
	ok := seat.Status == Available && seat.Channel == 0 && seat.Place > 0 && seat.Place <= mostPlaces &&
		seat.Category >= 0 && seat.Category <= mostCategory && seat.Version == int64(uint32(seat.Version))
	if ok && p.memory != nil && p.isNewest(seat.Ordinal, seat.Version) {
		p.memory[seat.Ordinal] = uint64(seat.Category)<<categoryShift | uint64(seat.Place)
	}
}

// recall moves the seats that are remembered from those to be loaded to those known.
func (p *projection) recall(needs *Needs) {
	p.mu.RLock()
	defer p.mu.RUnlock()
	if p.memory == nil || needs.sure {
		return
	}
	rest := needs.Seats[:0]
	needs.Known = make([]Seat, 0, len(needs.Seats))
	for _, ordinal := range needs.Seats {
		if ordinal < 0 || int(ordinal) >= len(p.memory) || p.memory[ordinal] == 0 {
			rest = append(rest, ordinal)
			continue
		}
		kept := p.memory[ordinal]
		needs.Known = append(needs.Known, Seat{
			Ordinal: ordinal, Status: Available, Category: int(kept >> categoryShift),
			Version: int64(p.versions[ordinal]), Place: Place(kept & mostPlaces),
		})
	}
	needs.Seats = rest
}

// forget drops what a conflict has made doubtful.
func (p *projection) forget(known []Seat) {
	if len(known) == 0 {
		return
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	for _, seat := range known {
		p.memory.forget(seat.Ordinal)
	}
}

// A rush is so many commands in a window (Options.RushCommands). While it lasts the free seats are read again, because
// those that come back are not remembered: when as much has been loaded for want of memory as that costs, since a
// reading of all takes a fifth of what loading them would, and takes it from those who press. A rush that is expected (Prepare) is waited for.
const (
	rushWindow   = time.Second
	rushReread   = 30 * time.Second
	rushMissing  = 5 // one seat of so many was loaded since
	rushExpected = 10 * time.Minute
)

// rush tells when an event is hot enough to keep its seats in memory, and when no more.
type rush struct {
	mu       sync.Mutex
	enough   int       // commands
	since    time.Time // of this window
	commands int       // in it
	seats    int       // of the event
	missing  int       // free seats that had to be loaded since they were all read
	read     time.Time // when the seats were last asked for
	expected time.Time // until when they are kept although no rush is on
	waiting  bool      // for the first command since they were read for what is expected
	useless  bool      // the store knows no places
}

// expect reports whether the seats should be read for a rush that will come soon.
func (r *rush) expect(now time.Time) (read bool) {
	r.mu.Lock()
	defer r.mu.Unlock()
	read = r.read.IsZero()
	if r.useless {
		return false
	}
	r.expected = now.Add(rushExpected)
	if read {
		r.read, r.waiting = now, true
	}
	return read
}

// missed takes back that the seats were read.
func (r *rush) missed() {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.read, r.waiting = time.Time{}, false
}

// never ends the asking: the store has nothing that could be remembered.
func (r *rush) never() {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.useless = true
}

// count reports whether the seats should be read now, or what is kept of them dropped. So many commands had so many free
// seats loaded that were not remembered.
func (r *rush) count(commands, missing int, now time.Time) (read, drop bool) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.useless {
		return false, false
	}
	if r.waiting { // what was read before the rush serves it as long as what is read in it
		r.read, r.waiting = now, false
	}
	if now.Sub(r.since) > rushWindow {
		drop = !r.read.IsZero() && now.Sub(r.read) > rushReread && r.commands < r.enough && now.After(r.expected)
		if drop {
			r.read = time.Time{}
		}
		r.since, r.commands = now, 0
	}
	r.commands, r.missing = r.commands+commands, r.missing+missing
	if r.commands < r.enough || !r.read.IsZero() && (now.Sub(r.read) < rushReread || r.missing*rushMissing < r.seats) {
		return false, drop
	}
	r.read, r.missing = now, 0
	return true, false
}

// Prepare reads an event shortly before its sale begins: the map, and its free seats, which are kept for ten minutes
// even if nobody comes. A rush that nobody has announced is served as well, but reads them while it sells.
func (inv *Inventory) Prepare(ctx context.Context, eventID id.ID) error {
	e, err := inv.engine(ctx, eventID)
	if err != nil {
		return err
	}
	e.queue.touch(e.opts.Now())
	if err := e.warm(ctx); err != nil {
		return err
	}
	if !e.rush.expect(e.opts.Now()) {
		return nil
	}
	err = e.store.Prepare(ctx, e.event)
	if err == nil {
		err = e.readFree(ctx)
	}
	if err != nil {
		e.rush.missed()
	}
	return err
}

// memorise reads an event's free seats behind a batch when a rush begins.
func (e *engine) memorise(b *batch) {
	read, drop := e.rush.count(len(b.calls), b.missing, b.began)
	switch {
	case read:
		e.inv.background(func() {
			ctx, cancel := context.WithTimeout(e.inv.life, e.opts.Patience)
			defer cancel()
			if err := e.readFree(ctx); err != nil && ctx.Err() == nil {
				e.log.Warn("the free seats could not be read", "error", err)
			}
		})
	case drop:
		e.view.mu.Lock()
		e.view.memory = nil
		e.view.mu.Unlock()
		e.trust.drop()
	}
}

// rushing reports whether seats are remembered.
func (p *projection) rushing() bool {
	p.mu.RLock()
	defer p.mu.RUnlock()
	return p.memory != nil
}

// given is how many seats were taken from among those loaded, behind so many that were known.
func (s *Snapshot) given(known int) (n int) {
	for _, r := range s.loaded[known:] {
		if r.dirty && r.is.Status == Held {
			n++
		}
	}
	return n
}

// readFree reads in pieces, so that nobody waits for the lock for long.
func (e *engine) readFree(ctx context.Context) error {
	p := e.view
	p.mu.Lock()
	if p.memory == nil {
		p.memory = make(memory, len(p.versions))
	}
	p.mu.Unlock()
	const piece = 512
	seats := make([]Seat, 0, piece)
	keep := func() {
		p.mu.Lock()
		defer p.mu.Unlock()
		for _, seat := range seats {
			p.remember(seat)
		}
		seats = seats[:0]
	}
	err := e.store.FreeSeats(ctx, e.event, func(seat Seat) {
		if seats = append(seats, seat); len(seats) == piece {
			keep()
		}
	})
	keep()
	if errors.Is(err, errors.ErrUnsupported) {
		e.rush.never()
		p.mu.Lock()
		p.memory = nil
		p.mu.Unlock()
		return nil
	}
	return err
}
