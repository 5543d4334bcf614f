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
	IssuedAt  time.Time // whole seconds
	ExpiresAt time.Time
}

// QueueTicket is a verified queue ticket (typ queue+jwt): a place in the line of
// an event. It names its holder by a pseudonym that differs from event to event.
type QueueTicket struct {
	Event     id.ID
	Epoch     int64
	Pseudonym string // of the account, for this event only
	Class     Class
	Tier      int       // of the event's rules; 0 is served first
	EnteredAt time.Time // whole seconds; those of one second in the Late class are served in the order of their ranks
	KeyThumb  string    // RFC 7638 thumbprint of the key that must claim it
	ExpiresAt time.Time
}

// Class says how a place in the line came about.
type Class string

// The classes.
const (
	Lottery Class = "lottery" // entered before the on-sale instant: served by lot
	Late    Class = "late"    // entered at it or after: served by arrival, behind the lottery
)

// Access is a verified access token (typ access+jwt): the right to hold seats of one event.
type Access struct {
	Event     id.ID
	Account   id.ID
	Session   id.ID // the buyer row carries the live one
	Channel   int   // of the event's rules; 0: the public
	KeyThumb  string
	ExpiresAt time.Time
}

// QueueStatus is what a place in the line means now.
type QueueStatus string

const (
	QueueWaiting      QueueStatus = "WAITING"
	QueueAdmitted     QueueStatus = "ADMITTED"      // may claim
	QueueSecondChance QueueStatus = "SECOND_CHANCE" // the turn came and passed; a lane for those who missed it comes by
	QueueClosed       QueueStatus = "CLOSED"        // the event does not sell any more, or started over
)

// Place is a place in the line as its owner sees it.
type Place struct {
	Event         id.ID
	Status        QueueStatus
	Class         Class
	Tier          int
	Known         bool    // Ahead is: nobody's place is before the draw
	Ahead         int64   // people still before this one, as far as it can be estimated; 0 when it is their turn
	StandardError float64 // of Ahead
	Wait          *Wait   // nil: not known
	ClaimBy       time.Time
	Reason        string // of CLOSED and SECOND_CHANCE, or of a line that stands still; for programs: "paused", "restarted", …
	Phase         string // of the frontier document
	Version       uint64 // of that document
}

// Wait is a range in which the turn will probably come. It is never a promise.
type Wait struct{ Low, High time.Duration }
