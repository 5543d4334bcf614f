package gateway

import (
	"runtime"
	"sync"
	"sync/atomic"
	"time"
)

// shard is a writer and the connections that have something to be written. Those who see seats go before those who look
// from afar, who are most of a crowd and told once a second: a round of theirs can take longer than that.
type shard struct {
	mu    sync.Mutex
	more  *sync.Cond
	ready [2]round
	ended bool

	clocks [2]clock
}

// Which of a shard's rounds a connection is in.
const (
	near = 0
	far  = 1
)

// round is connections that have something to be written.
type round struct {
	conns []*conn
	next  int       // the first that has not had its turn
	since time.Time // when the first came
}

func (r *round) over() bool { return r.next == len(r.conns) }

// clock says how long rounds take.
type clock struct {
	now  atomic.Int64 // Unix ns since when the round that is being written has waited; 0: none is
	last atomic.Int64 // ns that the last round took, from its first connection's coming to its last one's frame
	at   atomic.Int64 // Unix ns of that round's end
}

// forgotten is how long a round says something about the load.
const forgotten = 2 * time.Second

// lag is how long a round of frames takes to get to the kernel, as this writer knows it.
func (k *clock) lag(now time.Time) (lag time.Duration) {
	if now.Sub(time.Unix(0, k.at.Load())) < forgotten {
		lag = time.Duration(k.last.Load())
	}
	if since := k.now.Load(); since > 0 {
		lag = max(lag, now.Sub(time.Unix(0, since)))
	}
	return lag
}

// lag is that of the slowest writer: the load that widens the hub's ticks.
func (g *Gateway) lag() (slowest time.Duration) {
	now := time.Now()
	for _, s := range g.shards {
		slowest = max(slowest, s.clocks[near].lag(now), s.clocks[far].lag(now))
	}
	return slowest
}

func newShard() *shard {
	s := &shard{}
	s.more = sync.NewCond(&s.mu)
	return s
}

// add queues a connection. It is called under the hub's locks and does not wait.
func (s *shard) add(c *conn) {
	which := near
	if c.afar.Load() {
		which = far
	}
	s.mu.Lock()
	r := &s.ready[which]
	if len(r.conns) == 0 {
		r.since = time.Now()
	}
	r.conns = append(r.conns, c)
	s.mu.Unlock()
	s.more.Signal()
}

func (s *shard) stop() {
	s.mu.Lock()
	s.ended = true
	s.mu.Unlock()
	s.more.Broadcast()
}

// breath is after how many connections a writer lets other goroutines run: those of a crowd take it half a second.
const breath = 64

// written is what a writer has not yet counted: a shared counter for each frame costs more than the frame.
type written struct{ frames, bytes int64 }

func (c *counters) wrote(w written) {
	c.frames.Add(w.frames)
	c.bytes.Add(w.bytes)
}

func (s *shard) run(count *counters) {
	var rounds [2]round
	for s.take(&rounds) {
		s.write(near, &rounds[near], len(rounds[near].conns), count)
		s.write(far, &rounds[far], breath, count)
	}
}

// take begins the next rounds of what is over, and waits while there is nothing to write; false at the end.
func (s *shard) take(rounds *[2]round) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	for !s.ended {
		for which := range rounds {
			r, more := &rounds[which], &s.ready[which]
			if r.over() && len(more.conns) > 0 {
				*r, more.conns = round{conns: more.conns, since: more.since}, r.conns[:0]
				s.clocks[which].now.Store(r.since.UnixNano())
			}
		}
		if !rounds[near].over() || !rounds[far].over() {
			return true
		}
		s.more.Wait()
	}
	return false
}

// write gives the next most connections of a round their turn.
func (s *shard) write(which int, r *round, most int, count *counters) {
	if r.over() {
		return
	}
	var wrote written
	for ; most > 0 && !r.over(); most-- {
		r.conns[r.next].write(&wrote)
		r.conns[r.next] = nil
		if r.next++; r.next%breath == 0 {
			count.wrote(wrote)
			wrote = written{}
			runtime.Gosched()
		}
	}
	count.wrote(wrote)
	if r.over() {
		k := &s.clocks[which]
		k.last.Store(int64(time.Since(r.since)))
		k.at.Store(time.Now().UnixNano())
		k.now.Store(0)
	}
}
