package db

import (
	"context"
	"encoding/json"
	"slices"
	"strconv"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"

	"plateia/core/id"
	"plateia/core/inventory"
	"plateia/core/order"
	"plateia/core/seatmap"
	"plateia/core/ticket"
)

// writeRows is the most rows one statement writes.
const writeRows = 1000

// writer collects a batch's writes.
type writer struct {
	tx    *batchTx
	steps []statement
	piped bool // there is a COPY among them
}

// statement is one with its arguments and the row count that it must have.
type statement struct {
	sql  string
	args []any
	rows int64                     // -1: any
	data func(sheet packed) packed // of COPY, whole; nil: no COPY
}

func (w *writer) queue(rows int, sql string, args ...any) {
	w.steps = append(w.steps, statement{sql: sql, args: args, rows: int64(rows)})
}

func (w *writer) copyIn(rows int, sql string, data func(sheet packed) packed) {
	w.steps = append(w.steps, statement{sql: sql, rows: int64(rows), data: data})
	w.piped = true
}

// right is the guard.
func (s *statement) right(tag pgconn.CommandTag) error {
	if s.rows >= 0 && tag.RowsAffected() != s.rows {
		return errGuard
	}
	return nil
}

// write stores the changes in one round trip. Buyers first, by account, then seats, by ordinal (PostgreSQL: by place, which
// is by ordinal but for rows that have moved): every writer in the same order.
func (t *batchTx) write(ctx context.Context, c *inventory.Changes) error {
	ctx, cancel := context.WithTimeout(ctx, replyWithin)
	defer cancel()
	w := &writer{tx: t}
	w.newBuyers(c)
	w.buyers(c)
	w.seats(c)
	w.moved(c)
	w.holds(c)
	w.due(c)
	if err := w.orders(c); err != nil {
		return err
	}
	w.tickets(c.Tickets)
	w.keys(c)
	w.audits(c)
	if err := w.postings(c); err != nil {
		return err
	}
	w.outbox(c)
	if t.copied(len(c.NewHolds)) {
		w.copyIn(len(c.NewHolds), sqlCopyHolds, func(sheet packed) packed { return holdRows(sheet, c) })
	}
	if w.piped {
		return w.pipe(ctx, t.conn)
	}
	return w.send(ctx, t.conn)
}

func (w *writer) send(ctx context.Context, conn *pgx.Conn) error {
	var batch pgx.Batch
	for i := range w.steps {
		batch.Queue(w.steps[i].sql, w.steps[i].args...)
	}
	results := conn.SendBatch(ctx, &batch)
	defer results.Close()
	for i := range w.steps {
		tag, err := results.Exec()
		if err != nil {
			return err
		}
		if err := w.steps[i].right(tag); err != nil {
			return err
		}
	}
	return results.Close()
}

func (w *writer) buyers(c *inventory.Changes) {
	for part := range slices.Chunk(c.UpdatedBuyers, writeRows) {
		values := []any{
			packUUIDs(part, func(b *inventory.Buyer) id.ID { return b.Hold }),
			packInt8s(part, func(b *inventory.Buyer) int64 { return int64(b.Held) }),
			packInt8s(part, func(b *inventory.Buyer) int64 { return int64(b.Sold) }),
			packUUIDs(part, func(b *inventory.Buyer) id.ID { return b.First }),
			packInt8s(part, func(b *inventory.Buyer) int64 { return b.Version }),
		}
		if w.tx.sql.byPlace && !slices.ContainsFunc(part, isGuess) {
			places := packTIDs(part, func(b *inventory.Buyer) inventory.Place { return b.Place })
			w.queue(len(part), w.tx.sql.updateBuyers, append([]any{places}, values...)...)
			continue
		}
		// One guess, and all go by key: two statements would lock rows in another order than other writers do.
		keys := []any{uid(c.Delta.Event), packUUIDs(part, func(b *inventory.Buyer) id.ID { return b.Account })}
		w.queue(len(part), w.tx.sql.guessBuyers, append(append(keys, values...),
			packUUIDs(part, func(b *inventory.Buyer) id.ID { return b.Session }))...)
	}
}

// isGuess reports whether a row was decided on without having been loaded.
func isGuess(b inventory.Buyer) bool { return b.Place == 0 }

func (w *writer) newBuyers(c *inventory.Changes) {
	if w.tx.copied(len(c.NewBuyers)) {
		w.copyIn(len(c.NewBuyers), sqlCopyBuyers, func(sheet packed) packed { return buyerRows(sheet, c) })
		return
	}
	for part := range slices.Chunk(c.NewBuyers, writeRows) {
		w.queue(len(part), sqlInsertBuyers, uid(c.Delta.Event),
			packUUIDs(part, func(b *inventory.Buyer) id.ID { return b.Account }),
			packUUIDs(part, func(b *inventory.Buyer) id.ID { return b.Hold }),
			packInt8s(part, func(b *inventory.Buyer) int64 { return int64(b.Held) }),
			packInt8s(part, func(b *inventory.Buyer) int64 { return int64(b.Sold) }),
			packUUIDs(part, func(b *inventory.Buyer) id.ID { return b.Session }),
			packUUIDs(part, func(b *inventory.Buyer) id.ID { return b.First }),
			packInt8s(part, func(b *inventory.Buyer) int64 { return b.Version }))
	}
}

