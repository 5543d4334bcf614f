package stream_test

import (
	"context"
	"errors"
	"net"
	"sync"
	"testing"
	"time"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"
	"go.uber.org/goleak"

	"plateia/core/fault"
	"plateia/core/id"
	"plateia/core/inventory"
	"plateia/core/seatmap"
	"plateia/realtime/natsd"
	"plateia/realtime/stream"
	"plateia/realtime/wire"
)

// What a server that gathers from other streams asks them, it waits for also when it has been stopped: at most 30 s.
func TestMain(m *testing.M) {
	goleak.VerifyTestMain(m, goleak.IgnoreAnyFunction("github.com/nats-io/nats-server/v2/server.(*stream).trySetupSourceConsumer.func3"))
}

// plug is a server that can be taken away and put back.
type plug struct {
	t      *testing.T
	dir    string
	mu     sync.Mutex
	server *natsd.Server
}

func newPlug(t *testing.T) *plug {
	p := &plug{t: t, dir: t.TempDir()}
	p.in()
	t.Cleanup(p.out)
	return p
}

func (p *plug) in() {
	p.t.Helper()
	s, err := natsd.Start(p.t.Context(), natsd.Options{Dir: p.dir})
	if err != nil {
		p.t.Fatal(err)
	}
	p.mu.Lock()
	p.server = s
	p.mu.Unlock()
}

func (p *plug) out() {
	p.mu.Lock()
	s := p.server
	p.server = nil
	p.mu.Unlock()
	if s != nil {
		s.Stop(context.Background())
	}
}

func (p *plug) InProcessConn() (net.Conn, error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.server == nil {
		return nil, errors.New("unplugged")
	}
	return p.server.InProcessConn()
}

func connect(t *testing.T, p *plug, change ...func(*stream.Options)) *stream.Client {
	t.Helper()
	o := stream.Options{InProcess: p, CheckEvery: 100 * time.Millisecond}
	for _, c := range change {
		c(&o)
	}
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	c, err := stream.Connect(ctx, o)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(c.Close)
	return c
}

func jetStream(t *testing.T, p *plug) jetstream.JetStream {
	t.Helper()
	conn, err := nats.Connect("", nats.InProcessServer(p))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(conn.Close)
	js, err := jetstream.New(conn)
	if err != nil {
		t.Fatal(err)
	}
	return js
}

func delta(event id.ID, ordinal seatmap.Ordinal, version int64) inventory.Delta {
	return inventory.Delta{ID: id.New(), Event: event, At: time.UnixMicro(1_764_424_800_000_000).UTC(),
		Changes: []inventory.Change{{Ordinal: ordinal, Status: inventory.Held, Version: version}}}
}

func publish(t *testing.T, c *stream.Client, d inventory.Delta) {
	t.Helper()
	if err := c.Publish(t.Context(), d, wire.EncodeStream(d)); err != nil {
		t.Fatal(err)
	}
}

// end is the sequence number of the newest message.
func end(t *testing.T, c *stream.Client) (seq uint64) {
	t.Helper()
	eventually(t, "the stream is seen", func() bool {
		s, err := c.JetStream().Stream(t.Context(), "SEATS")
		if err == nil {
			seq = s.CachedInfo().State.LastSeq
		}
		return err == nil
	})
	return seq
}

// reaches waits until so many messages are in the stream. Their acknowledgements may come too late to be counted.
func reaches(t *testing.T, c *stream.Client, n uint64) {
	t.Helper()
	eventually(t, "in the stream", func() bool { return end(t, c) >= n })
}

// follower runs a Follow and hands out what it saw.
type follower struct {
	starts chan [2]uint64
	seqs   chan uint64
	deltas chan inventory.Delta
	end    chan error
	cancel context.CancelFunc
}

