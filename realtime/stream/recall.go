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
	silentAfter  = 3 * time.Second  // without a sign of life of another region's stream, until its last batches are repeated
	recallMargin = 20 * time.Second // how much older than its last sign of life they may be
	recallEvery  = time.Second
)

// recall is what a relay knows of the other regions. A batch that a region had
// acknowledged and marked, and not yet sent to the others when it went away, is in
// nobody's stream: the relays of the others publish its last batches once more.
type recall struct {
	outbox Recaller
	next   time.Time
	heard  map[string]time.Time // when each other region was last heard of
	silent map[string]bool
}

// recalled looks whether another region has become silent, and repeats what it may have kept to itself.
func (r *Relay) recalled(ctx context.Context) error {
	now := time.Now()
	if r.recall.outbox == nil || r.client.o.Region == "" || now.Before(r.recall.next) || !r.client.Connected() {
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
		if ago >= 0 { // a server that tries anew says that it has never heard of it
			r.recall.heard[region] = now.Add(-ago)
		}
	}
	for region, last := range r.recall.heard {
		ago := now.Sub(last)
		if ago <= silentAfter {
			delete(r.recall.silent, region)
			continue
		}
		if r.recall.silent[region] {
			continue
		}
		n, err := r.repeat(ctx, ago+recallMargin)
		r.o.Logger.Warn("stream: a region is silent: its last batches are published here", "region", region, "for", ago, "batches", n, "error", err)
		if err != nil {
			return err
		}
		r.recall.silent[region] = true
	}
	return nil
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
