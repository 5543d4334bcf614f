package client

import (
	"math/rand/v2"
	"time"
)

// pause is how long to wait before the next connection: what the gateway asked
// for, or a random share of the back-off.
func pause(closed *Closed, backoff time.Duration) time.Duration {
	if closed == nil || closed.Bye.Code == 0 {
		return backoff/2 + rand.N(backoff) //nolint:gosec // jitter
	}
	wait := closed.Bye.After
	if closed.Bye.Spread > 0 {
		wait += rand.N(closed.Bye.Spread) //nolint:gosec // jitter
	}
	return max(wait, 10*time.Millisecond)
}
