package gateway

import (
	"runtime"
	"sync"
	"sync/atomic"
	"time"
)

// shard is a writer and the connections that have something to be written.
type shard struct {
	mu    sync.Mutex
	more  *sync.Cond
	ready []*conn
	since time.Time // when the first of ready came
	ended bool

	now  atomic.Int64 // Unix ns since when the round that is being written has waited; 0: none is
	last atomic.Int64 // ns that the last round took, from its first connection's coming to its last one's frame
	at   atomic.Int64 // Unix ns of that round's end
}

// forgotten is how long a round says something about the load.
const forgotten = 2 * time.Second

// lag is how long a round of frames takes to get to the kernel, as this writer knows it.
func (s *shard) lag(now time.Time) (lag time.Duration) {
	if now.Sub(time.Unix(0, s.at.Load())) < forgotten {
		lag = time.Duration(s.last.Load())
	}
	if since := s.now.Load(); since > 0 {
		lag = max(lag, now.Sub(time.Unix(0, since)))
	}
	return lag
}

// lag is that of the slowest writer: the load that widens the hub's ticks.
func (g *Gateway) lag() (slowest time.Duration) {
	now := time.Now()
	for _, s := range g.shards {
		slowest = max(slowest, s.lag(now))
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
	s.mu.Lock()
	if len(s.ready) == 0 {
		s.since = time.Now()
	}
	s.ready = append(s.ready, c)
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
	var batch []*conn
	var wrote written
	for {
		s.mu.Lock()
		for len(s.ready) == 0 && !s.ended {
			s.more.Wait()
		}
		if s.ended {
			s.mu.Unlock()
			return
		}
		batch, s.ready = s.ready, batch[:0]
		since := s.since
		s.mu.Unlock()
		s.now.Store(since.UnixNano())
		for i, c := range batch {
			c.write(&wrote)
			batch[i] = nil
			if i%breath == breath-1 {
				count.wrote(wrote)
				wrote = written{}
				runtime.Gosched()
			}
		}
		count.wrote(wrote)
		wrote = written{}
		s.last.Store(int64(time.Since(since)))
		s.at.Store(time.Now().UnixNano())
		s.now.Store(0)
	}
}
