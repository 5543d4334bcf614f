package room

import (
	"context"
	"sync"
	"time"

	"plateia/core/id"
	"plateia/core/queue"
)

const (
	signsEvery = time.Second
	maxSigns   = 50_000           // remembered between two writes, and lately written
	signQuiet  = 20 * time.Second // one sign per account is written in this time
)

// signs gathers signs of life, so that a busy fan costs one write every 20 seconds.
type signs struct {
	mu      sync.Mutex
	pending map[queue.Sign]struct{}
	written map[queue.Sign]time.Time
}

// Seen notes that somebody inside did something. It never waits; what does not fit is lost, which is
// harmless: the next sign comes soon.
func (r *Room) Seen(event, account id.ID) {
	r.signs.note(queue.Sign{Event: event, Account: account}, time.Now())
}

func (s *signs) note(sign queue.Sign, now time.Time) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if now.Sub(s.written[sign]) < signQuiet || len(s.pending) >= maxSigns {
		return
	}
	if s.pending == nil {
		s.pending = make(map[queue.Sign]struct{})
	}
	s.pending[sign] = struct{}{}
}

func (s *signs) take(now time.Time) []queue.Sign {
	s.mu.Lock()
	defer s.mu.Unlock()
	out := make([]queue.Sign, 0, len(s.pending))
	if s.written == nil || len(s.written)+len(s.pending) > maxSigns {
		s.written = make(map[queue.Sign]time.Time)
	}
	for sign := range s.pending {
		out = append(out, sign)
		s.written[sign] = now
	}
	clear(s.pending)
	return out
}

func (r *Room) passSigns(ctx context.Context) {
	tick := time.NewTicker(signsEvery)
	defer tick.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case now := <-tick.C:
			if err := r.store.Seen(ctx, r.signs.take(now)); err != nil {
				r.complain(ctx, "write signs of life", err)
			}
		}
	}
}
