package stream_test

import (
	"context"
	"slices"
	"sync"
	"testing"
	"time"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"

	"plateia/core/id"
	"plateia/core/inventory"
	"plateia/core/seatmap"
	"plateia/realtime/natsd"
	"plateia/realtime/stream"
	"plateia/realtime/wire"
)

// pair is two regions with a NATS server each.
type pair struct {
	t          *testing.T
	east, west *natsd.Cluster
}

var both = []stream.Region{{Name: "east", Domain: "east"}, {Name: "west", Domain: "west"}}

func openPair(t *testing.T) *pair {
	t.Helper()
	open := func(name string, leaves natsd.Leaves) *natsd.Cluster {
		c, err := natsd.StartCluster(t.Context(), natsd.ClusterOptions{
			Dir: t.TempDir(), Name: name, Size: 1, Leaves: leaves, Server: natsd.Options{Domain: name},
		})
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { _ = c.Stop(context.Background()) })
		return c
	}
	p := &pair{t: t, east: open("east", natsd.Leaves{Listen: "127.0.0.1:0"})}
	p.west = open("west", natsd.Leaves{Dial: p.east.LeafAddrs()})
	return p
}

func (p *pair) connect(region string) *stream.Client {
	p.t.Helper()
	url := p.east.URL()
	if region == "west" {
		url = p.west.URL()
	}
	ctx, cancel := context.WithTimeout(p.t.Context(), time.Minute)
	defer cancel()
	c, err := stream.Connect(ctx, stream.Options{URL: url, Region: region, Regions: both, CheckEvery: 200 * time.Millisecond})
	if err != nil {
		p.t.Fatal(err)
	}
	p.t.Cleanup(c.Close)
	return c
}

// until reads batches until one with an id has come.
func (f *follower) until(t *testing.T, want id.ID) {
	t.Helper()
	for d := receive(t, f.deltas); d.ID != want; d = receive(t, f.deltas) { //nolint:revive // reading is all there is to do
	}
}

// What is published in one region is read in both, and heard in both at once.
func TestRegionsReadEachOther(t *testing.T) {
	p := openPair(t)
	east, west := p.connect("east"), p.connect("west")
	event := id.New()
	inEast, inWest := follow(t, east, event), follow(t, west, event)
	receive(t, inEast.starts)
	receive(t, inWest.starts)
	heard := make(chan id.ID, 100)
	ctx, cancel := context.WithCancel(t.Context())
	var tail sync.WaitGroup
	tail.Go(func() { _ = west.Tail(ctx, func(d inventory.Delta) { heard <- d.ID }) })
	t.Cleanup(func() { cancel(); tail.Wait() })
	for i, c := range []*stream.Client{east, west} {
		d := delta(event, seatmap.Ordinal(i), 2)
		publish(t, c, d)
		inEast.until(t, d.ID)
		inWest.until(t, d.ID)
	}
	eventually(t, "the west hears the east at once", func() bool { // the subscription may be a moment away
		publish(t, east, delta(event, 9, 9))
		select {
		case <-heard:
			return true
		case <-time.After(100 * time.Millisecond):
			return false
		}
	})
}

// A region goes on alone while the other is away, and both have everything when it is back.
func TestARegionGoesOnAlone(t *testing.T) {
	t.Parallel()
	p := openPair(t)
	east, west := p.connect("east"), p.connect("west")
	event := id.New()
	inEast, inWest := follow(t, east, event), follow(t, west, event)
	receive(t, inEast.starts)
	receive(t, inWest.starts)
	if err := p.east.StopOne(t.Context(), 0); err != nil {
		t.Fatal(err)
	}
	alone := delta(event, 1, 2)
	eventually(t, "the west publishes", func() bool { return west.Publish(t.Context(), alone, wire.EncodeStream(alone)) == nil })
	inWest.until(t, alone.ID)
	late := follow(t, west, event) // a gateway that starts now
	receive(t, late.starts)
	if err := p.east.Start(t.Context(), 0); err != nil {
		t.Fatal(err)
	}
	returned := time.Now()
	inEast.until(t, alone.ID)
	t.Logf("the east has what it missed %v after its return", time.Since(returned).Round(time.Millisecond))
	back := delta(event, 2, 2)
	acknowledged := east.Stats().Acknowledged
	eventually(t, "the east publishes", func() bool { // its server may not take it yet: the relay's work, in short
		_ = east.Publish(t.Context(), back, wire.EncodeStream(back))
		time.Sleep(50 * time.Millisecond)
		return east.Stats().Acknowledged > acknowledged
	})
	inWest.until(t, back.ID)
	late.until(t, back.ID)
	t.Logf("the west has news of the east %v after its return", time.Since(returned).Round(time.Millisecond))
}

