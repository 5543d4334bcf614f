package clocktest

import (
	"testing"
	"time"
)

func TestAStandingClockMovesByHandOnly(t *testing.T) {
	noon := time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)
	c := At(noon)
	c.Advance(time.Minute)
	c.Advance(time.Second)
	if got := c.Now().Sub(noon); got != 61*time.Second {
		t.Errorf("moved %v, want 1m1s", got)
	}
	c.SetAhead(time.Hour)
	if got := c.Now().Sub(noon); got != time.Hour {
		t.Errorf("%v ahead, want 1h", got)
	}
}

func TestTheZeroClockRuns(t *testing.T) {
	var c Clock
	c.SetAhead(time.Hour)
	before := time.Now()
	got := c.Now().Add(-time.Hour)
	if got.Before(before) || got.After(time.Now()) {
		t.Errorf("shows %v, the machine's was between %v and %v", got, before, time.Now())
	}
}
