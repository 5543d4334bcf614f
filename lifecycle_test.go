package main

import (
	"context"
	"errors"
	"log/slog"
	"slices"
	"testing"
	"time"
)

func TestLifecycleStopsInTheOppositeOrderAndReportsEveryFailure(t *testing.T) {
	var order []string
	life := lifecycle{log: slog.New(slog.DiscardHandler)}
	for _, name := range []string{"database", "stream", "edge"} {
		p := part{
			name:  name,
			start: func(context.Context) error { order = append(order, "+"+name); return nil },
			stop:  func(context.Context) error { order = append(order, "-"+name); return errors.New(name + " is stuck") },
		}
		if err := life.start(t.Context(), p); err != nil {
			t.Fatal(err)
		}
	}
	err := life.stop(time.Second)
	if want := []string{"+database", "+stream", "+edge", "-edge", "-stream", "-database"}; !slices.Equal(order, want) {
		t.Errorf("order %v, want %v", order, want)
	}
	for _, name := range []string{"database", "stream", "edge"} {
		if err == nil || !containsAll(err.Error(), "stopping "+name) {
			t.Errorf("the error %v does not name %s", err, name)
		}
	}
	if err := life.stop(time.Second); err != nil {
		t.Errorf("a second stop: %v", err)
	}
}

func TestLifecycleStopsWhatRunsWhenAPartFails(t *testing.T) {
	stopped := false
	life := lifecycle{log: slog.New(slog.DiscardHandler)}
	_ = life.start(t.Context(), part{name: "database", stop: func(context.Context) error { stopped = true; return nil }})
	if err := life.start(t.Context(), part{name: "stream", start: func(context.Context) error { return errors.New("port taken") }}); err == nil {
		t.Fatal("the failure was lost")
	}
	if err := life.stop(time.Second); err != nil || !stopped {
		t.Fatalf("stop: %v, database stopped: %v", err, stopped)
	}
}
