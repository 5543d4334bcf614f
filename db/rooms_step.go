package db

import (
	"context"

	"github.com/jackc/pgx/v5"

	"plateia/core/queue"
)

func collectNews(rows pgx.Rows, in *queue.Signals) error {
	var told, toldIn, toldOut, second bool
	var turn queue.Turn
	var rank int64
	_, err := pgx.ForEachRow(rows, []any{&told, &toldIn, &toldOut, &turn.Late, &turn.Tier, &turn.Second, &rank, &second}, func() error {
		turn.Rank = uint64(rank) //nolint:gosec // the bits are the rank
		switch {
		case told:
		case second:
			in.Second++
		default:
			in.Arrivals = append(in.Arrivals, turn)
		}
		if !toldIn {
			in.Admitted++
		}
		if !toldOut {
			in.Departures++
		}
		return nil
	})
	return err
}

func writeStep(ctx context.Context, t pgx.Tx, from int64, s queue.Step) error {
	batch := &pgx.Batch{}
	batch.Queue(`update room set epoch = $3, version = $4, document = $5, state = $6, setting = $7, on_sale_at = $8, closed = $9, moved_at = now()
		where event_id = $1 and version = $2`, uid(s.Event), from, s.Epoch, s.Version, s.Document, s.State, s.Setting, s.OnSaleAt, s.Closed)
	if s.Keep {
		batch.Queue("insert into room_document (event_id, version, epoch, body, at) values ($1, $2, $3, $4, now())",
			uid(s.Event), s.Version, s.Epoch, s.Document)
	}
	if s.Moment != nil {
		batch.Queue("insert into room_history (event_id, at, moment) values ($1, now(), $2)", uid(s.Event), s.Moment)
	}
	if a := s.Action; a != nil {
		batch.Queue(`insert into room_action (event_id, seq, at, epoch, verb, who, why, was, became)
			select $1::uuid, coalesce(max(seq), 0) + 1, now(), $2, $3, $4, $5, $6, $7 from room_action where event_id = $1`,
			uid(s.Event), s.Epoch, string(a.Verb), a.Who, a.Why, a.Before, a.After)
	}
	if err := oneRowEach(ctx, t, batch); err != nil {
		return err
	}
	if s.Restart {
		return restartRoom(ctx, t, s.Key)
	}
	return nil
}

// restartRoom puts everybody out: no session of the old epoch opens anything, and nothing of it is counted any more.
func restartRoom(ctx context.Context, t pgx.Tx, key queue.Key) error {
	batch := &pgx.Batch{}
	batch.Queue("update room_gate set claims = claims + 1 where event_id = $1", uid(key.Event))
	batch.Queue(`update admission set left_at = coalesce(left_at, now()), left_reason = 'restarted', told = true, told_in = true, told_out = true
		where event_id = $1`, uid(key.Event))
	batch.Queue("update buyer set session_id = null, version = version + 1 where event_id = $1 and session_id is not null", uid(key.Event))
	batch.Queue("update event set epoch = $2, version = version + 1 where event_id = $1", uid(key.Event), key.Epoch)
	return t.SendBatch(ctx, batch).Close()
}

// oneRowEach sends a batch whose every statement must write one row; otherwise something
// that was read has changed since, and the transaction starts over.
func oneRowEach(ctx context.Context, t pgx.Tx, batch *pgx.Batch) error {
	if batch.Len() == 0 {
		return nil
	}
	results := t.SendBatch(ctx, batch)
	raced := false
	for range batch.Len() {
		tag, err := results.Exec()
		if err != nil {
			results.Close()
			if violates(err) {
				return &restart{err}
			}
			return err
		}
		raced = raced || tag.RowsAffected() != 1
	}
	if err := results.Close(); err != nil {
		return err
	}
	if raced {
		return errRaced
	}
	return nil
}
