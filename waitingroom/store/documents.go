package store

import (
	"context"
	"errors"
	"fmt"
	"sync"

	"github.com/nats-io/nats.go/jetstream"

	"plateia/core/id"
)

// documentBytes is the room for all events' newest documents.
const documentBytes = 256 << 20

// Documents hands out each event's newest signed frontier document. It is not the truth, which is the database's row:
// whoever reads keeps the highest version that verifies, and asks the row when this is away. Safe for concurrent use.
type Documents struct {
	js jetstream.JetStream
	o  Options

	mu     sync.Mutex
	bucket jetstream.KeyValue
}

// NewDocuments returns the bucket on a JetStream; it is made at its first use.
func NewDocuments(js jetstream.JetStream, o Options) *Documents {
	return &Documents{js: js, o: o.withDefaults()}
}

func (d *Documents) open(ctx context.Context) (jetstream.KeyValue, error) {
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.bucket != nil {
		return d.bucket, nil
	}
	name := d.o.name("FRONTIERS")
	kv, err := d.js.KeyValue(ctx, name) // with other limits: they are its operator's business
	if errors.Is(err, jetstream.ErrBucketNotFound) {
		kv, err = d.js.CreateKeyValue(ctx, jetstream.KeyValueConfig{
			Bucket: name, Description: "the newest frontier document of each event", History: 1,
			MaxBytes: documentBytes, Storage: jetstream.FileStorage, Replicas: d.o.Replicas,
		})
	}
	if errors.Is(err, jetstream.ErrBucketExists) { // somebody has just made it
		kv, err = d.js.KeyValue(ctx, name)
	}
	if err != nil {
		return nil, fmt.Errorf("store: bucket of documents: %w", err)
	}
	d.bucket = kv
	return kv, nil
}

// Put replaces an event's document.
func (d *Documents) Put(ctx context.Context, event id.ID, document []byte) error {
	kv, err := d.open(ctx)
	if err != nil {
		return err
	}
	if _, err = kv.Put(ctx, event.String(), document); err != nil {
		return fmt.Errorf("store: document of %s: %w", event, err)
	}
	return nil
}

// Get is an event's document; nil, without an error: there is none.
func (d *Documents) Get(ctx context.Context, event id.ID) ([]byte, error) {
	kv, err := d.open(ctx)
	if err != nil {
		return nil, err
	}
	entry, err := kv.Get(ctx, event.String())
	if errors.Is(err, jetstream.ErrKeyNotFound) {
		return nil, nil
	}
	if err != nil {
		return nil, fmt.Errorf("store: document of %s: %w", event, err)
	}
	return entry.Value(), nil
}

// Watch calls each with the documents of an event, the one that is there first, until ctx ends (nil) or the
// watch does. While the server is away nothing comes: readers look elsewhere then.
func (d *Documents) Watch(ctx context.Context, event id.ID, each func(document []byte)) error {
	kv, err := d.open(ctx)
	if err != nil {
		return err
	}
	watch, err := kv.Watch(ctx, event.String(), jetstream.IgnoreDeletes())
	if err != nil {
		return fmt.Errorf("store: watch of %s: %w", event, err)
	}
	defer func() { _ = watch.Stop() }()
	for {
		select {
		case <-ctx.Done():
			return nil
		case entry, open := <-watch.Updates():
			switch {
			case !open && ctx.Err() == nil:
				return errors.New("store: the watch has ended")
			case !open:
				return nil
			case entry != nil: // nil: all that was there has come
				each(entry.Value())
			}
		}
	}
}
