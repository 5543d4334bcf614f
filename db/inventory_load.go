package db

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"iter"
	"slices"

	"github.com/jackc/pgx/v5"

	"plateia/core/event"
	"plateia/core/fault"
	"plateia/core/id"
	"plateia/core/inventory"
	"plateia/core/money"
	"plateia/core/order"
	"plateia/core/payment"
	"plateia/core/seatmap"
	"plateia/core/ticket"
)

// maxRounds is more than any batch needs: seats, their holds, those holds' seats and
// buyers, and once more when late money meets dead holds.
const maxRounds = 8

// load begins the transaction and reads what the batch needs, in rounds, each one round trip.
func (t *batchTx) load(ctx context.Context, eventID id.ID, needs inventory.Needs) (*inventory.Snapshot, error) {
	snapshot := inventory.NewSnapshot(needs)
	for round := range maxRounds {
		l := &loader{tx: t, event: eventID, into: snapshot}
		if round == 0 {
			l.begin()
		}
		l.ask(&needs)
		if err := l.read(ctx, t.conn); err != nil {
			return nil, err
		}
		if needs = snapshot.Missing(&needs); needs.Empty() {
			return snapshot, nil
		}
	}
	return nil, fmt.Errorf("loading did not end after %d rounds", maxRounds)
}

// loader collects the statements of one round and how to read their results.
type loader struct {
	tx    *batchTx
	event id.ID
	into  *inventory.Snapshot
	batch pgx.Batch
	reads []func(pgx.Rows) error
}

// each queues a query; read gets its raw values row by row.
func (l *loader) each(sql string, read func(raw [][]byte) error, args ...any) {
	l.batch.Queue(sql, args...)
	l.reads = append(l.reads, func(rows pgx.Rows) error {
		for rows.Next() {
			if err := read(rows.RawValues()); err != nil {
				return err
			}
		}
		return nil
	})
}

func (l *loader) read(ctx context.Context, conn *pgx.Conn) error {
	ctx, cancel := context.WithTimeout(ctx, replyWithin)
	defer cancel()
	results := conn.SendBatch(ctx, &l.batch)
	defer results.Close()
	for _, read := range l.reads {
		rows, err := results.Query()
		if err != nil {
			return err
		}
		err = read(rows)
		rows.Close()
		if err := errors.Join(err, rows.Err()); err != nil {
			return err
		}
	}
	return results.Close()
}

// begin opens the transaction. The event is locked first: pausing, closing and
// cancelling wait for the batches in flight, and every later batch sees them.
func (l *loader) begin() {
	l.each(l.tx.sql.begin, nil)
	found := false
	l.each(l.tx.sql.loadEvent, func(raw [][]byte) error {
		found = true
		l.into.Now = rawTime(raw[0])
		return readEvent(&l.into.Event, l.event, raw[1:])
	}, uid(l.event))
	read := l.reads[1]
	l.reads[1] = func(rows pgx.Rows) error {
		err := read(rows)
		if err == nil && rows.Err() == nil && !found {
			return fault.New(fault.NotFound, "there is no such event")
		}
		return err
	}
}

// ask queues the queries for what is needed, and only those, none for more than chunk rows.
func (l *loader) ask(n *inventory.Needs) {
	for part := range slices.Chunk(n.Seats, chunk) {
		l.each(l.tx.sql.loadSeats, l.seat, append([]any{uid(l.event)}, l.tx.sql.seatKeys(part)...)...)
	}
	for part := range slices.Chunk(n.Accounts, chunk) {
		l.each(l.tx.sql.loadAccounts, l.account, packUUIDs(part, self), uid(l.event), packTexts(n.HoldKeys, self))
	}
	for part := range slices.Chunk(n.Buyers, chunk) {
		l.each(l.tx.sql.loadBuyers, l.buyer, packUUIDs(part, self), uid(l.event))
	}
	for part := range slices.Chunk(n.Holds, chunk) {
		l.each(sqlHolds, l.hold, packUUIDs(part, self))
	}
	l.askOrders(n)
	for accounts, keys := range pairs(n.KeyAccounts, n.RequestKeys) {
		l.each(sqlKeys, l.key, accounts, keys)
	}
}

