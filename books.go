package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"maps"
	"path/filepath"
	"slices"
	"time"

	"plateia/core/ledger"
	"plateia/core/money"
	"plateia/db"
	"plateia/edge/payments/sandbox"
)

// bookSource is where a provider's own ledger is read.
type bookSource struct {
	provider string
	entries  func(ctx context.Context) ([]sandbox.Entry, error)
}

// bookSources are those of the providers in a file, or of the sandboxes of a data folder.
func bookSources(wanted bool, file, data string) ([]bookSource, error) {
	if !wanted {
		return nil, nil
	}
	if file == "" {
		return dataBooks(data), nil
	}
	all, err := readProviders(file)
	if err != nil {
		return nil, err
	}
	var out []bookSource
	for _, p := range all {
		out = append(out, bookSource{p.name, func(ctx context.Context) ([]sandbox.Entry, error) {
			adapter := p.adapter(30 * time.Second)
			defer adapter.Close()
			return adapter.WholeLedger(ctx)
		}})
	}
	return out, nil
}

func dataBooks(data string) []bookSource {
	var out []bookSource
	for _, name := range devSandboxes() {
		out = append(out, bookSource{name, func(context.Context) ([]sandbox.Entry, error) {
			return sandbox.ReadLedger(filepath.Join(data, name+"-ledger.jsonl"))
		}})
	}
	return out
}

// bookVerdict is our book beside a provider's. Amounts are minor units by currency.
type bookVerdict struct {
	Provider    string           `json:"provider"`
	Ours        int              `json:"ours"`   // entries
	Theirs      int              `json:"theirs"` //
	OnTheWay    int              `json:"onTheWay"`
	Charged     map[string]int64 `json:"charged"`
	Refunded    map[string]int64 `json:"refunded"` // less what came back
	Differences []string         `json:"differences"`
}

// onTheWay is how long what a provider has moved may take until our book knows, while the product runs:
// reconciliation asks about a payment at least every minute.
const onTheWay = 2 * time.Minute

// compareBooks reads ours first: whatever is in it was moved before.
func compareBooks(ctx context.Context, d *db.DB, b bookSource, stopped bool) (bookVerdict, error) {
	ours, err := d.Movements(ctx, b.provider)
	if err != nil {
		return bookVerdict{}, err
	}
	entries, err := b.entries(ctx)
	if err != nil {
		return bookVerdict{}, fmt.Errorf("the ledger of %s: %w", b.provider, err)
	}
	theirs, err := movements(entries)
	if err != nil {
		return bookVerdict{}, fmt.Errorf("the ledger of %s: %w", b.provider, err)
	}
	v := bookVerdict{
		Provider: b.provider, Ours: len(ours), Theirs: len(theirs), Differences: []string{},
		Charged: map[string]int64{}, Refunded: map[string]int64{},
	}
	for _, m := range theirs {
		if m.Kind == ledger.Captured {
			v.Charged[m.Currency] += m.Amount
		} else {
			v.Refunded[m.Currency] -= m.Amount
		}
	}
	for _, diff := range ledger.Compare(ours, theirs) {
		if diff.Fault == ledger.MissingHere && !stopped && time.Since(diff.Theirs.At) < onTheWay {
			v.OnTheWay++
			continue
		}
		v.Differences = append(v.Differences, diff.String())
	}
	return v, nil
}

// movements are a provider's entries in the words of our book.
func movements(entries []sandbox.Entry) ([]ledger.Movement, error) {
	kinds := map[sandbox.EntryKind]ledger.Kind{
		sandbox.EntryCapture: ledger.Captured, sandbox.EntryRefund: ledger.Refunded, sandbox.EntryReversal: ledger.RefundFailed,
	}
	var out []ledger.Movement
	for _, e := range entries {
		kind, ok := kinds[e.Kind]
		if !ok {
			return nil, errors.New("an entry of unknown kind " + string(e.Kind))
		}
		out = append(out, ledger.Movement{Kind: kind, Key: e.Key, Order: e.Order, Amount: e.Signed(), Currency: e.Currency, At: e.At})
	}
	return out, nil
}

func (v bookVerdict) print(w io.Writer) {
	const most = 100
	for _, d := range v.Differences[:min(most, len(v.Differences))] {
		fmt.Fprintf(w, "%s: %s\n", v.Provider, d)
	}
	for _, currency := range slices.Sorted(maps.Keys(v.Charged)) {
		of := func(minor int64) money.Amount { return money.Amount{Minor: minor, Currency: currency} }
		fmt.Fprintf(w, "  charged %s  refunded %s  kept %s\n", of(v.Charged[currency]), of(v.Refunded[currency]), of(v.Charged[currency]-v.Refunded[currency]))
	}
	fmt.Fprintf(w, "provider %s: %d entries there, %d here, %d on the way, %d differences\n", v.Provider, v.Theirs, v.Ours, v.OnTheWay, len(v.Differences))
}
