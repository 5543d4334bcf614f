package stream

import (
	"context"
	"time"
)

// Recaller is an Outbox that still has what was marked.
type Recaller interface {
	// Recent returns batches created less than age ago, marked or not, oldest first and
	// after the record that was last seen (zero: from the beginning), at most limit.
	Recent(ctx context.Context, age time.Duration, after Record, limit int) ([]Record, error)
}

const (
	silentAfter  = 3 * time.Second  // without a sign of life of another region's stream, until its batches are repeated
	silentEvery  = 5 * time.Second  // while it is silent: it may live, and only the way to it be cut
	recallMargin = 20 * time.Second // how much older than its last sign of life they may be
	recallEvery  = time.Second
)

// recall is what a relay knows of the other regions. A batch that a region had
// acknowledged and marked, and not yet sent to the others when it went away, is in
// nobody's stream: the relays of the others publish its last batches once more.
type recall struct {
	outbox Recaller
	next   time.Time
	heard  map[string]time.Time // when each other region was last heard of; before that, when we began to listen
	silent map[string]time.Time // when its batches were last repeated
}

// recalled looks whether another region has become silent, and repeats what it may have kept to itself.
func (r *Relay) recalled(ctx context.Context) error {
	now := time.Now()
	if r.o.MarkOnly || r.recall.outbox == nil || r.client.o.Region == "" || now.Before(r.recall.next) || !r.client.Connected() {
		return nil
	}
	r.recall.next = now.Add(recallEvery)
	look, cancel := context.WithTimeout(ctx, 2*time.Second)
	heard, err := r.client.heard(look)
	cancel()
	if err != nil {
		return err
	}
	for region, ago := range heard {
		last, known := r.recall.heard[region]
		switch {
		case ago >= 0: // else the server tries anew, and says that it has never heard of it
			last = now.Add(-ago)
		case !known:
			last = now
		}
		r.recall.heard[region] = last
		if err := r.listen(ctx, region, now, now.Sub(last)); err != nil {
			return err
		}
	}
	return nil
}

// listen repeats batches when a region has been silent for a while.
func (r *Relay) listen(ctx context.Context, region string, now time.Time, silent time.Duration) error {
	repeated, before := r.recall.silent[region]
	switch {
	case silent <= silentAfter:
		delete(r.recall.silent, region)
		return nil
	case before && now.Sub(repeated) < silentEvery:
		return nil
	}
	age := silent + recallMargin
	if before {
		age = now.Sub(repeated) + silentEvery
	}
	n, err := r.repeat(ctx, age)
	if !before || err != nil {
		r.o.Logger.Warn("stream: a region is silent: its batches are published here", "region", region, "for", silent, "batches", n, "error", err)
	}
	if err == nil {
		r.recall.silent[region] = now
	}
	return err
}

// repeat publishes every batch of the last while once more; what is here already changes nothing.
func (r *Relay) repeat(ctx context.Context, age time.Duration) (n int, err error) {
	var last Record
	for {
		records, err := r.recall.outbox.Recent(ctx, age, last, r.o.Batch)
		if err != nil || len(records) == 0 {
			return n, err
		}
		done, err := r.publish(ctx, records)
		r.repeated.Add(int64(len(done)))
		if n += len(done); err != nil {
			return n, err
		}
		last = records[len(records)-1]
	}
}
