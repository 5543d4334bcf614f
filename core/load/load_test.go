package load

import (
	"testing"
	"time"

	"plateia/core/id"
)

// The worst of all processes counts, the latest of each, and nothing that is old.
func TestTheBoard(t *testing.T) {
	now := time.Unix(1000, 0)
	b := NewBoard(func() time.Time { return now })
	show, one, two := id.New(), id.New(), id.New()
	check := func(what string, p99 time.Duration, queue float64) {
		t.Helper()
		if got := b.Of(show); got != (Event{show, p99, queue}) {
			t.Errorf("%s: %+v", what, got)
		}
	}
	check("nobody told anything", 0, 0)
	b.Hear(one, []Event{{show, time.Second, 0.1}, {id.New(), time.Minute, 1}})
	b.Hear(two, []Event{{show, time.Millisecond, 0.7}})
	check("two processes", time.Second, 0.7)
	b.Hear(one, nil)
	check("the first is well again", time.Millisecond, 0.7)
	now = now.Add(Life)
	check("still fresh", time.Millisecond, 0.7)
	now = now.Add(time.Millisecond)
	check("nobody tells any more", 0, 0)
}

func TestTheBoardIsBounded(t *testing.T) {
	now := time.Unix(1000, 0)
	b := NewBoard(func() time.Time { return now })
	many := make([]Event, MostEvents+1)
	for i := range many {
		many[i].Event = id.New()
	}
	for range mostProcesses + 1 {
		b.Hear(id.New(), many[MostEvents:])
	}
	if len(b.told) != mostProcesses {
		t.Errorf("%d processes", len(b.told))
	}
	now = now.Add(Life + 1)
	last := id.New()
	if b.Hear(last, many); len(b.told) != 1 || len(b.told[last].events) != MostEvents {
		t.Errorf("%d processes, %d events", len(b.told), len(b.told[last].events))
	}
}
