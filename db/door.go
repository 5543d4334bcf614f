package db

import (
	"context"
	"errors"
	"time"

	"github.com/jackc/pgx/v5"

	"plateia/core/id"
	"plateia/core/queue"
)

// Doors keeps the lines in front of events and who is inside.
//
// The frontier and the pause are guarded by door.version. Entering only grows
// door.entered: it needs no version, because the update itself takes the next
// numbers and the row lock hands them out once.
type Doors struct{ db *DB }

// NewDoors returns the store of lines in d.
func NewDoors(d *DB) *Doors { return &Doors{d} }

// spotColumns is a Spot; q is queue_entry, a the admission made by this very place.
const spotColumns = `q.account_id, q.position, q.entered_at, q.key_thumb, q.bound_at, q.claimed_at,
	(select s.at from door_step s where s.event_id = q.event_id and s.epoch = q.epoch and s.frontier >= q.position
		order by s.frontier limit 1),
	a.session_id, a.left_at
	from queue_entry q left join admission a
		on a.account_id = q.account_id and a.event_id = q.event_id and a.epoch = q.epoch and a.position = q.position`

func scanSpot(row pgx.Row) (queue.Spot, error) {
	var s queue.Spot
	var claimed, called, left *time.Time
	err := row.Scan(into(&s.Account), &s.Position, &s.EnteredAt, &s.KeyThumb, &s.BoundAt, &claimed, &called, maybe(&s.Session), &left)
	s.EnteredAt, s.BoundAt = s.EnteredAt.UTC(), s.BoundAt.UTC()
	s.ClaimedAt, s.CalledAt, s.LeftAt = instant(claimed), instant(called), instant(left)
	return s, err
}

// Line reads a line as it is now; one that nobody has entered is all zeros.
func (s *Doors) Line(ctx context.Context, line queue.Key, window time.Duration) (queue.Line, error) {
	l, err := readLine(ctx, s.db.pool, line, window)
	return l, translate(err)
}

func readLine(ctx context.Context, q querier, line queue.Key, window time.Duration) (queue.Line, error) {
	const query = `select now(), d.entered, d.frontier, d.version, d.paused_at,
		coalesce((select s.frontier from door_step s where s.event_id = $1 and s.epoch = $2
			and s.at <= now() - interval '1 minute' order by s.frontier desc limit 1), 0),
		(select count(*) from admission a where a.event_id = $1 and a.left_at is null),
		(select count(*) from queue_entry q where q.event_id = $1 and q.epoch = $2 and q.claimed_at is null
			and q.position <= d.frontier and q.position > coalesce((select s.frontier from door_step s
				where s.event_id = $1 and s.epoch = $2 and s.at <= coalesce(d.paused_at, now()) - $3::interval
				order by s.frontier desc limit 1), 0))
		from door d where d.event_id = $1 and d.epoch = $2`
	var l queue.Line
	var paused *time.Time
	err := q.QueryRow(ctx, query, uid(line.Event), line.Epoch, window).
		Scan(&l.Now, &l.Entered, &l.Frontier, &l.Version, &paused, &l.Before, &l.Inside, &l.Called)
	if errors.Is(err, pgx.ErrNoRows) {
		err = q.QueryRow(ctx, "select now()").Scan(&l.Now)
	}
	l.Now, l.PausedAt = l.Now.UTC(), instant(paused)
	return l, err
}

// Advance moves the frontier, if the version is still the one it was decided on.
func (s *Doors) Advance(ctx context.Context, line queue.Key, version, frontier int64) (moved bool, err error) {
	err = tx(ctx, s.db, func(t pgx.Tx) error {
		tag, err := t.Exec(ctx, `update door set frontier = $4, version = version + 1, moved_at = now()
			where event_id = $1 and epoch = $2 and version = $3 and frontier < $4 and entered >= $4 and paused_at is null`,
			uid(line.Event), line.Epoch, version, frontier)
		if moved = err == nil && tag.RowsAffected() == 1; !moved {
			return err
		}
		_, err = t.Exec(ctx, "insert into door_step (event_id, epoch, frontier, at) values ($1, $2, $3, now())", uid(line.Event), line.Epoch, frontier)
		if err == nil && version%1000 == 0 {
			err = forgetSteps(ctx, t, line)
		}
		return err
	})
	return moved && err == nil, err
}

