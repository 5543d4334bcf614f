package stream_test

import (
	"context"
	"maps"
	"slices"
	"sync"
	"testing"
	"time"

	"plateia/core/id"
	"plateia/core/inventory"
	"plateia/core/seatmap"
	"plateia/realtime/stream"
	"plateia/realtime/wire"
)

// outbox behaves like the table: rows in order of creation, marked once.
type outbox struct {
	mu     sync.Mutex
	rows   []stream.Record
	marked map[id.ID]int
}

func newOutbox() *outbox { return &outbox{marked: map[id.ID]int{}} }

func (o *outbox) add(d inventory.Delta, age time.Duration) {
	o.mu.Lock()
	defer o.mu.Unlock()
	o.rows = append(o.rows, stream.Record{ID: d.ID, Event: d.Event, Payload: wire.EncodeStream(d), CreatedAt: time.Now().Add(-age)})
}

func (o *outbox) Unpublished(_ context.Context, olderThan time.Duration, limit int) ([]stream.Record, error) {
	o.mu.Lock()
	defer o.mu.Unlock()
	var found []stream.Record
	for _, r := range o.rows {
		if o.marked[r.ID] == 0 && time.Since(r.CreatedAt) >= olderThan && len(found) < limit {
			found = append(found, r)
		}
	}
	return found, nil
}

func (o *outbox) MarkPublished(_ context.Context, ids []id.ID) error {
	o.mu.Lock()
	defer o.mu.Unlock()
	for _, batch := range ids {
		o.marked[batch]++
	}
	return nil
}

func (o *outbox) marks() map[id.ID]int {
	o.mu.Lock()
	defer o.mu.Unlock()
	return maps.Clone(o.marked)
}

func startRelay(t *testing.T, c *stream.Client, o *outbox, olderThan time.Duration) *stream.Relay {
	t.Helper()
	r := stream.NewRelay(c, o, stream.RelayOptions{Every: 10 * time.Millisecond, OlderThan: olderThan, Batch: 7})
	if err := r.Start(t.Context()); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { r.Stop(context.Background()) })
	return r
}

func TestRelayMarksWhatTheFastPathBrought(t *testing.T) {
	c, o := connect(t, newPlug(t)), newOutbox()
	r := startRelay(t, c, o, time.Hour) // however long the fast path takes
	d := delta(id.New(), 1, 2)
	o.add(d, 0)
	publish(t, c, d)
	eventually(t, "marked", func() bool { return o.marks()[d.ID] == 1 })
	if s := r.Stats(); s.Relayed != 0 || s.Marked != 1 {
		t.Errorf("%+v", s)
	}
}

func TestRelayCatchesUpInOrder(t *testing.T) {
	p := newPlug(t)
	c, o := connect(t, p), newOutbox()
	event := id.New()
	f := follow(t, c, event)
	receive(t, f.starts)
	p.out()
	eventually(t, "disconnected", func() bool { return !c.Connected() })
	r := startRelay(t, c, o, 100*time.Millisecond)
	var want []id.ID
	for i := range 30 {
		d := delta(event, seatmap.Ordinal(i), 2)
		o.add(d, time.Minute)
		want = append(want, d.ID)
		if c.Publish(t.Context(), d, wire.EncodeStream(d)) == nil {
			t.Fatal("published without a server")
		}
	}
	p.in()
	var got []id.ID
	for range want {
		got = append(got, receive(t, f.deltas).ID)
	}
	if !slices.Equal(got, want) {
		t.Errorf("got %v, want %v", got, want)
	}
	eventually(t, "all marked", func() bool { return len(o.marks()) == 30 })
	if s := r.Stats(); s.Relayed != 30 {
		t.Errorf("%+v", s)
	}
}

func TestRelayLifecycle(t *testing.T) {
	r := stream.NewRelay(connect(t, newPlug(t)), newOutbox(), stream.RelayOptions{})
	if err := r.Stop(t.Context()); err != nil {
		t.Errorf("stop without start: %v", err)
	}
	if err := r.Start(t.Context()); err != nil {
		t.Fatal(err)
	}
	if r.Start(t.Context()) == nil {
		t.Error("started twice")
	}
	for range 2 {
		if err := r.Stop(t.Context()); err != nil {
			t.Error(err)
		}
	}
}
