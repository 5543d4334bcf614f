package store

import (
	"context"
	"fmt"
	"net"
	"sync/atomic"
	"testing"
	"time"

	"go.uber.org/goleak"

	"plateia/core/fault"
	"plateia/core/id"
	"plateia/core/queue"
	"plateia/realtime/natsd"
	"plateia/waitingroom/draw"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// site is a server on a folder, and logs on it.
type site struct {
	t      testing.TB
	dir    string
	server atomic.Pointer[natsd.Server] // reconnecting looks at it
}

func newSite(t testing.TB) *site {
	s := &site{t: t, dir: t.TempDir()}
	s.start()
	t.Cleanup(func() { s.stop() })
	return s
}

func (s *site) start() {
	s.t.Helper()
	server, err := natsd.Start(s.t.Context(), natsd.Options{Dir: s.dir, SyncAlways: true, MaxStore: 300 << 20})
	if err != nil {
		s.t.Fatal(err)
	}
	s.server.Store(server)
}

func (s *site) stop() { s.server.Load().Stop(context.Background()) }

// InProcessConn connects to the server that runs now.
func (s *site) InProcessConn() (net.Conn, error) { return s.server.Load().InProcessConn() }

func (s *site) entries() *Entries {
	s.t.Helper()
	js, closing, err := Dial(s)
	if err != nil {
		s.t.Fatal(err)
	}
	s.t.Cleanup(closing)
	e := New(js, Options{MaxBytes: 200 << 20})
	if err := e.Start(s.t.Context()); err != nil {
		s.t.Fatal(err)
	}
	s.t.Cleanup(func() { e.Stop(context.Background()) })
	return e
}

func eventually(t testing.TB, what string, ok func() bool) {
	t.Helper()
	for deadline := time.Now().Add(30 * time.Second); !ok(); time.Sleep(5 * time.Millisecond) {
		if time.Now().After(deadline) {
			t.Fatalf("never: %s", what)
		}
	}
}

func newKey() queue.Key { return queue.Key{Event: id.New(), Epoch: 1} }

// enter writes an entry, and again while it is told to, as a page does: a disk may take its time.
func enter(ctx context.Context, e *Entries, key queue.Key, entry draw.Entry, onSale time.Time) (kept Kept, fresh bool, err error) {
	kept, fresh, err = e.Enter(ctx, key, entry, onSale)
	for tries := 0; fault.CodeOf(err) == fault.Busy && tries < 20; tries++ {
		kept, fresh, err = e.Enter(ctx, key, entry, onSale)
	}
	return kept, fresh, err
}

// entryOf is a fan's entry: in the lottery when at is before onSale.
func entryOf(n int, at, onSale time.Time) draw.Entry {
	return draw.Entry{Pseudonym: fmt.Sprintf("fan-%d", n), Class: draw.ClassAt(at, onSale), EnteredAt: at.UnixMilli(), KeyThumb: fmt.Sprintf("key-%d", n)}
}
