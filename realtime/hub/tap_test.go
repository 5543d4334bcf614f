package hub_test

import (
	"context"
	"errors"
	"slices"
	"sync"

	"plateia/core/id"
	"plateia/core/inventory"
	"plateia/realtime/hub"
)

// tap is how one gateway hears the log, as stream.Client does: it may be behind, and it learns only when it looks that
// the log was replaced or purged. Until then it goes on behind the hole, or with another message under a number that
// was used before, and says nothing.
type tap struct {
	w *world

	mu   sync.Mutex
	life uint64
	lost chan struct{}
	held bool // followers hear nothing for the moment
}

var _ hub.Rewinder = (*tap)(nil)

func newTap(w *world) *tap { return &tap{w: w, life: w.life, lost: make(chan struct{})} }

// look adopts the log as it is.
func (p *tap) look() {
	p.w.mu.Lock()
	life := p.w.life
	p.w.mu.Unlock()
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.life != life {
		close(p.lost)
		p.life, p.lost = life, make(chan struct{})
	}
}

// hold stops and resumes delivery.
func (p *tap) hold(held bool) {
	p.mu.Lock()
	p.held = held
	p.mu.Unlock()
	p.w.poke()
}

func (p *tap) Flows() bool {
	_, _, held := p.state()
	return !held
}

func (p *tap) state() (life uint64, lost chan struct{}, held bool) {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.life, p.lost, p.held
}

func (p *tap) Follow(ctx context.Context, event id.ID, start func(uint64, uint64) error, each func(uint64, inventory.Delta)) error {
	return p.FollowFrom(ctx, event, func(life, base uint64) (uint64, error) { return base, start(life, base) }, each)
}

func (p *tap) FollowFrom(ctx context.Context, _ id.ID, start func(uint64, uint64) (uint64, error), each func(uint64, inventory.Delta)) error {
	life, lost, _ := p.state()
	from, err := start(life, uint64(p.w.end()))
	if err != nil {
		return err
	}
	next := int(from)
	for {
		var batch []inventory.Delta
		news := p.w.listen()
		if _, _, held := p.state(); !held {
			next, batch = p.w.after(next)
		}
		for _, d := range batch {
			next++
			each(uint64(next), d)
		}
		select {
		case <-ctx.Done():
			return nil
		case <-lost:
			return errors.New("lost")
		case <-news:
		}
	}
}

// end is the newest sequence number.
func (w *world) end() int {
	w.mu.Lock()
	defer w.mu.Unlock()
	return len(w.log)
}

func (w *world) listen() <-chan struct{} {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.news
}

// after is what the log still has behind a sequence number.
func (w *world) after(next int) (int, []inventory.Delta) {
	w.mu.Lock()
	defer w.mu.Unlock()
	next = max(next, w.gone)
	return next, w.log[min(next, len(w.log)):]
}

// poke wakes every follower.
func (w *world) poke() {
	w.mu.Lock()
	defer w.mu.Unlock()
	close(w.news)
	w.news = make(chan struct{})
}

// purge drops what the log holds; the numbers go on.
func (w *world) purge() {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.gone = len(w.log)
	w.life++
}

// cut takes the newest messages away, as a server that had not written them: their numbers are used again.
func (w *world) cut(n int) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.log = slices.Clone(w.log[:max(0, len(w.log)-n)]) // followers still read the old one
	w.gone = min(w.gone, len(w.log))
	w.life++
}
