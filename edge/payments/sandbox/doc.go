// Package sandbox is a payment provider of our own, for development, tests and
// rehearsals: a server with a hosted pay page, signed webhooks and its own
// ledger, and the adapter that speaks to it. The two share nothing but HTTP and
// two secrets, one per direction, so that the adapter meets what it would meet
// at a real provider: answers that are lost, webhooks that come first, money
// that arrives late.
//
// The server's API, under /sandbox/v1 with "Authorization: Bearer <API key>":
//
//	POST /intents                       Idempotency-Key; {order, amount, currency, description, returnUrl, expiresAt, locale}
//	GET  /intents/{reference}
//	POST /intents/{reference}/cancel    answers the intent as it is afterwards
//	POST /intents/{reference}/refunds   Idempotency-Key; {amount, currency}
//
// and for the fan, without credentials but with an unguessable reference,
// GET and POST /sandbox/pay/{reference}.
package sandbox

import (
	"time"

	"plateia/core/secret"
)

// Name is the provider's name in attempts and webhook addresses.
const Name = "sandbox"

// minWindow is the shortest life of an intent that the server accepts.
const minWindow = 30 * time.Second

// maxBody bounds every request and answer body, in bytes.
const maxBody = 64 << 10

// Secrets are what both sides know.
type Secrets struct {
	API     secret.Text   // we to the provider
	Webhook []secret.Text // the provider to us; several while they are rotated: the server signs with all, any one is enough
}
