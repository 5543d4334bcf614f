package room

import (
	"context"
	"time"

	"plateia/core/account"
	"plateia/waitingroom/frontier"
)

// Gate refuses a ticket that may not claim now with what Claim would say, without asking anybody: by the document alone. nil: let
// Claim decide. Those who are inside renew by Claim, whose window may have passed: a missed turn is Claim's to refuse, too.
func (r *Room) Gate(ctx context.Context, t account.QueueTicket) error {
	v, err := r.look(ctx, t.Event)
	if err != nil {
		return err
	}
	c := &claim{view: v, ticket: t, turn: turnOf(v.doc, t)}
	c.verdict = v.doc.Gate(c.turn, time.Now())
	switch c.verdict.State {
	case frontier.MayClaim, frontier.Missed, frontier.Stopped, frontier.Closed:
		return nil
	}
	return c.refusal()
}
