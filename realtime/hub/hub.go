// Package hub turns the stream of one process into frames for its viewers. It
// knows no network: a gateway takes frames from viewers' queues and writes them.
//
// Each event that somebody looks at has a fold: a database snapshot, taken after
// noting the stream's position, plus every later message; the highest version of a
// seat wins. Viewers who look at the same thing at the same pace form a group, and
// a group's frame is encoded once and shared. Nothing here waits for a viewer: its
// queue is bounded, and one that does not keep up is told to start over.
//
// Locks are taken in the order hub, event, viewer. A viewer's wake function runs
// under its event's lock and must not block or call back.
package hub

import (
	"cmp"
	"context"
	"log/slog"
	"sync"
	"sync/atomic"
	"time"

	"plateia/core/id"
	"plateia/core/inventory"
	"plateia/realtime/wire"
)

// Log is the delivery log, as stream.Client implements it.
type Log interface {
	// Follow calls start with the log's incarnation and a base position, then each with
	// every message after the base, in order and from one goroutine, until ctx ends
	// (nil) or the log cannot be followed any further.
	Follow(ctx context.Context, event id.ID, start func(incarnation, base uint64) error, each func(seq uint64, d inventory.Delta)) error
}

// Notices is where notices of other processes come from, as stream.Client implements it.
type Notices interface {
	// Notices calls each, from one goroutine, with what is told of an event until stop is called.
	// The zero account stands for everybody who looks at it.
	Notices(event id.ID, each func(account id.ID, n wire.Notice)) (stop func(), err error)
}

// Source is the truth that folds begin with.
type Source interface {
	// Snapshot reads an event's seats as of now: everything committed before the call
	// is in it. A fault.NotFound says that there is no such event.
	Snapshot(ctx context.Context, event id.ID) (Snapshot, error)
}

// Snapshot is all seats of an event, by ordinal.
type Snapshot struct {
	Epoch    int64 // the event's
	Statuses []inventory.Status
	Versions []int64
	Sections []wire.Range // half-open ordinals by section index; together all seats, in order
}

// Pace is how often a viewer is told.
type Pace uint8

const (
	Full Pace = iota // as soon as possible
	Slow             // at Options.SlowTick: viewers without an access token
)

// Options of a hub; zero values are sensible.
type Options struct {
	MinTick, MaxTick time.Duration        // between frames of a group in motion; 0: 100 and 500 ms
	SlowTick         time.Duration        // for Slow viewers; 0: 1 s
	SummaryTick      time.Duration        // for summaries; 0: 1 s
	Alive            time.Duration        // something is sent at least this often; 0: 25 s
	Linger           time.Duration        // an event without viewers is folded this long; 0: 30 s
	QueueFrames      int                  // per viewer; 0: 32
	QueueBytes       int                  // per viewer; 0: 256 KiB, at least one snapshot fits always
	MaxViews         int                  // distinct views of an event; 0: 2,048; beyond it a viewer of sections gets everything
	MaxEvents        int                  // folded at the same time; 0: 4,096
	LoadTimeout      time.Duration        // for Source.Snapshot; 0: 10 s
	MaxLoads         int                  // snapshots read from the database at the same time; 0: 4
	Lag              func() time.Duration // how long a round of frames takes to be written now; nil: not known
	Notices          Notices              // nil: only those of Notify and NotifyAll
	Journal          Journal              // what is read while the log does not flow; nil: maps stand still then
	Shelf            Shelf                // where gateways leave their folds for each other; nil: every fold begins with the database
	KeepEvery        time.Duration        // an event in motion is written to the shelf at most this often; 0: 1 s
	DetourEvery      time.Duration        // between readings of the journal; 0: 1 s
	CompareEvery     time.Duration        // between comparisons of a fold with the database; 0: 1 min, negative: never
	Logger           *slog.Logger         // nil: discarded
}

