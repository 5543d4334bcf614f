package main

import (
	"slices"
	"strconv"

	"plateia/edge/metrics"
)

// samples are this process's numbers for /metrics.
func (h *house) samples() []metrics.Sample {
	var out []metrics.Sample
	add := func(kind metrics.Kind, name, help string, number float64) {
		out = append(out, metrics.Sample{Name: "plateia_" + name, Help: help, Kind: kind, Number: number})
	}
	if h.database != nil {
		pool := h.database.Pool().Stat()
		add(metrics.Gauge, "db_connections", "Open database connections.", float64(pool.TotalConns()))
		add(metrics.Gauge, "db_connections_in_use", "Database connections in use.", float64(pool.AcquiredConns()))
		add(metrics.Counter, "db_waits_total", "Times a query waited for a connection.", float64(pool.EmptyAcquireCount()))
	}
	if h.stream != nil {
		s := h.stream.Stats()
		add(metrics.Counter, "stream_published_total", "Batches handed to the stream.", float64(s.Published))
		add(metrics.Counter, "stream_publish_failed_total", "Batches left to the relay.", float64(s.PublishFailed))
		add(metrics.Counter, "stream_reconnects_total", "Reconnections to the stream.", float64(s.Reconnects))
	}
	if h.relay != nil {
		s := h.relay.Stats()
		add(metrics.Counter, "relay_relayed_total", "Batches the fast path had not brought through.", float64(s.Relayed))
		add(metrics.Counter, "relay_failures_total", "Rounds of the relay that failed.", float64(s.Failures))
	}
	if h.inventory != nil {
		events, seats := h.inventory.Warm()
		add(metrics.Gauge, "warm_events", "Events with an engine in memory.", float64(events))
		add(metrics.Gauge, "warm_seats", "Seats of the warm events.", float64(seats))
	}
	if h.api != nil {
		s := h.api.Stats()
		add(metrics.Counter, "availability_documents_total", "Availability documents encoded, however many asked for each.", float64(s.DocumentsMade))
		add(metrics.Gauge, "availability_document_bytes", "Encoded availability documents kept.", float64(s.DocumentBytes))
	}
	if h.gateway != nil {
		s := h.gateway.Stats()
		add(metrics.Gauge, "viewers", "Live maps connected.", float64(s.Viewers))
		add(metrics.Counter, "gateway_refused_total", "Connections refused before the upgrade.", float64(s.Refused))
		add(metrics.Counter, "gateway_frames_total", "Messages written to viewers.", float64(s.Frames))
		add(metrics.Counter, "gateway_bytes_total", "Payload bytes written to viewers.", float64(s.Bytes))
		add(metrics.Counter, "hub_changes_total", "Seat changes folded that were news.", float64(s.Hub.Changes))
		add(metrics.Counter, "hub_snapshot_loads_total", "Snapshots read from the database.", float64(s.Hub.Loads))
		add(metrics.Counter, "hub_shelf_loads_total", "Folds begun with a snapshot that another gateway left.", float64(s.Hub.Taken))
		add(metrics.Counter, "hub_shelf_writes_total", "Snapshots left for other gateways.", float64(s.Hub.Kept))
		add(metrics.Counter, "hub_shelf_failures_total", "Times the bucket of snapshots did not answer or refused.", float64(s.Hub.ShelfFailures))
		add(metrics.Counter, "hub_comparisons_total", "Comparisons of a live map with the database.", float64(s.Hub.Compared))
		add(metrics.Counter, "hub_mismatches_total", "Seats that a live map had wrong; the database won.", float64(s.Hub.Mismatches))
		add(metrics.Counter, "hub_repairs_total", "Live maps built anew from the database after a comparison.", float64(s.Hub.Repairs))
		add(metrics.Counter, "hub_slow_viewers_total", "Viewers told to start over because they did not keep up.", float64(s.Hub.Slow))
		add(metrics.Gauge, "hub_oldest_pending_seconds", "Age of the oldest change not yet sent.", s.Hub.OldestPending.Seconds())
		for code, n := range s.Byes {
			out = append(out, metrics.Sample{Name: "plateia_gateway_byes_total", Help: "Connections ended by us, by code.",
				Kind: metrics.Counter, Number: float64(n), Labels: []metrics.Label{{Name: "code", Value: strconv.Itoa(int(code))}}})
		}
	}
	return slices.Concat(out, h.providerSamples(), h.bookSamples(), h.upstreamSamples())
}
