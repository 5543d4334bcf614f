package sandbox

import (
	"crypto/rand"
	"encoding/hex"
	"slices"
	"time"

	"plateia/core/id"
	"plateia/core/payment"
)

// state of an intent at the provider. Processing is approved by the fan and not
// yet captured: it can no longer be stopped.
type state string

const (
	pending    state = "pending"
	confirming state = "confirming" // the bank wants the fan to confirm: still pending to merchants
	processing state = "processing"
	captured   state = "captured"
	declined   state = "declined"
	cancelled  state = "cancelled"
)

func (s state) final() bool { return s == captured || s == declined || s == cancelled }

// waits reports whether the fan can still do something, and the merchant can cancel.
func (s state) waits() bool { return s == pending || s == confirming }

// status is how the state is told to merchants.
func (s state) status() payment.Status {
	switch s {
	case captured:
		return payment.Captured
	case declined:
		return payment.Declined
	case cancelled:
		return payment.Cancelled
	}
	return payment.Pending
}

// intent is one payment, as kept in the ledger.
type intent struct {
	Reference   string    `json:"reference"`
	Key         string    `json:"key"`
	BodyHash    string    `json:"bodyHash"` // hex SHA-256 of the request that made it
	Order       id.ID     `json:"order"`
	Amount      int64     `json:"amount"`          // minor units: asked for
	Taken       int64     `json:"taken,omitempty"` // minor units: captured, when that is another amount
	Currency    string    `json:"currency"`
	Description string    `json:"description"`
	ReturnURL   string    `json:"returnUrl"`
	Locale      string    `json:"locale,omitempty"`
	State       state     `json:"state"`
	Reason      string    `json:"reason,omitempty"`
	ExpiresAt   time.Time `json:"expiresAt"`
	CreatedAt   time.Time `json:"createdAt"`
	CaptureAt   time.Time `json:"captureAt,omitzero"` // money that is on its way arrives then, whatever the state is by then
	Faults      []Fault   `json:"faults,omitempty"`
	Refunds     []refund  `json:"refunds,omitempty"`
}

func (i *intent) has(f Fault) bool { return slices.Contains(i.Faults, f) }

// restless reports whether the clock can still change the intent.
func (i *intent) restless() bool {
	return !i.State.final() || i.State != captured && !i.CaptureAt.IsZero() ||
		slices.ContainsFunc(i.Refunds, func(r refund) bool { return !r.FailsAt.IsZero() })
}

// total is what the payment is over, in minor units.
func (i *intent) total() int64 {
	if i.Taken != 0 {
		return i.Taken
	}
	return i.Amount
}

// refund is money on its way back.
type refund struct {
	Key     string               `json:"key"`
	Amount  int64                `json:"amount"`
	At      time.Time            `json:"at"`
	Status  payment.RefundStatus `json:"status"`
	FailsAt time.Time            `json:"failsAt,omitzero"` // it will
}

// refunded is the minor units that went back.
func (i *intent) refunded() int64 { return i.sum(payment.RefundDone) }

// left is the minor units that nobody has asked back.
func (i *intent) left() int64 {
	return i.total() - i.sum(payment.RefundDone) - i.sum(payment.RefundPending)
}

func (i *intent) sum(status payment.RefundStatus) int64 {
	var sum int64
	for _, r := range i.Refunds {
		if r.Status == status {
			sum += r.Amount
		}
	}
	return sum
}

// randomName returns an unguessable name of 128 bits with a prefix.
func randomName(prefix string) string {
	var raw [16]byte
	rand.Read(raw[:])
	return prefix + hex.EncodeToString(raw[:])
}
