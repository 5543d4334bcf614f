package gateway

import (
	"runtime"
	"sync"
)

// shard is a writer and the connections that have something to be written.
type shard struct {
	mu    sync.Mutex
	more  *sync.Cond
	ready []*conn
	ended bool
}

func newShard() *shard {
	s := &shard{}
	s.more = sync.NewCond(&s.mu)
	return s
}

// add queues a connection. It is called under the hub's locks and does not wait.
func (s *shard) add(c *conn) {
	s.mu.Lock()
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
		s.mu.Unlock()
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
	}
}
