package door

import (
	"context"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"plateia/core/id"
	"plateia/core/queue"
)

func TestACrowdSharesOneReading(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var reads atomic.Int64
		v := &views{load: func(context.Context, queue.Key) (queue.Line, error) {
			time.Sleep(10 * time.Millisecond)
			return queue.Line{Now: time.Now(), Frontier: reads.Add(1)}, nil
		}}
		line := queue.Key{Event: id.New(), Epoch: 1}
		var wg sync.WaitGroup
		for range 500 {
			wg.Go(func() {
				if _, err := v.line(t.Context(), line); err != nil {
					t.Error(err)
				}
			})
		}
		synctest.Wait() // the first is reading, the others wait
		v.forget(line)
		wg.Wait()
		if n := reads.Load(); n > 2 {
			t.Errorf("%d readings for a crowd", n)
		}
		time.Sleep(viewAge - 20*time.Millisecond)
		l, _ := v.line(t.Context(), line)
		if reads.Load() > 2 || l.Now.Before(time.Now().Add(-20*time.Millisecond)) {
			t.Errorf("%d readings; the clock says %v at %v", reads.Load(), l.Now, time.Now())
		}
		v.forget(line)
		if l, _ = v.line(t.Context(), line); l.Frontier != reads.Load() {
			t.Error("a forgotten reading was used")
		}
		ctx, cancel := context.WithCancel(t.Context())
		cancel()
		v.of(line).turn <- struct{}{}
		v.forget(line)
		if _, err := v.line(ctx, line); err == nil {
			t.Error("waited without end")
		}
	})
}
