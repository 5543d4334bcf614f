package db

import (
	"context"
	"sync/atomic"
	"time"

	"plateia/core/fault"
)

// turns bounds how many do something at once. Others wait shortly for theirs, and are told to come again rather than wait
// for long: whoever asks through an edge is answered from what it has until then. Safe for concurrent use.
type turns struct {
	free         chan struct{} // holds a token for each that goes on
	wait         time.Duration
	waited, busy atomic.Int64
}

func newTurns(atOnce int, wait time.Duration) *turns {
	return &turns{free: make(chan struct{}, max(atOnce, 1)), wait: wait}
}

// take waits for a turn, which done ends. fault.Busy: none came.
func (t *turns) take(ctx context.Context) (done func(), err error) {
	done = func() { <-t.free }
	select {
	case t.free <- struct{}{}:
		return done, nil
	default:
	}
	t.waited.Add(1)
	patience := time.NewTimer(t.wait)
	defer patience.Stop()
	select {
	case t.free <- struct{}{}:
		return done, nil
	case <-ctx.Done():
		return nil, ctx.Err()
	case <-patience.C:
		t.busy.Add(1)
		return nil, fault.New(fault.Busy, "many people are searching right now; try again in a moment").After(2 * time.Second)
	}
}
