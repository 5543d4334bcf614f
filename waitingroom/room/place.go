package room

import (
	"math"
	"time"

	"plateia/core/account"
	"plateia/waitingroom/draw"
	"plateia/waitingroom/frontier"
)

// Reasons that a place gives, for programs.
const (
	reasonRestarted = "restarted" // the event started over: enter again
	reasonMoved     = "moved"     // the place is another device's now
	reasonMoment    = "moment"    // the shop is full just now
	reasonMissed    = "missed"    // the turn has passed; the second-chance lane comes by
	reasonSoldOut   = "soldout"
	reasonEnded     = "ended"
	reasonPaused    = "paused"   // the event is paused
	reasonPayments  = "payments" // no payment provider answers
)

// turnOf is where a ticket stands; the rank needs the seed, and is 0 before the draw.
func turnOf(d *frontier.Document, t account.QueueTicket) frontier.Ticket {
	turn := frontier.Ticket{Event: t.Event, Epoch: t.Epoch, Class: t.Class, Tier: t.Tier, Second: t.EnteredAt.Unix()}
	if d.Seed != nil && t.Epoch == d.Epoch {
		turn.Rank = draw.NewRanker(*d.Seed, t.Event, t.Epoch).Rank(t.Pseudonym)
	}
	return turn
}

// Describe says what a ticket means by a document at an instant. Whoever holds the document says the same.
func Describe(d *frontier.Document, t account.QueueTicket, now time.Time) account.Place {
	p := account.Place{Event: t.Event, Class: t.Class, Tier: t.Tier, Phase: string(d.Phase), Version: d.Version, Status: account.QueueWaiting}
	if d.Phase == frontier.Paused && d.Message != nil {
		p.Reason = d.Message.Reason
	}
	turn := turnOf(d, t)
	switch v := d.Gate(turn, now); v.State {
	case frontier.MayClaim:
		p.Status, p.ClaimBy, p.Wait = account.QueueAdmitted, v.Deadline, &account.Wait{}
		p.Known = true
	case frontier.Stopped:
		p.Status, p.ClaimBy, p.Known = account.QueueAdmitted, now.Add(v.Left), true
	case frontier.Missed:
		p.Status, p.Reason = account.QueueSecondChance, reasonMissed
	case frontier.Restarted:
		p.Status, p.Reason = account.QueueClosed, reasonRestarted
	case frontier.Closed:
		p.Status, p.Reason = account.QueueClosed, string(d.Phase)
	default:
		estimate(&p, d, turn)
	}
	return p
}

// estimate fills in how many are ahead and for how long, when that can be known.
func estimate(p *account.Place, d *frontier.Document, turn frontier.Ticket) {
	where, known := d.Place(turn)
	if !known {
		return
	}
	p.Known, p.Ahead, p.StandardError = true, int64(math.Round(where.Ahead)), where.StandardError
	if where.High > 0 && d.Phase != frontier.Paused {
		p.Wait = &account.Wait{Low: where.Low, High: where.High}
	}
}
