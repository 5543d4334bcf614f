package stream_test

import (
	"slices"
	"testing"
	"time"

	"plateia/core/id"
	"plateia/core/load"
)

// What one process tells of its engines, all hear, and itself.
func TestLoadIsHeardByAll(t *testing.T) {
	p := newPlug(t)
	one, two := connect(t, p), connect(t, p)
	process, want := id.New(), []load.Event{{Event: id.New(), HoldP99: 300 * time.Millisecond, Queue: 0.25}}
	heard := make(chan bool, 100)
	hear := func(who id.ID, events []load.Event) { heard <- who == process && slices.Equal(events, want) }
	for _, c := range []interface {
		Load(hear func(id.ID, []load.Event)) (func(), error)
	}{one, two} {
		stop, err := c.Load(hear)
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(stop)
	}
	for deadline, n := time.After(time.Minute), 0; n < 2; {
		if err := one.TellLoad(process, want); err != nil {
			t.Fatal(err)
		}
		select {
		case right := <-heard:
			if n++; !right {
				t.Fatal("something else was heard")
			}
		case <-time.After(10 * time.Millisecond): // not subscribed yet
		case <-deadline:
			t.Fatal("not heard within a minute")
		}
	}
}
