package room

import (
	"context"
	"encoding/json"
	"time"

	"plateia/core/cache"
	"plateia/core/event"
	"plateia/core/fault"
	"plateia/core/id"
	"plateia/core/queue"
	"plateia/waitingroom/frontier"
)

// Records is what was written of rooms, besides their rows.
type Records interface {
	// Moments is a room's history after an instant, oldest first, as JSON.
	Moments(ctx context.Context, event id.ID, since time.Time, limit int) ([][]byte, error)
	// Actions are what operators did, newest first, before a number (0: all).
	Actions(ctx context.Context, event id.ID, before int64, limit int) ([]queue.Action, error)
	// Left counts those who were let in and have left, by reason.
	Left(ctx context.Context, key queue.Key) (map[string]int64, error)
}

// Codes makes presale codes.
type Codes interface {
	Make(event id.ID, tier int, serial uint32) string
}

// Operators lead rooms. Every change is a step of the room with the operator's line in the audit in the same transaction,
// so there is neither a change without its line nor a line without its change, and a leader that steps at the
// same time starts over from what was set.
type Operators struct {
	room    *Room
	records Records
	codes   Codes
	left    *cache.Cache[queue.Key, map[string]int64]
}

const leftAge = 2 * time.Second // the count walks over everybody who was let in

// NewOperators returns what operators may do to the rooms of a Room. Without codes none can be made.
func NewOperators(room *Room, records Records, codes Codes) *Operators {
	return &Operators{room, records, codes, cache.New[queue.Key](leftAge, 64, func(map[string]int64) int { return 1 })}
}

// Act pauses, resumes, speaks, sets the target or resets, and returns the room as it became. The first change arms it.
// Errors: Invalid, NotFound, EventState (it is so already, over, or not as the operator saw it: detail now).
func (p *Operators) Act(ctx context.Context, o queue.Order) (queue.Overview, error) {
	change, known := changes[o.Verb]
	if !known {
		return queue.Overview{}, fault.New(fault.Invalid, "an operator cannot %q", o.Verb)
	}
	var err error
	if o.Verb == queue.Reset {
		err = p.reset(ctx, o)
	} else {
		err = p.set(ctx, o, change)
	}
	if err != nil {
		return queue.Overview{}, err
	}
	p.room.log.Info("waiting room: an operator acted", "event", o.Event, "verb", o.Verb, "who", o.Who, "why", o.Why)
	return p.Overview(ctx, o.Event)
}

// Codes makes presale codes of a tier, and returns them this once.
func (p *Operators) Codes(ctx context.Context, o queue.Order) ([]string, error) {
	e, err := p.room.catalog.Event(ctx, o.Event)
	if err != nil {
		return nil, err
	}
	if p.codes == nil || o.Tier < 0 || o.Tier >= len(e.Rules.QueuePolicy().Tiers) {
		return nil, fault.New(fault.Invalid, "the event's line has no tier %d", o.Tier).With("field", "tier")
	}
	first := int64(0)
	err = p.set(ctx, o, func(s *setting, o queue.Order, _ event.Event) (was, became any, err error) {
		first, s.Codes = s.Codes, s.Codes+int64(o.Count)
		if s.Codes > mostCodes {
			return nil, nil, fault.New(fault.Invalid, "an event has at most %d codes", mostCodes).With("field", "count")
		}
		return nil, map[string]int64{"tier": int64(o.Tier), "first": first + 1, "count": int64(o.Count)}, nil
	})
	if err != nil {
		return nil, err
	}
	out := make([]string, o.Count)
	for i := range out {
		out[i] = p.codes.Make(o.Event, o.Tier, uint32(first+int64(i)+1)) //nolint:gosec // at most mostCodes
	}
	return out, nil
}

const mostCodes = 10_000_000

// change alters what operators have set, and says what was and what became of it, for the audit. It may run more than once.
type change func(s *setting, o queue.Order, e event.Event) (was, became any, err error)