// A region's stream that begins anew, with sequence numbers from one, is gathered from its beginning.
func TestAStreamThatBeginsAnewIsGatheredAnew(t *testing.T) {
	t.Parallel()
	p := openPair(t)
	east, west := p.connect("east"), p.connect("west")
	event := id.New()
	inWest := follow(t, west, event)
	receive(t, inWest.starts)
	for i := range 5 {
		d := delta(event, seatmap.Ordinal(i), 2)
		publish(t, east, d)
		inWest.until(t, d.ID)
	}
	if err := jetStreamAt(t, p.east.URL()).DeleteStream(t.Context(), "SEATS_OUT_east"); err != nil {
		t.Fatal(err)
	}
	eventually(t, "the east has another stream", func() bool {
		_, err := jetStreamAt(t, p.east.URL()).Stream(t.Context(), "SEATS_OUT_east")
		return err == nil
	})
	after := delta(event, 7, 2)
	publish(t, east, after)
	began := time.Now()
	inWest.until(t, after.ID)
	t.Logf("the west gathers again after %v", time.Since(began).Round(time.Millisecond))
}

// kept is an outbox of marked batches only: the region that published them had them acknowledged.
type kept struct{ records []stream.Record }

func (kept) Unpublished(context.Context, time.Duration, int) ([]stream.Record, error) {
	return nil, nil
}
func (kept) MarkPublished(context.Context, []id.ID) error { return nil }
func (k kept) Recent(_ context.Context, _ time.Duration, after stream.Record, limit int) ([]stream.Record, error) {
	i := slices.IndexFunc(k.records, func(r stream.Record) bool { return r.ID == after.ID }) + 1
	return k.records[i:min(len(k.records), i+limit)], nil
}

// What a region had acknowledged and not yet sent when it went away is published by the other's relay.
func TestTheLastBatchesOfALostRegionAreRepeated(t *testing.T) {
	t.Parallel()
	p := openPair(t)
	p.connect("east")
	west := p.connect("west")
	event := id.New()
	inWest := follow(t, west, event)
	receive(t, inWest.starts)
	var box kept
	for i := range 3 {
		d := delta(event, seatmap.Ordinal(i), 2)
		box.records = append(box.records, stream.Record{ID: d.ID, Event: event, Payload: wire.EncodeStream(d)})
	}
	js := jetStreamAt(t, p.west.URL())
	var heard time.Time
	eventually(t, "the east is heard of", func() bool {
		heard = time.Now()
		s, err := js.Stream(t.Context(), "SEATS_west")
		recent := func(s *jetstream.StreamSourceInfo) bool { return s.Active >= 0 && s.Active < time.Second }
		return err == nil && len(s.CachedInfo().Sources) == 2 && recent(s.CachedInfo().Sources[0]) && recent(s.CachedInfo().Sources[1])
	})
	relay := stream.NewRelay(west, box, stream.RelayOptions{Every: 20 * time.Millisecond, Batch: 2})
	if err := relay.Start(t.Context()); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = relay.Stop(context.Background()) })
	time.Sleep(time.Second)
	if n := relay.Stats().Repeated; n != 0 && time.Since(heard) < 2*time.Second { // else the machine stood still, and the east with it
		t.Errorf("%d batches repeated while the east is there", n)
	}
	if err := p.east.StopOne(t.Context(), 0); err != nil {
		t.Fatal(err)
	}
	for _, r := range box.records {
		inWest.until(t, r.ID)
	}
}

// Also when the region was lost before anything of it was ever gathered.
func TestTheBatchesOfARegionNeverHeardOfAreRepeated(t *testing.T) {
	t.Parallel()
	p := openPair(t)
	west := p.connect("west") // nobody has made a stream in the east
	if err := p.east.StopOne(t.Context(), 0); err != nil {
		t.Fatal(err)
	}
	event := id.New()
	inWest := follow(t, west, event)
	receive(t, inWest.starts)
	d := delta(event, 1, 2)
	relay := stream.NewRelay(west, kept{[]stream.Record{{ID: d.ID, Event: event, Payload: wire.EncodeStream(d)}}}, stream.RelayOptions{Every: 20 * time.Millisecond})
	if err := relay.Start(t.Context()); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = relay.Stop(context.Background()) })
	inWest.until(t, d.ID)
}

func TestRegionsAreChecked(t *testing.T) {
	for _, o := range []stream.Options{
		{Region: "north", Regions: both}, {Regions: both}, {Region: "a.b", Regions: []stream.Region{{Name: "a.b"}}},
	} {
		if c, err := stream.Connect(t.Context(), o); err == nil {
			c.Close()
			t.Errorf("%+v is accepted", o)
		}
	}
}

func jetStreamAt(t *testing.T, url string) jetstream.JetStream {
	t.Helper()
	conn, err := nats.Connect(url, nats.MaxReconnects(-1))
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
