package door

import (
	"context"
	"sync"
	"time"

	"plateia/core/queue"
)

const (
	viewAge  = 250 * time.Millisecond // a reading of a line is used for so long
	maxViews = 1024                   // lines remembered
)

// views is the latest reading of each line: however many people ask where they
// stand, a line is read four times a second.
type views struct {
	load func(context.Context, queue.Key) (queue.Line, error)
	mu   sync.Mutex
	all  map[queue.Key]*view
}

// view is one line's reading. turn is held by the one who reads.
type view struct {
	turn chan struct{}
	mu   sync.Mutex
	line queue.Line
	at   time.Time // when it was asked for
	old  bool      // read again, whatever its age
}

// line returns the line, its clock moved on to now.
func (v *views) line(ctx context.Context, key queue.Key) (queue.Line, error) {
	w := v.of(key)
	if l, ok := w.fresh(); ok {
		return l, nil
	}
	arrived := time.Now()
	select {
	case w.turn <- struct{}{}:
		defer func() { <-w.turn }()
	case <-ctx.Done():
		return queue.Line{}, ctx.Err()
	}
	if l, ok := w.since(arrived); ok { // somebody asked for it while we waited: a crowd shares one reading
		return l, nil
	}
	at := time.Now()
	l, err := v.load(ctx, key)
	if err != nil {
		return queue.Line{}, err
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	w.line, w.at, w.old = l, at, false
	return l, nil
}

func (v *views) of(key queue.Key) *view {
	v.mu.Lock()
	defer v.mu.Unlock()
	if v.all == nil || len(v.all) >= maxViews {
		v.all = make(map[queue.Key]*view)
	}
	w, ok := v.all[key]
	if !ok {
		w = &view{turn: make(chan struct{}, 1)}
		v.all[key] = w
	}
	return w
}

// forget makes the next reader read again.
func (v *views) forget(key queue.Key) {
	w := v.of(key)
	w.mu.Lock()
	defer w.mu.Unlock()
	w.old = true
}

// fresh is the reading, its clock moved on to now, if it is young enough.
func (w *view) fresh() (queue.Line, bool) {
	w.mu.Lock()
	defer w.mu.Unlock()
	age := time.Since(w.at)
	if w.old || age >= viewAge {
		return queue.Line{}, false
	}
	l := w.line
	l.Now = l.Now.Add(age)
	return l, true
}

// since is the reading if it was asked for after an instant, even if it is old again by now.
func (w *view) since(instant time.Time) (queue.Line, bool) {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.line, w.at.After(instant)
}
