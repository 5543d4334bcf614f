package door

import (
	"sync/atomic"
	"testing"
	"time"

	"plateia/core/account"
	"plateia/core/event"
	"plateia/core/id"
	"plateia/db"
	"plateia/db/dbtest"
	"plateia/waitingroom/token"
)

// BenchmarkEnter is people entering one line at once, each for the first time.
func BenchmarkEnter(b *testing.B) {
	d, show := benchDoor(b)
	b.SetParallelism(200)
	var n atomic.Int64
	b.RunParallel(func(pb *testing.PB) {
		for pb.Next() {
			n.Add(1)
			who := account.Session{Account: id.New(), IssuedAt: time.Now()}
			if _, _, err := d.Enter(b.Context(), show, who, "key"); err != nil {
				b.Error(err)
			}
		}
	})
	b.ReportMetric(float64(n.Load())/b.Elapsed().Seconds(), "places/s")
}

// BenchmarkStatus is a waiting person asking where they stand.
func BenchmarkStatus(b *testing.B) {
	d, show := benchDoor(b)
	ticket := account.QueueTicket{Event: show, Epoch: 1, Position: 1 << 40}
	b.RunParallel(func(pb *testing.PB) {
		for pb.Next() {
			if _, err := d.Status(b.Context(), ticket); err != nil {
				b.Error(err)
			}
		}
	})
}

func benchDoor(b *testing.B) (*Door, id.ID) {
	b.Helper()
	auth, err := token.New(token.Options{Current: make([]byte, 32), PseudonymKey: make([]byte, 32)})
	if err != nil {
		b.Fatal(err)
	}
	show := &oneEvent{e: event.Event{ID: id.New(), State: event.OnSale, Epoch: 1, Rules: event.DefaultRules()}}
	d := New(db.NewDoors(dbtest.New(b)), show, auth, Options{})
	if err := d.Start(b.Context()); err != nil {
		b.Fatal(err)
	}
	b.Cleanup(func() { _ = d.Stop(b.Context()) })
	return d, show.e.ID
}
