package db

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/jackc/pgx/v5"

	"plateia/core/fault"
	"plateia/core/id"
	"plateia/core/inventory"
	"plateia/core/seatmap"
)

// sqlShown is inventory.Seat.Shown: what is free in a channel is not for the public.
const sqlShown = "case when status = 0 and channel <> 0 then 3 else status end"

// Seats is inventory.Store's.
func (s *InventoryStore) Seats(ctx context.Context, event id.ID, visit func(seatmap.Ordinal, inventory.Status, int64)) (now time.Time, err error) {
	if now, err = s.d.Now(ctx); err != nil {
		return now, err
	}
	rows, err := s.d.pool.Query(ctx, "select ordinal, "+sqlShown+", version from seat where event_id = $1", uid(event))
	if err != nil {
		return now, translate(err)
	}
	defer rows.Close()
	for rows.Next() {
		var ordinal, status, version int64
		if err := rows.Scan(&ordinal, &status, &version); err != nil {
			return now, translate(err)
		}
		visit(seatmap.Ordinal(ordinal), inventory.Status(status), version)
	}
	return now, translate(rows.Err())
}

// FreeSeats is inventory.Store's. It reads through the engine's connections, whose plans walk the event and not the table.
func (s *InventoryStore) FreeSeats(ctx context.Context, event id.ID, visit func(inventory.Seat)) error {
	if !s.sql.byPlace {
		return fmt.Errorf("db: rows of %s have no places: %w", Cockroach, errors.ErrUnsupported)
	}
	return s.seatRows(ctx, sqlFreeSeatsPostgres, event, visit)
}

// Prepare is inventory.Store's. PostgreSQL logs a page whole when it is changed for the first time after a checkpoint, and a
// batch of a rush changes every page of a stadium: a row of each is locked and let go, so that it has been done. (A checkpoint
// that begins meanwhile undoes it, which costs the first batch some tens of milliseconds and nothing else.)
func (s *InventoryStore) Prepare(ctx context.Context, event id.ID) error {
	if !s.sql.byPlace {
		return nil
	}
	_, err := s.pool.Exec(ctx, sqlTouchSeatsPostgres, uid(event))
	return translate(err)
}

// ChannelSeats is inventory.Store's.
func (s *InventoryStore) ChannelSeats(ctx context.Context, event id.ID, visit func(inventory.Seat)) error {
	return s.seatRows(ctx, "select "+seatColumns+" from seat s where s.event_id = $1 and s.status = 0 and s.channel <> 0", event, visit)
}

func (s *InventoryStore) seatRows(ctx context.Context, sql string, event id.ID, visit func(inventory.Seat)) error {
	rows, err := s.pool.Query(ctx, sql, uid(event))
	if err != nil {
		return translate(err)
	}
	defer rows.Close()
	for rows.Next() {
		visit(readSeat(rows.RawValues()))
	}
	return translate(rows.Err())
}

// Hold is inventory.Store's.
func (s *InventoryStore) Hold(ctx context.Context, hold id.ID) (inventory.Hold, error) {
	return s.oneHold(ctx, sqlHolds, uids([]id.ID{hold}))
}

// LiveHold is inventory.Store's. A hold whose time has passed is not live although nobody has ended it yet.
func (s *InventoryStore) LiveHold(ctx context.Context, event, account id.ID) (inventory.Hold, error) {
	return s.oneHold(ctx, "select "+holdColumnsOf("h")+` from buyer b join hold h on h.hold_id = b.hold_id
		where b.account_id = $1 and b.event_id = $2
			and (h.state = 2 or (h.state = 1 and h.expires_at > now() - interval '1 second'))`, uid(account), uid(event))
}

func (s *InventoryStore) oneHold(ctx context.Context, sql string, args ...any) (inventory.Hold, error) {
	rows, err := s.pool.Query(ctx, sql, args...)
	if err != nil {
		return inventory.Hold{}, translate(err)
	}
	h, err := pgx.CollectExactlyOneRow(rows, func(row pgx.CollectableRow) (inventory.Hold, error) {
		return readHold(row.RawValues()), nil
	})
	if errors.Is(err, pgx.ErrNoRows) {
		return h, fault.New(fault.NotFound, "there is no such hold")
	}
	return h, translate(err)
}
