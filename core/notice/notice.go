// Package notice is what accounts are told about their own holds and orders while they look at something.
//
// A notice is a nudge and not the truth: it may be lost, come twice or out of order, and nothing waits for it. Whoever
// shows more than its words reads the hold or the order first.
package notice

import (
	"time"

	"plateia/core/id"
)

// About is the kind of thing that has changed.
type About uint8

// What notices are about.
const (
	Hold  About = 1
	Order About = 2
)

// News is one change of one account's hold or order.
type News struct {
	Account   id.ID
	About     About
	ID        id.ID     // of the hold or the order
	State     string    // as the HTTP answers name it: the hold's state, the order's status
	ExpiresAt time.Time // of a hold
	Version   int64     // of its row: lower than known is old, equal says that something beside the row changed
}

// Teller takes the news of one event to the accounts' screens. It is called after the commit and must not wait.
type Teller func(event id.ID, news []News)
