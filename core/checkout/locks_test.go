package checkout

import (
	"context"
	"errors"
	"sync"
	"testing"

	"plateia/core/id"
)

func TestLocksAreExclusivePerID(t *testing.T) {
	var l locks
	var wg sync.WaitGroup
	a, b, counts := id.New(), id.New(), map[id.ID]*int{}
	counts[a], counts[b] = new(int), new(int)
	for i := range 200 {
		which := a
		if i%2 == 0 {
			which = b
		}
		wg.Go(func() {
			release, err := l.lock(t.Context(), which)
			if err != nil {
				t.Error(err)
				return
			}
			*counts[which]++ // the race detector watches
			release()
		})
	}
	wg.Wait()
	if *counts[a] != 100 || *counts[b] != 100 || len(l.held) != 0 {
		t.Errorf("counted %d and %d, %d locks left", *counts[a], *counts[b], len(l.held))
	}
}

func TestLockGivesUpWithItsContext(t *testing.T) {
	var l locks
	a := id.New()
	release, _ := l.lock(t.Context(), a)
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := l.lock(ctx, a); !errors.Is(err, context.Canceled) {
		t.Errorf("got %v", err)
	}
	release()
	if len(l.held) != 0 {
		t.Error("a lock is left")
	}
}
