package db

import (
	"bytes"
	"context"
	"encoding/binary"

	"plateia/core/inventory"
)

// COPY BINARY takes many new rows at about half of what an INSERT from arrays costs: no
// unnest, no text to parse, and the rows of a page share one record of the log. It is a
// round trip of its own, so a few rows go the other way.

const copyFrom = 24 // rows

// copied reports whether so many new rows go by COPY.
func (t *batchTx) copied(rows int) bool { return t.sql.copies && rows >= copyFrom }

// copyIn sends rows in COPY's binary form.
func (t *batchTx) copyIn(ctx context.Context, sql string, rows int, data packed) error {
	tag, err := t.conn.PgConn().CopyFrom(ctx, bytes.NewReader(data), sql)
	if err != nil {
		return err
	}
	if tag.RowsAffected() != int64(rows) {
		return errGuard
	}
	return nil
}

const (
	sqlCopyBuyers = `copy buyer (event_id, account_id, hold_id, held, sold, session_id, first_hold, version) from stdin (format binary)`
	sqlCopyHolds  = `copy hold (event_id, hold_id, account_id, ordinals, prices, state, expires_at, hard_expires_at,
		ended_at, idem_key, body_hash, again, created_at, version) from stdin (format binary)`
)

func newCopy(rows, size int) packed {
	a := append(make(packed, 0, 32+rows*size), "PGCOPY\n\xff\r\n\x00"...)
	return append(a, 0, 0, 0, 0, 0, 0, 0, 0) // no flags, no extension
}

// fields begins a row.
func (a packed) fields(n uint16) packed { return binary.BigEndian.AppendUint16(a, n) }

func (a packed) endCopy() packed { return append(a, 0xff, 0xff) }

func buyerRows(c *inventory.Changes) packed {
	a := newCopy(len(c.NewBuyers), 2+5*20+3*12)
	for i := range c.NewBuyers {
		b := &c.NewBuyers[i]
		a = a.fields(8).uuid(c.Delta.Event).uuid(b.Account).uuid(b.Hold).int8(int64(b.Held)).int8(int64(b.Sold)).
			uuid(b.Session).uuid(b.First).int8(b.Version)
	}
	return a.endCopy()
}

func holdRows(c *inventory.Changes) packed {
	a := newCopy(len(c.NewHolds), 350)
	for i := range c.NewHolds {
		h := &c.NewHolds[i]
		a = a.fields(14).uuid(c.Delta.Event).uuid(h.ID).uuid(h.Account).
			bytes(packInt8s(h.Seats, ordinalOf)).bytes(packInt8s(h.Seats, priceOf)).int8(int64(h.State)).
			time(h.ExpiresAt).time(h.HardExpiresAt).time(h.EndedAt).text(h.Key).bytes(h.BodyHash[:]).bool(h.Again).time(c.Delta.At).int8(1)
	}
	return a.endCopy()
}
