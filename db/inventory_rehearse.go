package db

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/jackc/pgx/v5"

	"plateia/core/id"
	"plateia/core/inventory"
	"plateia/core/seatmap"
)

// readyConns are opened before anybody needs them: both batches of two events.
const readyConns = 4

// rehearse has a new connection do a batch of nobody's, every statement of a rush, and gives it up. What a backend does for
// the first time (its catalogs, its plans) took 40 to 140 ms, which a rush that moved to another event waited for.
// A statement that fails here fails again where it matters; only a line that broke is of no use.
func (s *InventoryStore) rehearse(ctx context.Context, conn *pgx.Conn, sql *engineSQL) error {
	t := &batchTx{conn: conn, sql: sql, sheets: &s.rows}
	nobody := []id.ID{id.New()}
	nowhere := &inventory.Changes{
		Delta:         inventory.Delta{ID: id.New(), Event: id.New(), At: time.Now()},
		Seats:         []inventory.Seat{{Place: 1 << 16, Version: 1}},
		UpdatedBuyers: []inventory.Buyer{{Account: nobody[0], Version: 2}},
	}
	_, _ = t.load(ctx, nowhere.Delta.Event, inventory.Needs{
		Seats: []seatmap.Ordinal{0}, Accounts: nobody, HoldKeys: []string{""}, Buyers: nobody,
	})
	_ = t.writeNothing(ctx, nowhere)
	t.rollback(ctx)
	if conn.IsClosed() {
		return fmt.Errorf("db: rehearse a batch: %w", errors.Join(inventory.ErrUnavailable, ctx.Err()))
	}
	return nil
}

// writeNothing is write for a rush: the rows it guards are not there, and its COPYs are empty.
func (t *batchTx) writeNothing(ctx context.Context, c *inventory.Changes) error {
	ctx, cancel := context.WithTimeout(ctx, replyWithin)
	defer cancel()
	w := &writer{tx: t}
	if t.sql.copies {
		w.copyIn(0, sqlCopyBuyers, func(sheet packed) packed { return buyerRows(sheet, c) })
	}
	w.buyers(c)
	w.seats(c)
	w.due(&inventory.Changes{Delta: c.Delta, NewHolds: []inventory.Hold{{State: inventory.HoldActive, ExpiresAt: c.Delta.At}}})
	w.outbox(c)
	if !t.sql.copies {
		return w.send(ctx, t.conn)
	}
	w.copyIn(0, sqlCopyHolds, func(sheet packed) packed { return holdRows(sheet, c) })
	return w.pipe(ctx, t.conn)
}
