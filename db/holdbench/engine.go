package holdbench

import (
	"context"
	"errors"
	"sync/atomic"
	"time"

	"plateia/core/id"
	"plateia/core/inventory"
	"plateia/core/seatmap"
	"plateia/db"
)

// engine is the product's own inventory, with every rule on.
type engine struct {
	inv   *inventory.Inventory
	store *countingStore
}

// countingStore counts the transactions that had to be begun again.
type countingStore struct {
	*db.InventoryStore
	again atomic.Int64
}

func (s *countingStore) Commit(ctx context.Context, event id.ID, needs inventory.Needs, decide func(*inventory.Snapshot) *inventory.Changes) error {
	err := s.InventoryStore.Commit(ctx, event, needs, decide)
	if errors.Is(err, inventory.ErrConflict) || errors.Is(err, inventory.ErrUnavailable) {
		s.again.Add(1)
	}
	return err
}

func newEngine(ctx context.Context, d *db.DB, s *supply, opts Options) (*engine, error) {
	store, err := db.OpenInventory(ctx, d, 0)
	if err != nil {
		return nil, err
	}
	counting := &countingStore{InventoryStore: store}
	inv := inventory.New(counting, s.catalog, nil, inventory.Options{Logger: opts.Logger, Encode: encode})
	return &engine{inv: inv, store: counting}, inv.Start(ctx)
}

// encode is about as long and as costly as the stream's own message.
func encode(d inventory.Delta) []byte {
	payload := make([]byte, 0, 40+4*len(d.Changes))
	payload = append(payload, d.ID[:]...)
	for _, c := range d.Changes {
		payload = append(payload, byte(c.Ordinal), byte(c.Ordinal>>8), byte(c.Ordinal>>16), byte(c.Status))
	}
	return payload
}

func (e *engine) hold(ctx context.Context, event id.ID, seats [2]seatmap.Ordinal) error {
	return e.press(ctx, event, seats[:])
}

// press is one fan's only command: each has an account of its own.
func (e *engine) press(ctx context.Context, event id.ID, seats []seatmap.Ordinal) error {
	hold := id.NewIn(event)
	_, err := e.inv.Do(ctx, event, inventory.PlaceHold{
		Hold: hold, Account: id.New(), Seats: seats,
		Idempotency: inventory.Idempotency{Key: hold.String(), BodyHash: [32]byte(append(hold[:], hold[:]...)), Fresh: true},
	})
	return err
}

func (e *engine) prepare(ctx context.Context, event id.ID) error { return e.inv.Prepare(ctx, event) }

func (e *engine) retries() int64 { return e.store.again.Load() }

func (e *engine) close(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(ctx, 10*time.Second)
	defer cancel()
	defer e.store.Close()
	return e.inv.Stop(ctx)
}
