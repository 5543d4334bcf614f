package room

import (
	"context"
	"errors"
	"sync"
	"time"

	"plateia/core/fault"
	"plateia/core/id"
	"plateia/core/queue"
)

const (
	maxClaims  = 8192 // waiting to be written; the next one is told to come back
	claimBatch = 200  // written in one transaction
	claimTime  = 5 * time.Second
)

// queues holds the claims that wait to be written, by event. Claims of an event take turns in the database, so each process
// sends what has queued up while its last batch was committed.
type queues struct {
	mu    sync.Mutex
	lanes map[queue.Key]*lane
	size  int
}

type lane struct{ waiting []*claim }

// admit waits for the claim's turn and its answer.
func (r *Room) admit(ctx context.Context, c *claim) (id.ID, error) {
	if !r.enqueue(c) { //nolint:contextcheck // a batch is of many claims, and ends with the room
		return id.ID{}, fault.New(fault.Busy, "too many people are coming in at this moment; try again, your place is safe").After(2 * time.Second)
	}
	select {
	case got := <-c.answer:
		return got.session, got.err
	case <-ctx.Done():
		return id.ID{}, fault.Wrap(ctx.Err(), fault.Busy, "coming in takes too long; try again, your place is safe").After(time.Second)
	}
}

func (r *Room) enqueue(c *claim) bool {
	key := queue.Key{Event: c.ticket.Event, Epoch: c.view.doc.Epoch}
	q := &r.queues
	q.mu.Lock()
	defer q.mu.Unlock()
	if q.size >= maxClaims || r.ctx.Err() != nil {
		return false
	}
	if q.lanes == nil {
		q.lanes = make(map[queue.Key]*lane)
	}
	l, running := q.lanes[key]
	if !running {
		l = &lane{}
		q.lanes[key] = l
		r.running.Go(func() { r.serve(key, l) })
	}
	l.waiting = append(l.waiting, c)
	q.size++
	return true
}

// take removes the next batch: nobody twice. The lane ends when nobody waits.
func (q *queues) take(key queue.Key, l *lane) []*claim {
	q.mu.Lock()
	defer q.mu.Unlock()
	var now, later []*claim
	taken := make(map[id.ID]bool)
	for _, c := range l.waiting {
		if len(now) < claimBatch && !taken[c.who] {
			taken[c.who] = true
			now = append(now, c)
		} else {
			later = append(later, c)
		}
	}
	l.waiting = later
	q.size -= len(now)
	if len(now) == 0 {
		delete(q.lanes, key)
	}
	return now
}

func (r *Room) serve(key queue.Key, l *lane) {
	for {
		batch := r.queues.take(key, l)
		if len(batch) == 0 {
			return
		}
		r.write(key, batch)
	}
}

// write decides a batch of claims in one transaction.
func (r *Room) write(key queue.Key, batch []*claim) {
	ctx, cancel := context.WithTimeout(r.ctx, claimTime)
	defer cancel()
	answers := make([]answer, len(batch))
	accounts := make([]id.ID, len(batch))
	for i, c := range batch {
		accounts[i] = c.who
	}
	target, err := r.targetOf(ctx, batch[0].view)
	if err == nil {
		var open bool
		open, err = r.store.Claims(ctx, key, accounts, func(h *queue.Hall, i int, v queue.Visit) (queue.Visit, bool) {
			next, write, a := batch[i].admitting(h, v, target)
			answers[i] = a
			return next, write
		})
		if err == nil && !open {
			r.held.Forget(key.Event)
			err = fault.New(fault.Busy, "the line has just changed; try again").After(time.Second)
		}
	}
	err = tooLong(err)
	for i, c := range batch {
		if err != nil {
			answers[i] = answer{err: err}
		}
		c.answer <- answers[i]
	}
}

// tooLong makes a refusal of claimTime that ran out: whoever claims has more time than the batch, may claim again, and has lost nothing.
func tooLong(err error) error {
	var f *fault.Error
	if err == nil || errors.As(err, &f) || !errors.Is(err, context.DeadlineExceeded) {
		return err
	}
	return fault.Wrap(err, fault.Busy, "coming in takes too long; try again, your place is safe").After(time.Second)
}

// targetOf is how many people may be inside.
func (r *Room) targetOf(ctx context.Context, v *view) (int, error) {
	e, err := r.catalog.Event(ctx, v.row.Event)
	return v.setting.target(e.Rules.Inside), err
}
