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

// An event that has ended its sale makes all its holds due. The list is short, so its events are found by reading it.
const sqlDue = `with listed as (
		(select due_id, event_id, holds from hold_due where due_at < now() - interval '1 second' order by due_at limit $1)
		union all
		(select d.due_id, d.event_id, d.holds from hold_due d
			join (select e.event_id from event e where e.event_id in (select distinct event_id from hold_due)
				and e.state in ('closed', 'cancelled')) ended on ended.event_id = d.event_id
			where d.due_at >= now() - interval '1 second' limit $1))
	select l.due_id, l.event_id, h.hold_id,
		h.state = 1 and (h.expires_at < now() - interval '1 second' or e.state in ('closed', 'cancelled'))
	from listed l join event e on e.event_id = l.event_id left join hold h on h.hold_id = any(l.holds)`

// DueHolds is inventory.Store's. It takes rows off the list in which nothing is due any more: a
// hold that ended stays ended, and one that lives on was listed again when its end moved.
func (s *InventoryStore) DueHolds(ctx context.Context, limit int) ([]inventory.DueHold, error) {
	rows, err := s.d.pool.Query(ctx, sqlDue, dueRows)
	if err != nil {
		return nil, translate(err)
	}
	var due []inventory.DueHold
	busy := map[id.ID]bool{} // rows of the list: is anything in them due?
	var row, event, hold id.ID
	var isDue *bool
	_, err = pgx.ForEachRow(rows, []any{into(&row), into(&event), maybe(&hold), &isDue}, func() error {
		isBusy := isDue != nil && *isDue
		busy[row] = busy[row] || isBusy
		if isBusy && len(due) < limit {
			due = append(due, inventory.DueHold{Event: event, Hold: hold})
		}
		return nil
	})
	if err != nil {
		return nil, translate(err)
	}
	return due, s.unlist(ctx, busy)
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
