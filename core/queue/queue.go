// Package queue is the rows of the line in front of an event: who stands where,
// how far it has been let in, and who is inside. The rules live in the waiting room.
package queue

import (
	"time"

	"plateia/core/id"
)

// Spot is one account's place in the line of an event and epoch, with
// everything that decides what it means now. Zero times mean "not yet".
type Spot struct {
	Account   id.ID
	Position  int64 // from 1, in order of arrival
	EnteredAt time.Time
	KeyThumb  string    // of the key that must claim it
	BoundAt   time.Time // when it was bound to that key
	CalledAt  time.Time // when the frontier passed it, later by any pause since
	ClaimedAt time.Time
	Session   id.ID     // of the admission it was claimed for; zero when the place has moved to another key since
	LeftAt    time.Time // of that admission
}

// Line is the line of an event and epoch at one instant.
type Line struct {
	Now      time.Time // the database's clock
	Entered  int64     // places given
	Frontier int64     // places let in; never moves back
	Before   int64     // the frontier a minute ago
	Version  int64
	Inside   int64     // admitted and not left
	Called   int64     // let in, within the claim window, not yet claimed
	PausedAt time.Time // since when every clock stands still; zero: it does not
}

// Move is what entering the line does to an account's place.
type Move uint8

const (
	Keep   Move = iota // the place it has
	Join               // a place at the end, its first or after a spent one
	Rebind             // the place it has, for another key
)

// Step is a Move and, for Join and Rebind, the key it binds to.
type Step struct {
	Move     Move
	KeyThumb string
}

// Key names a line: an event has one for each epoch.
type Key struct {
	Event id.ID
	Epoch int64
}

// Departures are the bounds after which somebody inside counts as gone.
type Departures struct {
	Idle time.Duration // without a sign of life and without a live hold
	Life time.Duration // of an access token: claimed longer ago, without a live hold
}

// Sign is a sign of life of somebody inside.
type Sign struct{ Event, Account id.ID }
