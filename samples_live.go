package main

import (
	"strconv"

	"plateia/edge/metrics"
	"plateia/realtime/gateway"
	"plateia/realtime/wire"
)

// byeReasons are the codes of the viewer protocol in words: all are printed, so that a first one is a change from 0.
var byeReasons = map[wire.ByeCode]string{
	wire.ByeResync: "slow", wire.ByeDrain: "drain", wire.ByeToken: "token", wire.ByeUnknownEvent: "unknown_event", wire.ByeVersion: "version",
	wire.ByeProtocol: "protocol", wire.ByeHelloLate: "hello_late", wire.ByeFlood: "flood", wire.ByeTooMany: "too_many",
	wire.ByeNoSection: "no_section", wire.ByeUnavailable: "unavailable", wire.ByeNotAllowed: "not_allowed",
}

// liveSamples are the live map as this process serves it: every number that the gateway and its hub count.
func (h *house) liveSamples() []metrics.Sample {
	if h.gateway == nil {
		return nil
	}
	s := h.gateway.Stats()
	out := connectionSamples(s)
	add := func(kind metrics.Kind, name, help string, number float64) {
		out = append(out, metrics.Sample{Name: "plateia_" + name, Help: help, Kind: kind, Number: number})
	}
	add(metrics.Gauge, "hub_events", "Events whose map is kept for viewers.", float64(s.Hub.Events))
	add(metrics.Gauge, "hub_groups", "Groups of viewers who look at the same thing and share its frames.", float64(s.Hub.Groups))
	add(metrics.Counter, "hub_messages_total", "Batches of seat changes taken from the stream.", float64(s.Hub.Messages))
	add(metrics.Counter, "hub_changes_total", "Seat changes folded that were news.", float64(s.Hub.Changes))
	add(metrics.Counter, "hub_deltas_total", "Deltas encoded, however many viewers share each.", float64(s.Hub.Deltas))
	add(metrics.Counter, "hub_snapshots_total", "Snapshots encoded, however many viewers share each.", float64(s.Hub.Snapshots))
	add(metrics.Counter, "hub_summaries_total", "Summaries encoded, however many viewers share each.", float64(s.Hub.Summaries))
	add(metrics.Counter, "hub_deflations_total", "Snapshots compressed, however many viewers share each.", float64(s.Hub.Deflations))
	add(metrics.Counter, "hub_deflated_total", "Snapshots given compressed.", float64(s.Hub.Deflated))
	add(metrics.Counter, "hub_notices_total", "Notices given to viewers.", float64(s.Hub.Notices))
	add(metrics.Counter, "hub_queued_total", "Frames put into viewers' queues.", float64(s.Hub.Queued))
	add(metrics.Counter, "hub_queued_bytes_total", "Bytes of the frames put into viewers' queues.", float64(s.Hub.QueuedBytes))
	add(metrics.Counter, "hub_snapshot_loads_total", "Snapshots read from the database.", float64(s.Hub.Loads))
	add(metrics.Counter, "hub_snapshot_load_failures_total", "Snapshots that could not be read from the database.", float64(s.Hub.LoadFailures))
	add(metrics.Counter, "hub_shelf_loads_total", "Folds begun with a snapshot that another gateway left.", float64(s.Hub.Taken))
	add(metrics.Counter, "hub_shelf_writes_total", "Snapshots left for other gateways.", float64(s.Hub.Kept))
	add(metrics.Counter, "hub_shelf_failures_total", "Times the bucket of snapshots did not answer or refused.", float64(s.Hub.ShelfFailures))
	add(metrics.Counter, "hub_comparisons_total", "Comparisons of a live map with the database.", float64(s.Hub.Compared))
	add(metrics.Counter, "hub_mismatches_total", "Seats that a live map had wrong; the database won.", float64(s.Hub.Mismatches))
	add(metrics.Counter, "hub_repairs_total", "Live maps built anew from the database after a comparison.", float64(s.Hub.Repairs))
	add(metrics.Counter, "hub_journal_reads_total", "Readings of the database's journal because the stream was away.", float64(s.Hub.Journal))
	add(metrics.Counter, "hub_early_changes_total", "Seat changes that came from the database before they came from the stream.", float64(s.Hub.Early))
	add(metrics.Counter, "hub_slow_viewers_total", "Viewers told to start over because they did not keep up.", float64(s.Hub.Slow))
	add(metrics.Gauge, "hub_oldest_pending_seconds", "Age of the oldest change not yet sent.", s.Hub.OldestPending.Seconds())
	add(metrics.Gauge, "hub_tick_seconds", "Longest time between two frames of a group, as the load has it now.", s.Hub.SlowestTickNow.Seconds())
	return out
}

func connectionSamples(s gateway.Stats) (out []metrics.Sample) {
	add := func(kind metrics.Kind, name, help string, number float64) {
		out = append(out, metrics.Sample{Name: "plateia_" + name, Help: help, Kind: kind, Number: number})
	}
	add(metrics.Gauge, "viewers", "Live maps connected.", float64(s.Viewers))
	add(metrics.Gauge, "viewers_most", "Most live maps that this gateway takes.", float64(s.Most))
	add(metrics.Gauge, "viewers_streams", "Live maps connected over server-sent events.", float64(s.Streams))
	add(metrics.Counter, "gateway_accepted_total", "Connections begun.", float64(s.Accepted))
	add(metrics.Counter, "gateway_refused_total", "Connections refused before the upgrade.", float64(s.Refused))
	add(metrics.Counter, "gateway_bad_origins_total", "Connections refused for their Origin.", float64(s.BadOrigin))
	add(metrics.Counter, "gateway_bad_tokens_total", "Connections with a token that is not valid here.", float64(s.BadToken))
	add(metrics.Counter, "gateway_received_total", "Messages from viewers.", float64(s.Received))
	add(metrics.Counter, "gateway_frames_total", "Messages written to viewers.", float64(s.Frames))
	add(metrics.Counter, "gateway_bytes_total", "Payload bytes written to viewers.", float64(s.Bytes))
	add(metrics.Counter, "gateway_stalls_total", "Times a viewer did not take what was written.", float64(s.Stalled))
	add(metrics.Counter, "gateway_write_errors_total", "Connections that broke while a message was written.", float64(s.WriteErrors))
	add(metrics.Gauge, "gateway_writer_lag_seconds", "How long a round of messages takes to be written, by the slowest writer.", s.WriterLag.Seconds())
	for code, reason := range byeReasons {
		out = append(out, metrics.Sample{Name: "plateia_gateway_byes_total", Help: "Connections ended by us, by code and reason.",
			Kind: metrics.Counter, Number: float64(s.Byes[code]),
			Labels: []metrics.Label{{Name: "code", Value: strconv.Itoa(int(code))}, {Name: "reason", Value: reason}}})
	}
	return out
}