// pairs cuts accounts and their keys, which stand side by side, into chunks.
func pairs(accounts []id.ID, keys []string) iter.Seq2[packed, packed] {
	return func(yield func(packed, packed) bool) {
		for from := 0; from < len(accounts); from += chunk {
			to := min(from+chunk, len(accounts))
			if !yield(packUUIDs(accounts[from:to], self), packTexts(keys[from:to], self)) {
				return
			}
		}
	}
}

// seatKeys are the arguments of loadSeats: every seat, or the ends of runs of neighbours.
func (s *engineSQL) seatKeys(seats []seatmap.Ordinal) []any {
	number := func(o *seatmap.Ordinal) int64 { return int64(*o) }
	if !s.byPlace {
		return []any{packInt8s(seats, number)}
	}
	first, last := make([]seatmap.Ordinal, 0, len(seats)), make([]seatmap.Ordinal, 0, len(seats))
	for i, o := range seats {
		if i > 0 && o == seats[i-1]+1 {
			last[len(last)-1] = o
			continue
		}
		first, last = append(first, o), append(last, o)
	}
	return []any{packInt8s(first, number), packInt8s(last, number)}
}

func (l *loader) askOrders(n *inventory.Needs) {
	for part := range slices.Chunk(n.Orders, chunk) {
		ids := packUUIDs(part, self)
		l.each(sqlOrders, l.order, ids)
		l.each(sqlAttemptsOf, l.attempt, ids)
		l.each(sqlTicketsOf, l.ticket, ids)
	}
	for part := range slices.Chunk(n.Refunds, chunk) {
		l.each(sqlRefundsOf, l.refund, packUUIDs(part, self))
	}
	for part := range slices.Chunk(n.OrdersOf, chunk) {
		l.each(sqlOrdersOf, l.order, packUUIDs(part, self))
	}
	for accounts, keys := range pairs(n.PayAccounts, n.PayKeys) {
		l.each(sqlOrdersByKey, l.order, accounts, keys)
		l.each(sqlAttemptsByKey, l.attempt, accounts, keys)
	}
}

func readEvent(e *event.Event, eventID id.ID, raw [][]byte) error {
	e.ID = eventID
	e.State, e.Currency = event.State(raw[0]), string(raw[1])
	e.ChartID, e.ChartVersion = rawUUID(raw[2]), int(rawInt(raw[3]))
	e.Epoch, e.Version, e.StartsAt = rawInt(raw[6]), rawInt(raw[7]), rawTime(raw[8])
	if err := json.Unmarshal(raw[4], &e.Prices); err != nil {
		return fmt.Errorf("prices of event %s: %w", eventID, err)
	}
	if err := json.Unmarshal(raw[5], &e.Rules); err != nil {
		return fmt.Errorf("rules of event %s: %w", eventID, err)
	}
	return nil
}

func (l *loader) seat(raw [][]byte) error {
	l.into.AddSeat(readSeat(raw))
	return nil
}

func readSeat(raw [][]byte) inventory.Seat {
	seat := inventory.Seat{
		Ordinal: seatmap.Ordinal(rawInt(raw[0])), Status: inventory.Status(rawInt(raw[1])), Owner: rawUUID(raw[2]),
		Category: int(rawInt(raw[3])), Channel: int(rawInt(raw[4])), Version: rawInt(raw[5]),
	}
	if len(raw) > 6 {
		seat.Place = rawPlace(raw[6])
	}
	return seat
}

func (l *loader) buyer(raw [][]byte) error {
	account := rawUUID(raw[0])
	var place inventory.Place
	if len(raw) > 7 {
		place = rawPlace(raw[7])
	}
	l.into.AddBuyer(inventory.Buyer{
		Place: place, Account: account, Hold: rawUUID(raw[1]), Held: int(rawInt(raw[2])), Sold: int(rawInt(raw[3])),
		Session: rawUUID(raw[4]), Version: rawInt(raw[5]), First: rawUUID(raw[6]),
	})
	return nil
}

// account reads a buyer, its first hold and one of the others, if it has any that matter.
func (l *loader) account(raw [][]byte) error {
	const buyerColumns, holdColumns = 8, 14
	for _, h := range [][][]byte{raw[buyerColumns:], raw[buyerColumns+holdColumns:]} {
		if h[0] != nil {
			l.into.AddHold(readHold(h))
		}
	}
	return l.buyer(raw[:buyerColumns])
}

