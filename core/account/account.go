// Package account is who acts: a person known by an e-mail address, proved by a
// one-time code, and the credentials that speak for them.
package account

import (
	"time"

	"plateia/core/id"
)

// Account is a person. Email is lower-cased and trimmed.
type Account struct {
	ID        id.ID
	Email     string
	CreatedAt time.Time
}

// Session is a verified account session (typ account+jwt): who is signed in.
type Session struct {
	Account   id.ID
	ExpiresAt time.Time
}

// QueueTicket is a verified queue ticket (typ queue+jwt): a place in the line of an event.
type QueueTicket struct {
	Event     id.ID
	Epoch     int64
	Account   id.ID
	Position  int64 // from 1
	EnteredAt time.Time
	KeyThumb  string // RFC 7638 thumbprint of the key that must claim it
}

// Access is a verified access token (typ access+jwt): the right to hold seats of one event.
type Access struct {
	Event     id.ID
	Account   id.ID
	Session   id.ID // the buyer row carries the live one
	KeyThumb  string
	ExpiresAt time.Time
}
