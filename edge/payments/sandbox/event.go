package sandbox

import (
	"strings"
	"time"

	"plateia/core/id"
	"plateia/core/payment"
)

// event is something a webhook tells. Its id stays the same over all its deliveries.
type event struct {
	ID        string         `json:"id"`
	Type      string         `json:"type"` // "intent.captured", "refund.failed", …
	CreatedAt time.Time      `json:"createdAt"`
	Reference string         `json:"reference"`
	Order     id.ID          `json:"order"`
	Status    payment.Status `json:"status"`           // of the intent
	Refund    string         `json:"refund,omitempty"` // the refund's idempotency key
	TellAt    time.Time      `json:"tellAt,omitzero"`  // not before, on the machine's clock
	After     string         `json:"after,omitempty"`  // not before the event with this id has been told
	Mishaps   []Fault        `json:"mishaps,omitempty"`
	Again     bool           `json:"again,omitempty"` // once more after it was taken
}

func newEvent(i intent, kind string, at time.Time) event {
	return event{
		ID: randomName("evt_"), Type: kind, CreatedAt: at,
		Reference: i.Reference, Order: i.Order, Status: i.State.status(),
	}
}

// eventsOf is what a change of an intent gives to tell: its end, and what became of a refund later than its answer.
func eventsOf(before *intent, next intent, at time.Time) []event {
	var out []event
	if before == nil {
		return nil
	}
	if before.State != next.State && next.State.final() {
		out = append(out, newEvent(next, "intent."+string(next.State), at))
	}
	for n, r := range next.Refunds {
		if n < len(before.Refunds) && before.Refunds[n].Status != r.Status {
			e := newEvent(next, "refund."+strings.ToLower(string(r.Status)), at)
			e.Refund = r.Key
			out = append(out, e)
		}
	}
	return out
}

// disturb does to the events of an intent what its faults say.
func (c *chaos) disturb(i intent, events []event) []event {
	if len(events) == 0 || len(i.Faults) == 0 {
		return events
	}
	if i.has(Silence) {
		c.did(Silence)
		return nil
	}
	pause, now := c.current().pause(), time.Now()
	for n := range events {
		e := &events[n]
		if e.Again = i.has(Duplicate); i.has(Delay) {
			c.did(Delay)
			e.TellAt = now.Add(pause)
		}
		for _, f := range []Fault{Drop, Drop, Signature, Stale} {
			if i.has(f) {
				e.Mishaps = append(e.Mishaps, f)
			}
		}
	}
	if i.has(Reorder) && events[0].Refund == "" {
		c.did(Reorder)
		old := newEvent(i, "intent.pending", i.CreatedAt)
		old.Status, old.TellAt, old.After = payment.Pending, now.Add(pause/2), events[0].ID
		events = append(events, old)
	}
	return events
}
