package db

import (
	"context"

	"github.com/jackc/pgx/v5"

	"plateia/core/id"
	"plateia/core/inventory"
)

// The sweeper's list (hold_due) has one row for all the holds that a batch left active: an index on
// the holds themselves would cost every hold a descent, and most are never swept.

// dueRows is how many rows of the list are looked at in a round.
const dueRows = 256

// An event that has ended its sale makes all its holds due. The list is not read for that: one step through its index
// leads from an event to the next, so that a round costs a lookup for each event with holds, however many rows it has.
const sqlDue = `with recursive seller (event_id) as (
		(select event_id from hold_due order by event_id limit 1)
		union all
		select d.event_id from seller s
			cross join lateral (select event_id from hold_due where event_id > s.event_id order by event_id limit 1) d),
	listed as (
		(select due_id, event_id, holds from hold_due where due_at < now() - interval '1 second' order by due_at limit $1)
		union all
		(select d.due_id, d.event_id, d.holds from seller s
			join event e on e.event_id = s.event_id and e.state in ('closed', 'cancelled')
			cross join lateral (select due_id, event_id, holds from hold_due
				where event_id = s.event_id and due_at >= now() - interval '1 second' order by due_at limit $1) d
			limit $1)),
	named as (select due_id, event_id, unnest(holds) as hold_id from listed)
	select n.due_id, n.event_id, h.hold_id,
		h.state = 1 and (h.expires_at < now() - interval '1 second' or e.state in ('closed', 'cancelled'))
	from named n join event e on e.event_id = n.event_id left join hold h on h.hold_id = n.hold_id`

// DueHolds is inventory.Store's. It takes rows off the list in which nothing is due any more: a
// hold that ended stays ended, and one that lives on was listed again when its end moved.
func (s *InventoryStore) DueHolds(ctx context.Context, limit int) (due []inventory.DueHold, more bool, err error) {
	rows, err := s.d.pool.Query(ctx, sqlDue, dueRows)
	if err != nil {
		return nil, false, translate(err)
	}
	busy := map[id.ID]bool{} // rows of the list: is anything in them due?
	var row, event, hold id.ID
	var isDue *bool
	_, err = pgx.ForEachRow(rows, []any{into(&row), into(&event), maybe(&hold), &isDue}, func() error {
		isBusy := isDue != nil && *isDue
		busy[row] = busy[row] || isBusy
		switch {
		case isBusy && len(due) == limit:
			more = true
		case isBusy:
			due = append(due, inventory.DueHold{Event: event, Hold: hold})
		}
		return nil
	})
	if err != nil {
		return nil, false, translate(err)
	}
	return due, more || len(busy) >= dueRows, s.unlist(ctx, busy)
}

func (s *InventoryStore) unlist(ctx context.Context, busy map[id.ID]bool) error {
	var over []id.ID
	for row, isBusy := range busy {
		if !isBusy {
			over = append(over, row)
		}
	}
	if len(over) == 0 {
		return nil
	}
	_, err := s.d.pool.Exec(ctx, "delete from hold_due where due_id = any($1::uuid[])", uids(over))
	return translate(err)
}
