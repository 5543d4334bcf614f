package room

import (
	"context"
	"encoding/json"
	"time"

	"plateia/core/event"
	"plateia/core/fault"
	"plateia/core/id"
	"plateia/core/queue"
	"plateia/waitingroom/draw"
	"plateia/waitingroom/frontier"
)

// poll is how often pages ask for the document: a twentieth of their wait.
var poll = frontier.Poll{FloorMS: 1000, CeilingMS: 60_000, Divisor: 20}

// While lots are drawn everybody waits for the same moment and would ask at the floor. It rises with the crowd, so that all together ask
// so often a second, and those who wait learn of the draw some seconds later.
const (
	drawPolls   = 2000
	longestLook = 15 // seconds
)

// pollIn is the policy of a phase.
func pollIn(phase frontier.Phase, entered int64) frontier.Poll {
	p := poll
	if phase == frontier.Drawing {
		p.FloorMS = min(max(entered*1000/drawPolls, p.FloorMS), longestLook*1000)
	}
	return p
}

// arm opens a room: it commits to the draw and makes the first document. Anybody may, together with others: one row stays.
func (r *Room) arm(ctx context.Context, which id.ID) (queue.Row, error) {
	e, err := r.catalog.Event(ctx, which)
	if err != nil {
		return queue.Row{}, err
	}
	if e.State == event.Closed || e.State == event.Cancelled {
		return queue.Row{}, over(e)
	}
	if err := r.authority.SelfTest(r.authority.JWKS()); err != nil { // a wrong key would refuse every fan without a word
		return queue.Row{}, err
	}
	commitment, err := r.ceremony.Arm(ctx, e)
	if err != nil {
		return queue.Row{}, err
	}
	now, err := r.store.Now(ctx)
	if err != nil {
		return queue.Row{}, err
	}
	row, err := r.firstRow(e, now, commitment)
	if err != nil {
		return queue.Row{}, err
	}
	if made, err := r.store.Arm(ctx, row); err != nil {
		return queue.Row{}, err
	} else if made {
		r.log.Info("waiting room armed", "event", which, "onSaleAt", e.OnSaleAt)
	}
	return r.store.Room(ctx, which)
}

func (r *Room) firstRow(e event.Event, now time.Time, commitment draw.Digest) (queue.Row, error) {
	q := e.Rules.QueuePolicy()
	doc := &frontier.Document{
		Version: 1, Event: e.ID, Epoch: e.Epoch, Time: now.UnixMilli(), Phase: frontier.Before, OnSaleAt: e.OnSaleAt.UTC(), Commitment: commitment,
		ClaimWindow: int64(q.ClaimSeconds), Poll: poll, Line: frontier.Line{Tiers: make([]int64, len(q.Tiers))},
		Frontiers: frontier.Frontiers{Lottery: make([]draw.Rank, len(q.Tiers))},
	}
	row := queue.Row{Key: queue.Key{Event: e.ID, Epoch: e.Epoch}, OnSaleAt: e.OnSaleAt}
	return row, r.seal(&row, doc, memory{}, setting{})
}

// seal signs a document into its row.
func (r *Room) seal(row *queue.Row, doc *frontier.Document, m memory, s setting) error {
	statement, err := doc.Sign(r.authority)
	if err != nil {
		return err
	}
	row.Version, row.Epoch = int64(doc.Version), doc.Epoch //nolint:gosec // a version a second
	for _, part := range []struct {
		to   *[]byte
		from any
	}{{&row.Document, statement}, {&row.State, m}, {&row.Setting, s}} {
		if *part.to, err = json.Marshal(part.from); err != nil {
			return err
		}
	}
	return nil
}

// over is the refusal of an event whose sale has ended.
func over(e event.Event) error {
	text := "the sale is over"
	if e.State == event.Cancelled {
		text = "the event is cancelled"
	}
	return fault.New(fault.EventState, "%s", text).With("state", e.State).With("queueStatus", "CLOSED").With("reason", reasonEnded)
}
