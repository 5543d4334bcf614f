package door

import (
	"context"
	"time"

	"plateia/core/account"
	"plateia/core/fault"
	"plateia/core/id"
	"plateia/core/queue"
)

const (
	maxAsks  = 8192 // waiting to be written; the next one is told to come back
	maxBatch = 500  // places given in one transaction
)

// ask is somebody asking for a place.
type ask struct {
	line     queue.Key
	who      account.Session
	keyThumb string
	answer   chan answer // room for one
}

type answer struct {
	spot queue.Spot
	err  error
}

// place waits for the account's place in a line. Places are written in
// batches, because every one of them grows the same row: whatever has queued
// up while the last batch was committed is the next batch.
func (d *Door) place(ctx context.Context, line queue.Key, who account.Session, keyThumb string) (queue.Spot, error) {
	a := &ask{line: line, who: who, keyThumb: keyThumb, answer: make(chan answer, 1)}
	select {
	case d.asks <- a:
	default:
		return queue.Spot{}, fault.New(fault.Busy, "too many people are entering at this moment; try again").After(2 * time.Second)
	}
	select {
	case got := <-a.answer:
		return got.spot, got.err
	case <-ctx.Done():
		return queue.Spot{}, fault.Wrap(ctx.Err(), fault.Busy, "entering the line takes too long; try again, your place is safe").After(time.Second)
	}
}

func (d *Door) mint(ctx context.Context) {
	for {
		select {
		case <-ctx.Done():
			return
		case first := <-d.asks:
			d.serve(ctx, d.gather(first))
		}
	}
}

func (d *Door) gather(first *ask) []*ask {
	batch := []*ask{first}
	for len(batch) < maxBatch {
		select {
		case a := <-d.asks:
			batch = append(batch, a)
		default:
			return batch
		}
	}
	return batch
}

// serve gives places to a batch: one transaction per line, and one more for each repetition of an account.
func (d *Door) serve(ctx context.Context, batch []*ask) {
	for len(batch) > 0 {
		line := batch[0].line
		var now, later []*ask
		taken := make(map[id.ID]bool)
		for _, a := range batch {
			if a.line == line && !taken[a.who.Account] {
				taken[a.who.Account] = true
				now = append(now, a)
			} else {
				later = append(later, a)
			}
		}
		d.enter(ctx, line, now)
		batch = later
	}
}

func (d *Door) enter(ctx context.Context, line queue.Key, asks []*ask) {
	ctx, cancel := context.WithTimeout(ctx, 5*time.Second)
	defer cancel()
	accounts := make([]id.ID, len(asks))
	for i, a := range asks {
		accounts[i] = a.who.Account
	}
	refusals := make([]error, len(asks))
	grew := false
	spots, err := d.store.Enter(ctx, line, accounts, func(now time.Time, i int, s *queue.Spot) queue.Step {
		step, err := entering(s, now, d.opts.Window, asks[i].who, asks[i].keyThumb)
		refusals[i] = err
		grew = grew || step.Move == queue.Join
		if step.Move == queue.Rebind {
			d.log.Info("a place in the line moved to another device", "event", line.Event, "position", s.Position)
		}
		return step
	})
	if grew && err == nil {
		d.kick(line)
	}
	for i, a := range asks {
		switch {
		case err != nil:
			a.answer <- answer{err: err}
		case refusals[i] != nil:
			a.answer <- answer{err: refusals[i]}
		default:
			a.answer <- answer{spot: spots[i]}
		}
	}
}
