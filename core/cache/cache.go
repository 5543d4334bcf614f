// Package cache keeps what was expensive to make, in bounded room, and lets
// callers who ask for the same thing together share one making of it.
package cache

import (
	"container/list"
	"context"
	"errors"
	"sync"
	"time"
)

// Cache keeps values by key, least recently used first to go. Callers that ask
// for the same key at once share one load. Errors are not kept. It is safe for concurrent use.
type Cache[K comparable, V any] struct {
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

// New returns an empty cache. Values are kept for life (0: as long as there is room),
// and together cost no more than room, unless a single one does.
func New[K comparable, V any](life time.Duration, room int, cost func(V) int) *Cache[K, V] {
	return &Cache[K, V]{life: life, room: room, cost: cost, entries: map[K]*list.Element{}, recent: list.New()}
}

// Get returns the key's value and loads it when it is not there.
func (c *Cache[K, V]) Get(ctx context.Context, key K, load func(context.Context) (V, error)) (V, error) {
	return c.GetIf(ctx, key, func(V) bool { return true }, load)
}

// GetIf is Get for values that can be outdated: one that is not good is loaded again. What
// load returns is taken as it is. good is called under the cache's lock and must be quick.
func (c *Cache[K, V]) GetIf(ctx context.Context, key K, good func(V) bool, load func(context.Context) (V, error)) (V, error) {
	for {
		entry, mine := c.claim(key, good)
		if mine {
			c.fill(entry, func() (V, error) { return load(ctx) })
			return entry.value, entry.err
		}
		select {
		case <-entry.ready:
		case <-ctx.Done():
			var none V
			return none, ctx.Err()
		}
		switch {
		case entry.err == nil && good(entry.value):
			return entry.value, nil
		case entry.err != nil && (ctx.Err() != nil || !isCancellation(entry.err)):
			return entry.value, entry.err
		}
		// The caller who loaded it left, or it was outdated when it came; load it for ourselves.
	}
}

// claim returns the key's entry, and whether the caller must fill it.
func (c *Cache[K, V]) claim(key K, good func(V) bool) (entry *cached[K, V], mine bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if element, ok := c.entries[key]; ok {
		entry := element.Value.(*cached[K, V])
		if c.serves(entry, good) {
			c.recent.MoveToFront(element)
			return entry, false
		}
		c.remove(element)
	}
	entry = &cached[K, V]{key: key, ready: make(chan struct{})}
	c.entries[key] = c.recent.PushFront(entry)
	return entry, true
}

func (c *Cache[K, V]) serves(entry *cached[K, V], good func(V) bool) bool {
	select {
	case <-entry.ready:
		return (c.life == 0 || time.Since(entry.loaded) < c.life) && good(entry.value)
	default:
		return true // being loaded
	}
}

// fill loads outside the lock. A load that failed or panicked leaves no entry.
func (c *Cache[K, V]) fill(entry *cached[K, V], load func() (V, error)) {
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
func (c *Cache[K, V]) trim() {
	for c.used > c.room && c.recent.Len() > 1 {
		c.remove(c.recent.Back())
	}
}

func (c *Cache[K, V]) remove(element *list.Element) {
	entry := element.Value.(*cached[K, V])
	c.recent.Remove(element)
	delete(c.entries, entry.key)
	c.used -= entry.cost
}

// Forget drops a key: the next Get loads it.
func (c *Cache[K, V]) Forget(key K) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if element, ok := c.entries[key]; ok {
		c.remove(element)
	}
}

// Clear drops every key.
func (c *Cache[K, V]) Clear() {
	c.mu.Lock()
	defer c.mu.Unlock()
	clear(c.entries)
	c.recent.Init()
	c.used = 0
}

// Used is the cost of what is kept.
func (c *Cache[K, V]) Used() int {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.used
}

func isCancellation(err error) bool {
	return errors.Is(err, context.Canceled) || errors.Is(err, context.DeadlineExceeded)
}