func (w *writer) seats(c *inventory.Changes) {
	for part := range slices.Chunk(c.Seats, writeRows) {
		args := []any{
			uid(c.Delta.Event), packInt8s(part, func(s *inventory.Seat) int64 { return int64(s.Ordinal) }),
			packInt8s(part, func(s *inventory.Seat) int64 { return int64(s.Status) }),
			packUUIDs(part, func(s *inventory.Seat) id.ID { return s.Owner }),
			packInt8s(part, func(s *inventory.Seat) int64 { return s.Version }),
		}
		if w.tx.sql.byPlace {
			args = append(args, packTIDs(part, func(s *inventory.Seat) inventory.Place { return s.Place }))
		}
		w.queue(len(part), w.tx.sql.updateSeats, args...)
	}
}

// moved writes the channels of seats that have changed theirs, behind their rows.
func (w *writer) moved(c *inventory.Changes) {
	for part := range slices.Chunk(c.Moved, writeRows) {
		w.queue(len(part), w.tx.sql.moveSeats, uid(c.Delta.Event),
			packInt8s(part, func(s *inventory.Seat) int64 { return int64(s.Ordinal) }),
			packInt8s(part, func(s *inventory.Seat) int64 { return int64(s.Channel) }),
			packInt8s(part, func(s *inventory.Seat) int64 { return s.Version }))
	}
}

func (w *writer) audits(c *inventory.Changes) {
	for _, a := range c.Audits {
		w.queue(1, sqlInsertAudit, uid(a.ID), uid(c.Delta.Event), c.Delta.At, a.Action, int64(a.Channel),
			packInt8s(a.Seats, func(o *seatmap.Ordinal) int64 { return int64(*o) }), a.Actor, a.Reason)
	}
}

func (w *writer) holds(c *inventory.Changes) {
	w.updateHolds(c.UpdatedHolds, c.Delta.At)
	if w.tx.copied(len(c.NewHolds)) {
		return // they go last
	}
	for part := range slices.Chunk(c.NewHolds, writeRows) {
		w.queue(len(part), sqlInsertHolds, uid(c.Delta.Event),
			packUUIDs(part, func(h *inventory.Hold) id.ID { return h.ID }),
			packUUIDs(part, func(h *inventory.Hold) id.ID { return h.Account }),
			packTexts(part, func(h *inventory.Hold) string { return heldText(h, ordinalOf) }),
			packTexts(part, func(h *inventory.Hold) string { return heldText(h, priceOf) }),
			packInt8s(part, func(h *inventory.Hold) int64 { return int64(h.State) }),
			packTimes(part, func(h *inventory.Hold) time.Time { return h.ExpiresAt }),
			packTimes(part, func(h *inventory.Hold) time.Time { return h.HardExpiresAt }),
			packTimes(part, func(h *inventory.Hold) time.Time { return h.EndedAt }),
			packTexts(part, func(h *inventory.Hold) string { return h.Key }),
			packByteas(part, func(h *inventory.Hold) []byte { return h.BodyHash[:] }),
			packBools(part, func(h *inventory.Hold) bool { return h.Again }),
			c.Delta.At)
	}
}

func ordinalOf(s *inventory.HeldSeat) int64 { return int64(s.Ordinal) }

func priceOf(s *inventory.HeldSeat) int64 { return s.Price }

// heldText is an int8[] literal.
func heldText(h *inventory.Hold, of func(*inventory.HeldSeat) int64) string {
	text := make([]byte, 0, 8*len(h.Seats)+2)
	text = append(text, '{')
	for i := range h.Seats {
		if i > 0 {
			text = append(text, ',')
		}
		text = strconv.AppendInt(text, of(&h.Seats[i]), 10)
	}
	return string(append(text, '}'))
}

// alike is what holds must have in common to be updated by one statement.
type alike struct {
	state   inventory.HoldState
	version int64
	expires time.Time // of live ones; one that ended keeps the time it was told
}

func (w *writer) updateHolds(holds []inventory.Hold, now time.Time) {
	groups := map[alike][]inventory.Hold{}
	var order []alike
	for _, h := range holds {
		key := alike{state: h.State, version: h.Version}
		if h.State.Live() {
			key.expires = h.ExpiresAt
		}
		if groups[key] == nil {
			order = append(order, key)
		}
		groups[key] = append(groups[key], h)
	}
	for _, key := range order {
		sql, at := sqlEndHolds, now
		if key.state.Live() {
			sql, at = w.tx.sql.updateHolds, key.expires
		}
		for part := range slices.Chunk(groups[key], writeRows) {
			ids := packUUIDs(part, func(h *inventory.Hold) id.ID { return h.ID })
			w.queue(len(part), sql, ids, int64(key.state), key.version, at)
		}
	}
}