func follow(t *testing.T, c *stream.Client, event id.ID) *follower {
	t.Helper()
	f := &follower{make(chan [2]uint64, 1), make(chan uint64, 1000), make(chan inventory.Delta, 1000), make(chan error, 1), nil}
	ctx, cancel := context.WithCancel(t.Context())
	f.cancel = cancel
	stopped := make(chan struct{})
	go func() {
		defer close(stopped)
		f.end <- c.Follow(ctx, event,
			func(incarnation, base uint64) error { f.starts <- [2]uint64{incarnation, base}; return nil },
			func(seq uint64, d inventory.Delta) { f.seqs <- seq; f.deltas <- d })
	}()
	t.Cleanup(func() { cancel(); <-stopped })
	return f
}

func receive[T any](t *testing.T, ch <-chan T) T {
	t.Helper()
	select {
	case v := <-ch:
		return v
	case <-time.After(3 * time.Minute):
		t.Fatal("nothing came in three minutes")
		panic("unreachable")
	}
}

func eventually(t *testing.T, what string, ok func() bool) {
	t.Helper()
	for deadline := time.Now().Add(3 * time.Minute); !ok(); time.Sleep(5 * time.Millisecond) { // elections are long where others need the processor
		if time.Now().After(deadline) {
			t.Fatal("not in three minutes: " + what)
		}
	}
}

func TestFollowStartsAfterWhatASnapshotContains(t *testing.T) {
	c := connect(t, newPlug(t))
	event, other := id.New(), id.New()
	before := delta(event, 1, 2)
	publish(t, c, before)
	publish(t, c, delta(other, 1, 2))
	reaches(t, c, 2)

	f := follow(t, c, event)
	if start := receive(t, f.starts); start[1] != 1 {
		t.Errorf("base %d, want 1: the event's newest message", start[1])
	}
	after := delta(event, 7, 3)
	publish(t, c, after)
	publish(t, c, delta(other, 2, 2))
	if got := receive(t, f.deltas); got.ID != after.ID || got.Changes[0] != after.Changes[0] || !got.At.Equal(after.At) {
		t.Errorf("got %+v, want %+v", got, after)
	}
	if seq := receive(t, f.seqs); seq != 3 {
		t.Errorf("sequence %d, want 3", seq)
	}
	f.cancel()
	if err := receive(t, f.end); err != nil {
		t.Errorf("Follow ended with %v", err)
	}
}

func TestSameBatchTwiceIsOneMessage(t *testing.T) {
	c := connect(t, newPlug(t))
	d := delta(id.New(), 1, 2)
	f := follow(t, c, d.Event)
	receive(t, f.starts)
	publish(t, c, d)
	publish(t, c, d)
	last := delta(d.Event, 2, 2)
	publish(t, c, last)
	receive(t, f.deltas)
	if got := receive(t, f.deltas); got.ID != last.ID {
		t.Error("a batch published twice came twice")
	}
}

func TestServerAwayAndBack(t *testing.T) {
	p := newPlug(t)
	c := connect(t, p)
	event := id.New()
	f := follow(t, c, event)
	first := receive(t, f.starts)
	p.out()
	eventually(t, "disconnected", func() bool { return !c.Connected() })

	quickest := time.Hour
	for range 5 { // the machine may be busy: the best of some counts
		began := time.Now()
		if err := c.Publish(t.Context(), delta(event, 1, 2), nil); fault.CodeOf(err) != fault.Busy {
			t.Errorf("publishing while away: %v", err)
		}
		quickest = min(quickest, time.Since(began))
	}
	if quickest > 50*time.Millisecond {
		t.Errorf("publishing while away takes %v", quickest)
	}

	p.in()
	eventually(t, "connected", c.Connected)
	d := delta(event, 2, 2)
	eventually(t, "published", func() bool { return c.Publish(t.Context(), d, wire.EncodeStream(d)) == nil })
	if got := receive(t, f.deltas); got.ID != d.ID {
		t.Errorf("got %+v", got)
	}
	again := follow(t, c, event)
	if start := receive(t, again.starts); start[0] != first[0] {
		t.Error("a server that was stopped in order came back as another incarnation")
	}
}

