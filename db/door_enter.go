package db

import (
	"context"
	"errors"
	"time"

	"github.com/jackc/pgx/v5"

	"plateia/core/id"
	"plateia/core/queue"
)

// Enter gives places in a line to accounts, which are distinct, as decide says for each.
func (s *Doors) Enter(ctx context.Context, line queue.Key, accounts []id.ID, decide func(now time.Time, i int, s *queue.Spot) queue.Step) ([]queue.Spot, error) {
	var spots []queue.Spot
	err := tx(ctx, s.db, func(t pgx.Tx) error {
		now, found, err := readSpots(ctx, t, line, accounts)
		if err != nil {
			return err
		}
		e := entry{line: line, now: now, spots: make([]queue.Spot, len(accounts)), batch: &pgx.Batch{}}
		for i, who := range accounts {
			prev := found[who]
			e.take(i, who, prev, decide(now, i, prev))
		}
		spots = e.spots
		return e.write(ctx, t)
	})
	return spots, err
}

func readSpots(ctx context.Context, t pgx.Tx, line queue.Key, accounts []id.ID) (now time.Time, found map[id.ID]*queue.Spot, err error) {
	if err := t.QueryRow(ctx, "select now()").Scan(&now); err != nil {
		return now, nil, err
	}
	rows, err := t.Query(ctx, "select "+spotColumns+" where q.account_id = any($1::uuid[]) and q.event_id = $2 and q.epoch = $3",
		uids(accounts), uid(line.Event), line.Epoch)
	if err != nil {
		return now, nil, err
	}
	spots, err := pgx.CollectRows(rows, func(row pgx.CollectableRow) (queue.Spot, error) { return scanSpot(row) })
	found = make(map[id.ID]*queue.Spot, len(spots))
	for i := range spots {
		found[spots[i].Account] = &spots[i]
	}
	return now.UTC(), found, err
}

// entry is one batch of people entering a line.
type entry struct {
	line  queue.Key
	now   time.Time
	spots []queue.Spot
	joins []joining
	fresh struct { // first places, by column: one statement writes them all
		accounts  []id.ID
		positions []int64
		keys      []string
	}
	batch *pgx.Batch // one row each
}

type joining struct {
	i    int
	prev *queue.Spot
}

func (e *entry) take(i int, who id.ID, prev *queue.Spot, step queue.Step) {
	if prev != nil {
		e.spots[i] = *prev
	}
	switch step.Move {
	case queue.Join:
		e.spots[i] = queue.Spot{Account: who, EnteredAt: e.now, KeyThumb: step.KeyThumb, BoundAt: e.now}
		e.joins = append(e.joins, joining{i, prev})
	case queue.Rebind:
		e.batch.Queue(`update queue_entry set key_thumb = $5, bound_at = now()
			where account_id = $1 and event_id = $2 and epoch = $3 and position = $4 and key_thumb = $6`,
			uid(who), uid(e.line.Event), e.line.Epoch, prev.Position, step.KeyThumb, prev.KeyThumb)
		if !prev.Session.IsZero() {
			e.batch.Queue(`update admission set session_id = null
				where account_id = $1 and event_id = $2 and epoch = $3 and position = $4 and session_id = $5`,
				uid(who), uid(e.line.Event), e.line.Epoch, prev.Position, uid(prev.Session))
		}
		e.spots[i].KeyThumb, e.spots[i].BoundAt, e.spots[i].Session = step.KeyThumb, e.now, id.ID{}
	}
}

func (e *entry) write(ctx context.Context, t pgx.Tx) error {
	if len(e.joins) > 0 {
		last, err := e.grow(ctx, t)
		if err != nil {
			return err
		}
		for n, j := range e.joins {
			e.join(j, last-int64(len(e.joins)-1-n))
		}
	}
	if err := e.writeFresh(ctx, t); err != nil {
		return err
	}
	return oneRowEach(ctx, t, e.batch)
}

// grow takes as many numbers as there are joins and returns the last of them.
func (e *entry) grow(ctx context.Context, t pgx.Tx) (last int64, err error) {
	const query = "update door set entered = entered + $3 where event_id = $1 and epoch = $2 returning entered"
	args := []any{uid(e.line.Event), e.line.Epoch, len(e.joins)}
	err = t.QueryRow(ctx, query, args...).Scan(&last)
	if !errors.Is(err, pgx.ErrNoRows) {
		return last, err
	}
	_, err = t.Exec(ctx, "insert into door (event_id, epoch) values ($1, $2) on conflict (event_id, epoch) do nothing", args[:2]...)
	if err != nil {
		return 0, err
	}
	if err = t.QueryRow(ctx, query, args...).Scan(&last); errors.Is(err, pgx.ErrNoRows) {
		return 0, errRaced // somebody else made the line, after our snapshot
	}
	return last, err
}

// join gives a new place, or moves a spent one to the end.
func (e *entry) join(j joining, position int64) {
	s := &e.spots[j.i]
	s.Position = position
	if j.prev == nil {
		e.fresh.accounts = append(e.fresh.accounts, s.Account)
		e.fresh.positions = append(e.fresh.positions, position)
		e.fresh.keys = append(e.fresh.keys, s.KeyThumb)
		return
	}
	e.batch.Queue(`update queue_entry set position = $4, entered_at = $5, key_thumb = $6, bound_at = $5, claimed_at = null
		where account_id = $1 and event_id = $2 and epoch = $3 and position = $7`,
		uid(s.Account), uid(e.line.Event), e.line.Epoch, position, e.now, s.KeyThumb, j.prev.Position)
}

func (e *entry) writeFresh(ctx context.Context, t pgx.Tx) error {
	if len(e.fresh.accounts) == 0 {
		return nil
	}
	_, err := t.Exec(ctx, `insert into queue_entry (account_id, event_id, epoch, position, entered_at, key_thumb, bound_at)
		select u.account_id, $1, $2, u.position, $3, u.key_thumb, $3
		from (select unnest($4::uuid[]) as account_id, unnest($5::int8[]) as position, unnest($6::text[]) as key_thumb) u`,
		uid(e.line.Event), e.line.Epoch, e.now, uids(e.fresh.accounts), e.fresh.positions, e.fresh.keys)
	if violates(err) {
		return &restart{err}
	}
	return err
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
