package main

import (
	"context"
	"time"

	"plateia/db"
	"plateia/edge/metrics"
	"plateia/waitingroom/room"
)

const (
	historyAge   = 7 * 24 * time.Hour // of a room's numbers
	historyEvery = time.Hour
	roomsTime    = 2 * time.Second // to read the rooms for /metrics
)

// openOperators makes what operators do to waiting rooms, and lets go of numbers that nobody will look at again.
func (h *house) openOperators(ctx context.Context) error {
	rooms := db.NewRooms(h.database)
	var codes room.Codes // none can be made where nobody enters
	if h.codes != nil {
		codes = h.codes
	}
	h.desk = room.NewOperators(h.room, rooms, codes)
	if !h.cfg.has("admitter") {
		return nil
	}
	return h.repeat(ctx, "pruning of rooms' histories", historyEvery, func(ctx context.Context) error { return rooms.PruneHistory(ctx, historyAge) })
}

// roomSamples are the rooms that are armed: the same whichever process tells, so take the maximum over processes.
func (h *house) roomSamples() []metrics.Sample {
	if h.desk == nil || !h.cfg.has("admitter") {
		return nil
	}
	ctx, cancel := context.WithTimeout(context.Background(), roomsTime)
	defer cancel()
	all, err := h.desk.Rooms(ctx)
	if err != nil {
		h.log.Warn("the waiting rooms could not be read for /metrics", "error", err)
		return nil
	}
	var out []metrics.Sample
	for _, r := range all {
		labels := []metrics.Label{{Name: "event", Value: r.Event.String()}}
		one := func(name, help string, n float64) {
			out = append(out, metrics.Sample{Name: "plateia_room_" + name, Help: help, Kind: metrics.Gauge, Number: n, Labels: labels})
		}
		one("entered", "Tickets of a line, in its present epoch.", float64(r.Entered))
		one("waiting", "Tickets in front of the frontier.", float64(max(r.Entered-r.Passed, 0)))
		one("passed", "Tickets that the frontiers have moved over.", float64(r.Passed))
		one("admitted", "Claims that let somebody in, in the present epoch.", float64(r.Admitted))
		one("missed", "Tickets whose turn passed without their holder: they gave up, or come by the second-chance lane.", float64(r.Missed))
		one("inside", "People inside, by the session table.", float64(r.Inside))
		one("at_door", "People who were told \"one moment\" and come again.", float64(r.AtDoor))
		one("target", "Most people inside.", float64(r.Target))
		one("predicted", "People inside when those who were let in have come.", r.Predicted)
		one("no_show_ratio", "Share of the called who do not come, from 0 to 1.", r.NoShow)
		one("throttle_ratio", "1 while the expensive path is well; the target is multiplied by it.", r.Throttle)
		told := h.loads.Of(r.Event)
		one("hold_p99_seconds", "The longest that 99 of 100 holds take at any process, over five seconds; 0: too few.", told.HoldP99.Seconds())
		one("engine_queue_ratio", "The fullest of all engines' queues, from 0 to 1.", told.Queue)
		one("document_age_seconds", "Age of the frontier document: a leader renews it every second, before the sale every five.", time.Since(r.At).Seconds())
		one("paused_seconds", "How long a room has let nobody in; 0: it does.", pausedFor(r.PausedSince))
	}
	return out
}

func pausedFor(since time.Time) float64 {
	if since.IsZero() {
		return 0
	}
	return time.Since(since).Seconds()
}
