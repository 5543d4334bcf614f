package door

import (
	"time"

	"plateia/core/account"
	"plateia/core/event"
	"plateia/core/fault"
	"plateia/core/id"
	"plateia/core/queue"
)

// hardLimit is how far claims may go over the number of people let in, in percent of it.
const hardLimit = 102

// next is how far the line may be let in: everybody for whom there is room,
// counting those who have been called and have not come yet. It never moves back.
func next(l queue.Line, limit int) int64 {
	room := int64(limit) - l.Inside - l.Called
	return min(l.Entered, l.Frontier+max(room, 0))
}

// meaning of a spot at an instant.
func meaning(s queue.Spot, now time.Time, window time.Duration) account.QueueStatus {
	switch {
	case !s.ClaimedAt.IsZero() && s.LeftAt.IsZero():
		return account.QueueAdmitted
	case !s.ClaimedAt.IsZero():
		return account.QueueExpired
	case s.CalledAt.IsZero():
		return account.QueueWaiting
	case now.Before(s.CalledAt.Add(window)):
		return account.QueueAdmitted
	}
	return account.QueueExpired
}

// clock is the line's time: it stands still while the event is paused.
func clock(l queue.Line) time.Time {
	if !l.PausedAt.IsZero() {
		return l.PausedAt
	}
	return l.Now
}

// entering decides what an account that asks for a place gets. A second tab, a
// reload or a lost answer get the place it has. A spent place is replaced by
// one at the end. Another device gets the place only with a sign-in that is
// newer than the binding: whoever has merely seen the ticket does not.
func entering(s *queue.Spot, now time.Time, window time.Duration, who account.Session, keyThumb string) (queue.Step, error) {
	switch {
	case s == nil, meaning(*s, now, window) == account.QueueExpired:
		return queue.Step{Move: queue.Join, KeyThumb: keyThumb}, nil
	case s.KeyThumb == keyThumb:
		return queue.Step{}, nil
	case who.IssuedAt.After(s.BoundAt):
		return queue.Step{Move: queue.Rebind, KeyThumb: keyThumb}, nil
	}
	return queue.Step{}, fault.New(fault.Forbidden, "your place in the line is kept for another device; sign in again with a new code to bring it to this one")
}

// claiming decides whether a place may be turned into an admission now, and
// under which session. The same device gets the session it has (a reload, a
// lost answer); another one, to which the place was moved, a new one.
func claiming(s queue.Spot, l queue.Line, limit int, window time.Duration, ticket account.QueueTicket) (session id.ID, err error) {
	if s.Position != ticket.Position || s.KeyThumb != ticket.KeyThumb {
		return id.ID{}, spent("this place was given up or moved to another device; enter the line again")
	}
	switch meaning(s, clock(l), window) {
	case account.QueueWaiting:
		return id.ID{}, fault.New(fault.Waiting, "it is not your turn yet; your place is kept").
			With("ahead", s.Position-l.Frontier-1).After(time.Second)
	case account.QueueExpired:
		return id.ID{}, spent("your turn has passed; enter the line again")
	}
	switch inside := !s.ClaimedAt.IsZero(); {
	case inside && !s.Session.IsZero():
		return s.Session, nil
	case inside: // the place was moved here from another device, whose session ends now
		return id.New(), nil
	case l.Inside*100 >= int64(limit)*hardLimit:
		return id.ID{}, fault.New(fault.Waiting, "one moment: the room is full, and your place is kept").After(2 * time.Second)
	}
	return id.New(), nil
}

// spent is a ticket that opens nothing any more.
func spent(text string) error {
	return fault.New(fault.Forbidden, "%s", text).With("status", account.QueueExpired)
}

// openTo says whether people may stand in line for an event; the error's details say why not.
func openTo(e event.Event, now time.Time) error {
	early := e.State == event.Scheduled || e.State == event.OnSale && now.Before(e.OnSaleAt)
	switch {
	case early:
		return closed(e, "the sale has not begun yet").With("onSaleAt", e.OnSaleAt.UTC().Format(time.RFC3339))
	case e.State == event.OnSale, e.State == event.Paused:
		return nil
	case e.State == event.Cancelled:
		return closed(e, "the event is cancelled")
	}
	return closed(e, "the sale is over")
}

func closed(e event.Event, text string) *fault.Error {
	return fault.New(fault.EventState, "%s", text).With("state", e.State)
}

// wait is the range in which a place's turn probably comes, from the pace of
// the last minute; nil when nothing moved or the line stands still.
func wait(l queue.Line, ahead int64) *account.Wait {
	perMinute := l.Frontier - l.Before
	if perMinute <= 0 || !l.PausedAt.IsZero() {
		return nil
	}
	likely := time.Duration(float64(ahead+1) / float64(perMinute) * float64(time.Minute))
	return &account.Wait{Low: (likely * 7 / 10).Truncate(time.Second), High: (likely*13/10 + time.Second).Truncate(time.Second)}
}
