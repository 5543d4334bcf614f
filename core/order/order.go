// Package order is what a fan owes and gets: priced seats on their way from a hold to tickets.
package order

import (
	"time"

	"plateia/core/id"
	"plateia/core/notice"
)

// Status of an order.
type Status string

const (
	PendingPayment Status = "PENDING_PAYMENT"
	Confirmed      Status = "CONFIRMED"
	Failed         Status = "FAILED" // declined; another attempt may follow while the hold lives
	Expired        Status = "EXPIRED"
	Cancelled      Status = "CANCELLED"
	Review         Status = "REVIEW" // money does not match; a person decides
	PartlyRefunded Status = "PARTLY_REFUNDED"
	Refunded       Status = "REFUNDED"
)

// Order is an order row.
type Order struct {
	ID        id.ID
	Event     id.ID
	Account   id.ID
	Hold      id.ID
	Status    Status
	Currency  string
	Total     int64 // minor units, the sum of the lines; see Total
	Returned  int64 // of it, minor units that go back because tickets were given back
	Lines     []Line
	Key       string
	BodyHash  [32]byte
	Reason    string // why it failed, expired or was refunded; safe to show
	CreatedAt time.Time
	UpdatedAt time.Time
	Version   int64

	// CancelAskedAt is when the fan asked to cancel an unpaid order, zero if never.
	// It outlives a provider that does not answer: the cancellation is carried on until it does.
	CancelAskedAt time.Time

	// GoesBack: in REVIEW, and a person has decided that the money goes back. The order is REFUNDED when it is.
	GoesBack bool
}

// News is what its owner is told of the order as it is now.
func (o *Order) News() notice.News {
	return notice.News{Account: o.Account, About: notice.Order, ID: o.ID, State: string(o.Status), Version: o.Version}
}
