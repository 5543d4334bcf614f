// Package load is what processes tell each other of how their engines do: a leader of waiting rooms lets fewer in
// while any of them suffers.
package load

import (
	"sync"
	"time"

	"plateia/core/id"
)

// Event is how one process's engine of an event does.
type Event struct {
	Event   id.ID         `json:"event"`
	HoldP99 time.Duration `json:"holdP99,omitempty"` // of the holds of the last seconds, in nanoseconds; 0: too few to tell
	Queue   float64       `json:"queue,omitempty"`   // commands that wait, as a share of the most that may
}

// Worse is the worse of each of two tellings.
func (e Event) Worse(other Event) Event {
	e.HoldP99, e.Queue = max(e.HoldP99, other.HoldP99), max(e.Queue, other.Queue)
	return e
}

const (
	// Life is how long a telling counts: whoever is silent for longer is gone, or has nothing to tell.
	Life = 5 * time.Second
	// Every is how often a process tells.
	Every = time.Second
	// MostEvents is how many events a process tells of.
	MostEvents = 1000

	mostProcesses = 1000
)

// Board is what all processes have told lately. It is safe for concurrent use.
type Board struct {
	now  func() time.Time
	mu   sync.Mutex
	told map[id.ID]telling
}

type telling struct {
	at     time.Time
	events map[id.ID]Event
}

// NewBoard returns an empty board; now is a clock of which only differences count.
func NewBoard(now func() time.Time) *Board { return &Board{now: now, told: make(map[id.ID]telling)} }

// Hear puts what a process tells in the place of what it told before.
func (b *Board) Hear(process id.ID, events []Event) {
	t := telling{at: b.now(), events: make(map[id.ID]Event, len(events))}
	for _, e := range events[:min(len(events), MostEvents)] {
		t.events[e.Event] = e
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	b.forget(t.at)
	if _, known := b.told[process]; known || len(b.told) < mostProcesses {
		b.told[process] = t
	}
}

// Of is the worst that any process tells of an event; zero when none does.
func (b *Board) Of(event id.ID) Event {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.forget(b.now())
	out := Event{Event: event}
	for _, t := range b.told {
		out = out.Worse(t.events[event])
	}
	return out
}

func (b *Board) forget(now time.Time) {
	for process, t := range b.told {
		if now.Sub(t.at) > Life {
			delete(b.told, process)
		}
	}
}
