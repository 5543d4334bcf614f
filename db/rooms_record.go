package db

import (
	"context"
	"time"

	"github.com/jackc/pgx/v5"

	"plateia/core/id"
	"plateia/core/queue"
)

// Statements is the chain of statements about an event's draws, in order.
func (s *Rooms) Statements(ctx context.Context, event id.ID) ([]queue.Statement, error) {
	scan := func(row pgx.Row) (q queue.Statement, err error) {
		err = row.Scan(&q.Seq, &q.Epoch, &q.Kind, &q.Body, &q.Secret, &q.MadeAt)
		q.MadeAt = q.MadeAt.UTC()
		return q, err
	}
	return collect(ctx, s.db, scan, "select seq, epoch, kind, body, secret, made_at from room_statement where event_id = $1 order by seq", uid(event))
}

// AppendStatement adds a statement at its number; false when that number is taken: somebody else was first.
func (s *Rooms) AppendStatement(ctx context.Context, event id.ID, q queue.Statement) (appended bool, err error) {
	err = tx(ctx, s.db, func(t pgx.Tx) error {
		tag, err := t.Exec(ctx, `insert into room_statement (event_id, seq, epoch, kind, body, secret) values ($1, $2, $3, $4, $5, $6)
			on conflict (event_id, seq) do nothing`, uid(event), q.Seq, q.Epoch, q.Kind, q.Body, q.Secret)
		appended = tag.RowsAffected() == 1
		return err
	})
	return appended, err
}

// Documents are the signed documents of an epoch that were kept, in order.
func (s *Rooms) Documents(ctx context.Context, key queue.Key) ([][]byte, error) {
	scan := func(row pgx.Row) (body []byte, err error) { return body, row.Scan(&body) }
	return collect(ctx, s.db, scan, "select body from room_document where event_id = $1 and epoch = $2 order by version", uid(key.Event), key.Epoch)
}

// Admissions lists who was let in in an epoch, by pseudonym, after the one given, at most limit.
func (s *Rooms) Admissions(ctx context.Context, key queue.Key, after string, limit int) ([]queue.Admitted, error) {
	scan := func(row pgx.Row) (a queue.Admitted, err error) { return a, row.Scan(&a.Pseudonym, &a.Version) }
	return collect(ctx, s.db, scan, `select pseudonym, version from admission
		where event_id = $1 and pseudonym > $3 and epoch = $2 and admitted_at is not null order by pseudonym limit $4`,
		uid(key.Event), key.Epoch, after, limit)
}

// Moments is a room's history after an instant, oldest first: at most limit of the encoded moments.
func (s *Rooms) Moments(ctx context.Context, event id.ID, since time.Time, limit int) ([][]byte, error) {
	scan := func(row pgx.Row) (m []byte, err error) { return m, row.Scan(&m) }
	return collect(ctx, s.db, scan, "select moment from room_history where event_id = $1 and at > $2 order by at limit $3", uid(event), since, limit)
}

// Actions are what operators did to a room, newest first, those before a number (0: all), at most limit.
func (s *Rooms) Actions(ctx context.Context, event id.ID, before int64, limit int) ([]queue.Action, error) {
	scan := func(row pgx.Row) (a queue.Action, err error) {
		err = row.Scan(&a.Seq, &a.At, &a.Epoch, &a.Verb, &a.Who, &a.Why, &a.Before, &a.After)
		a.At = a.At.UTC()
		return a, err
	}
	return collect(ctx, s.db, scan, `select seq, at, epoch, verb, who, why, was, became from room_action
		where event_id = $1 and ($2 = 0 or seq < $2) order by seq desc limit $3`, uid(event), before, limit)
}

// Left counts those who were let in in an epoch and have left, by reason.
func (s *Rooms) Left(ctx context.Context, key queue.Key) (map[string]int64, error) {
	type group struct {
		reason string
		count  int64
	}
	scan := func(row pgx.Row) (g group, err error) { return g, row.Scan(&g.reason, &g.count) }
	groups, err := collect(ctx, s.db, scan, `select left_reason, count(*) from admission
		where event_id = $1 and epoch = $2 and admitted_at is not null and left_at is not null group by left_reason`, uid(key.Event), key.Epoch)
	out := make(map[string]int64, len(groups))
	for _, g := range groups {
		out[g.reason] = g.count
	}
	return out, err
}

// PruneHistory deletes what is older than so long of every room's history.
func (s *Rooms) PruneHistory(ctx context.Context, age time.Duration) error {
	rooms, err := collect(ctx, s.db, scanID, "select event_id from room")
	for _, event := range rooms {
		if _, err := s.db.pool.Exec(ctx, "delete from room_history where event_id = $1 and at < now() - $2::interval", uid(event), age); err != nil {
			return translate(err)
		}
	}
	return err
}
