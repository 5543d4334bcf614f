package hub

import (
	"slices"
	"sync"
	"time"

	"plateia/core/id"
	"plateia/realtime/wire"
)

// Viewer is one connection as the hub sees it. Next belongs to the one who writes
// to the connection; the other methods may be called from anywhere.
type Viewer struct {
	// What every frame touches comes first and fills one line of the processor's cache: with
	// thousands of viewers each line is a trip to memory.
	mu    sync.Mutex
	queue [][]byte
	one   [1][]byte // room for the usual queue, so that a frame costs no garbage
	bye   *wire.Bye
	bytes int
	wake  func()
	event *event

	account  id.ID
	pace     Pace
	inflates bool

	// Under the event's lock.
	joined bool
	view   wire.View
	resume *wire.Position // until the fold is ready
	groups [2]*group      // seats, summaries; nil where the view has none
	places [2]int         // index in the groups' lists
	peer   *Viewer        // the next of the same account
}

// Next removes the oldest waiting frame; nil when there is none. The bye comes after the last frame.
func (v *Viewer) Next() ([]byte, *wire.Bye) {
	v.mu.Lock()
	defer v.mu.Unlock()
	if len(v.queue) == 0 {
		return nil, v.bye
	}
	frame := v.queue[0]
	v.queue[0] = nil
	v.queue = v.queue[1:]
	v.bytes -= len(frame)
	v.empty()
	return frame, nil
}

// Tell queues a frame for this viewer alone.
func (v *Viewer) Tell(frame []byte) { v.push(frame) }

// Bye is set when the viewer is to end, also while frames wait.
func (v *Viewer) Bye() *wire.Bye {
	v.mu.Lock()
	defer v.mu.Unlock()
	return v.bye
}

// SetView changes what the viewer looks at; a snapshot of it comes. What still waits of the view before never does, so
// that nobody is too slow for views of their own.
func (v *Viewer) SetView(view wire.View) { v.event.setView(v, view) }

// Leave ends the viewer. It may be called again.
func (v *Viewer) Leave() { v.event.leave(v) }

// push queues a frame and reports whether others were still waiting. A viewer
// that is too far behind loses its queue and is told to start over.
func (v *Viewer) push(frame []byte) (behind, dropped bool) {
	v.mu.Lock()
	defer v.mu.Unlock()
	if v.bye != nil {
		return false, false
	}
	o := &v.event.hub.o
	if len(v.queue) >= o.QueueFrames || (len(v.queue) > 0 && v.bytes+len(frame) > o.QueueBytes) {
		v.finish(wire.Bye{Code: wire.ByeResync, After: 500 * time.Millisecond, Spread: 2 * time.Second, Text: "too slow"})
		return true, true
	}
	return v.append(frame), false
}

// answer queues what a viewer sees first of a view that it asked for. There is always room for it, at most two frames:
// forget has taken out those of the view before.
func (v *Viewer) answer(frame []byte) {
	v.mu.Lock()
	defer v.mu.Unlock()
	if v.bye == nil {
		v.append(frame)
	}
}

// append reports whether others were still waiting. Called with the lock.
func (v *Viewer) append(frame []byte) (behind bool) {
	behind = len(v.queue) > 0
	if v.queue == nil {
		v.queue = v.one[:0]
	}
	v.queue = append(v.queue, frame)
	v.bytes += len(frame)
	if !behind {
		v.wake()
	}
	return behind
}

// forget takes out what waits of a map that is looked at no more; what the viewer is told beside it stays.
func (v *Viewer) forget() {
	v.mu.Lock()
	defer v.mu.Unlock()
	v.queue = slices.DeleteFunc(v.queue, wire.OfMap)
	v.bytes = 0
	for _, frame := range v.queue {
		v.bytes += len(frame)
	}
	v.empty()
}

// empty gives the room of a burst back once nothing waits: an idle viewer must not keep it. Called with the lock.
func (v *Viewer) empty() {
	if len(v.queue) == 0 {
		v.queue, v.one[0] = nil, nil
	}
}

// end queues a bye after what is waiting.
func (v *Viewer) end(bye wire.Bye) {
	v.mu.Lock()
	defer v.mu.Unlock()
	if v.bye == nil {
		v.bye = &bye
		v.wake()
	}
}

// finish is end without what is waiting. Called with the lock.
func (v *Viewer) finish(bye wire.Bye) {
	v.queue, v.bytes = nil, 0
	v.bye = &bye
	v.wake()
}
