package db

import (
	"context"

	"github.com/jackc/pgx/v5"

	"plateia/core/id"
	"plateia/core/queue"
)

// Leave gives up a place inside, or at the door, that is the key's. Leaving twice is fine.
func (s *Rooms) Leave(ctx context.Context, key queue.Key, pseudonym, keyThumb string) error {
	return tx(ctx, s.db, func(t pgx.Tx) error {
		_, err := t.Exec(ctx, `update admission set left_at = now(), left_reason = 'left', told_out = admitted_at is null
			where event_id = $1 and pseudonym = $2 and epoch = $3 and key_thumb = $4 and left_at is null`, uid(key.Event), pseudonym, key.Epoch, keyThumb)
		return err
	})
}

// sqlDepart marks those who are gone: nobody whose hold lives, but whoever has bought and holds nothing more, has given no
// sign of life for a while, or whose access has run out; and who stood at the door and did not come again.
const sqlDepart = `update admission set left_at = now(), left_reason = g.reason, told_out = admitted_at is null
	from (select a.account_id, case
			when a.admitted_at is null then 'door'
			when coalesce(b.sold, 0) > a.sold_before then 'bought'
			when a.renewed_at < now() - $3::interval then 'expired'
			else 'idle' end as reason
		from admission a
		left join buyer b on b.account_id = a.account_id and b.event_id = a.event_id
		left join hold h on h.hold_id = b.hold_id and (h.state = 2 or h.state = 1 and h.expires_at > now())
		where a.event_id = $1 and a.left_at is null and h.hold_id is null
			and (coalesce(b.sold, 0) > a.sold_before and a.admitted_at is not null
				or a.last_seen < now() - $2::interval or a.renewed_at < now() - $3::interval)
		limit $4) g
	where admission.account_id = g.account_id and admission.event_id = $1 and admission.left_at is null`

// departChunk bounds one round of departures, and of signs of life.
const departChunk = 1000

// Depart marks those who are gone, and counts them.
func (s *Rooms) Depart(ctx context.Context, event id.ID, bounds queue.Departures) (gone int64, err error) {
	err = tx(ctx, s.db, func(t pgx.Tx) error {
		tag, err := t.Exec(ctx, sqlDepart, uid(event), bounds.Idle, bounds.Life, departChunk)
		gone = tag.RowsAffected()
		return err
	})
	return gone, err
}

// Seen notes signs of life. Whoever counted as gone, because nothing was heard of them, counts as inside again: the
// access token is still good, so the seat map and the count agree. Whoever has bought or left may look at the map for as long as they
// like, and counts again when they hold seats: else a shop would be overrun by those who are done. A row that says so already, to 20 seconds, is not
// written again: coming in and renewing are signs, too, and in a rush people press right after (23 µs a row, against 4 for the look).
func (s *Rooms) Seen(ctx context.Context, signs []queue.Sign) error {
	byEvent := make(map[id.ID][]id.ID)
	for _, sign := range signs {
		byEvent[sign.Event] = append(byEvent[sign.Event], sign.Account)
	}
	for event, accounts := range byEvent {
		for len(accounts) > 0 {
			n := min(len(accounts), departChunk)
			if err := s.seen(ctx, event, accounts[:n]); err != nil {
				return err
			}
			accounts = accounts[n:]
		}
	}
	return nil
}

const sqlSeen = `update admission set last_seen = now(), left_at = null, left_reason = '', told_out = true
	where account_id = any($1::uuid[]) and event_id = $2 and admitted_at is not null and left_reason <> 'restarted'
		and (left_at is null and last_seen < now() - interval '20 seconds'
			or left_at is not null and (left_reason not in ('bought', 'left') or exists (
				select 1 from buyer b join hold h on h.hold_id = b.hold_id
				where b.account_id = admission.account_id and b.event_id = admission.event_id
					and (h.state = 2 or h.state = 1 and h.expires_at > now()))))`

func (s *Rooms) seen(ctx context.Context, event id.ID, accounts []id.ID) error {
	return tx(ctx, s.db, func(t pgx.Tx) error {
		_, err := t.Exec(ctx, sqlSeen, uids(accounts), uid(event))
		return err
	})
}
