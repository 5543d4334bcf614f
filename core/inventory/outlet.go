package inventory

import (
	"context"
	"log/slog"
	"sync"
	"time"
)

// outlet hands committed deltas to the stream behind the engines' backs. It is the
// fast path only: what it drops or fails to hand over stays unpublished in the outbox,
// where the relay finds it. It marks nothing: that a delta was handed over does not
// mean that the stream will keep it.
type outlet struct {
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
)

func newOutlet(publish Publisher, log *slog.Logger) *outlet {
	return &outlet{publish: publish, log: log, in: make(chan parcel, outletRoom)}
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
	for p := range o.in {
		o.send(ctx, p)
	}
}

func (o *outlet) send(ctx context.Context, p parcel) {
	ctx, cancel := context.WithTimeout(ctx, publishWait)
	defer cancel()
	if err := o.publish.Publish(ctx, p.delta, p.payload); err != nil {
		o.log.Warn("publishing failed; the relay will publish", "outbox", p.delta.ID.String(), "error", err)
	}
}