var changes = map[queue.Verb]change{
	queue.Pause: func(s *setting, o queue.Order, _ event.Event) (any, any, error) {
		if s.Paused {
			return nil, nil, fault.New(fault.EventState, "the sale is paused already")
		}
		if o.Message == nil {
			return nil, nil, fault.New(fault.Invalid, "a pause tells its reason to those who wait").With("field", "text")
		}
		s.Paused, s.Message = true, said(o.Message)
		return map[string]bool{"paused": false}, pauseOf(s), nil
	},
	queue.Resume: func(s *setting, _ queue.Order, _ event.Event) (any, any, error) {
		if !s.Paused {
			return nil, nil, fault.New(fault.EventState, "the sale is not paused by an operator")
		}
		was := pauseOf(s)
		s.Paused, s.Message = false, nil
		return was, map[string]bool{"paused": false}, nil
	},
	queue.Say: func(s *setting, o queue.Order, _ event.Event) (any, any, error) {
		if o.Message == nil && s.Paused {
			return nil, nil, fault.New(fault.EventState, "a pause keeps its reason until it ends")
		}
		was := s.Message
		s.Message = said(o.Message)
		return words(was), words(s.Message), nil
	},
	queue.SetTarget: func(s *setting, o queue.Order, e event.Event) (any, any, error) {
		was := int64(s.target(e.Rules.Inside))
		switch {
		case o.To < 1:
			return nil, nil, fault.New(fault.Invalid, "the target is at least 1").With("field", "target")
		case o.From != was:
			return nil, nil, fault.New(fault.EventState, "the target is %d now: somebody has changed it", was).With("now", was)
		}
		s.Target = int(o.To)
		return map[string]int64{"target": was}, map[string]int64{"target": o.To}, nil
	},
	queue.Reset: nil, // a step of its own
}

func said(m *queue.Message) *frontier.Message {
	if m == nil {
		return nil
	}
	return &frontier.Message{Reason: m.Reason, Text: m.Text, NextUpdate: m.NextUpdate}
}

// pauseOf and words are what the audit says of a pause and of a message: the English words do.
func pauseOf(s *setting) any {
	out := map[string]any{"paused": true}
	if s.Message != nil {
		out["reason"], out["text"] = s.Message.Reason, s.Message.Text["en"]
	}
	return out
}

func words(m *frontier.Message) any {
	if m == nil {
		return nil
	}
	return map[string]string{"reason": m.Reason, "text": m.Text["en"]}
}

// set is a step of the room in which a change is made to what operators have set.
func (p *Operators) set(ctx context.Context, o queue.Order, alter change) error {
	v, e, err := p.begin(ctx, o)
	if err != nil {
		return err
	}
	f := facts{event: e, closed: p.room.opts.Closed(e)}
	_, err = p.room.store.Step(ctx, o.Event, func(row queue.Row, in queue.Signals) (queue.Step, error) {
		now, err := p.room.parse(row)
		if err != nil {
			return queue.Step{}, err
		}
		if row.Key != v.row.Key {
			return queue.Step{}, startedOver(row.Epoch)
		}
		was, became, err := alter(&now.setting, o, e)
		if err != nil {
			return queue.Step{}, err
		}
		f.drawn = drawn{now.doc.CutOff, now.doc.Seed, now.doc.Verifiable}
		out, err := p.room.decide(now, in, f)
		if err == nil {
			out.step.Action, err = actionOf(o, was, became)
		}
		return out.step, err
	})
	p.room.held.Forget(o.Event)
	return err
}

// begin reads what an order is about, and refuses one that nobody signs or that comes too late.
func (p *Operators) begin(ctx context.Context, o queue.Order) (*view, event.Event, error) {
	if o.Who == "" || o.Why == "" {
		return nil, event.Event{}, fault.New(fault.Invalid, "a change says who makes it, and why")
	}
	v, err := p.room.latest(ctx, o.Event)
	if err != nil {
		return nil, event.Event{}, err
	}
	e, err := p.room.catalog.Event(ctx, o.Event)
	if err == nil && (v.row.Closed || v.doc.Phase == frontier.Ended) {
		err = over(e)
	}
	return v, e, err
}

// reset ends an epoch and begins the next. The public statements come first: an epoch that ended without one would be a
// draw that was taken back in secret. Who fails in between is repeated by the next attempt, or finished by the leader (see finish).
func (p *Operators) reset(ctx context.Context, o queue.Order) error {
	v, e, err := p.begin(ctx, o)
	if err != nil {
		return err
	}
	if v.row.Epoch != o.From || e.Epoch != o.From {
		return startedOver(v.row.Epoch)
	}
	if err := p.room.ceremony.Reset(ctx, e, o.Why); err != nil {
		return err
	}
	return p.room.restart(ctx, e, o)
}

func startedOver(epoch int64) error {
	return fault.New(fault.EventState, "the line has begun anew: it is in epoch %d", epoch).With("now", epoch)
}

func actionOf(o queue.Order, was, became any) (*queue.Action, error) {
	a := &queue.Action{Verb: o.Verb, Who: o.Who, Why: o.Why}
	for _, part := range []struct {
		to   *string
		from any
	}{{&a.Before, was}, {&a.After, became}} {
		if part.from == nil {
			continue
		}
		text, err := json.Marshal(part.from)
		if err != nil {
			return nil, err
		}
		*part.to = string(text)
	}
	return a, nil
}
