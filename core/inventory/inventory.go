package inventory

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"log/slog"
	"sync"
	"sync/atomic"
	"time"

	"plateia/core/event"
	"plateia/core/fault"
	"plateia/core/id"
	"plateia/core/notice"
	"plateia/core/seatmap"
)

// Catalog knows the events and their charts. Answers may be cached: what must be
// exact (state, prices, rules) is read again inside each batch's transaction.
type Catalog interface {
	Event(ctx context.Context, event id.ID) (event.Event, error)
	Chart(ctx context.Context, chart id.ID, version int) (*seatmap.Chart, error)
}

// Publisher hands a committed delta to the stream. It need not wait until the stream has
// it: whoever hears that it has marks the outbox row, and until then the row is unpublished.
type Publisher interface {
	Publish(ctx context.Context, delta Delta, payload []byte) error
}

// Options tune the engines. Zero values are replaced by the defaults named here.
type Options struct {
	Encode func(Delta) []byte // the payload of the outbox row; default JSON
	Logger *slog.Logger       // default: discard
	Tell   notice.Teller      // the owners of holds and orders that a committed batch changed; default: nobody

	Sweep      bool          // end holds whose time has passed
	SweepEvery time.Duration // default 1 s

	BatchCommands int           // commands per transaction at most; default 512
	Committers    int           // batches of one event in flight at most; default 2
	QueueLength   int           // commands that may wait per event; default 8192
	Patience      time.Duration // how long a batch may be tried before its callers get BUSY; default 5 s
	IdleAfter     time.Duration // an engine unused for so long is dropped; default 10 min
	WarmEvents    int           // engines kept at most, the least recently used go first; those at work are not counted out; default 2000
	WarmSeats     int           // seats of their events together at most, likewise: about 11 bytes each, 21 in a rush; default 5,000,000
	StaleAfter    time.Duration // Availability reads the database again when its last reading is older; default 30 s
	RushCommands  int           // commands per second from which an event's free seats are kept in memory; default 1,000
	NoFastRefusal bool          // always ask the database, even for seats known to be taken a moment ago

	Now func() time.Time // this process's clock, which may be wrong: only differences count; default time.Now
}

func (o Options) withDefaults() Options {
	if o.Encode == nil {
		o.Encode = func(d Delta) []byte { payload, _ := json.Marshal(d); return payload }
	}
	o.Logger = cmp.Or(o.Logger, slog.New(slog.DiscardHandler))
	o.SweepEvery = cmp.Or(o.SweepEvery, time.Second)
	o.BatchCommands = cmp.Or(o.BatchCommands, 512)
	o.RushCommands = cmp.Or(o.RushCommands, 1000)
	o.Committers = cmp.Or(o.Committers, 2)
	o.QueueLength = cmp.Or(o.QueueLength, 8192)
	o.Patience = cmp.Or(o.Patience, 5*time.Second)
	o.IdleAfter = cmp.Or(o.IdleAfter, 10*time.Minute)
	o.WarmEvents = cmp.Or(o.WarmEvents, 2000)
	o.WarmSeats = cmp.Or(o.WarmSeats, 5_000_000)
	o.StaleAfter = cmp.Or(o.StaleAfter, 30*time.Second)
	if o.Now == nil {
		o.Now = time.Now
	}
	return o
}

// Inventory is the registry of engines, one per event in use. It is safe for
// concurrent use, and any number of processes may have one for the same database.
type Inventory struct {
	store     Store
	catalog   Catalog
	opts      Options
	outlet    *outlet
	calls     sync.Pool // of *call
	snapshots sync.Pool // of *Snapshot, recycled

	mu      sync.Mutex
	engines map[id.ID]*engine
	seats   int // of all engines
	closed  bool
	stamps  atomic.Uint64 // of what Availability returns

	life context.Context // ends when Stop gives up waiting
	end  context.CancelFunc
	jobs sync.WaitGroup // sweeper, janitor, batches, settlements
	stop chan struct{}
	once sync.Once
}

// New returns an inventory that is ready for Do; Start adds the background jobs.
// publish may be nil: then only the outbox relay publishes.
func New(store Store, catalog Catalog, publish Publisher, opts Options) *Inventory {
	opts = opts.withDefaults()
	life, end := context.WithCancel(context.Background())
	return &Inventory{
		store: store, catalog: catalog, opts: opts, outlet: newOutlet(publish, opts.Logger),
		engines: map[id.ID]*engine{}, life: life, end: end, stop: make(chan struct{}),
	}
}

