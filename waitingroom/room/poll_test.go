package room

import (
	"testing"

	"plateia/waitingroom/frontier"
)

// However many await the draw, they ask about two thousand times a second together, until a look takes a quarter of a minute.
func TestACrowdThatAwaitsTheDrawAsksSeldom(t *testing.T) {
	for entered, floor := range map[int64]int64{0: 1000, 500: 1000, 16_000: 8000, 10_000_000: 15_000} {
		if got := pollIn(frontier.Drawing, entered).FloorMS; got != floor {
			t.Errorf("%d entered: looks at least %d ms apart, want %d", entered, got, floor)
		}
		for _, phase := range []frontier.Phase{frontier.Before, frontier.Open, frontier.Paused} {
			if got := pollIn(phase, entered); got != poll {
				t.Errorf("%s: %+v", phase, got)
			}
		}
	}
}
