package inventory

import (
	"time"

	"plateia/core/fault"
	"plateia/core/id"
	"plateia/core/money"
	"plateia/core/order"
	"plateia/core/payment"
	"plateia/core/pick"
	"plateia/core/seatmap"
	"plateia/core/ticket"
)

// Command is one thing somebody wants done to an event's inventory. A command
// is refused (a *fault.Error in its Outcome) or done as a whole.
type Command interface{ command() }

// Idempotency is the Idempotency-Key of a request and the hash of what it asked
// (method, path and body). The zero value means "not repeatable".
type Idempotency struct {
	Key      string
	BodyHash [32]byte
	// Fresh says that nobody has sent this key before, so that there can be no earlier answer to repeat: only
	// then may a command with a key be refused without asking the database. A false claim harms nobody but its sender.
	Fresh bool
}

// PlaceHold takes seats for an account, replacing its live hold if it has one.
// What it asks for is either Best, or Seats and Areas, one of them or both. The engine
// turns Best and Areas into seats; Decide checks those like named ones.
type PlaceHold struct {
	Hold          id.ID // fresh
	Account       id.ID
	Session       id.ID // must be the buyer row's
	Seats         []seatmap.Ordinal
	Areas         []AreaPlaces
	Best          *pick.Query
	Accessible    bool   // asks for accessible seats and their companions
	Channel       int    // sold through; 0: the public
	ExpectedTotal *int64 // minor units; nil: any
	Idempotency

	picked int               // so many of Seats, the last ones, were chosen by the engine
	own    []seatmap.Ordinal // of the account's live hold: the engine may choose them too
	none   *fault.Error      // why the engine found nothing for Best
}

// AreaPlaces asks for places of a general-admission area, whichever.
type AreaPlaces struct {
	Section  int // index into the chart's sections
	Quantity int
}

// Release gives a live hold's seats back. Releasing an ended hold of one's own is done already.
type Release struct{ Account, Hold id.ID }

// Extend slides a hold's end to the event's hold life from now, never past its absolute end.
// With Outage it is us who keep the seats, because no payment provider answers: Account is not asked for, and a hold
// that is being paid is moved too.
type Extend struct {
	Account, Hold id.ID
	Outage        bool
	Idempotency
}

// StartPayment makes the order of a hold, or another attempt of that order
// after a decline, and moves the hold to PAYING until the provider's deadline
// plus the margin.
type StartPayment struct {
	Account, Hold  id.ID
	Order, Attempt id.ID // Order is fresh, or the failed order that is tried again
	Again          bool  // Order exists
	Provider       string
	MinWindow      time.Duration // shortest the provider accepts
	Idempotency
}

// EndAttempt closes an attempt without selling (declined, cancelled or expired at
// the provider). The order becomes FAILED and its hold ACTIVE again, or, when
// FreeSeats says so, the order EXPIRED (CANCELLED when CancelOrder) and the seats
// are free. Ending an attempt that is closed already changes nothing.
type EndAttempt struct {
	Order, Attempt id.ID
	// Status is Declined or Cancelled. With FreeSeats it may also be Unknown (the
	// provider never answered; money may still arrive and is then late) or
	// Captured (money came but nothing can be sold; the caller refunds it).
	Status      payment.Status
	Reason      string
	FreeSeats   bool
	CancelOrder bool // the fan asked for it
}

// Sell turns captured money into tickets: seats SOLD, hold CONVERTED, attempt
// CAPTURED, order CONFIRMED, tickets issued. Selling the same attempt again
// repeats the first outcome. An amount that does not match puts the order
// into REVIEW; a dead hold whose seats are gone answers HOLD_GONE, an order that
// was cancelled or already sold by another attempt ORDER_STATE, a cancelled event
// EVENT_STATE, and the caller refunds. The attempt may be in any state but
// Captured: money is believed even after we gave up on it.
type Sell struct {
	Order, Attempt id.ID
	Captured       money.Amount
}

// Block takes free seats off the sale, Unblock puts blocked ones back, Allocate moves free seats
// to a channel (0: the public). Up to 1,000 seats are all or nothing: a seat that is held or sold refuses
// them (SEAT_TAKEN, with the seats). A longer list, of at most 20,000, is changed by the thousand, in the order of the
// seats, until a thousand is refused; the outcome then has the seats changed before it besides the error. Seats that are
// as asked already are left alone, so repeating one changes nothing, or goes on. What they change is
// written to the audit with Actor and Reason.
type (
	Block struct {
		Seats []seatmap.Ordinal
		By
	}
	Unblock struct {
		Seats []seatmap.Ordinal
		By
	}
	Allocate struct {
		Seats   []seatmap.Ordinal
		Channel int // of the event's rules
		By
	}
)

// By is who changes what is for sale, and why; for the audit.
type By struct{ Actor, Reason string }

// Return takes sold seats back from the fan who bought them, as far as the event's rules allow it: the seats
// are free, their tickets void, the buyer has room, and a refund is REQUESTED, all at once. Without Tickets it
// takes back all that are valid, and the order is CANCELLED; else it is PARTLY_REFUNDED. REFUND_CLOSED when it is
// too late, REFUND_TOO_MUCH for a ticket that is void already or more money than is left.
type Return struct {
	Account, Order id.ID
	Refund         id.ID   // fresh
	Tickets        []id.ID // empty: all that are valid
	Idempotency
}

// Resolve is a person's decision about an order in REVIEW; it is written to the audit. With Confirm the order gets
// its tickets, if a payment covers it and the seats can be had (HOLD_GONE), or stands as it is if it has them. Else its seats are
// free, its tickets void, and all captured money that is not on its way goes back.
type Resolve struct {
	Order   id.ID
	Confirm bool
	By
}

// Expire ends a hold whose time has passed; one that is still alive is left alone.
type Expire struct{ Hold id.ID }

func (PlaceHold) command()    {}
func (Release) command()      {}
func (Extend) command()       {}
func (StartPayment) command() {}
func (EndAttempt) command()   {}
func (Sell) command()         {}
func (Return) command()       {}
func (Resolve) command()      {}
func (Expire) command()       {}
func (Block) command()        {}
func (Unblock) command()      {}
func (Allocate) command()     {}

// Outcome is what became of a command. When Err is set nothing was changed
// (except by a Sell that ended in REVIEW, and by the first pieces of a long Block), and the rest is zero.
type Outcome struct {
	Hold     Hold
	Order    order.Order
	Attempt  payment.Attempt
	Tickets  []ticket.Ticket
	Refunds  []payment.Refund  // that a Return or Resolve asks for
	Seats    []seatmap.Ordinal // that a Block, Unblock or Allocate changed
	Replayed bool              // the answer of an earlier request with the same key
	Err      error             // a *fault.Error

	missed  bool              // refused for seats that the engine had chosen, or could not: it may choose again
	guessed bool              // refused on a guess: to be decided again without one
	own     []seatmap.Ordinal // missed because nothing was left beside these, which the account holds
}
