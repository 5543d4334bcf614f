package hub_test

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"testing"
	"time"

	"plateia/core/fault"
	"plateia/core/id"
	"plateia/core/inventory"
	"plateia/core/seatmap"
	"plateia/realtime/client"
	"plateia/realtime/hub"
	"plateia/realtime/wire"
)

// world is a database and a delivery log with behaviour: several hubs may follow it.
type world struct {
	mu        sync.Mutex
	event     id.ID
	epoch     int64
	statuses  []inventory.Status
	versions  []int64
	sections  []wire.Range
	shown     map[wire.SeatStatus]bool // every state a seat ever had
	life      uint64
	lost      chan struct{}
	log       []inventory.Delta // sequence number i+1
	journal   []inventory.OutboxRecord
	news      chan struct{} // closed at each change of the log
	gone      int           // messages up to here were purged
	snapshots int
	down      error // answer of the database
}

func newWorld(seats, sections int) *world {
	w := &world{event: id.New(), epoch: 1, life: 77, lost: make(chan struct{}), news: make(chan struct{}),
		statuses: make([]inventory.Status, seats), versions: make([]int64, seats), shown: map[wire.SeatStatus]bool{}}
	for i := range seats {
		w.versions[i] = 1
		w.shown[wire.SeatStatus{Ordinal: seatmap.Ordinal(i)}] = true
	}
	for i := range sections {
		w.sections = append(w.sections, wire.Range{From: seatmap.Ordinal(i * seats / sections), To: seatmap.Ordinal((i + 1) * seats / sections)})
	}
	return w
}

func (w *world) Snapshot(_ context.Context, event id.ID) (hub.Snapshot, error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.snapshots++
	if w.down != nil {
		return hub.Snapshot{}, w.down
	}
	if event != w.event {
		return hub.Snapshot{}, fault.New(fault.NotFound, "no such event")
	}
	return hub.Snapshot{Epoch: w.epoch, Statuses: append([]inventory.Status{}, w.statuses...),
		Versions: append([]int64{}, w.versions...), Sections: w.sections}, nil
}

func (w *world) Follow(ctx context.Context, event id.ID, start func(uint64, uint64) error, each func(uint64, inventory.Delta)) error {
	w.mu.Lock()
	life, lost, next := w.life, w.lost, len(w.log)
	w.mu.Unlock()
	if err := start(life, uint64(next)); err != nil {
		return err
	}
	for {
		w.mu.Lock()
		news, batch := w.news, w.log[min(next, len(w.log)):]
		w.mu.Unlock()
		for _, d := range batch {
			next++
			each(uint64(next), d)
		}
		select {
		case <-ctx.Done():
			return nil
		case <-lost:
			return errors.New("lost")
		case <-news:
		}
	}
}

// commit changes seats in the database and returns what is to be published.
func (w *world) commit(status inventory.Status, ordinals ...seatmap.Ordinal) inventory.Delta {
	w.mu.Lock()
	defer w.mu.Unlock()
	d := inventory.Delta{ID: id.New(), Event: w.event, At: time.Now().UTC().Truncate(time.Millisecond)}
	for _, o := range ordinals {
		w.statuses[o] = status
		w.versions[o]++
		w.shown[wire.SeatStatus{Ordinal: o, Status: status}] = true
		d.Changes = append(d.Changes, inventory.Change{Ordinal: o, Status: status, Version: w.versions[o]})
	}
	w.journal = append(w.journal, inventory.OutboxRecord{ID: d.ID, Event: d.Event, Payload: wire.EncodeStream(d), CreatedAt: time.Now()})
	return d
}

func (w *world) Recent(_ context.Context, age time.Duration, after inventory.OutboxRecord, limit int) (found []inventory.OutboxRecord, err error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	begin := 0
	for i, r := range w.journal {
		if r.ID == after.ID || time.Since(r.CreatedAt) > age {
			begin = i + 1
		}
	}
	return w.journal[begin:min(len(w.journal), begin+limit)], w.down
}

func (w *world) publish(d inventory.Delta) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.log = append(w.log, d)
	close(w.news)
	w.news = make(chan struct{})
}

// lose replaces the log by an empty one.
func (w *world) lose() {
	w.mu.Lock()
	defer w.mu.Unlock()
	close(w.lost)
	w.lost, w.life, w.log = make(chan struct{}), w.life+1, nil
}

// screen is a viewer with a map.
type screen struct {
	t      testing.TB
	viewer *hub.Viewer
	pace   hub.Pace
	wakes  int
	frames []wire.Frame
	bye    *wire.Bye
	client.Map
}

func join(t testing.TB, h *hub.Hub, w *world, view wire.View) *screen {
	t.Helper()
	s := &screen{t: t}
	s.join(h, w.event, id.ID{}, view)
	return s
}

func (s *screen) join(h *hub.Hub, event, account id.ID, view wire.View) {
	v, bye := h.Join(event, hub.Arrival{Account: account, Pace: s.pace, View: view, Resume: s.Position}, func() { s.wakes++ })
	s.viewer, s.bye = v, bye
}

// look takes what has come and applies it.
func (s *screen) look() []wire.Frame {
	s.t.Helper()
	raw, bye := s.viewer.Take(nil)
	s.bye = bye
	var got []wire.Frame
	for _, b := range raw {
		f, err := wire.Decode(b)
		if err != nil {
			s.t.Fatal(err)
		}
		got = append(got, f)
		if _, gap := s.Apply(f); gap {
			s.t.Fatalf("a gap on a connection without losses: %+v at %+v", f, s.Position)
		}
	}
	s.frames = append(s.frames, got...)
	return got
}

func kinds(frames []wire.Frame) string {
	out := ""
	for _, f := range frames {
		out += fmt.Sprintf("%T ", f)[len("wire."):]
	}
	return out
}