// Start begins publishing, dropping idle engines and, if asked for, sweeping.
func (inv *Inventory) Start(context.Context) error {
	inv.outlet.start(inv.life)
	inv.background(inv.dropIdle)
	if inv.opts.Sweep {
		inv.background(inv.sweep)
	}
	return nil
}

// background runs a job until Stop; it does nothing when Stop was called.
func (inv *Inventory) background(job func()) bool {
	inv.mu.Lock()
	defer inv.mu.Unlock()
	if inv.closed {
		return false
	}
	inv.jobs.Add(1)
	go func() {
		defer inv.jobs.Done()
		job()
	}()
	return true
}

// Stop refuses new commands, answers everybody who waits (BUSY for those not yet
// begun, the outcome for those in flight) and publishes what was committed. It
// gives up when ctx ends. Stopping twice, or without Start, is fine.
func (inv *Inventory) Stop(ctx context.Context) error {
	inv.once.Do(func() {
		inv.mu.Lock()
		inv.closed = true
		engines := inv.engines
		inv.engines, inv.seats = map[id.ID]*engine{}, 0
		inv.mu.Unlock()
		close(inv.stop)
		for _, e := range engines {
			e.close()
		}
	})
	done := make(chan struct{})
	go func() {
		inv.jobs.Wait()
		inv.outlet.drain()
		close(done)
	}()
	select {
	case <-done:
		inv.end()
		return nil
	case <-ctx.Done():
		inv.end()
		<-done
		return ctx.Err()
	}
}

// Do runs one command and waits for its outcome. The error is Outcome.Err, a
// *fault.Error. When ctx ends first the answer is BUSY if the command had not
// begun, and OUTCOME_UNKNOWN if it had.
func (inv *Inventory) Do(ctx context.Context, eventID id.ID, command Command) (Outcome, error) {
	if seats, with := organized(command); len(seats) > pieceSeats && organizerLimit(len(seats)) == nil {
		return inv.inPieces(ctx, eventID, seats, with)
	}
	out := inv.run(ctx, eventID, command)
	return *out, out.Err
}

func (inv *Inventory) run(ctx context.Context, eventID id.ID, command Command) *Outcome {
	for {
		e, err := inv.engine(ctx, eventID)
		if err != nil {
			return refused(notReached(ctx, err))
		}
		if out, accepted := e.do(ctx, command); accepted {
			return out
		}
	}
}

// notReached is what a caller is told when what its command needs could not be read. Nothing was changed.
func notReached(ctx context.Context, err error) *fault.Error {
	var known *fault.Error
	if !errors.As(err, &known) && ctx.Err() != nil {
		return fault.Wrap(err, fault.Busy, "it took too long; nothing was changed").After(time.Second)
	}
	return fault.From(err)
}

// Hold reads one hold from the database; fault.NotFound.
func (inv *Inventory) Hold(ctx context.Context, hold id.ID) (Hold, error) {
	return inv.store.Hold(ctx, hold)
}

// LiveHold reads the account's live hold of an event from the database; fault.NotFound when there is none.
func (inv *Inventory) LiveHold(ctx context.Context, eventID, account id.ID) (Hold, error) {
	return inv.store.LiveHold(ctx, eventID, account)
}

// Apply folds a delta seen on the stream into the projection: other processes
// sell too. Deltas may come twice and in any order; unknown events are ignored.
func (inv *Inventory) Apply(d Delta) {
	inv.mu.Lock()
	e := inv.engines[d.Event]
	inv.mu.Unlock()
	if e != nil {
		e.view.apply(d.Changes)
	}
}

// engine returns the event's engine, a new one if need be.
func (inv *Inventory) engine(ctx context.Context, eventID id.ID) (*engine, error) {
	inv.mu.Lock()
	e, closed := inv.engines[eventID], inv.closed
	inv.mu.Unlock()
	if closed {
		return nil, fault.New(fault.Busy, "the service is restarting").After(time.Second)
	}
	if e != nil {
		return e, nil
	}
	ev, err := inv.catalog.Event(ctx, eventID)
	if err != nil {
		return nil, err
	}
	chart, err := inv.catalog.Chart(ctx, ev.ChartID, ev.ChartVersion)
	if err != nil {
		return nil, err
	}
	inv.mu.Lock()
	defer inv.mu.Unlock()
	if inv.closed {
		return nil, fault.New(fault.Busy, "the service is restarting").After(time.Second)
	}
	if e := inv.engines[eventID]; e != nil {
		return e, nil
	}
	inv.makeRoom(chart.Seats())
	e = newEngine(inv, ev, chart)
	inv.engines[eventID] = e
	inv.seats += chart.Seats()
	return e, nil
}
