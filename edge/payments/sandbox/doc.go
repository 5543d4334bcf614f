// Package sandbox is a payment provider of our own, for development, tests and
// rehearsals: a server with a hosted pay page, signed webhooks and its own
// ledger, and the adapter that speaks to it. The two share nothing but HTTP and
// two secrets, one per direction, so that the adapter meets what it would meet
// at a real provider: answers that are lost, webhooks that come first, money
// that arrives late.
//
// The server's API, under /sandbox/v1 (and /NAME/v1) with "Authorization: Bearer <API key>":
//
//	POST /intents                       Idempotency-Key; {order, amount, currency, description, returnUrl, expiresAt, locale}
//	GET  /intents/{reference}
//	POST /intents/{reference}/cancel    answers the intent as it is afterwards
//	POST /intents/{reference}/refunds   Idempotency-Key; {amount, currency}
//	GET  /ledger?cursor=                what moved money, oldest first: {entries: [Entry], next}
//	POST /webhook-secrets               a new secret, told once; it and the one before it sign from now on
//	GET, PUT /chaos                     the Script of what goes wrong, and how often each fault has happened
//	POST /outage                        {forMs}: no answers for that long; 0 ends it
//
// and for the fan, without credentials but with an unguessable reference,
// GET and POST /NAME/pay/{reference}: test cards that approve (also slowly, or
// after one more step), decline and never answer.
//
// What goes wrong is said by order (PUT /chaos, or "[chaos:late,drop]" in an
// intent's description) or by rate. By rate, the nth payment of a server meets
// the same faults whenever the seed is the same.
package sandbox

import (
	"time"

	"plateia/core/secret"
)

// Name is the provider's name in attempts and webhook addresses.
const Name = "sandbox"

// minWindow is the shortest life of an intent that the server accepts.
const minWindow = 30 * time.Second

// maxBody bounds every request body, maxAnswer every answer, in bytes.
const (
	maxBody   = 64 << 10
	maxAnswer = 1 << 20
)

// Secrets are what both sides know.
type Secrets struct {
	API     secret.Text   // we to the provider
	Webhook []secret.Text // the provider to us; several while they are rotated: the server signs with all, any one is enough
}
