package sandbox

import (
	"errors"
	"fmt"
	"os"
	"strconv"
	"time"

	"plateia/core/fault"
	"plateia/core/id"
	"plateia/core/payment"
)

// EntryKind is what moved money at the provider.
type EntryKind string

const (
	EntryCapture  EntryKind = "capture"  // from the fan to the merchant
	EntryRefund   EntryKind = "refund"   // back
	EntryReversal EntryKind = "reversal" // a refund that was done came back to the merchant
)

// Entry is one line of the provider's ledger: money that moved. It never changes.
type Entry struct {
	ID        string    `json:"id"`
	Reference string    `json:"reference"` // the intent
	Key       string    `json:"key"`       // what the merchant called it: the Idempotency-Key of the intent or of the refund
	Order     id.ID     `json:"order"`
	Kind      EntryKind `json:"kind"`
	Amount    int64     `json:"amount"` // minor units, always positive
	Currency  string    `json:"currency"`
	At        time.Time `json:"at"`
}

// Signed is the amount as the merchant's balance sees it.
func (e Entry) Signed() int64 {
	if e.Kind == EntryRefund {
		return -e.Amount
	}
	return e.Amount
}

// entriesOf is the money that a change of an intent moves.
func entriesOf(before *intent, next intent, at time.Time) []Entry {
	var out []Entry
	add := func(kind EntryKind, key string, amount int64) {
		out = append(out, Entry{Reference: next.Reference, Key: key, Order: next.Order, Kind: kind, Amount: amount, Currency: next.Currency, At: at})
	}
	if next.State == captured && (before == nil || before.State != captured) {
		add(EntryCapture, next.Key, next.total())
	}
	for n, r := range next.Refunds {
		was := payment.RefundStatus("")
		if before != nil && n < len(before.Refunds) {
			was = before.Refunds[n].Status
		}
		switch {
		case r.Status == payment.RefundDone && was != payment.RefundDone:
			add(EntryRefund, r.Key, r.Amount)
		case r.Status == payment.RefundFailed && was == payment.RefundDone:
			add(EntryReversal, r.Key, r.Amount)
		}
	}
	return out
}

// ledgerPage is how many entries an answer has at most.
const ledgerPage = 500

// book returns the entries after a cursor ("" for the first) and the cursor behind them, "" at the end.
func (b *bank) book(cursor string) ([]Entry, string, error) {
	from := 0
	if cursor != "" {
		var err error
		if from, err = strconv.Atoi(cursor); err != nil || from < 0 {
			return nil, "", fault.New(fault.Invalid, "cursor is not one of this ledger")
		}
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	if from > len(b.entries) {
		return nil, "", fault.New(fault.Invalid, "cursor is not one of this ledger")
	}
	to, next := len(b.entries), ""
	if to > from+ledgerPage {
		to = from + ledgerPage
		next = strconv.Itoa(to)
	}
	return b.entries[from:to:to], next, nil
}

// ReadLedger is the entries in a server's ledger file, whether the server runs or not.
func ReadLedger(path string) ([]Entry, error) {
	file, err := os.Open(path)
	if errors.Is(err, os.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, fmt.Errorf("sandbox: read ledger: %w", err)
	}
	defer file.Close()
	b := newBank()
	if _, err := replay(file, b.apply); err != nil {
		return nil, fmt.Errorf("sandbox: read ledger %s: %w", path, err)
	}
	return b.entries, nil
}
