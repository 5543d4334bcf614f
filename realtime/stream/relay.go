package stream

import (
	"cmp"
	"context"
	"errors"
	"log/slog"
	"sync/atomic"
	"time"

	"github.com/nats-io/nats.go/jetstream"

	"plateia/core/id"
)

// Outbox is the database's list of committed batches.
type Outbox interface {
	// Unpublished returns the oldest unmarked batches created more than olderThan ago.
	Unpublished(ctx context.Context, olderThan time.Duration, limit int) ([]Record, error)
	// MarkPublished marks batches; marking again, or what is gone, is not an error.
	MarkPublished(ctx context.Context, ids []id.ID) error
}

// RelayOptions tune a relay; zero values are sensible.
type RelayOptions struct {
	Every     time.Duration // between polls; 0: 500 ms
	OlderThan time.Duration // leave younger batches to the fast path; 0: 1 s
	Batch     int           // rows per poll; 0: 500
	MarkOnly  bool          // publish nothing: for a process that sells beside others that relay
	Logger    *slog.Logger
}

// Relay marks what the fast path got acknowledged and publishes what it did not.
// Any number of relays may run; they only repeat each other's messages.
type Relay struct {
	client *Client
	outbox Outbox
	o      RelayOptions
	cancel context.CancelFunc
	done   chan struct{}

	recall recall

	relayed, marked, failures, repeated atomic.Int64
}

// NewRelay returns a relay that is not running.
func NewRelay(c *Client, outbox Outbox, o RelayOptions) *Relay {
	o.Every = cmp.Or(o.Every, 500*time.Millisecond)
	o.OlderThan = cmp.Or(o.OlderThan, time.Second)
	o.Batch = cmp.Or(o.Batch, 500)
	o.Logger = cmp.Or(o.Logger, slog.New(slog.DiscardHandler))
	r := &Relay{client: c, outbox: outbox, o: o, recall: recall{heard: map[string]time.Time{}, silent: map[string]time.Time{}}}
	r.recall.outbox, _ = outbox.(Recaller)
	return r
}

// Start begins to relay in the background. It must be called at most once.
func (r *Relay) Start(context.Context) error {
	if r.done != nil {
		return errors.New("stream: relay started twice")
	}
	ctx, cancel := context.WithCancel(context.Background())
	r.cancel, r.done = cancel, make(chan struct{})
	go func() {
		defer close(r.done)
		r.loop(ctx)
	}()
	return nil
}

// Stop ends the relay after one last round and waits for it, at most until ctx
// ends. It may be called again, or without Start.
func (r *Relay) Stop(ctx context.Context) error {
	if r.done == nil {
		return nil
	}
	r.cancel()
	select {
	case <-r.done:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

func (r *Relay) loop(ctx context.Context) {
	ticker := time.NewTicker(r.o.Every)
	defer ticker.Stop()
	for {
		select {
		case <-ctx.Done():
			r.lastRound()
			return
		case <-ticker.C:
		}
		if err := r.recalled(ctx); err != nil && ctx.Err() == nil {
			r.failures.Add(1)
			r.o.Logger.Warn("stream: relay, other regions", "error", err)
		}
		for {
			more, err := r.round(ctx)
			if err != nil && ctx.Err() == nil {
				r.failures.Add(1)
				r.o.Logger.Warn("stream: relay", "error", err)
			}
			if !more || err != nil || ctx.Err() != nil {
				break
			}
		}
	}
}

// lastRound marks what is acknowledged, so that the next start has less to repeat.
func (r *Relay) lastRound() {
	ctx, cancel := context.WithTimeout(context.Background(), 2*time.Second)
	defer cancel()
	if err := r.markAcked(ctx); err != nil {
		r.o.Logger.Warn("stream: relay, last round", "error", err)
	}
}

// round marks and publishes once; more says that a full batch was found.
func (r *Relay) round(ctx context.Context) (more bool, err error) {
	ctx, cancel := context.WithTimeout(ctx, 10*time.Second)
	defer cancel()
	if err := r.markAcked(ctx); err != nil {
		return false, err
	}
	if r.o.MarkOnly || !r.client.Connected() {
		return false, nil
	}
	records, err := r.outbox.Unpublished(ctx, r.o.OlderThan, r.o.Batch)
	if err != nil || len(records) == 0 {
		return false, err
	}
	done, err := r.publish(ctx, records)
	if len(done) > 0 {
		r.relayed.Add(int64(len(done)))
		if markErr := r.mark(ctx, done); err == nil {
			err = markErr
		}
	}
	return len(records) == r.o.Batch, err
}

func (r *Relay) markAcked(ctx context.Context) error {
	for {
		ids := r.client.takeAcked(1000)
		if len(ids) == 0 {
			return nil
		}
		if err := r.mark(ctx, ids); err != nil {
			return err // the rows stay unmarked and are published again: harmless
		}
	}
}

func (r *Relay) mark(ctx context.Context, ids []id.ID) error {
	if err := r.outbox.MarkPublished(ctx, ids); err != nil {
		return err
	}
	r.marked.Add(int64(len(ids)))
	return nil
}

// relayWait is how long a round waits for its acknowledgements. A cluster without a
// leader answers nothing, and the next round is soon: shorter is sooner when it has one.
const relayWait = 2 * time.Second

// publish sends the records and returns the ids that were acknowledged.
func (r *Relay) publish(ctx context.Context, records []Record) ([]id.ID, error) {
	futures := make([]jetstream.PubAckFuture, 0, len(records))
	var sendErr error
	for _, rec := range records {
		future, err := r.client.send(rec.ID, rec.Event, rec.Payload)
		if err != nil {
			sendErr = err
			break
		}
		futures = append(futures, future)
	}
	var done []id.ID
	wait, cancel := context.WithTimeout(ctx, relayWait)
	defer cancel()
	for i, future := range futures {
		select {
		case <-future.Ok():
			done = append(done, records[i].ID)
		case err := <-future.Err():
			sendErr = err
		case <-wait.Done():
			return done, errors.New("stream: no acknowledgement in time")
		}
	}
	return done, sendErr
}

// RelayStats are counts since NewRelay.
type RelayStats struct {
	Relayed  int64 // batches the fast path had not brought through
	Marked   int64 // rows marked as published
	Repeated int64 // batches published once more because another region became silent
	Failures int64 // rounds that ended with an error
}

// Stats returns the counts of now.
func (r *Relay) Stats() RelayStats {
	return RelayStats{Relayed: r.relayed.Load(), Marked: r.marked.Load(), Repeated: r.repeated.Load(), Failures: r.failures.Load()}
}
