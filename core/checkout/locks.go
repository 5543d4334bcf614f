package checkout

import (
	"context"
	"sync"

	"plateia/core/id"
)

// locks is a mutex per id that does not outlive its use.
type locks struct {
	mu   sync.Mutex
	held map[id.ID]*lock
}

type lock struct {
	token chan struct{} // full while free
	users int
}

// lock waits for the id's turn, or for ctx.
func (l *locks) lock(ctx context.Context, of id.ID) (release func(), err error) {
	l.mu.Lock()
	if l.held == nil {
		l.held = map[id.ID]*lock{}
	}
	k := l.held[of]
	if k == nil {
		k = &lock{token: make(chan struct{}, 1)}
		k.token <- struct{}{}
		l.held[of] = k
	}
	k.users++
	l.mu.Unlock()
	select {
	case <-k.token:
		return func() { k.token <- struct{}{}; l.leave(of, k) }, nil
	case <-ctx.Done():
		l.leave(of, k)
		return nil, ctx.Err()
	}
}

func (l *locks) leave(of id.ID, k *lock) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if k.users--; k.users == 0 {
		delete(l.held, of)
	}
}
