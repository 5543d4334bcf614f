package db

import (
	"context"
	"slices"
	"time"

	"github.com/jackc/pgx/v5"

	"plateia/core/fault"
	"plateia/core/id"
	"plateia/core/inventory"
	"plateia/core/ledger"
)

// The book of core/ledger. Entries are only ever inserted, in the transaction of what they are about,
// by this one statement; a posting that is there already stays as it is.
const sqlInsertEntries = `insert into ledger_entry (at, source, kind, round, account, order_id, amount, currency)
	select $1::timestamptz, unnest($2::uuid[]), unnest($3::text[]), unnest($4::int8[]), unnest($5::text[]), unnest($6::uuid[]),
		unnest($7::int8[]), unnest($8::text[])
	on conflict (source, kind, round, account) do nothing`

// entryRow is an entry with the posting that it belongs to.
type entryRow struct {
	ledger.Posting
	ledger.Entry
}

// entryRows are postings as rows. One that does not sum to zero is refused: its transaction must not commit.
func entryRows(postings []ledger.Posting) ([]entryRow, error) {
	rows := make([]entryRow, 0, 3*len(postings))
	for _, p := range postings {
		if !p.Balanced() {
			return nil, fault.New(fault.Internal, "posting %s of order %s does not balance", p.Kind, p.Order)
		}
		for _, e := range p.Entries {
			rows = append(rows, entryRow{p, e})
		}
	}
	return rows, nil
}

// postings queues what a batch books.
func (w *writer) postings(c *inventory.Changes) error {
	rows, err := entryRows(c.Postings)
	if err != nil {
		return err
	}
	for part := range slices.Chunk(rows, writeRows) {
		w.queue(-1, sqlInsertEntries, c.Delta.At,
			packUUIDs(part, func(e *entryRow) id.ID { return e.Source }),
			packTexts(part, func(e *entryRow) string { return string(e.Kind) }),
			packInt8s(part, func(e *entryRow) int64 { return int64(e.Round) }),
			packTexts(part, func(e *entryRow) string { return string(e.Account) }),
			packUUIDs(part, func(e *entryRow) id.ID { return e.Order }),
			packInt8s(part, func(e *entryRow) int64 { return e.Amount }),
			packTexts(part, func(e *entryRow) string { return e.Currency }))
	}
	return nil
}

// post books in a transaction beside the engine's.
func post(ctx context.Context, t pgx.Tx, at time.Time, postings ...ledger.Posting) error {
	rows, err := entryRows(postings)
	if err != nil || len(rows) == 0 {
		return err
	}
	sources, orders := make([]id.ID, len(rows)), make([]id.ID, len(rows))
	kinds, accounts, currencies := make([]string, len(rows)), make([]string, len(rows)), make([]string, len(rows))
	rounds, amounts := make([]int64, len(rows)), make([]int64, len(rows))
	for i, e := range rows {
		sources[i], orders[i], kinds[i], accounts[i] = e.Source, e.Order, string(e.Kind), string(e.Account)
		rounds[i], amounts[i], currencies[i] = int64(e.Round), e.Amount, e.Currency
	}
	_, err = t.Exec(ctx, sqlInsertEntries, at, uids(sources), kinds, rounds, accounts, uids(orders), amounts, currencies)
	return err
}
