package db

import (
	"context"
	"time"

	"github.com/jackc/pgx/v5"

	"plateia/core/checkout"
)

// Active holds are on the sweeper's list, those being paid behind an unfinished attempt:
// neither costs the holds an index.
const sqlEnding = `select h.event_id, h.account_id, h.hold_id from hold h where h.hold_id in (
		(select unnest(holds) from (select holds from hold_due where due_at < now() + $1::interval order by due_at limit $2) d)
		union
		(select o.hold_id from attempt a join orders o on o.order_id = a.order_id where a.status in ('CREATED', 'PENDING', 'UNKNOWN')))
	and h.state in (1, 2) and h.expires_at < now() + $1::interval and h.expires_at < h.hard_expires_at
	and (h.state = 2 or h.expires_at > now() - interval '1 second')
	order by h.expires_at limit $2`

// EndingHolds lists live holds that end soon and could be kept longer.
func (s *Orders) EndingHolds(ctx context.Context, ahead time.Duration, limit int) ([]checkout.EndingHold, error) {
	scan := func(row pgx.Row) (h checkout.EndingHold, err error) {
		return h, row.Scan(into(&h.Event), into(&h.Account), into(&h.Hold))
	}
	return collect(ctx, s.d, scan, sqlEnding, ahead, limit)
}
