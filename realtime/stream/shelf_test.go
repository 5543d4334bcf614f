package stream_test

import (
	"context"
	"testing"
	"time"

	"plateia/core/id"
	"plateia/core/inventory"
	"plateia/core/seatmap"
	"plateia/realtime/stream"
	"plateia/realtime/wire"
)

// life is the incarnation that a client sees.
func life(t *testing.T, c *stream.Client) uint64 {
	t.Helper()
	f := follow(t, c, id.New())
	defer f.cancel()
	return receive(t, f.starts)[0]
}

func stored(event id.ID, life, at uint64, last id.ID) wire.Stored {
	return wire.Stored{
		Event: event, Position: wire.Position{Epoch: wire.Epoch{Event: 1, Stream: life}, Offset: at}, Seen: at, Last: last,
		Sections: []wire.Range{{From: 0, To: 3}}, Statuses: make([]inventory.Status, 3), Versions: []int64{1, 1, 1},
	}
}

// fill publishes n batches about an event and returns them when they are in the stream.
func fill(t *testing.T, c *stream.Client, event id.ID, n int) []inventory.Delta {
	t.Helper()
	before := end(t, c)
	all := make([]inventory.Delta, n)
	for i := range all {
		all[i] = delta(event, seatmap.Ordinal(i), 2)
		publish(t, c, all[i])
	}
	reaches(t, c, before+uint64(n))
	return all
}

func keep(t *testing.T, s *stream.Shelf, st wire.Stored) bool {
	t.Helper()
	ok, err := s.Keep(t.Context(), st)
	if err != nil {
		t.Fatal(err)
	}
	return ok
}

func take(t *testing.T, s *stream.Shelf, event id.ID) *wire.Stored {
	t.Helper()
	st, err := s.Take(t.Context(), event)
	if err != nil {
		t.Fatal(err)
	}
	return st
}

func TestASnapshotIsContinuedElsewhere(t *testing.T) {
	p := newPlug(t)
	c, event := connect(t, p), id.New()
	shelf := c.Shelf()
	if take(t, shelf, event) != nil {
		t.Error("something is on a new shelf")
	}
	all := fill(t, c, event, 5)
	if !keep(t, shelf, stored(event, life(t, c), 3, all[2].ID)) {
		t.Fatal("not kept")
	}

	other := connect(t, p)
	got := take(t, other.Shelf(), event)
	if got == nil || got.Seen != 3 || got.Last != all[2].ID {
		t.Fatalf("taken: %+v", got)
	}
	seqs := make(chan uint64, 10)
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	ended := make(chan error, 1)
	go func() {
		ended <- other.FollowFrom(ctx, event, func(_, base uint64) (uint64, error) {
			if base != 5 {
				t.Errorf("base %d, want 5", base)
			}
			return got.Seen, nil
		}, func(seq uint64, _ inventory.Delta) { seqs <- seq })
	}()
	for _, want := range []uint64{4, 5} {
		if seq := receive(t, seqs); seq != want {
			t.Errorf("sequence %d, want %d", seq, want)
		}
	}
	cancel()
	if err := receive(t, ended); err != nil {
		t.Error(err)
	}
}

func TestOneWritesASnapshot(t *testing.T) {
	p := newPlug(t)
	a, b, event := connect(t, p), connect(t, p), id.New()
	all, one, two := fill(t, a, event, 4), a.Shelf(), b.Shelf()
	now, began := life(t, a), time.Now()
	if !keep(t, one, stored(event, now, 1, all[0].ID)) || !keep(t, one, stored(event, now, 2, all[1].ID)) {
		t.Error("the only writer was refused")
	}
	if keep(t, two, stored(event, now, 3, all[2].ID)) && time.Since(began) < 5*time.Second { // else the writer may be dead
		t.Error("a second writer beside one that is alive")
	}
	if err := two.Drop(t.Context(), event); err != nil {
		t.Fatal(err)
	}
	if take(t, one, event) != nil {
		t.Error("a dropped snapshot was taken")
	}
	if !keep(t, two, stored(event, now, 3, all[2].ID)) {
		t.Error("nobody may write after a drop")
	}
	if keep(t, one, stored(event, now, 4, all[3].ID)) {
		t.Error("compare-and-set let an old revision through")
	}
	if got := take(t, one, event); got == nil || got.Seen != 3 {
		t.Errorf("taken: %+v", got)
	}
}

// What the stream cannot continue is no snapshot: the database is asked instead.
func TestSnapshotsThatCannotBeContinued(t *testing.T) {
	p := newPlug(t)
	c, event := connect(t, p), id.New()
	all, shelf, now := fill(t, c, event, 5), c.Shelf(), life(t, c)
	put := func(st wire.Stored) {
		t.Helper()
		if err := shelf.Drop(t.Context(), event); err != nil {
			t.Fatal(err)
		}
		if !keep(t, shelf, st) {
			t.Fatal("not kept")
		}
	}
	put(stored(event, now+1, 3, all[2].ID))
	if take(t, shelf, event) != nil {
		t.Error("of another incarnation")
	}
	put(stored(event, now, 3, id.New()))
	if take(t, shelf, event) != nil {
		t.Error("the message at its position is another one: the stream has lost its tail and used the number again")
	}
	put(stored(event, now, 9, all[2].ID))
	if take(t, shelf, event) != nil {
		t.Error("beyond the end of the stream")
	}

	js := jetStream(t, p)
	kv, err := js.KeyValue(t.Context(), "SEATS-FOLDS")
	if err != nil {
		t.Fatal(err)
	}
	if _, err := kv.Put(t.Context(), event.String(), []byte("nonsense")); err != nil {
		t.Fatal(err)
	}
	if take(t, shelf, event) != nil {
		t.Error("nonsense was taken")
	}
	if again := connect(t, p).Shelf(); !keep(t, again, stored(event, now, 3, all[2].ID)) || take(t, again, event) == nil {
		t.Error("nonsense was not replaced")
	}

	s, err := js.Stream(t.Context(), "SEATS")
	if err != nil {
		t.Fatal(err)
	}
	if err := s.DeleteMsg(t.Context(), 1); err != nil {
		t.Fatal(err)
	}
	if take(t, shelf, event) == nil {
		t.Error("a dropped message before its position does no harm")
	}
	for seq := uint64(2); seq <= 3; seq++ {
		if err := s.DeleteMsg(t.Context(), seq); err != nil {
			t.Fatal(err)
		}
	}
	if take(t, shelf, event) == nil {
		t.Error("everything after its position is still there")
	}
	if err := s.DeleteMsg(t.Context(), 4); err != nil {
		t.Fatal(err)
	}
	if take(t, shelf, event) != nil {
		t.Error("a message after its position is gone")
	}
}

// The snapshot of a quiet event is known by the newest message of others.
func TestSnapshotOfAQuietEvent(t *testing.T) {
	p := newPlug(t)
	c, event := connect(t, p), id.New()
	shelf, now := c.Shelf(), life(t, c)
	if !keep(t, shelf, stored(event, now, 0, id.ID{})) || take(t, shelf, event) == nil {
		t.Error("an empty stream")
	}
	others := fill(t, c, id.New(), 3)
	if !keep(t, shelf, stored(event, now, 0, id.ID{})) {
		t.Fatal("not kept")
	}
	if got := take(t, shelf, event); got == nil || got.Offset != 0 || got.Seen != 3 || got.Last != others[2].ID {
		t.Errorf("taken: %+v", got)
	}
	fill(t, c, event, 1)
	if keep(t, shelf, stored(event, now, 0, id.ID{})) {
		t.Error("kept beside a message that it lacks")
	}
}
