package room

import (
	"context"
	"time"

	"plateia/core/account"
	"plateia/core/fault"
	"plateia/core/id"
	"plateia/core/queue"
	"plateia/waitingroom/controller"
	"plateia/waitingroom/frontier"
)

// Claim turns a ticket whose turn has come into an access token. keyThumb is of the key that proved itself with this request.
// Claiming again on the same device renews the token of the same session. Errors, with details status and reason:
// Unauthenticated (not this account's ticket, or not its key), Waiting (not yet, missed, one moment, paused), Forbidden (moved to
// another device), EventState (over, restarted), Busy.
func (r *Room) Claim(ctx context.Context, who account.Session, t account.QueueTicket, keyThumb string) (string, account.Access, error) {
	v, err := r.look(ctx, t.Event)
	if err != nil {
		return "", account.Access{}, err
	}
	if t.Pseudonym != r.authority.Pseudonym(who.Account, t.Event) || t.KeyThumb != keyThumb {
		return "", account.Access{}, fault.New(fault.Unauthenticated, "the credential is missing, not valid or has expired")
	}
	if err := r.entered(ctx, t); err != nil {
		return "", account.Access{}, err
	}
	c := &claim{view: v, ticket: t, turn: turnOf(v.doc, t), who: who.Account, answer: make(chan answer, 1)}
	c.verdict = v.doc.Gate(c.turn, time.Now())
	if c.verdict.State == frontier.Waiting || c.verdict.State == frontier.Unknown { // somebody else may know more
		if c.view, err = r.latest(ctx, t.Event); err != nil {
			return "", account.Access{}, err
		}
		c.turn = turnOf(c.view.doc, t)
		c.verdict = c.view.doc.Gate(c.turn, time.Now())
	}
	session, err := r.admit(ctx, c)
	if err != nil {
		return "", account.Access{}, err
	}
	e, err := r.catalog.Event(ctx, t.Event)
	if err != nil {
		return "", account.Access{}, err
	}
	access := account.Access{Event: e.ID, Account: who.Account, Session: session, KeyThumb: keyThumb}
	if tiers := e.Rules.QueuePolicy().Tiers; t.Class == account.Lottery && t.Tier < len(tiers) {
		access.Channel = tiers[t.Tier].Channel
	}
	return r.authority.MintAccess(access)
}

// entered checks a ticket against the entry log: the device that holds the place is the one that it was moved to last.
func (r *Room) entered(ctx context.Context, t account.QueueTicket) error {
	kept, found, err := r.entries.Find(ctx, queue.Key{Event: t.Event, Epoch: t.Epoch}, t.Pseudonym)
	switch {
	case err != nil:
		return err
	case !found, kept.KeyThumb != t.KeyThumb:
		return fault.New(fault.Forbidden, "this place was moved to another device; enter the line there").
			With("queueStatus", account.QueueClosed).With("reason", reasonMoved)
	}
	return nil
}

// claim is somebody who claims.
type claim struct {
	view    *view
	ticket  account.QueueTicket
	turn    frontier.Ticket
	verdict frontier.Verdict
	who     id.ID
	answer  chan answer // room for one
}

type answer struct {
	session id.ID
	err     error
}

// admitting decides what becomes of a visit when its owner claims; write is false when nothing does.
func (c *claim) admitting(h *queue.Hall, v queue.Visit, target int) (_ queue.Visit, write bool, _ answer) {
	known := v.Epoch == c.ticket.Epoch && v.Pseudonym == c.ticket.Pseudonym
	ours := known && v.KeyThumb == c.ticket.KeyThumb && !v.Session.IsZero() // the same device comes again
	if known && v.Inside() && c.verdict.State != frontier.Closed {
		if !ours {
			v.KeyThumb, v.Session = c.ticket.KeyThumb, id.New() // the other device's session ends
		}
		return v, true, answer{session: v.Session}
	}
	if c.verdict.State != frontier.MayClaim {
		return v, false, answer{err: c.refusal()}
	}
	if !known {
		v = queue.Visit{Pseudonym: c.ticket.Pseudonym, Turn: c.place(), Second: c.verdict.Lap > 0 && !c.verdict.Own, Version: int64(c.view.doc.Version)} //nolint:gosec // a version a second
	}
	v.KeyThumb = c.ticket.KeyThumb
	if !controller.Admissible(int(h.Inside), target) {
		v.KnockedAt, v.AdmittedAt, v.Session = h.Now, time.Time{}, id.ID{}
		return v, true, answer{err: waiting(account.QueueAdmitted, reasonMoment, "one moment: the room is full, and your place is kept", 2*time.Second)}
	}
	if !ours {
		v.Session = id.New()
	}
	v.AdmittedAt, v.LeftAt = h.Now, time.Time{}
	h.Inside++
	return v, true, answer{session: v.Session}
}

// place is where the claimant stands in the line, for the leader to count.
func (c *claim) place() queue.Turn {
	return queue.Turn{Late: c.turn.Class == account.Late, Tier: c.turn.Tier, Second: c.turn.Second, Rank: uint64(c.turn.Rank)}
}

// refusal says why a claim is not taken now.
func (c *claim) refusal() error {
	switch c.verdict.State {
	case frontier.Restarted:
		return fault.New(fault.EventState, "the sale was started over; enter the line again").
			With("queueStatus", account.QueueClosed).With("reason", reasonRestarted)
	case frontier.Closed:
		text := "the sale is over"
		if c.view.doc.Phase == frontier.SoldOut {
			text = "everything is sold"
		}
		return fault.New(fault.EventState, "%s", text).With("queueStatus", account.QueueClosed).With("reason", string(c.view.doc.Phase))
	case frontier.Missed:
		return waiting(account.QueueSecondChance, reasonMissed, "your turn has passed; another one comes by, and your place is kept", 5*time.Second)
	case frontier.Stopped:
		return waiting(account.QueueAdmitted, pauseReason(c.view.doc), "nobody is let in just now; your place is kept, and your time stands still", 2*time.Second)
	}
	place := Describe(c.view.doc, c.ticket, time.Now())
	wait := time.Second
	if place.Wait != nil {
		wait = c.view.doc.Poll.Delay(place.Wait.Low)
	}
	return waiting(account.QueueWaiting, place.Reason, "it is not your turn yet; your place is kept", wait).With("ahead", place.Ahead)
}

func waiting(status account.QueueStatus, reason, text string, after time.Duration) *fault.Error {
	return fault.New(fault.Waiting, "%s", text).With("queueStatus", status).With("reason", reason).After(after)
}

func pauseReason(d *frontier.Document) string {
	if d.Message == nil {
		return reasonPaused
	}
	return d.Message.Reason
}