// forgetSteps drops the moves of more than a day ago. A place they called is
// then called by a later one, which is still long past any claim window.
func forgetSteps(ctx context.Context, t pgx.Tx, line queue.Key) error {
	_, err := t.Exec(ctx, "delete from door_step where event_id = $1 and epoch = $2 and at < now() - interval '1 day'", uid(line.Event), line.Epoch)
	return err
}

// SetPaused stops the claim clocks, or restarts them: those that were running are
// then moved on by the length of the pause.
func (s *Doors) SetPaused(ctx context.Context, line queue.Key, version int64, window time.Duration, paused bool) error {
	return tx(ctx, s.db, func(t pgx.Tx) error {
		if paused {
			_, err := t.Exec(ctx, `update door set paused_at = now(), version = version + 1
				where event_id = $1 and epoch = $2 and version = $3 and paused_at is null`, uid(line.Event), line.Epoch, version)
			return err
		}
		return resume(ctx, t, line, version, window)
	})
}

func resume(ctx context.Context, t pgx.Tx, line queue.Key, version int64, window time.Duration) error {
	var now, since time.Time
	err := t.QueryRow(ctx, `select now(), paused_at from door where event_id = $1 and epoch = $2 and version = $3 and paused_at is not null`,
		uid(line.Event), line.Epoch, version).Scan(&now, &since)
	if errors.Is(err, pgx.ErrNoRows) {
		return nil // somebody else has
	} else if err != nil {
		return err
	}
	tag, err := t.Exec(ctx, `update door set paused_at = null, moved_at = now(), version = version + 1
		where event_id = $1 and epoch = $2 and version = $3`, uid(line.Event), line.Epoch, version)
	if err == nil && tag.RowsAffected() == 1 {
		_, err = t.Exec(ctx, "update door_step set at = at + $3::interval where event_id = $1 and epoch = $2 and at > $4",
			uid(line.Event), line.Epoch, now.Sub(since), since.Add(-window))
	}
	return err
}

// Spot is the spot at a position of a line.
func (s *Doors) Spot(ctx context.Context, line queue.Key, position int64) (queue.Spot, bool, error) {
	row := s.db.pool.QueryRow(ctx, "select "+spotColumns+" where q.event_id = $1 and q.epoch = $2 and q.position = $3", uid(line.Event), line.Epoch, position)
	spot, err := scanSpot(row)
	if errors.Is(err, pgx.ErrNoRows) {
		return queue.Spot{}, false, nil
	}
	return spot, err == nil, translate(err)
}

// Waiting lists lines with people before the frontier, or with claim clocks that run or stand still.
func (s *Doors) Waiting(ctx context.Context, window time.Duration) ([]queue.Key, error) {
	rows, err := s.db.pool.Query(ctx, `select event_id, epoch from door
		where frontier < entered or paused_at is not null or moved_at > now() - $1::interval`, window)
	if err != nil {
		return nil, translate(err)
	}
	lines, err := pgx.CollectRows(rows, func(row pgx.CollectableRow) (l queue.Key, err error) {
		return l, row.Scan(into(&l.Event), &l.Epoch)
	})
	return lines, translate(err)
}

// Inside lists events with somebody inside.
func (s *Doors) Inside(ctx context.Context) ([]id.ID, error) {
	rows, err := s.db.pool.Query(ctx, "select distinct event_id from admission where left_at is null")
	if err != nil {
		return nil, translate(err)
	}
	events, err := pgx.CollectRows(rows, func(row pgx.CollectableRow) (e id.ID, err error) {
		return e, row.Scan(into(&e))
	})
	return events, translate(err)
}
