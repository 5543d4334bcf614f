package hub

import (
	"math/rand/v2"
	"slices"
	"time"

	"plateia/core/seatmap"
	"plateia/realtime/wire"
)

// grace is how long a seat that the database has newer may be on its way.
const grace = 15 * time.Second

// late is a seat version that the database has and the fold had not at a comparison.
type late struct {
	ordinal seatmap.Ordinal
	version int64
}

// compare holds the fold against the database and returns when to do it again.
// A seat is wrong when the fold has a version that the database never had, when it
// has the database's version with another status, or when it still lacks after
// grace what the database had. The database wins: the fold is built anew from it,
// in another epoch, so that no viewer keeps what it was shown.
func (t *tender) compare() time.Duration {
	e := t.event
	if !e.hub.flows() { // everything is late then, and nothing of it wrong
		t.late = nil
		return e.compareIn(t.mine)
	}
	if len(t.late) > 0 {
		t.missing()
		return e.compareIn(t.mine)
	}
	f, before := e.versionsNow()
	if f == nil {
		return e.compareIn(true)
	}
	s, err := e.snapshot(e.ctx)
	if err != nil {
		e.hub.o.Logger.Warn("hub: compare", "event", e.id, "error", err)
		return e.compareIn(t.mine)
	}
	wrong, changed := t.against(f, before, s)
	e.hub.count.compared.Add(1)
	switch {
	case changed:
		e.hub.o.Logger.Info("hub: the event's chart changed", "event", e.id)
		t.repair()
	case len(wrong) > 0:
		t.wrong(wrong, "a state that the database has not")
	case len(t.late) > 0:
		return grace + rand.N(grace/4) //nolint:gosec // jitter
	}
	return e.compareIn(t.mine)
}

// versionsNow copies what a snapshot read from now on must have at least.
func (e *event) versionsNow() (*fold, []int64) {
	e.mu.Lock()
	defer e.mu.Unlock()
	if e.fold == nil || e.pending != nil {
		return nil, nil
	}
	return e.fold, slices.Clone(e.fold.versions)
}

// against compares; changed says that the fold is of another chart or epoch than the database.
func (t *tender) against(f *fold, before []int64, s Snapshot) (wrong []seatmap.Ordinal, changed bool) {
	e := t.event
	e.mu.Lock()
	defer e.mu.Unlock()
	if e.fold != f || e.pending != nil { // built anew meanwhile
		return nil, false
	}
	if s.Epoch != f.epoch.Event || !slices.Equal(s.Sections, f.ranges()) {
		return nil, true
	}
	for i, version := range s.Versions {
		switch o := seatmap.Ordinal(i); {
		case before[i] > version, f.versions[i] == version && f.statuses[i] != s.Statuses[i]:
			wrong = append(wrong, o)
		case f.versions[i] < version:
			t.late = append(t.late, late{o, version})
		}
	}
	return wrong, false
}

// missing looks whether what was late has come.
func (t *tender) missing() {
	e := t.event
	var wrong []seatmap.Ordinal
	e.mu.Lock()
	if e.fold != nil && e.pending == nil {
		for _, l := range t.late {
			if int(l.ordinal) < len(e.fold.versions) && e.fold.versions[l.ordinal] < l.version {
				wrong = append(wrong, l.ordinal)
			}
		}
	}
	e.mu.Unlock()
	t.late = nil
	if len(wrong) > 0 {
		t.wrong(wrong, "never heard of a change")
	}
}

func (t *tender) wrong(seats []seatmap.Ordinal, how string) {
	e := t.event
	e.hub.count.mismatches.Add(int64(len(seats)))
	e.hub.o.Logger.Error("hub: the live map differs from the database and is built anew",
		"event", e.id, "how", how, "seats", len(seats), "first", seats[0])
	t.repair()
}

// repair builds the fold anew from the database, in an epoch of its own, and takes
// the snapshot that others would begin with off the shelf.
func (t *tender) repair() {
	e := t.event
	e.hub.count.repairs.Add(1)
	t.late = nil
	if e.hub.o.Shelf != nil {
		if err := e.hub.o.Shelf.Drop(e.ctx, e.id); err != nil {
			e.hub.count.shelfFailures.Add(1)
			e.hub.o.Logger.Warn("hub: shelf", "event", e.id, "error", err)
		}
	}
	e.mu.Lock()
	e.salt = rand.Uint64() & wire.MaxNumber //nolint:gosec // only another one than before
	e.mu.Unlock()
	e.reload()
}

func (f *fold) ranges() []wire.Range {
	all := make([]wire.Range, len(f.sections))
	for i := range f.sections {
		all[i] = f.sections[i].Range
	}
	return all
}

// flows reports whether the log, if it can say so, brings what is published.
func (h *Hub) flows() bool {
	log, ok := h.log.(flow)
	return !ok || log.Flows()
}
