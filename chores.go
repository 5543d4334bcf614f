package main

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"time"

	"plateia/core/id"
	"plateia/core/inventory"
	"plateia/db"
)

// openListening keeps projections fresh with what any process sells: the engine's
// view of free seats, and the counts that lists of events show.
func (h *house) openListening(ctx context.Context) error {
	if h.stream == nil {
		return nil
	}
	stock := db.NewStock(h.database, h.countWarm, h.log)
	if h.cfg.has("sweeper") {
		if err := h.background(ctx, "stock", stock.Run); err != nil {
			return err
		}
	}
	return h.background(ctx, "listening", func(ctx context.Context) error {
		return h.stream.Tail(ctx, func(d inventory.Delta) {
			h.inventory.Apply(d)
			stock.Touch(d.Event)
		})
	})
}

// warmAtStart is how many events a starting process reads before anybody asks for them.
const warmAtStart = 32

// openWarm reads the seats of the events that were selling before a restart, busiest first,
// beside everything else. An event that is asked for before its turn is read for whoever asks.
func (h *house) openWarm(ctx context.Context) error {
	return h.background(ctx, "warming", func(ctx context.Context) error {
		events, err := h.database.Outbox().Busiest(ctx, warmAtStart)
		for _, event := range events {
			if err == nil {
				_, err = h.inventory.Availability(ctx, event)
			}
		}
		if err != nil && ctx.Err() == nil {
			h.log.Warn("not every busy event is warm", "error", err)
		}
		return nil
	})
}

// Events that go on sale within openingSoon are prepared: a rush should find its seats in memory, not wait until
// they are read while it sells.
const (
	openingSoon  = 2 * time.Minute
	openingMost  = 64
	openingEvery = 10 * time.Second
)

func (h *house) openPreparing(ctx context.Context) error {
	return h.repeat(ctx, "preparing of events", openingEvery, func(ctx context.Context) error {
		soon, err := h.catalog.Opening(ctx, openingSoon, openingMost)
		for _, event := range soon {
			err = errors.Join(err, h.inventory.Prepare(ctx, event))
		}
		return err
	})
}

// countWarm counts an event's seats in the engine's memory, where they are kept up to date.
func (h *house) countWarm(event id.ID) (db.Counts, bool) {
	counts, warm := h.inventory.Counts(event)
	return counts, warm
}

const (
	openEvery   = time.Second
	choresEvery = 30 * time.Second
	keysAStep   = 10_000 // 28 million a day
)

// openChores puts scheduled events on sale at their instant, and deletes what
// nobody can ask for any more.
func (h *house) openChores(ctx context.Context) error {
	box, accounts, keys := h.database.Outbox(), db.NewAccounts(h.database), h.database.RequestKeys()
	if err := h.repeat(ctx, "opening of events", openEvery, func(ctx context.Context) error {
		opened, err := h.catalog.OpenDue(ctx)
		if len(opened) > 0 {
			h.log.Info("on sale", "events", len(opened))
		}
		return err
	}); err != nil {
		return err
	}
	return h.repeat(ctx, "tidying of rows", choresEvery, func(ctx context.Context) error {
		_, err := box.PruneAll(ctx)
		_, unforgotten := keys.Forget(ctx, keysAStep)
		_, unfiled := h.database.FileEvents(ctx) // of processes that are older than this one
		return errors.Join(err, accounts.ForgetCodes(ctx), unforgotten, unfiled)
	})
}

// repeat does a chore again and again until the house closes; a failure is for the log, the next round may work.
func (h *house) repeat(ctx context.Context, name string, every time.Duration, chore func(context.Context) error) error {
	return h.background(ctx, name, func(ctx context.Context) error {
		tick := time.NewTicker(every)
		defer tick.Stop()
		for {
			select {
			case <-ctx.Done():
				return nil
			case <-tick.C:
			}
			if err := chore(ctx); err != nil && ctx.Err() == nil {
				h.log.Warn("a chore failed", "chore", name, "error", err)
			}
		}
	})
}

// background runs a job until the house closes; its end by an error ends the program.
func (h *house) background(ctx context.Context, name string, job func(context.Context) error) error {
	jobCtx, cancel := context.WithCancel(context.WithoutCancel(ctx)) // it outlives the start
	done := make(chan struct{})
	return h.life.start(ctx, part{
		name: name,
		start: func(context.Context) error {
			go func() {
				defer close(done)
				if err := job(jobCtx); err != nil && jobCtx.Err() == nil {
					h.fail <- fmt.Errorf("%s: %w", name, err)
				}
			}()
			return nil
		},
		stop: func(ctx context.Context) error {
			cancel()
			select {
			case <-done:
				return nil
			case <-ctx.Done():
				return ctx.Err()
			}
		},
	})
}

// serve runs a server in the background; its end by itself ends the program.
func (h *house) serve(ctx context.Context, name string, run func() error, stop func(context.Context) error) error {
	return h.life.start(ctx, part{
		name: name,
		start: func(context.Context) error {
			go func() {
				if err := run(); err != nil && !errors.Is(err, http.ErrServerClosed) {
					h.fail <- fmt.Errorf("%s: %w", name, err)
				}
			}()
			return nil
		},
		stop: stop,
	})
}
