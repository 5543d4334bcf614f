package inventory

import (
	"context"
	"errors"
	"sync"
	"sync/atomic"
	"time"

	"plateia/core/fault"
)

const (
	sweepAtMost   = 2000 // holds per round
	sweepPatience = 10 * time.Second
)

// sweep ends holds whose time has passed, so that the map is right even when
// nobody wants their seats. Running in several processes at once is only waste.
func (inv *Inventory) sweep() {
	ticker := time.NewTicker(inv.opts.SweepEvery)
	defer ticker.Stop()
	for {
		select {
		case <-inv.stop:
			return
		case <-ticker.C:
		}
		ctx, cancel := context.WithTimeout(inv.life, sweepPatience)
		if err := inv.SweepOnce(ctx); err != nil && ctx.Err() == nil {
			inv.opts.Logger.Warn("sweeping failed", "error", err)
		}
		cancel()
	}
}

// SweepOnce ends the holds that are due now, however many: what came in a rush, or in as many small batches as there are
// seconds in a day, also ends so. Holds that are PAYING are the checkout's to end.
func (inv *Inventory) SweepOnce(ctx context.Context) (err error) {
	for more := true; more && err == nil && ctx.Err() == nil; {
		more, err = inv.sweepRound(ctx)
	}
	return errors.Join(err, inv.releaseChannels(ctx))
}

// sweepRound ends some of them. more says that another round may find others; not when this one got nowhere.
func (inv *Inventory) sweepRound(ctx context.Context) (more bool, err error) {
	due, more, err := inv.store.DueHolds(ctx, sweepAtMost) // what it found is ended, also when the list could not be shortened
	var ended atomic.Int64
	var all sync.WaitGroup
	for _, hold := range due {
		all.Go(func() {
			switch out, err := inv.Do(ctx, hold.Event, Expire{Hold: hold.Hold}); {
			case err == nil && !out.Hold.State.Live():
				ended.Add(1)
			case err != nil && ctx.Err() == nil:
				inv.opts.Logger.Warn("a hold could not be ended", "hold", hold.Hold.String(), "error", err)
			}
		})
	}
	all.Wait()
	return more && (len(due) == 0 || ended.Load() > 0), err
}

// releasedAtOnce is how many seats of a channel join the public's in one batch.
const releasedAtOnce = 1000

// releaseChannels moves seats of channels whose time has come to the public. Anybody may have them
// already, by the database's clock; this makes the map say so, and best available find them.
func (inv *Inventory) releaseChannels(ctx context.Context) error {
	for more := true; more && ctx.Err() == nil; {
		due, err := inv.store.DueReleases(ctx, releasedAtOnce)
		if err != nil {
			return err
		}
		more = false
		for _, r := range due {
			_, err := inv.Do(ctx, r.Event, Allocate{Seats: r.Seats, By: By{Actor: "plateia", Reason: "released"}})
			if code := fault.CodeOf(err); err != nil && code != fault.SeatTaken && code != fault.SeatBlocked && ctx.Err() == nil {
				inv.opts.Logger.Warn("a channel's seats could not be released", "event", r.Event.String(), "channel", r.Channel, "error", err)
			}
			more = more || err == nil && len(r.Seats) == releasedAtOnce
		}
	}
	return nil
}
