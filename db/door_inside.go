package db

import (
	"context"
	"errors"
	"time"

	"github.com/jackc/pgx/v5"

	"plateia/core/id"
	"plateia/core/queue"
)

// Claim lets decide turn an account's place into an admission under a session,
// and makes that session the one live session of the buyer row.
func (s *Doors) Claim(ctx context.Context, line queue.Key, who id.ID, window time.Duration, decide func(queue.Spot, queue.Line) (id.ID, error)) error {
	return tx(ctx, s.db, func(t pgx.Tx) error {
		row := t.QueryRow(ctx, "select "+spotColumns+" where q.account_id = $1 and q.event_id = $2 and q.epoch = $3", uid(who), uid(line.Event), line.Epoch)
		spot, err := scanSpot(row)
		if err != nil && !errors.Is(err, pgx.ErrNoRows) {
			return err
		}
		l, err := readLine(ctx, t, line, window)
		if err != nil {
			return err
		}
		session, err := decide(spot, l)
		if err != nil {
			return err
		}
		return admit(ctx, t, line, spot, session)
	})
}

func admit(ctx context.Context, t pgx.Tx, line queue.Key, spot queue.Spot, session id.ID) error {
	batch := &pgx.Batch{}
	batch.Queue(`update queue_entry set claimed_at = coalesce(claimed_at, now())
		where account_id = $1 and event_id = $2 and epoch = $3 and position = $4 and key_thumb = $5`,
		uid(spot.Account), uid(line.Event), line.Epoch, spot.Position, spot.KeyThumb)
	batch.Queue(`insert into admission (account_id, event_id, epoch, position, session_id, admitted_at, renewed_at, last_seen, sold_before)
		values ($1, $2, $3, $4, $5, now(), now(), now(),
			coalesce((select b.sold from buyer b where b.account_id = $1 and b.event_id = $2), 0))
		on conflict (account_id, event_id) do update set session_id = excluded.session_id,
			renewed_at = now(), last_seen = now(), left_at = null, left_reason = '',
			admitted_at = case when admission.epoch = excluded.epoch and admission.position = excluded.position then admission.admitted_at else now() end,
			sold_before = case when admission.epoch = excluded.epoch and admission.position = excluded.position then admission.sold_before else excluded.sold_before end,
			epoch = excluded.epoch, position = excluded.position`,
		uid(spot.Account), uid(line.Event), line.Epoch, spot.Position, uid(session))
	if err := oneRowEach(ctx, t, batch); err != nil {
		return err
	}
	// Renewing changes nothing here, so that it does not make the engine's transactions start over.
	_, err := t.Exec(ctx, `insert into buyer (account_id, event_id, session_id) values ($1, $2, $3)
		on conflict (account_id, event_id) do update set session_id = excluded.session_id, version = buyer.version + 1
		where buyer.session_id is distinct from excluded.session_id`,
		uid(spot.Account), uid(line.Event), uid(session))
	return err
}

// Leave gives up the spot at a position: out of the line, or from inside.
func (s *Doors) Leave(ctx context.Context, line queue.Key, position int64) error {
	return tx(ctx, s.db, func(t pgx.Tx) error {
		tag, err := t.Exec(ctx, "delete from queue_entry where event_id = $1 and epoch = $2 and position = $3 and claimed_at is null",
			uid(line.Event), line.Epoch, position)
		if err != nil || tag.RowsAffected() == 1 {
			return err
		}
		_, err = t.Exec(ctx, `update admission set left_at = now(), left_reason = 'left'
			where event_id = $1 and epoch = $2 and position = $3 and left_at is null`, uid(line.Event), line.Epoch, position)
		return err
	})
}

// departChunk bounds one round of departures.
const departChunk = 1000

// Depart marks those who are gone: nobody whose hold lives, but whoever has bought and holds
// nothing more, has given no sign of life for a while, or whose access has run out.
func (s *Doors) Depart(ctx context.Context, event id.ID, bounds queue.Departures) (int64, error) {
	const query = `update admission set left_at = now(), left_reason = g.reason
		from (select a.account_id, case
				when coalesce(b.sold, 0) > a.sold_before then 'bought'
				when a.renewed_at < now() - $3::interval then 'expired'
				else 'idle' end as reason
			from admission a
			left join buyer b on b.account_id = a.account_id and b.event_id = a.event_id
			left join hold h on h.hold_id = b.hold_id and (h.state = 2 or h.state = 1 and h.expires_at > now())
			where a.event_id = $1 and a.left_at is null and h.hold_id is null
				and (coalesce(b.sold, 0) > a.sold_before or a.last_seen < now() - $2::interval or a.renewed_at < now() - $3::interval)
			limit $4) g
		where admission.account_id = g.account_id and admission.event_id = $1 and admission.left_at is null`
	var gone int64
	err := tx(ctx, s.db, func(t pgx.Tx) error {
		tag, err := t.Exec(ctx, query, uid(event), bounds.Idle, bounds.Life, departChunk)
		gone = tag.RowsAffected()
		return err
	})
	return gone, err
}

// Seen notes signs of life. Whoever counted as gone counts as inside again: the
// access token is still good, so the seat map and the count agree. A row that says so already, to 20 seconds, is not
// written again: coming in and renewing are signs, too, and in a rush people press right after (23 µs a row, against 4 for the look).
func (s *Doors) Seen(ctx context.Context, signs []queue.Sign) error {
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

func (s *Doors) seen(ctx context.Context, event id.ID, accounts []id.ID) error {
	return tx(ctx, s.db, func(t pgx.Tx) error {
		_, err := t.Exec(ctx, `update admission set last_seen = now(), left_at = null, left_reason = ''
			where account_id = any($1::uuid[]) and event_id = $2
				and (last_seen < now() - interval '20 seconds' or left_at is not null)`, uids(accounts), uid(event))
		return err
	})
}
