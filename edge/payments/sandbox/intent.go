package sandbox

import (
	"crypto/rand"
	"encoding/hex"
	"time"

	"plateia/core/id"
	"plateia/core/payment"
)

// state of an intent at the provider. Processing is approved by the fan and not
// yet captured: it can no longer be stopped.
type state string

const (
	pending    state = "pending"
	processing state = "processing"
	captured   state = "captured"
	declined   state = "declined"
	cancelled  state = "cancelled"
)

func (s state) final() bool { return s == captured || s == declined || s == cancelled }

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
	Amount      int64     `json:"amount"` // minor units
	Currency    string    `json:"currency"`
	Description string    `json:"description"`
	ReturnURL   string    `json:"returnUrl"`
	Locale      string    `json:"locale,omitempty"`
	State       state     `json:"state"`
	Reason      string    `json:"reason,omitempty"`
	ExpiresAt   time.Time `json:"expiresAt"`
	CreatedAt   time.Time `json:"createdAt"`
	CaptureAt   time.Time `json:"captureAt,omitzero"` // while processing
	Refunds     []refund  `json:"refunds,omitempty"`
}

// refund is money given back.
type refund struct {
	Key    string    `json:"key"`
	Amount int64     `json:"amount"`
	At     time.Time `json:"at"`
}

func (i *intent) refunded() int64 {
	var sum int64
	for _, r := range i.Refunds {
		sum += r.Amount
	}
	return sum
}

// event is something a webhook tells. Its id stays the same over all its deliveries.
type event struct {
	ID        string         `json:"id"`
	Type      string         `json:"type"` // "intent.captured", …
	CreatedAt time.Time      `json:"createdAt"`
	Reference string         `json:"reference"`
	Order     id.ID          `json:"order"`
	Status    payment.Status `json:"status"`
}

// randomName returns an unguessable name of 128 bits with a prefix.
func randomName(prefix string) string {
	var raw [16]byte
	rand.Read(raw[:])
	return prefix + hex.EncodeToString(raw[:])
}
