package stream_test

import (
	"errors"
	"os"
	"testing"
	"time"

	"plateia/core/id"
	"plateia/core/inventory"
	"plateia/core/seatmap"
	"plateia/realtime/stream"
	"plateia/realtime/wire"
)

// A server that comes back with less than it had delivered (a power cut, an old copy of its folder) would use sequence
// numbers again: positions that viewers hold would mean other messages.
func TestServerBackWithoutItsTail(t *testing.T) {
	p := newPlug(t)
	c := connect(t, p, func(o *stream.Options) { o.CheckEvery = time.Hour }) // it looks after each reconnect only
	event := id.New()
	f := follow(t, c, event)
	first := receive(t, f.starts)
	tell := func(from, to int) {
		t.Helper()
		for i := from; i < to; i++ {
			d := delta(event, seatmap.Ordinal(i), 1)
			eventually(t, "published", func() bool { return c.Publish(t.Context(), d, wire.EncodeStream(d)) == nil })
			receive(t, f.deltas)
		}
	}
	tell(0, 5)
	p.out()
	eventually(t, "disconnected", func() bool { return !c.Connected() })
	old := t.TempDir()
	if err := os.CopyFS(old, os.DirFS(p.dir)); err != nil {
		t.Fatal(err)
	}
	p.in()
	tell(5, 10)
	p.out()
	eventually(t, "disconnected again", func() bool { return !c.Connected() })
	p.dir = old
	p.in()
	if err := receive(t, f.end); !errors.Is(err, stream.ErrLost) {
		t.Fatalf("Follow ended with %v", err)
	}
	again := follow(t, c, event)
	if start := receive(t, again.starts); start[0] == first[0] || start[1] != 5 {
		t.Errorf("begins again at %v after %v", start, first)
	}
	other := connect(t, p)
	eventually(t, "every client sees the same incarnation", func() bool {
		return receive(t, follow(t, other, event).starts)[0] == receive(t, follow(t, c, event).starts)[0]
	})
}

// A follower that is behind when the stream is purged never hears of what was between: its consumer goes on behind the
// hole without a sign. All had been looked at before, so only that everything is gone gives it away.
func TestPurgedBehindAFollowersBack(t *testing.T) {
	p := newPlug(t)
	c := connect(t, p)
	event := id.New()
	const published = 1500 // more than a consumer fetches in advance
	busy, starts, end := make(chan struct{}), make(chan uint64, 1), make(chan error, 1)
	go func() {
		end <- c.Follow(t.Context(), event,
			func(incarnation, _ uint64) error { starts <- incarnation; return nil },
			func(uint64, inventory.Delta) { <-busy })
	}()
	first := receive(t, starts)
	for i := range published {
		d := delta(event, seatmap.Ordinal(i), 1)
		eventually(t, "published", func() bool { return c.Publish(t.Context(), d, wire.EncodeStream(d)) == nil })
	}
	reaches(t, c, published)
	time.Sleep(300 * time.Millisecond) // a few looks
	s, err := jetStream(t, p).Stream(t.Context(), "SEATS")
	if err != nil {
		t.Fatal(err)
	}
	if err := s.Purge(t.Context()); err != nil {
		t.Fatal(err)
	}
	close(busy)
	if err := receive(t, end); !errors.Is(err, stream.ErrLost) {
		t.Fatalf("Follow ended with %v", err)
	}
	if start := receive(t, follow(t, c, event).starts); start[0] == first || start[1] != published {
		t.Errorf("begins again at %v, was %d", start, first)
	}
}
