package room

import (
	"context"
	"time"

	"plateia/core/event"
	"plateia/core/queue"
	"plateia/waitingroom/frontier"
)

const (
	finishEvery = 30 * time.Second // between a leader's looks for a reset that was begun and not finished
	finishAfter = 10 * time.Second // after its statement: whoever began it may be about to do the rest
	finisher    = "plateia"        // who did it, in the audit
)

// restart begins the epoch after e's, whose end has been stated. It does nothing but say so when that has happened already.
func (r *Room) restart(ctx context.Context, e event.Event, o queue.Order) error {
	from := e.Epoch
	e.Epoch++
	commitment, err := r.ceremony.Arm(ctx, e)
	if err != nil {
		return err
	}
	_, err = r.store.Step(ctx, o.Event, func(row queue.Row, in queue.Signals) (queue.Step, error) {
		now, err := r.parse(row)
		if err != nil {
			return queue.Step{}, err
		}
		if row.Epoch != from {
			return queue.Step{}, startedOver(row.Epoch)
		}
		doc := frontier.Restart(now.doc, in.Now, commitment)
		doc.Message, doc.Line.Tiers, doc.Frontiers.Lottery = now.setting.Message, noTickets(e), noRanks(e)
		step := queue.Step{Row: row, Keep: true, Restart: true}
		if err := r.seal(&step.Row, doc, memory{Kept: in.Now.UnixMilli()}, now.setting); err != nil {
			return queue.Step{}, err
		}
		step.Action, err = actionOf(o, map[string]int64{"epoch": from}, map[string]int64{"epoch": e.Epoch})
		return step, err
	})
	r.held.Forget(o.Event)
	return err
}

// finish begins the next epoch of a room whose reset was stated and then went no further, its process having ended: nobody
// may draw behind the statement, and the line would stand still until an operator comes back.
func (l *leader) finish(ctx context.Context, e event.Event, room *led) (done bool, err error) {
	if time.Since(room.looked) < finishEvery {
		return false, nil
	}
	room.looked = time.Now()
	e.Epoch = room.view.row.Epoch
	reason, at, ended, err := l.ceremony.Ended(ctx, e)
	if err != nil || !ended {
		return false, err
	}
	if time.Since(at) < finishAfter {
		room.looked = time.Time{} // soon
		return false, nil
	}
	l.log.Warn("waiting room: a reset that was begun is finished", "event", e.ID, "epoch", e.Epoch)
	return true, l.restart(ctx, e, queue.Order{Event: e.ID, Verb: queue.Reset, Who: finisher, Why: reason, From: e.Epoch})
}
