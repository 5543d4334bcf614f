package inventory

import (
	"sync"
	"time"
)

// clock is the database's clock, as far as this process can tell without asking: what
// it said last, moved on by what has passed here since. The process's own clock
// may be wrong by minutes; only differences of its readings are used.
type clock struct {
	mu   sync.Mutex
	said time.Time // by the database
	here time.Time // when it was asked, on this process's clock
}

// learn takes the database's time from an answer that was asked for at here.
func (c *clock) learn(said, here time.Time) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if here.After(c.here) {
		c.said, c.here = said, here
	}
}

// at is the database's time at an instant of this process; zero when it was never heard.
func (c *clock) at(here time.Time) time.Time {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.said.IsZero() {
		return time.Time{}
	}
	return c.said.Add(here.Sub(c.here))
}