func (o Options) withDefaults() Options {
	o.MinTick = cmp.Or(o.MinTick, 100*time.Millisecond)
	o.MaxTick = cmp.Or(o.MaxTick, 500*time.Millisecond)
	o.SlowTick = cmp.Or(o.SlowTick, time.Second)
	o.SummaryTick = cmp.Or(o.SummaryTick, time.Second)
	o.Alive = cmp.Or(o.Alive, 25*time.Second)
	o.Linger = cmp.Or(o.Linger, 30*time.Second)
	o.LoadTimeout = cmp.Or(o.LoadTimeout, 10*time.Second)
	o.QueueFrames = cmp.Or(o.QueueFrames, 32)
	o.QueueBytes = cmp.Or(o.QueueBytes, 256<<10)
	o.MaxViews = cmp.Or(o.MaxViews, 2048)
	o.KeepEvery = cmp.Or(o.KeepEvery, time.Second)
	o.DetourEvery = cmp.Or(o.DetourEvery, time.Second)
	o.CompareEvery = cmp.Or(o.CompareEvery, time.Minute)
	o.MaxLoads = cmp.Or(o.MaxLoads, 4)
	o.MaxEvents = cmp.Or(o.MaxEvents, 4096)
	o.Logger = cmp.Or(o.Logger, slog.New(slog.DiscardHandler))
	return o
}

// Hub fans out. Safe for concurrent use.
type Hub struct {
	o      Options
	log    Log
	source Source

	ctx    context.Context // ends at Stop
	cancel context.CancelFunc
	done   sync.WaitGroup

	reading chan struct{} // full while as many snapshots are read from the database as may be

	mu      sync.Mutex
	stopped bool
	events  map[id.ID]*event

	deflater deflater
	count    counters
}

type counters struct {
	viewers, loads, loadFailures, messages, changes atomic.Int64
	deltas, snapshots, summaries, notices           atomic.Int64
	taken, kept, shelfFailures                      atomic.Int64
	compared, mismatches, repairs                   atomic.Int64
	journal, early                                  atomic.Int64
	queued, queuedBytes, slow, deflated, deflations atomic.Int64
}

// New returns a hub that is ready for viewers.
func New(log Log, source Source, o Options) *Hub {
	ctx, cancel := context.WithCancel(context.Background())
	o = o.withDefaults()
	h := &Hub{o: o, log: log, source: source, ctx: ctx, cancel: cancel, events: map[id.ID]*event{}, reading: make(chan struct{}, o.MaxLoads)}
	if flow, ok := log.(flow); ok && o.Journal != nil {
		h.done.Go(func() { (&detour{hub: h, flow: flow}).run(ctx) })
	}
	return h
}

// Stop ends all folds and waits for them. Viewers get nothing more. It may be called again.
func (h *Hub) Stop() {
	h.mu.Lock()
	h.stopped = true
	events := h.events
	h.events = map[id.ID]*event{}
	h.mu.Unlock()
	for _, e := range events {
		e.end()
	}
	h.cancel()
	h.done.Wait()
}

// Arrival is who comes and what they want to see.
type Arrival struct {
	Account  id.ID // zero: not signed in
	Pace     Pace
	View     wire.View
	Resume   *wire.Position // what the viewer shows already in this view; nil: nothing
	Inflates bool           // snapshots may be deflated
}

// Join adds a viewer of an event. Frames come into its queue as soon as there are
// any; wake is called when the queue stops being empty and when the viewer is to
// end. A nil Viewer comes with the bye that says why.
func (h *Hub) Join(eventID id.ID, a Arrival, wake func()) (*Viewer, *wire.Bye) {
	v := &Viewer{account: a.Account, pace: a.Pace, inflates: a.Inflates, wake: wake}
	for {
		e, bye := h.event(eventID)
		if bye != nil {
			return nil, bye
		}
		v.event = e
		if e.join(v, a.View, a.Resume) {
			h.count.viewers.Add(1)
			return v, nil
		}
		// It ended between the two locks; the next look makes a new one.
	}
}

