package main

import (
	"context"

	"plateia/core/id"
	"plateia/core/inventory"
	"plateia/core/seatmap"
	"plateia/db"
	"plateia/realtime/hub"
	"plateia/realtime/wire"
)

// The small adapters between rooms that must not know each other.

// snapshots reads from the database what a live map begins with.
type snapshots struct {
	seats   *db.InventoryStore
	catalog *db.Catalog
}

// Snapshot implements hub.Source.
func (s snapshots) Snapshot(ctx context.Context, event id.ID) (hub.Snapshot, error) {
	e, err := s.catalog.Event(ctx, event)
	if err != nil {
		return hub.Snapshot{}, err
	}
	chart, err := s.catalog.Chart(ctx, e.ChartID, e.ChartVersion)
	if err != nil {
		return hub.Snapshot{}, err
	}
	out := hub.Snapshot{
		Epoch:    e.Epoch,
		Statuses: make([]inventory.Status, chart.Seats()),
		Versions: make([]int64, chart.Seats()),
		Sections: make([]wire.Range, 0, len(chart.Sections())),
	}
	for _, section := range chart.Sections() {
		out.Sections = append(out.Sections, wire.Range{From: section.From, To: section.To})
	}
	_, err = s.seats.Seats(ctx, event, func(o seatmap.Ordinal, status inventory.Status, version int64) {
		if chart.Has(o) {
			out.Statuses[o], out.Versions[o] = status, version
		}
	})
	return out, err
}

// keyring is the secrets that outlive processes, kept in the database.
type keyring struct {
	token     keys
	ticket    keys
	pseudonym []byte // behind the pseudonyms in queue tickets
	codes     []byte // behind the hashes of sign-in codes
}

// keys are Ed25519 seeds: one signs, the others still verify.
type keys struct {
	current []byte
	others  [][]byte
}

func loadKeys(ctx context.Context, d *db.DB) (k keyring, err error) {
	if k.token, err = loadKey(ctx, d, "token"); err != nil {
		return k, err
	}
	if k.ticket, err = loadKey(ctx, d, "ticket"); err != nil {
		return k, err
	}
	pseudonym, err := loadKey(ctx, d, "pseudonym")
	if err != nil {
		return k, err
	}
	codes, err := loadKey(ctx, d, "codes")
	k.pseudonym, k.codes = pseudonym.current, codes.current
	return k, err
}

func loadKey(ctx context.Context, d *db.DB, purpose string) (keys, error) {
	current, err := d.SigningKey(ctx, purpose)
	if err != nil {
		return keys{}, err
	}
	all, err := d.SigningKeys(ctx, purpose)
	if err != nil {
		return keys{}, err
	}
	k := keys{current: current.Seed[:]}
	for _, other := range all {
		if other.KID != current.KID {
			k.others = append(k.others, other.Seed[:])
		}
	}
	return k, nil
}
