package main

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"time"

	"plateia/core/inventory"
	"plateia/db"
)

// openListening keeps projections fresh with what any process sells: the engine's
// view of free seats, and the counts that lists of events show.
func (h *house) openListening(ctx context.Context) error {
	if h.stream == nil {
		return nil
	}
	stock := db.NewStock(h.database, h.log)
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

const (
	choresEvery = 30 * time.Second
	pruneRows   = 5000 // per round, so that a round is short
)

// openChores deletes what nobody can ask for any more.
func (h *house) openChores(ctx context.Context) error {
	box, accounts := h.database.Outbox(), db.NewAccounts(h.database)
	return h.background(ctx, "chores", func(ctx context.Context) error {
		tick := time.NewTicker(choresEvery)
		defer tick.Stop()
		for {
			select {
			case <-ctx.Done():
				return nil
			case <-tick.C:
			}
			if _, err := box.Prune(ctx, pruneRows); err != nil && ctx.Err() == nil {
				h.log.Warn("outbox not pruned", "error", err)
			}
			if err := accounts.ForgetCodes(ctx); err != nil && ctx.Err() == nil {
				h.log.Warn("old sign-in codes not deleted", "error", err)
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
