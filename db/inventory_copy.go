package db

import (
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"slices"
	"sync"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"
	"github.com/jackc/pgx/v5/pgproto3"
	"github.com/jackc/pgx/v5/pgtype"

	"plateia/core/inventory"
)

// COPY BINARY takes many new rows at about half of what an INSERT from arrays costs: no
// unnest, no text to parse, and the rows of a page share one record of the log. A few rows
// go the other way: pgx knows COPY as a round trip of its own only, so batches with one are sent by pipe.

const copyFrom = 24 // rows

// copied reports whether so many new rows go by COPY.
func (t *batchTx) copied(rows int) bool { return t.sql.copies && rows >= copyFrom }

// pipe sends all steps in one round trip: the statements as any batch does, and behind a COPY its rows, without
// waiting to be asked for them. The database begins with the first while the next is still being packed. If it refuses
// one, it passes over everything up to the end, rows as well. pgx's own pipelines do not know COPY, so messages are
// written and read here.
func (w *writer) pipe(ctx context.Context, conn *pgx.Conn) error {
	plans, err := w.prepare(ctx, conn)
	if err != nil {
		return err
	}
	line := conn.PgConn()
	inTime := context.AfterFunc(ctx, func() { _ = line.Conn().SetDeadline(time.Unix(1, 0)) })
	//nolint:contextcheck // messages are read one by one; the time of all is kept here
	refused, err := w.exchange(line, plans, conn.TypeMap())
	if late := !inTime(); late || err != nil { // nobody knows what the line would say next
		_ = line.Conn().Close()
		_ = conn.Close(ctx)
		return errors.Join(ctx.Err(), err)
	}
	return refused
}

// exchange reports what the database refused or a guard found, and apart from it what is wrong with the line itself.
func (w *writer) exchange(line *pgconn.PgConn, plans []*pgconn.StatementDescription, types *pgtype.Map) (refused, broken error) {
	wire := line.Frontend()
	var builder pgx.ExtendedQueryBuilder
	for i := range w.steps {
		if err := builder.Build(types, plans[i], w.steps[i].args); err != nil {
			return nil, err
		}
		wire.SendBind(&pgproto3.Bind{
			PreparedStatement: plans[i].Name, ParameterFormatCodes: builder.ParamFormats, Parameters: builder.ParamValues,
		})
		wire.SendExecute(&pgproto3.Execute{})
		if w.steps[i].data != nil {
			if err := w.sendRows(wire, w.steps[i].data); err != nil {
				return nil, err
			}
		}
	}
	wire.SendSync(&pgproto3.Sync{})
	if err := wire.Flush(); err != nil {
		return nil, err
	}
	return w.answers(line)
}

// sendRows writes a COPY's rows around the connection's buffer: they are many.
func (w *writer) sendRows(wire *pgproto3.Frontend, data func(sheet packed) packed) error {
	rows := data(w.tx.sheets.take())
	defer w.tx.sheets.give(rows)
	if err := wire.SendUnbufferedEncodedCopyData(rows); err != nil {
		return err
	}
	wire.Send(&pgproto3.CopyDone{})
	return nil
}

// answers reads what the database says of the steps, up to its last word.
func (w *writer) answers(line *pgconn.PgConn) (refused, broken error) {
	for done := 0; ; {
		message, err := line.ReceiveMessage(context.Background()) // the time is kept by pipe
		if err != nil {
			return nil, err
		}
		switch m := message.(type) {
		case *pgproto3.CommandComplete:
			if refused == nil && done < len(w.steps) {
				refused = w.steps[done].right(pgconn.NewCommandTag(string(m.CommandTag)))
			}
			done++
		case *pgproto3.ErrorResponse:
			if refused == nil {
				refused = pgconn.ErrorResponseToPgError(m)
			}
		case *pgproto3.ReadyForQuery:
			if refused == nil && done != len(w.steps) {
				return nil, fmt.Errorf("db: %d answers to %d statements", done, len(w.steps))
			}
			return refused, nil
		}
	}
}

// prepare is a round trip for each statement that the connection has never run, and nothing for the others.
func (w *writer) prepare(ctx context.Context, conn *pgx.Conn) ([]*pgconn.StatementDescription, error) {
	plans := make([]*pgconn.StatementDescription, len(w.steps))
	for i := range w.steps {
		plan, err := conn.Prepare(ctx, w.steps[i].sql, w.steps[i].sql)
		if err != nil {
			return nil, err
		}
		plans[i] = plan
	}
	return plans, nil
}

// sheets are the memory of COPY's rows, used again and again: a batch has up to 200 kB of them.
type sheets struct{ spare sync.Pool } // of *packed

func (s *sheets) take() packed {
	sheet, _ := s.spare.Get().(*packed)
	if sheet == nil {
		return nil
	}
	return (*sheet)[:0]
}

func (s *sheets) give(sheet packed) { s.spare.Put(&sheet) }

const (
	sqlCopyBuyers = `copy buyer (event_id, account_id, hold_id, held, sold, session_id, first_hold, version) from stdin (format binary)`
	sqlCopyHolds  = `copy hold (event_id, hold_id, account_id, ordinals, prices, state, expires_at, hard_expires_at,
		ended_at, idem_key, body_hash, again, created_at, version) from stdin (format binary)`
)

// newCopy begins a CopyData message, whose length endCopy fills in, with COPY's own head.
func newCopy(sheet packed, rows, size int) packed {
	a := append(slices.Grow(sheet, 40+rows*size), "d\x00\x00\x00\x00PGCOPY\n\xff\r\n\x00"...)
	return append(a, 0, 0, 0, 0, 0, 0, 0, 0) // no flags, no extension
}

// fields begins a row.
func (a packed) fields(n uint16) packed { return binary.BigEndian.AppendUint16(a, n) }

func (a packed) endCopy() packed {
	a = append(a, 0xff, 0xff)
	binary.BigEndian.PutUint32(a[1:], uint32(len(a)-1))
	return a
}

// int8s appends a hold's seats as an int8[] value.
func (a packed) int8s(seats []inventory.HeldSeat, of func(*inventory.HeldSeat) int64) packed {
	if len(seats) == 0 {
		return a.bytes(newArray(oidInt8, 0, 0))
	}
	a = binary.BigEndian.AppendUint32(a, uint32(20+12*len(seats)))
	a = a.beginArray(oidInt8, len(seats))
	for i := range seats {
		a = a.int8(of(&seats[i]))
	}
	return a
}

func buyerRows(sheet packed, c *inventory.Changes) packed {
	a := newCopy(sheet, len(c.NewBuyers), 2+5*20+3*12)
	for i := range c.NewBuyers {
		b := &c.NewBuyers[i]
		a = a.fields(8).uuid(c.Delta.Event).uuid(b.Account).uuid(b.Hold).int8(int64(b.Held)).int8(int64(b.Sold)).
			uuid(b.Session).uuid(b.First).int8(b.Version)
	}
	return a.endCopy()
}

func holdRows(sheet packed, c *inventory.Changes) packed {
	a := newCopy(sheet, len(c.NewHolds), 350)
	for i := range c.NewHolds {
		h := &c.NewHolds[i]
		a = a.fields(14).uuid(c.Delta.Event).uuid(h.ID).uuid(h.Account).
			int8s(h.Seats, ordinalOf).int8s(h.Seats, priceOf).int8(int64(h.State)).
			time(h.ExpiresAt).time(h.HardExpiresAt).time(h.EndedAt).text(h.Key).bytes(h.BodyHash[:]).bool(h.Again).time(c.Delta.At).int8(1)
	}
	return a.endCopy()
}
