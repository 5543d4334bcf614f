// Package payment is the port to payment providers and the state machine of an attempt.
package payment

import (
	"context"
	"net/http"
	"time"

	"plateia/core/id"
	"plateia/core/money"
)

// Status of an attempt.
type Status string

const (
	Created   Status = "CREATED" // ours, the provider does not know it yet
	Pending   Status = "PENDING" // the provider's intent exists
	Captured  Status = "CAPTURED"
	Declined  Status = "DECLINED"
	Cancelled Status = "CANCELLED"
	Unknown   Status = "UNKNOWN" // the provider did not answer; ask
)

// Final reports whether the attempt needs no more asking. Only money that
// arrives after all can change it (see Can).
func (s Status) Final() bool { return s == Captured || s == Declined || s == Cancelled }

// Attempt is an attempt row. Its ID is the idempotency key towards the provider.
type Attempt struct {
	ID        id.ID
	Order     id.ID
	Provider  string
	Reference string // the provider's name for the intent; empty until known
	Status    Status
	Amount    money.Amount
	ActionURL string // where the fan pays
	ExpiresAt time.Time
	Key       string // Idempotency-Key of the request that made it
	BodyHash  [32]byte
	Reason    string
	Captured  money.Amount // what came in: zero until CAPTURED, another than Amount only in REVIEW
	Refunded  int64        // minor units that went back to the fan
	CreatedAt time.Time
	UpdatedAt time.Time
	Version   int64
}

// IntentRequest asks a provider to collect an amount.
type IntentRequest struct {
	Order          id.ID
	Amount         money.Amount
	Description    string
	ReturnURL      string // where the provider sends the fan afterwards
	ExpiresAt      time.Time
	IdempotencyKey string
	Locale         string
}

// Intent is what a provider says about one payment. It is fetched, never believed from a webhook.
type Intent struct {
	Reference string
	Order     id.ID // what we sent
	Status    Status
	Amount    money.Amount
	Refunded  int64 // minor units that went back
	ActionURL string
	ExpiresAt time.Time
	Reason    string
}

// Event is what a verified webhook delivery says happened: a trigger to fetch, not a truth.
type Event struct {
	ID        string // the provider's, unique per delivery content
	Reference string
	Order     id.ID
}

// Provider is the port. Every call is idempotent under its key, so repeating it
// is also the way to ask what became of it.
//
// Errors are *fault.Error: ProviderDown when nothing is known (network, time-out,
// 5xx): the outcome is unknown, not failed; PaymentWindow when an intent was
// refused because its deadline is too near or past; NotFound for a reference the
// provider does not have; Unauthenticated from VerifyWebhook; Invalid when it was
// refused for good.
type Provider interface {
	Name() string
	MinWindow() time.Duration // shortest life of an intent the provider accepts
	CreateIntent(ctx context.Context, req IntentRequest) (Intent, error)
	Fetch(ctx context.Context, reference string) (Intent, error)
	// Cancel answers the intent as it is afterwards: Captured means money was
	// faster, Pending that the provider cannot stop it now.
	Cancel(ctx context.Context, reference string) (Intent, error)
	// Refund answers Pending, Done or Failed; repeating it with the same key asks again.
	Refund(ctx context.Context, reference string, amount money.Amount, idempotencyKey string) (RefundStatus, error)
	VerifyWebhook(header http.Header, rawBody []byte) ([]Event, error)
}