func TestStreamLost(t *testing.T) {
	cases := map[string]func(t *testing.T, js jetstream.JetStream){
		"deleted": func(t *testing.T, js jetstream.JetStream) {
			if err := js.DeleteStream(t.Context(), "SEATS"); err != nil {
				t.Fatal(err)
			}
		},
		"its tail was lost": func(t *testing.T, js jetstream.JetStream) {
			s, err := js.Stream(t.Context(), "SEATS")
			if err != nil {
				t.Fatal(err)
			}
			config := s.CachedInfo().Config
			config.Metadata = map[string]string{"plateia-restarts": "1"}
			if _, err := js.UpdateStream(t.Context(), config); err != nil {
				t.Fatal(err)
			}
		},
	}
	for name, lose := range cases {
		t.Run(name, func(t *testing.T) {
			p := newPlug(t)
			c := connect(t, p)
			event := id.New()
			f := follow(t, c, event)
			first := receive(t, f.starts)
			lose(t, jetStream(t, p))
			if err := receive(t, f.end); !errors.Is(err, stream.ErrLost) {
				t.Fatalf("Follow ended with %v", err)
			}
			again := follow(t, c, event)
			if start := receive(t, again.starts); start[0] == first[0] {
				t.Error("the same incarnation")
			}
			d := delta(event, 1, 1)
			publish(t, c, d)
			if got := receive(t, again.deltas); got.ID != d.ID {
				t.Errorf("got %+v", got)
			}
		})
	}
}

func TestNewIncarnationAfterUncleanStop(t *testing.T) {
	p := newPlug(t)
	event := id.New()
	before := receive(t, follow(t, connect(t, p), event).starts)
	c := connect(t, p, func(o *stream.Options) { o.NewIncarnation = true })
	after := receive(t, follow(t, c, event).starts)
	if before[0] == after[0] {
		t.Error("the incarnation stayed")
	}
	if same := receive(t, follow(t, connect(t, p), event).starts); same[0] != after[0] {
		t.Error("a client without NewIncarnation sees another incarnation")
	}
}

func TestPurgedStreamMovesTheBase(t *testing.T) {
	p := newPlug(t)
	c := connect(t, p)
	event := id.New()
	for i := range 5 {
		publish(t, c, delta(event, seatmap.Ordinal(i), 1))
	}
	reaches(t, c, 5)
	s, err := jetStream(t, p).Stream(t.Context(), "SEATS")
	if err != nil {
		t.Fatal(err)
	}
	if err := s.Purge(t.Context()); err != nil {
		t.Fatal(err)
	}
	eventually(t, "base behind the purge", func() bool {
		f := follow(t, c, event)
		defer f.cancel()
		return receive(t, f.starts)[1] == 5
	})
}

func TestTailHearsAllEventsAlsoAfterAReconnect(t *testing.T) {
	p := newPlug(t)
	c := connect(t, p)
	heard := make(chan inventory.Delta, 100)
	ctx, cancel := context.WithCancel(t.Context())
	ended := make(chan error, 1)
	go func() { ended <- c.Tail(ctx, func(d inventory.Delta) { heard <- d }) }()
	hears := func() {
		t.Helper()
		eventually(t, "heard", func() bool { // the subscription may be a moment away
			d := delta(id.New(), 1, 2)
			c.Publish(t.Context(), d, wire.EncodeStream(d))
			select {
			case got := <-heard:
				return got.Changes[0] == d.Changes[0]
			case <-time.After(50 * time.Millisecond):
				return false
			}
		})
	}
	hears()
	p.out()
	eventually(t, "disconnected", func() bool { return !c.Connected() })
	p.in()
	hears()
	cancel()
	if err := receive(t, ended); err != nil {
		t.Error(err)
	}
}
