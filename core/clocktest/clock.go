// Package clocktest is time that tests move by hand. Only tests import it.
package clocktest

import (
	"sync/atomic"
	"time"
)

// Clock stands still (At) or, when it is the zero Clock, runs with the machine's; Advance and SetAhead move it. Safe for concurrent use.
type Clock struct {
	stands time.Time // zero: it runs
	ahead  atomic.Int64
}

// At is a clock that stands still at an instant until it is moved.
func At(t time.Time) *Clock { return &Clock{stands: t} }

// Now is what the clock shows.
func (c *Clock) Now() time.Time {
	from := c.stands
	if from.IsZero() {
		from = time.Now()
	}
	return from.Add(time.Duration(c.ahead.Load()))
}

// Advance moves the clock on.
func (c *Clock) Advance(d time.Duration) { c.ahead.Add(int64(d)) }

// SetAhead moves the clock to so long after where it would be unmoved.
func (c *Clock) SetAhead(d time.Duration) { c.ahead.Store(int64(d)) }
