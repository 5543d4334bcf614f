package store

import (
	"context"
	"sync"
	"sync/atomic"
	"testing"
	"time"
)

// BenchmarkEnter is how fast a log that syncs always takes entries of many people at once.
func BenchmarkEnter(b *testing.B) {
	s := newSite(b)
	e, key, now := s.entries(), newKey(), time.Now()
	var next atomic.Int64
	var all sync.WaitGroup
	b.ResetTimer()
	for range 2000 {
		all.Go(func() {
			for n := next.Add(1); n <= int64(b.N); n = next.Add(1) {
				if _, _, err := e.Enter(context.Background(), key, entryOf(int(n), now, now), now); err != nil {
					b.Error(err)
				}
			}
		})
	}
	all.Wait()
	b.ReportMetric(float64(b.N)/b.Elapsed().Seconds(), "entries/s")
}
