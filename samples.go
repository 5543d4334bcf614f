package main

import (
	"slices"

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
		add(metrics.Counter, "notices_sent_total", "Notices about holds and orders handed to the gateways.", float64(s.NoticesSent))
		add(metrics.Counter, "notices_lost_total", "Notices not sent because the message server was away or too many waited.", float64(s.NoticesLost))
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
	if h.catalog != nil {
		waited, busy := h.catalog.ListStats()
		add(metrics.Counter, "list_waits_total", "Readings of lists of events that waited for others.", float64(waited))
		add(metrics.Counter, "list_busy_total", "Readings of lists of events that waited in vain: whoever asked was told to come again.", float64(busy))
	}
	if h.api != nil {
		s := h.api.Stats()
		add(metrics.Counter, "availability_documents_total", "Availability documents encoded, however many asked for each.", float64(s.DocumentsMade))
		add(metrics.Gauge, "availability_document_bytes", "Encoded availability documents kept.", float64(s.DocumentBytes))
	}
	return slices.Concat(out, h.liveSamples(), h.providerSamples(), h.bookSamples(), h.upstreamSamples(), h.partnerSamples(), h.edgeSamples(), h.lineSamples(), h.roomSamples())
}
