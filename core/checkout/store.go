package checkout

import (
	"context"
	"time"

	"plateia/core/id"
	"plateia/core/inventory"
	"plateia/core/money"
	"plateia/core/order"
	"plateia/core/payment"
	"plateia/core/ticket"
)

// Inventory is the engine as checkout uses it. Orders, attempts and tickets
// that go with seats are written in its transactions.
type Inventory interface {
	Do(ctx context.Context, event id.ID, cmd inventory.Command) (inventory.Outcome, error)
	Hold(ctx context.Context, hold id.ID) (inventory.Hold, error)
}

// Store is what checkout keeps in the database beside that. Every write is a
// conditional update: it happens only from a state that may move there, and
// says whether it did. Unknown rows are fault.NotFound.
type Store interface {
	Reader
	Attempts
	Refunds
	Inbox
	// AskCancel remembers that the fan wants to cancel, under the request's key
	// (fault.KeyReused when it was used for something else). An order that is not
	// open is returned unchanged.
	AskCancel(ctx context.Context, account, order id.ID, key inventory.Idempotency) (order.Order, error)
	// EndingHolds lists live holds that end within ahead and before their absolute end, soonest first.
	EndingHolds(ctx context.Context, ahead time.Duration, limit int) ([]EndingHold, error)
	// EndFailed ends FAILED orders whose hold has ended: CANCELLED when that was asked for, else EXPIRED.
	EndFailed(ctx context.Context) (int, error)
}

// Reader reads orders.
type Reader interface {
	Order(ctx context.Context, order id.ID) (order.Order, error)
	OrderOfHold(ctx context.Context, hold id.ID) (order.Order, error)
	// OrdersOf lists an account's orders, newest first, after a position in that order (zero: from the newest).
	OrdersOf(ctx context.Context, account id.ID, after Position, limit int) ([]order.Order, error)
	// OrdersIn lists the orders of all accounts in a status, in the same order.
	OrdersIn(ctx context.Context, status order.Status, after Position, limit int) ([]order.Order, error)
	AttemptsOf(ctx context.Context, order id.ID) ([]payment.Attempt, error) // oldest first
	TicketsOf(ctx context.Context, order id.ID) ([]ticket.Ticket, error)    // by ordinal
	RefundsOf(ctx context.Context, order id.ID) ([]payment.Refund, error)
	Ticket(ctx context.Context, ticket id.ID) (ticket.Ticket, error)
}

// Position is a place in a list of orders, or of deliveries.
type Position struct {
	At    time.Time
	Order id.ID // or the delivery's
}

// Attempts moves attempts where no seat is concerned.
type Attempts interface {
	Attempt(ctx context.Context, attempt id.ID) (payment.Attempt, error)
	AttemptByReference(ctx context.Context, provider, reference string) (payment.Attempt, error)
	// Opened records the provider's intent: CREATED or UNKNOWN to PENDING. False when the attempt
	// has moved on, or another one of its order is open.
	Opened(ctx context.Context, attempt id.ID, intent payment.Intent) (bool, error)
	// Unanswered moves CREATED or PENDING to UNKNOWN.
	Unanswered(ctx context.Context, attempt id.ID, reason string) (bool, error)
	// Review parks the order for a person. With captured money the attempt becomes CAPTURED with it.
	Review(ctx context.Context, order, attempt id.ID, captured money.Amount, reason string) (bool, error)
	// ClaimAttempts returns unfinished attempts that are due and puts them off until the lease, so that
	// no two processes ask about the same one.
	ClaimAttempts(ctx context.Context, now, lease time.Time, limit int) ([]DueAttempt, error)
	// Hurry makes attempts that nobody has answered about due now, and counts them.
	Hurry(ctx context.Context, now time.Time) (int, error)
	// ClaimEnded returns attempts that ended without money and are to be asked about once more, each for one claimer.
	ClaimEnded(ctx context.Context, now time.Time, limit int) ([]id.ID, error)
	// CheckAt says when an unfinished attempt is due next.
	CheckAt(ctx context.Context, attempt id.ID, at time.Time) error
}

// DueAttempt is an attempt to ask about and how often that was done before.
type DueAttempt struct {
	Attempt id.ID
	Checks  int
}

// Refunds sends money back.
type Refunds interface {
	// RequestRefund claims an attempt's money for its way back: the attempt becomes CAPTURED, the refund
	// is stored, the order's reason says why unless the order stands. False when the money was claimed before.
	RequestRefund(ctx context.Context, refund payment.Refund) (bool, error)
	// ClaimRefunds returns refunds that are due: on their way, or done and to be asked about once more.
	ClaimRefunds(ctx context.Context, now, lease time.Time, limit int) ([]payment.Refund, error)
	// SettleRefund records the provider's answer to a round of a refund (see payment.Refund.Answered) and returns the
	// refund as it is then; false when that changed nothing. When all money of an order without valid tickets is back that
	// does not stay, the order is REFUNDED; a refund that failed for good puts it into REVIEW.
	SettleRefund(ctx context.Context, refund id.ID, round int, status payment.RefundStatus, now time.Time) (payment.Refund, bool, error)
	RefundAt(ctx context.Context, refund id.ID, at time.Time) error
	// RecheckRefund says when a refund that is done is asked about again; zero: not any more.
	RecheckRefund(ctx context.Context, refund id.ID, at time.Time) error
	RefundsOfAttempt(ctx context.Context, attempt id.ID) ([]payment.Refund, error) // oldest first
}

// Inbox keeps webhook deliveries until they are processed.
type Inbox interface {
	// SaveDelivery stores a delivery once per provider and event id; false when it was there.
	SaveDelivery(ctx context.Context, d Delivery) (bool, error)
	ClaimDeliveries(ctx context.Context, now, lease time.Time, limit int) ([]Delivery, error)
	FinishDelivery(ctx context.Context, delivery id.ID, state DeliveryState, note string) error
	DeliveryAt(ctx context.Context, delivery id.ID, at time.Time, note string) error
	// Deliveries lists deliveries in a state ("": all) after a position (zero: from the newest), newest first.
	Deliveries(ctx context.Context, state DeliveryState, after Position, limit int) ([]StoredDelivery, error)
	// ReplayDelivery makes a delivery RECEIVED again, due now and with all its tries.
	ReplayDelivery(ctx context.Context, delivery id.ID, now time.Time) (StoredDelivery, error)
}

// StoredDelivery is a delivery with what became of it.
type StoredDelivery struct {
	Delivery
	State   DeliveryState
	NextTry time.Time // meaningful while RECEIVED
	Note    string
}

// DeliveryState is where a webhook delivery is.
type DeliveryState string

const (
	DeliveryReceived  DeliveryState = "RECEIVED"
	DeliveryProcessed DeliveryState = "PROCESSED"
	DeliveryFlagged   DeliveryState = "FLAGGED" // nothing of ours matches it, or it failed too often: a person looks
)

// Delivery is one event of a verified webhook, as stored.
type Delivery struct {
	ID         id.ID
	Provider   string
	Event      payment.Event
	Body       []byte // as received
	ReceivedAt time.Time
	Tries      int // times it was claimed
}
