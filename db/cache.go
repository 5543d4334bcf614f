package db

import (
	"container/list"
	"context"
	"errors"
	"sync"
	"time"
)

// cache keeps what load returned, by key, least recently used first to go.
// Callers that ask for the same key at once share one load. Errors are not kept.
type cache[K comparable, V any] struct {
	life time.Duration // 0: as long as there is room
	room int           // total cost kept
	cost func(V) int

	mu      sync.Mutex
	entries map[K]*list.Element
	recent  *list.List // of *cached[K, V]; front: last used
	used    int
}

type cached[K comparable, V any] struct {
	key    K
	ready  chan struct{} // closed when value and err are set
	value  V
	err    error
	loaded time.Time
	cost   int
}

func newCache[K comparable, V any](life time.Duration, room int, cost func(V) int) *cache[K, V] {
	return &cache[K, V]{life: life, room: room, cost: cost, entries: map[K]*list.Element{}, recent: list.New()}
}

func (c *cache[K, V]) get(ctx context.Context, key K, load func(context.Context, K) (V, error)) (V, error) {
	for {
		entry, mine := c.claim(key)
		if mine {
			c.fill(entry, func() (V, error) { return load(ctx, key) })
			return entry.value, entry.err
		}
		select {
		case <-entry.ready:
		case <-ctx.Done():
			var none V
			return none, ctx.Err()
		}
		if entry.err == nil || ctx.Err() != nil || !isCancellation(entry.err) {
			return entry.value, entry.err
		}
		// The caller who loaded it left; load it for ourselves.
	}
}

// claim returns the key's entry, and whether the caller must fill it.
func (c *cache[K, V]) claim(key K) (entry *cached[K, V], mine bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if element, ok := c.entries[key]; ok {
		entry := element.Value.(*cached[K, V])
		if c.fresh(entry) {
			c.recent.MoveToFront(element)
			return entry, false
		}
		c.remove(element)
	}
	entry = &cached[K, V]{key: key, ready: make(chan struct{})}
	c.entries[key] = c.recent.PushFront(entry)
	return entry, true
}

func (c *cache[K, V]) fresh(entry *cached[K, V]) bool {
	select {
	case <-entry.ready:
		return c.life == 0 || time.Since(entry.loaded) < c.life
	default:
		return true // being loaded
	}
}

// fill loads outside the lock. A load that failed or panicked leaves no entry.
func (c *cache[K, V]) fill(entry *cached[K, V], load func() (V, error)) {
	entry.err = context.Canceled // what others see if load panics: they load for themselves
	defer func() {
		c.mu.Lock()
		defer c.mu.Unlock()
		entry.loaded = time.Now()
		close(entry.ready)
		element, ok := c.entries[entry.key]
		if !ok || element.Value != entry { // forgotten meanwhile
			return
		}
		if entry.err != nil {
			c.remove(element)
			return
		}
		entry.cost = c.cost(entry.value)
		c.used += entry.cost
		c.trim()
	}()
	entry.value, entry.err = load()
}

// trim makes room, but keeps the entry used last even when it alone is too large.
func (c *cache[K, V]) trim() {
	for c.used > c.room && c.recent.Len() > 1 {
		c.remove(c.recent.Back())
	}
}

func (c *cache[K, V]) remove(element *list.Element) {
	entry := element.Value.(*cached[K, V])
	c.recent.Remove(element)
	delete(c.entries, entry.key)
	c.used -= entry.cost
}

func (c *cache[K, V]) forget(key K) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if element, ok := c.entries[key]; ok {
		c.remove(element)
	}
}

func isCancellation(err error) bool {
	return errors.Is(err, context.Canceled) || errors.Is(err, context.DeadlineExceeded)
}
