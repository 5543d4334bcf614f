package partner

import (
	"time"

	"plateia/core/id"
)

// Verb is what an operator may do to a partner.
type Verb string

// The verbs.
const (
	Add    Verb = "add"
	Change Verb = "change"
	Remove Verb = "remove"
)

// Order is a change that an operator asks for: the partner as it is to be, of the Version that the operator saw, 0 for a
// new one. Who and Why are required. To remove one its ID and Version are enough.
type Order struct {
	Partner
	Remove bool
	Who    string // at most 100 bytes
	Why    string // at most 500 bytes
}

// Action is one line of the audit: an order that was carried out.
type Action struct {
	Seq     int64 // orders the actions, from 1; also the version of the list that it made
	At      time.Time
	Partner id.ID
	Verb    Verb
	Who     string
	Why     string
	Before  string // JSON of the partner; "" when there was none
	After   string // "" when it was removed
}
