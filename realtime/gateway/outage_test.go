package gateway_test

import (
	"context"
	"errors"
	"net"
	"os"
	"path/filepath"
	"sync"
	"testing"
	"time"

	"plateia/core/id"
	"plateia/core/inventory"
	"plateia/core/seatmap"
	"plateia/realtime/client"
	"plateia/realtime/gateway"
	"plateia/realtime/natsd"
	"plateia/realtime/stream"
	"plateia/realtime/wire"
)

// outbox behaves like the table: what is committed is in it until marked.
type outbox struct {
	mu   sync.Mutex
	rows []stream.Record
}

func (o *outbox) add(d inventory.Delta) {
	o.mu.Lock()
	defer o.mu.Unlock()
	o.rows = append(o.rows, stream.Record{ID: d.ID, Event: d.Event, Payload: wire.EncodeStream(d), CreatedAt: time.Now()})
}

func (o *outbox) Unpublished(_ context.Context, olderThan time.Duration, limit int) ([]stream.Record, error) {
	o.mu.Lock()
	defer o.mu.Unlock()
	var found []stream.Record
	for _, r := range o.rows {
		if time.Since(r.CreatedAt) >= olderThan && len(found) < limit {
			found = append(found, r)
		}
	}
	return found, nil
}

func (o *outbox) MarkPublished(_ context.Context, ids []id.ID) error {
	o.mu.Lock()
	defer o.mu.Unlock()
	gone := map[id.ID]bool{}
	for _, batch := range ids {
		gone[batch] = true
	}
	rest := o.rows[:0]
	for _, r := range o.rows {
		if !gone[r.ID] {
			rest = append(rest, r)
		}
	}
	o.rows = rest
	return nil
}

// plug is a NATS server that can be taken away and put back.
type plug struct {
	mu     sync.Mutex
	server *natsd.Server
}

func (p *plug) InProcessConn() (net.Conn, error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.server == nil {
		return nil, errors.New("unplugged")
	}
	return p.server.InProcessConn()
}

func (p *plug) swap(t *testing.T, dir string) {
	t.Helper()
	var s *natsd.Server
	if dir != "" {
		var err error
		if s, err = natsd.Start(t.Context(), natsd.Options{Dir: dir}); err != nil {
			t.Fatal(err)
		}
	}
	p.mu.Lock()
	old := p.server
	p.server = s
	p.mu.Unlock()
	if old != nil {
		old.Stop(context.Background())
	}
}

// TestSaleGoesOnWhileTheStreamIsAway: seats are sold with the server gone, and when it
// is back, with or without its data, the map is right soon (on a quiet machine within a second).
func TestSaleGoesOnWhileTheStreamIsAway(t *testing.T) {
	for name, lose := range map[string]bool{"data kept": false, "data lost": true} {
		t.Run(name, func(t *testing.T) {
			p, dir := &plug{}, t.TempDir()
			p.swap(t, dir)
			t.Cleanup(func() { p.swap(t, "") })
			c, err := stream.Connect(t.Context(), stream.Options{InProcess: p, CheckEvery: 200 * time.Millisecond})
			if err != nil {
				t.Fatal(err)
			}
			t.Cleanup(c.Close)
			box := &outbox{}
			relay := stream.NewRelay(c, box, stream.RelayOptions{})
			if err := relay.Start(t.Context()); err != nil {
				t.Fatal(err)
			}
			t.Cleanup(func() { relay.Stop(context.Background()) })
			s := &site{t: t, db: newDatabase(1000, 10), stream: c}
			_, url := s.gateway(func(o *gateway.Options) { o.Anonymous = gateway.AnonymousSlow })

			var m client.Map
			ctx, cancel := context.WithCancel(t.Context())
			watched, shown := make(chan error, 1), make(chan int, 1000)
			until := func(want int) {
				t.Helper()
				late := time.After(2 * time.Minute)
				for sold := -1; sold != want; {
					select {
					case sold = <-shown:
					case <-late:
						t.Fatalf("%d seats are shown as sold, want %d", sold, want)
					}
				}
			}
			go func() {
				watched <- client.Watch(ctx, url, client.Options{Event: s.db.event, View: whole}, &m, func(wire.Frame, time.Time) {
					sold := 0
					for _, status := range m.Statuses {
						if status == inventory.Sold {
							sold++
						}
					}
					shown <- sold
				})
			}()
			sell := func(o seatmap.Ordinal) {
				d := s.db.commit(inventory.Sold, o)
				box.add(d)
				c.Publish(t.Context(), d, wire.EncodeStream(d)) // fails while the server is away: the outbox has it
			}
			sell(0)
			until(1)
			p.swap(t, "")
			for o := range seatmap.Ordinal(20) {
				sell(1 + o)
			}
			if lose {
				if err := os.RemoveAll(filepath.Join(dir, "store")); err != nil {
					t.Fatal(err)
				}
			}
			p.swap(t, dir)
			until(21)
			cancel()
			if err := <-watched; err != nil {
				t.Fatal(err)
			}
		})
	}
}
