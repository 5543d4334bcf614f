package fanoutbench

import (
	"context"
	"encoding/gob"
	"fmt"
	"net"
	"net/http"
	"time"

	"plateia/core/fault"
	"plateia/core/id"
	"plateia/core/inventory"
	"plateia/core/seatmap"
	"plateia/realtime/hub"
	"plateia/realtime/wire"
)

// The bench's own process is the database of its gateways: it knows the version of every seat before it publishes a
// change, and gateways read them over HTTP, as often as they would read a database.

// statusOf is what a seat is after so many changes: free, held, free again, …
func statusOf(version int64) inventory.Status { return inventory.Status(version % 2) }

// ServeHTTP answers with the versions of an event's seats.
func (s *sale) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	for i, event := range s.events {
		if r.URL.Path == "/"+event.String() {
			_ = gob.NewEncoder(w).Encode(s.versionsOf(i)) // a gateway that is gone needs no answer
			return
		}
	}
	http.NotFound(w, r)
}

// serve is the database's listener; stop it.
func (s *sale) serve(ctx context.Context) (url string, stop func(), err error) {
	l, err := (&net.ListenConfig{}).Listen(ctx, "tcp", "127.0.0.1:0")
	if err != nil {
		return "", nil, fmt.Errorf("fanoutbench: %w", err)
	}
	server := &http.Server{Handler: s, ReadHeaderTimeout: 5 * time.Second}
	go func() { _ = server.Serve(l) }() // ends with Close
	return "http://" + l.Addr().String(), func() { _ = server.Close() }, nil
}

// truth is the database as a gateway sees it.
type truth struct{ url string }

func (t truth) Snapshot(ctx context.Context, event id.ID) (hub.Snapshot, error) {
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, t.url+"/"+event.String(), nil)
	if err != nil {
		return hub.Snapshot{}, fmt.Errorf("fanoutbench: %w", err)
	}
	resp, err := http.DefaultClient.Do(req)
	if err != nil {
		return hub.Snapshot{}, fmt.Errorf("fanoutbench: %w", err)
	}
	defer resp.Body.Close()
	if resp.StatusCode == http.StatusNotFound {
		return hub.Snapshot{}, fault.New(fault.NotFound, "no such event in this bench")
	}
	var versions []int64
	if err := gob.NewDecoder(resp.Body).Decode(&versions); err != nil {
		return hub.Snapshot{}, fmt.Errorf("fanoutbench: %w", err)
	}
	statuses := make([]inventory.Status, len(versions))
	for o, version := range versions {
		statuses[o] = statusOf(version)
	}
	return hub.Snapshot{Epoch: 1, Statuses: statuses, Versions: versions, Sections: sections()}, nil
}

func sections() []wire.Range {
	ranges := make([]wire.Range, chartSections)
	for i := range ranges {
		const each = chartSeats / chartSections
		ranges[i] = wire.Range{From: seatmap.Ordinal(i * each), To: seatmap.Ordinal((i + 1) * each)}
	}
	return ranges
}