func (l *loader) hold(raw [][]byte) error {
	l.into.AddHold(readHold(raw))
	return nil
}

func readHold(raw [][]byte) inventory.Hold {
	h := inventory.Hold{
		ID: rawUUID(raw[0]), Event: rawUUID(raw[1]), Account: rawUUID(raw[2]),
		State: inventory.HoldState(rawInt(raw[5])), ExpiresAt: rawTime(raw[6]), HardExpiresAt: rawTime(raw[7]),
		EndedAt: rawTime(raw[8]), Version: rawInt(raw[9]), Key: string(raw[10]), CreatedAt: rawTime(raw[12]), Again: rawBool(raw[13]),
	}
	copy(h.BodyHash[:], raw[11])
	ordinals, prices := rawInts(raw[3]), rawInts(raw[4])
	h.Seats = make([]inventory.HeldSeat, min(len(ordinals), len(prices)))
	for i := range h.Seats {
		h.Seats[i] = inventory.HeldSeat{Ordinal: seatmap.Ordinal(ordinals[i]), Price: prices[i]}
	}
	return h
}

func (l *loader) order(raw [][]byte) error {
	o := order.Order{
		ID: rawUUID(raw[0]), Event: rawUUID(raw[1]), Account: rawUUID(raw[2]), Hold: rawUUID(raw[3]),
		Status: order.Status(raw[4]), Currency: string(raw[5]), Total: rawInt(raw[6]), Key: string(raw[8]),
		Reason: string(raw[10]), CreatedAt: rawTime(raw[11]), UpdatedAt: rawTime(raw[12]), Version: rawInt(raw[13]),
		Returned: rawInt(raw[14]), GoesBack: rawBool(raw[15]),
	}
	copy(o.BodyHash[:], raw[9])
	if err := json.Unmarshal(raw[7], &o.Lines); err != nil {
		return fmt.Errorf("lines of order %s: %w", o.ID, err)
	}
	l.into.AddOrder(o)
	return nil
}

func (l *loader) attempt(raw [][]byte) error {
	a := inventory.AttemptRow{Account: rawUUID(raw[2]), Attempt: payment.Attempt{
		ID: rawUUID(raw[0]), Order: rawUUID(raw[1]), Provider: string(raw[3]), Reference: string(raw[4]),
		Status: payment.Status(raw[5]), ActionURL: string(raw[8]), ExpiresAt: rawTime(raw[9]), Key: string(raw[10]),
		Reason: string(raw[12]), CreatedAt: rawTime(raw[13]), UpdatedAt: rawTime(raw[14]), Version: rawInt(raw[15]),
	}}
	a.Amount.Minor, a.Amount.Currency = rawInt(raw[6]), string(raw[7])
	a.Captured.Minor, a.Captured.Currency = rawInt(raw[16]), string(raw[17])
	copy(a.BodyHash[:], raw[11])
	l.into.AddAttempt(a)
	return nil
}

func (l *loader) ticket(raw [][]byte) error {
	l.into.AddTicket(ticket.Ticket{
		ID: rawUUID(raw[0]), Order: rawUUID(raw[1]), Event: rawUUID(raw[2]), Account: rawUUID(raw[3]),
		Ordinal: seatmap.Ordinal(rawInt(raw[4])), State: ticket.State(raw[5]), IssuedAt: rawTime(raw[6]),
	})
	return nil
}

func (l *loader) refund(raw [][]byte) error {
	l.into.AddRefund(payment.Refund{
		ID: rawUUID(raw[0]), Order: rawUUID(raw[1]), Attempt: rawUUID(raw[2]), Kind: payment.RefundKind(raw[3]),
		Status: payment.RefundStatus(raw[4]), Amount: money.Amount{Minor: rawInt(raw[5]), Currency: string(raw[6])},
		Round: int(rawInt(raw[7])),
	})
	return nil
}

func (l *loader) key(raw [][]byte) error {
	k := inventory.RequestKey{Account: rawUUID(raw[0]), Route: string(raw[1]), Key: string(raw[2])}
	copy(k.BodyHash[:], raw[3])
	l.into.AddKey(k)
	return nil
}
