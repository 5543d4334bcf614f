package db

import (
	"context"
	"errors"
	"testing"
	"testing/synctest"
	"time"

	"plateia/core/fault"
)

// So many go on at once; the next one waits for a turn, and is told to come again when none comes.
func TestTurns(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		turns := newTurns(2, time.Second)
		take := func() func() {
			t.Helper()
			done, err := turns.take(t.Context())
			if err != nil {
				t.Fatal(err)
			}
			return done
		}
		first, second := take(), take()
		began := time.Now()
		_, err := turns.take(t.Context())
		if f := fault.From(err); f.Code != fault.Busy || !f.Retryable || f.RetryAfter <= 0 || time.Since(began) != time.Second {
			t.Errorf("the third: %v after %v", err, time.Since(began))
		}
		time.AfterFunc(time.Second/2, first)
		third := take() // waits for the first
		if time.Since(began) != 3*time.Second/2 {
			t.Errorf("the turn came after %v", time.Since(began))
		}
		ctx, cancel := context.WithTimeout(t.Context(), time.Second/4)
		defer cancel()
		if _, err := turns.take(ctx); !errors.Is(err, context.DeadlineExceeded) {
			t.Errorf("whoever left: %v", err)
		}
		second()
		third()
		take()()
		if waited, busy := turns.waited.Load(), turns.busy.Load(); waited != 3 || busy != 1 {
			t.Errorf("%d waited, %d in vain", waited, busy)
		}
	})
}