// event returns the running event, starting it if need be.
func (h *Hub) event(eventID id.ID) (*event, *wire.Bye) {
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.stopped {
		return nil, &wire.Bye{Code: wire.ByeDrain, Spread: 5 * time.Second, Text: "stopping"}
	}
	if e := h.events[eventID]; e != nil {
		return e, nil
	}
	if len(h.events) >= h.o.MaxEvents {
		return nil, &wire.Bye{Code: wire.ByeUnavailable, After: 5 * time.Second, Spread: 10 * time.Second, Text: "too many events"}
	}
	e := newEvent(h, eventID)
	h.events[eventID] = e
	h.done.Go(e.run)
	return e, nil
}

// forget removes e unless another event of the same id has taken its place.
func (h *Hub) forget(e *event) {
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.events[e.id] == e {
		delete(h.events, e.id)
	}
}

// Notify sends a notice to the viewers of one account at an event, and to nobody else.
func (h *Hub) Notify(eventID, account id.ID, n wire.Notice) {
	if e := h.running(eventID); e != nil && !account.IsZero() {
		e.tell(account, n)
	}
}

// NotifyAll sends a notice to everybody at an event.
func (h *Hub) NotifyAll(eventID id.ID, n wire.Notice) {
	if e := h.running(eventID); e != nil {
		e.tellAll(n)
	}
}

func (h *Hub) running(eventID id.ID) *event {
	h.mu.Lock()
	defer h.mu.Unlock()
	return h.events[eventID]
}

// Reload reads an event anew from the database and gives everyone a snapshot: for
// a new event epoch, or when a comparison found the fold to be wrong.
func (h *Hub) Reload(eventID id.ID) {
	if e := h.running(eventID); e != nil {
		e.reload()
	}
}

// Stats are gauges of now and counts since New.
type Stats struct {
	Viewers, Events, Groups       int64 // now
	Loads, LoadFailures           int64 // database snapshots
	Taken, Kept, ShelfFailures    int64 // folds begun with the shelf's snapshot, snapshots written to it, what went wrong with it
	Compared, Mismatches, Repairs int64 // comparisons with the database, seats that were wrong, folds built anew because of it
	Journal, Early                int64 // readings of the journal; changes of seats that came that way
	Deflated, Deflations          int64 // snapshots given deflated; times one was compressed for them
	Messages, Changes             int64 // from the stream; changes of seats that were news
	Deltas, Snapshots, Summaries  int64 // encoded frames
	Notices                       int64
	Queued, QueuedBytes           int64 // frames given to viewers, bytes of them
	Slow                          int64 // viewers told to start over because they did not keep up
	OldestPending, SlowestTickNow time.Duration
}

// Stats returns the numbers of now.
func (h *Hub) Stats() Stats {
	s := Stats{
		Viewers: h.count.viewers.Load(), Loads: h.count.loads.Load(), LoadFailures: h.count.loadFailures.Load(),
		Messages: h.count.messages.Load(), Changes: h.count.changes.Load(), Deltas: h.count.deltas.Load(),
		Snapshots: h.count.snapshots.Load(), Summaries: h.count.summaries.Load(), Notices: h.count.notices.Load(),
		Taken: h.count.taken.Load(), Kept: h.count.kept.Load(), ShelfFailures: h.count.shelfFailures.Load(),
		Compared: h.count.compared.Load(), Mismatches: h.count.mismatches.Load(), Repairs: h.count.repairs.Load(),
		Queued: h.count.queued.Load(), QueuedBytes: h.count.queuedBytes.Load(), Slow: h.count.slow.Load(),
		Journal: h.count.journal.Load(), Early: h.count.early.Load(),
		Deflated: h.count.deflated.Load(), Deflations: h.count.deflations.Load(),
	}
	h.mu.Lock()
	events := make([]*event, 0, len(h.events))
	for _, e := range h.events {
		events = append(events, e)
	}
	h.mu.Unlock()
	s.Events = int64(len(events))
	for _, e := range events {
		e.addStats(&s)
	}
	return s
}
