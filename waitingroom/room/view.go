package room

import (
	"context"
	"encoding/json"
	"fmt"
	"time"

	"plateia/core/fault"
	"plateia/core/id"
	"plateia/core/queue"
	"plateia/waitingroom/controller"
	"plateia/waitingroom/frontier"
	"plateia/waitingroom/token"
)

const (
	viewAge  = 250 * time.Millisecond // a reading of a room is used for so long, by everybody
	maxViews = 4096                   // rooms remembered
)

// view is a fence row that was read.
type view struct {
	row       queue.Row
	doc       *frontier.Document
	statement token.Statement
	setting   setting
	memory    memory
}

// setting is what operators have set. It is stored with the row.
type setting struct {
	Target int  `json:"target,omitempty"` // people inside; 0: as the event's rules say
	Paused bool `json:"paused,omitempty"`
	// Message is what operators say; of a pause, why.
	Message *frontier.Message `json:"message,omitempty"`
	Codes   int64             `json:"codes,omitempty"` // presale codes made
}

// target is how many people may be inside.
func (s setting) target(rules int) int {
	if s.Target > 0 {
		return s.Target
	}
	return rules
}

// memory is what the leader knows beside the document: a new one goes on from here.
type memory struct {
	Controller controller.State `json:"controller"`
	Admitted   int64            `json:"admitted"` // of the epoch
	Arrived    int64            `json:"arrived"`  // by their own turn
	Second     int64            `json:"second"`   // by the second-chance lane
	Left       int64            `json:"left"`
	Served     float64          `json:"served"` // tickets before the frontiers
	Laps       float64          `json:"laps"`
	Kept       int64            `json:"kept"`   // Unix milliseconds of the last document that was kept
	Noted      int64            `json:"noted"`  // of the last moment in the history
	Reason     string           `json:"reason"` // of the last step
	Predicted  float64          `json:"predicted"`
	Inside     int64            `json:"inside"`
	AtDoor     int64            `json:"atDoor"`
}

// parse reads a row. What does not carry our own signature is not a document of ours.
func (r *Room) parse(row queue.Row) (*view, error) {
	v := &view{row: row}
	if err := json.Unmarshal(row.Document, &v.statement); err != nil {
		return nil, fmt.Errorf("room %s: document: %w", row.Event, err)
	}
	var err error
	if v.doc, err = frontier.Verify(r.authority.Keys(), v.statement); err != nil {
		return nil, fmt.Errorf("room %s: document: %w", row.Event, err)
	}
	for _, part := range []struct {
		text []byte
		to   any
	}{{row.Setting, &v.setting}, {row.State, &v.memory}} {
		if err := json.Unmarshal(part.text, part.to); err != nil {
			return nil, fmt.Errorf("room %s: %w", row.Event, err)
		}
	}
	return v, nil
}

// look is a reading of a room, shared by all who ask within a quarter of a second. The first
// question arms it.
func (r *Room) look(ctx context.Context, event id.ID) (*view, error) {
	return r.held.Get(ctx, event, func(ctx context.Context) (*view, error) {
		row, err := r.store.Room(ctx, event)
		if fault.CodeOf(err) == fault.NotFound {
			row, err = r.arm(ctx, event)
		}
		if err != nil {
			return nil, err
		}
		return r.parse(row)
	})
}

// latest is a reading that was begun after this call.
func (r *Room) latest(ctx context.Context, event id.ID) (*view, error) {
	r.held.Forget(event)
	return r.look(ctx, event)
}