// due lists the holds that are left active where the sweeper finds them when their time has passed. Those that end
// together share a row: the sweeper drops a row in which nothing is due, and must not drop with it what ends later.
func (w *writer) due(c *inventory.Changes) {
	ending := map[time.Time][]id.ID{}
	var ends []time.Time
	for _, list := range [][]inventory.Hold{c.NewHolds, c.UpdatedHolds} {
		for i := range list {
			h := &list[i]
			if h.State != inventory.HoldActive {
				continue
			}
			end := h.ExpiresAt.UTC()
			if ending[end] == nil {
				ends = append(ends, end)
			}
			ending[end] = append(ending[end], h.ID)
		}
	}
	for _, end := range ends {
		for part := range slices.Chunk(ending[end], writeRows) {
			w.queue(1, sqlInsertDue, uid(id.New()), uid(c.Delta.Event), end, packUUIDs(part, self))
		}
	}
}

func (w *writer) orders(c *inventory.Changes) error {
	for _, o := range c.NewOrders {
		lines, err := json.Marshal(o.Lines)
		if err != nil {
			return err
		}
		w.queue(1, sqlInsertOrder, uid(o.ID), uid(o.Event), uid(o.Account), uid(o.Hold), string(o.Status), o.Currency, o.Total,
			lines, o.Key, o.BodyHash[:], o.Reason, o.CreatedAt, o.UpdatedAt, o.Version)
	}
	for _, o := range c.UpdatedOrders {
		w.queue(1, sqlUpdateOrder, uid(o.ID), string(o.Status), o.Reason, o.UpdatedAt, o.Version, o.Returned, o.GoesBack)
	}
	for _, a := range c.NewAttempts {
		w.queue(1, sqlInsertAttempt, uid(a.ID), uid(a.Order), uid(a.Account), a.Provider, a.Reference, string(a.Status),
			a.Amount.Minor, a.Amount.Currency, a.ActionURL, a.ExpiresAt, a.Key, a.BodyHash[:], a.Reason,
			a.CreatedAt, a.UpdatedAt, a.Version)
	}
	for _, a := range c.UpdatedAttempts {
		w.queue(1, sqlUpdateAttempt, uid(a.ID), string(a.Status), a.Reason, a.UpdatedAt, a.Version,
			a.Captured.Minor, a.Captured.Currency)
	}
	w.endOrders(c)
	w.givenBack(c)
	return nil
}

func (w *writer) endOrders(c *inventory.Changes) {
	type fate struct {
		status order.Status
		reason string
	}
	groups := map[fate][]id.ID{}
	var seen []fate
	for _, e := range c.Ended {
		key := fate{e.Status, e.Reason}
		if groups[key] == nil {
			seen = append(seen, key)
		}
		groups[key] = append(groups[key], e.Hold)
	}
	for _, key := range seen {
		for part := range slices.Chunk(groups[key], writeRows) {
			w.queue(-1, sqlEndOrders, packUUIDs(part, self), string(key.status), key.reason, c.Delta.At)
		}
	}
}

func (w *writer) tickets(tickets []ticket.Ticket) {
	for _, t := range tickets {
		w.queue(1, sqlInsertTicket, uid(t.ID), uid(t.Order), uid(t.Event), uid(t.Account), int64(t.Ordinal), string(t.State), t.IssuedAt)
	}
}

// givenBack writes what a Return or a person's decision leaves beside orders and seats.
func (w *writer) givenBack(c *inventory.Changes) {
	for part := range slices.Chunk(c.Voided, writeRows) {
		w.queue(len(part), sqlVoidTickets, packUUIDs(part, func(t *ticket.Ticket) id.ID { return t.ID }))
	}
	for _, r := range c.NewRefunds {
		w.queue(1, sqlInsertRefund, refundArgs(r)...)
	}
	for _, r := range c.RetriedRefunds {
		w.queue(1, sqlRetryRefund, uid(r.ID), r.Round, c.Delta.At)
	}
	for _, a := range c.OrderAudits {
		w.queue(1, sqlInsertOrderAudit, uid(a.ID), uid(a.Order), uid(c.Delta.Event), c.Delta.At, a.Action, a.Actor, a.Reason,
			string(a.Before), string(a.After))
	}
}

func (w *writer) keys(c *inventory.Changes) {
	for _, k := range c.Keys {
		w.queue(1, sqlInsertKey, uid(k.Account), k.Route, k.Key, k.BodyHash[:], c.Delta.At)
	}
}

// outbox writes the batch's row. Without changes of seats there is nothing to
// publish, but the row is still what settles an unknown COMMIT.
func (w *writer) outbox(c *inventory.Changes) {
	var published any
	if len(c.Delta.Changes) == 0 {
		published = c.Delta.At
	}
	w.queue(1, sqlInsertOutbox, uid(c.Delta.ID), uid(c.Delta.Event), c.Payload, c.Delta.At, published)
}
