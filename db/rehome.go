package db

import (
	"context"
	"fmt"
	"slices"

	"github.com/jackc/pgx/v5"

	"plateia/core/id"
)

// homed are the tables whose rows belong in the home region of their event.
var homed = []string{
	"event", "event_stock", "seat", "seat_audit", "channel_release", "hold", "hold_due", "buyer", "outbox", "orders", "order_audit", "ticket", "door", "door_step", "queue_entry", "admission",
	"room", "room_gate", "room_statement", "room_document", "room_action", "room_history",
}

// rehomeStatement moves at most chunk rows of an event ($1) to a region ($2).
func rehomeStatement(table string) string {
	return fmt.Sprintf(`update %s set crdb_region = $2::text::crdb_internal_region
		where event_id = $1 and crdb_region <> $2::text::crdb_internal_region limit %d`, table, chunk)
}

// strayStatement finds events after $1 that have rows outside their home region, which is one of $2.
func strayStatement(table string) string {
	return fmt.Sprintf(`select distinct t.event_id, e.home_region from %s t join event e on e.event_id = t.event_id
		where t.event_id > $1 and e.home_region = any($2::text[]) and t.crdb_region::text <> e.home_region
		order by t.event_id limit %d`, table, chunk)
}

// rehome moves the rows of an event to its home region. Moved or not, they are the
// same rows: it may run at any time and stop in the middle. Nothing happens when the home is not one of the regions.
func (d *DB) rehome(ctx context.Context, regions []string, event id.ID, home string) error {
	if !slices.Contains(regions, home) {
		return nil
	}
	for _, table := range homed {
		if err := d.rehomeTable(ctx, table, event, home); err != nil {
			return err
		}
	}
	return nil
}

func (d *DB) rehomeTable(ctx context.Context, table string, event id.ID, home string) error {
	for {
		tag, err := d.pool.Exec(ctx, rehomeStatement(table), uid(event), home)
		if err != nil {
			return fmt.Errorf("db: move %s to its home region: %w", table, translate(err))
		}
		if tag.RowsAffected() < chunk {
			return nil
		}
	}
}

// stray is an event that has rows elsewhere than at home.
type stray struct {
	event id.ID
	home  string
}

func scanStray(row pgx.Row) (s stray, err error) {
	return s, row.Scan(into(&s.event), &s.home)
}

// rehomeAll is rehome for every event.
func (d *DB) rehomeAll(ctx context.Context, regions []string) error {
	for _, table := range homed {
		last := id.ID{}
		for {
			found, err := collect(ctx, d, scanStray, strayStatement(table), [16]byte(last), regions)
			if err != nil {
				return fmt.Errorf("db: look for rows of %s away from home: %w", table, err)
			}
			if len(found) == 0 {
				break
			}
			for _, s := range found {
				if err := d.rehomeTable(ctx, table, s.event, s.home); err != nil {
					return err
				}
				last = s.event
			}
		}
	}
	return nil
}
