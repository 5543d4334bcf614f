package db

import (
	"context"
	"errors"
	"time"

	"github.com/jackc/pgx/v5"

	"plateia/core/fault"
	"plateia/core/id"
	"plateia/core/queue"
)

// Rooms keeps waiting rooms: fence rows, the session table and the public record.
//
// A room's row is only replaced from the version that was read, in the transaction that marks what was counted: a
// second leader, or one that was frozen, finds another version and starts over from it. Claims of an event
// take turns at its room_gate row, so the number inside that they see is exact.
type Rooms struct{ db *DB }

// NewRooms returns the rooms of d.
func NewRooms(d *DB) *Rooms { return &Rooms{d} }

const roomColumns = "event_id, epoch, version, document, state, setting, on_sale_at, closed, moved_at"

func scanRoom(row pgx.Row, more ...any) (r queue.Row, err error) {
	err = row.Scan(append([]any{
		into(&r.Event), &r.Epoch, &r.Version, &r.Document, &r.State, &r.Setting, &r.OnSaleAt, &r.Closed, &r.MovedAt,
	}, more...)...)
	r.OnSaleAt, r.MovedAt = r.OnSaleAt.UTC(), r.MovedAt.UTC()
	return r, err
}

// Room is an event's row; fault.NotFound while nobody has armed it.
func (s *Rooms) Room(ctx context.Context, event id.ID) (queue.Row, error) {
	r, err := scanRoom(s.db.pool.QueryRow(ctx, "select "+roomColumns+" from room where event_id = $1", uid(event)))
	return r, notFound(err, "waiting room")
}

// Open lists the rooms of events that are not over.
func (s *Rooms) Open(ctx context.Context) ([]id.ID, error) {
	return collect(ctx, s.db, scanID, "select event_id from room where not closed")
}

func scanID(row pgx.Row) (v id.ID, err error) { return v, row.Scan(into(&v)) }

// Unarmed lists events that go on sale within so long and have no room yet, soonest first.
func (s *Rooms) Unarmed(ctx context.Context, within time.Duration, limit int) ([]id.ID, error) {
	return collect(ctx, s.db, scanID, `select e.event_id from event e left join room r on r.event_id = e.event_id
		where e.state = 'scheduled' and e.on_sale_at <= now() + $1::interval and r.event_id is null order by e.on_sale_at limit $2`, within, limit)
}

// Selling lists events that have been on sale for no longer than so long and have no room, the latest first.
func (s *Rooms) Selling(ctx context.Context, since time.Duration, limit int) ([]id.ID, error) {
	return collect(ctx, s.db, scanID, `select e.event_id from event e left join room r on r.event_id = e.event_id
		where e.state = 'on_sale' and e.on_sale_at > now() - $1::interval and r.event_id is null order by e.on_sale_at desc limit $2`, since, limit)
}

// Now is the database's clock.
func (s *Rooms) Now(ctx context.Context) (now time.Time, err error) {
	err = s.db.pool.QueryRow(ctx, "select now()").Scan(&now)
	return now.UTC(), translate(err)
}

// Arm makes a room's first row; false when somebody else has.
func (s *Rooms) Arm(ctx context.Context, r queue.Row) (made bool, err error) {
	err = tx(ctx, s.db, func(t pgx.Tx) error {
		if _, err := t.Exec(ctx, "insert into room_gate (event_id) values ($1) on conflict (event_id) do nothing", uid(r.Event)); err != nil {
			return err
		}
		tag, err := t.Exec(ctx, `insert into room (event_id, epoch, version, document, state, setting, on_sale_at)
			values ($1, $2, $3, $4, $5, $6, $7) on conflict (event_id) do nothing`,
			uid(r.Event), r.Epoch, r.Version, r.Document, r.State, r.Setting, r.OnSaleAt)
		made = tag.RowsAffected() == 1
		return err
	})
	return made, err
}

// Step reads a room and what has happened to it since the step before, and writes what decide makes of
// it, all in one transaction: what was counted is marked in it. decide may run more than once, and must not have effects.
// It returns the row as it is then. An error of decide ends the step without a trace.
func (s *Rooms) Step(ctx context.Context, event id.ID, decide func(queue.Row, queue.Signals) (queue.Step, error)) (queue.Row, error) {
	var out queue.Row
	err := tx(ctx, s.db, func(t pgx.Tx) error {
		row, signals, err := readSignals(ctx, t, event)
		if err != nil {
			return err
		}
		step, err := decide(row, signals)
		if err != nil {
			return err
		}
		step.MovedAt, out = signals.Now, step.Row
		return writeStep(ctx, t, row.Version, step)
	})
	return out, err
}

// knockLife is how long somebody who was told "one moment" counts as at the door: they come again in two seconds.
const knockLife = 10 * time.Second

// sqlNews marks what the leader has not counted yet, and returns it as it was.
const sqlNews = `update admission set told = true, told_in = true, told_out = true
	from (select account_id, told, told_in, told_out, late, tier, entered, rank, second_chance from admission
		where event_id = $1 and (not told or not told_in or not told_out) limit $2) n
	where admission.account_id = n.account_id and admission.event_id = $1
	returning n.told, n.told_in, n.told_out, n.late, n.tier, n.entered, n.rank, n.second_chance`

const (
	sqlInside = `select count(*) filter (where admitted_at is not null),
		count(*) filter (where admitted_at is null and knocked_at > now() - $2::interval)
		from admission where event_id = $1 and left_at is null`
	mostNews = 5000 // rows counted in one step; the next one counts the rest
)

func readSignals(ctx context.Context, t pgx.Tx, event id.ID) (row queue.Row, in queue.Signals, err error) {
	batch := &pgx.Batch{}
	batch.Queue("select "+roomColumns+", now() from room where event_id = $1", uid(event)).QueryRow(func(r pgx.Row) error {
		row, err = scanRoom(r, &in.Now)
		in.Now = in.Now.UTC()
		return err
	})
	batch.Queue(sqlInside, uid(event), knockLife).QueryRow(func(r pgx.Row) error { return r.Scan(&in.Inside, &in.AtDoor) })
	batch.Queue("select coalesce((select available + held + blocked from event_stock where event_id = $1), 1)", uid(event)).
		QueryRow(func(r pgx.Row) error { return r.Scan(&in.Unsold) })
	batch.Queue(sqlNews, uid(event), mostNews).Query(func(rows pgx.Rows) error { return collectNews(rows, &in) })
	err = t.SendBatch(ctx, batch).Close()
	if errors.Is(err, pgx.ErrNoRows) {
		err = fault.New(fault.NotFound, "no such waiting room")
	}
	return row, in, err
}
