package inventory

import (
	"plateia/core/event"
	"plateia/core/fault"
	"plateia/core/id"
	"plateia/core/pick"
	"plateia/core/seatmap"
)

// Hall is what Decide knows beside the snapshot: the immutable chart, and, for
// the orphan rule alone, which seats look free in the projection (nil: unknown).
type Hall struct {
	Chart *seatmap.Chart
	Free  func() pick.Bitmap
	Own   func(channel int) pick.Bitmap // a channel's own seats that look free; nil: none known
}

// Decide turns a snapshot and the commands of a batch, first come first served,
// into one outcome per command and the rows to store (nil: none). It does no
// I/O, reads no clock, and takes the snapshot over.
func Decide(hall Hall, s *Snapshot, commands []Command) ([]Outcome, *Changes) {
	outcomes := make([]Outcome, len(commands))
	p := &placing{} // of each in turn
	for i, command := range commands {
		if c, places := command.(PlaceHold); places {
			*p = placing{PlaceHold: c}
			s.placeHold(hall, p, &outcomes[i])
		} else {
			outcomes[i] = s.decide(hall, command)
		}
	}
	return outcomes, s.changes()
}

func (s *Snapshot) decide(hall Hall, command Command) Outcome {
	switch c := command.(type) {
	case Release:
		return s.release(c)
	case Extend:
		return s.extend(c)
	case StartPayment:
		return s.startPayment(c)
	case EndAttempt:
		return s.endAttempt(c)
	case Sell:
		return s.sell(c)
	case Return:
		return s.takeBack(c)
	case Resolve:
		return s.resolve(c)
	case Expire:
		return s.expire(c)
	case Block:
		return s.block(hall, c)
	case Unblock:
		return s.unblock(hall, c)
	case Allocate:
		return s.allocate(hall, c)
	}
	return refuse(fault.New(fault.Internal, "unknown command %T", command))
}

func refuse(err *fault.Error) Outcome { return Outcome{Err: err} }

func refused(err *fault.Error) *Outcome { return &Outcome{Err: err} }

// ownHold finds a hold of the account. Somebody else's does not exist for it.
func (s *Snapshot) ownHold(hold, account id.ID) (*row[Hold], *fault.Error) {
	r := s.holds[hold]
	if r == nil || r.is.Account != account || r.is.Event != s.Event.ID {
		return nil, fault.New(fault.NotFound, "there is no such hold")
	}
	return r, nil
}

// sells says why new holds are not taken now; nil when they are.
func (s *Snapshot) sells() *fault.Error {
	if s.Event.State == event.OnSale {
		return nil
	}
	return s.notNow()
}

// settles says why running holds and payments do not go on; nil when they do.
func (s *Snapshot) settles() *fault.Error {
	if s.Event.State == event.OnSale || s.Event.State == event.Paused {
		return nil
	}
	return s.notNow()
}

var stateTexts = map[event.State]string{
	event.Scheduled: "tickets are not on sale yet",
	event.Paused:    "the sale is paused for a moment",
	event.Closed:    "the sale has ended",
	event.Cancelled: "the event has been cancelled",
}

func (s *Snapshot) notNow() *fault.Error {
	return fault.New(fault.EventState, "%s", stateTexts[s.Event.State]).With("state", string(s.Event.State))
}

func holdGone(h *Hold) *fault.Error {
	return fault.New(fault.HoldGone, "the seats are no longer held for you").With("holdId", h.ID.String())
}

func paymentRuns(hold id.ID) *fault.Error {
	return fault.New(fault.PaymentInProgress, "a payment for these seats is running").With("holdId", hold.String())
}

func keyReused() *fault.Error {
	return fault.New(fault.KeyReused, "this Idempotency-Key was used for another request")
}
