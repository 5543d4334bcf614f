package inventory

import (
	"context"
	"log/slog"
	"sync"
	"time"

	"plateia/core/id"
)

// outlet publishes committed deltas behind the engines' backs. It is the fast
// path only: what it drops or fails to publish stays unpublished in the outbox,
// where the relay finds it.
type outlet struct {
	store   Store
	publish Publisher
	log     *slog.Logger
	in      chan parcel
	jobs    sync.WaitGroup
	once    sync.Once
}

type parcel struct {
	delta   Delta
	payload []byte
}

const (
	outletRoom    = 1024
	outletWorkers = 2
	publishWait   = 5 * time.Second
	markAtMost    = 256
)

func newOutlet(store Store, publish Publisher, log *slog.Logger) *outlet {
	return &outlet{store: store, publish: publish, log: log, in: make(chan parcel, outletRoom)}
}

func (o *outlet) start(ctx context.Context) {
	if o.publish == nil {
		return
	}
	for range outletWorkers {
		o.jobs.Add(1)
		go func() {
			defer o.jobs.Done()
			o.run(ctx)
		}()
	}
}

// put never waits. The caller is a batch, and batches end before drain.
func (o *outlet) put(d Delta, payload []byte) {
	if o.publish == nil {
		return
	}
	select {
	case o.in <- parcel{d, payload}:
	default:
		o.log.Warn("the stream is behind; the relay will publish", "outbox", d.ID.String())
	}
}

// drain publishes what is left and returns when it is done.
func (o *outlet) drain() {
	o.once.Do(func() { close(o.in) })
	o.jobs.Wait()
}

func (o *outlet) run(ctx context.Context) {
	var published []id.ID
	for p := range o.in {
		if o.send(ctx, p) {
			published = append(published, p.delta.ID)
		}
		if len(published) >= markAtMost || (len(o.in) == 0 && len(published) > 0) {
			o.mark(ctx, published)
			published = published[:0]
		}
	}
}

func (o *outlet) send(ctx context.Context, p parcel) bool {
	ctx, cancel := context.WithTimeout(ctx, publishWait)
	defer cancel()
	err := o.publish.Publish(ctx, p.delta, p.payload)
	if err != nil {
		o.log.Warn("publishing failed; the relay will publish", "outbox", p.delta.ID.String(), "error", err)
	}
	return err == nil
}

func (o *outlet) mark(ctx context.Context, published []id.ID) {
	ctx, cancel := context.WithTimeout(ctx, publishWait)
	defer cancel()
	if err := o.store.MarkPublished(ctx, published); err != nil {
		o.log.Warn("the relay will publish these again", "count", len(published), "error", err)
	}
}
