package main

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"slices"
	"time"
)

// part is one long-lived thing. start returns once it works or says why not;
// stop waits until it has ended. Either may be nil.
type part struct {
	name  string
	start func(context.Context) error
	stop  func(context.Context) error
}

// lifecycle starts parts in order and stops them in the opposite order. What is
// started last faces the outside, so the stop order is: stop accepting, tell
// viewers to reconnect, finish requests, relay, NATS, database.
type lifecycle struct {
	log     *slog.Logger
	started []part
}

// start runs one part; when it fails the caller stops what runs already.
func (l *lifecycle) start(ctx context.Context, p part) error {
	if p.start != nil {
		began := time.Now()
		if err := p.start(ctx); err != nil {
			return fmt.Errorf("starting %s: %w", p.name, err)
		}
		l.log.Debug("started", "part", p.name, "ms", time.Since(began).Milliseconds())
	}
	l.started = append(l.started, p)
	return nil
}

// stop ends everything within timeout, in one deadline, and reports every failure. It may be called again.
func (l *lifecycle) stop(timeout time.Duration) error {
	ctx, cancel := context.WithTimeout(context.Background(), timeout)
	defer cancel()
	var faults []error
	for _, p := range slices.Backward(l.started) {
		if p.stop == nil {
			continue
		}
		began := time.Now()
		if err := p.stop(ctx); err != nil {
			faults = append(faults, fmt.Errorf("stopping %s: %w", p.name, err))
		}
		l.log.Debug("stopped", "part", p.name, "ms", time.Since(began).Milliseconds())
	}
	l.started = nil
	return errors.Join(faults...)
}
