package gateway

import "sync"

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

func (s *shard) run() {
	var batch []*conn
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
			c.write()
			batch[i] = nil
		}
	}
}
