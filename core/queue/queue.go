// Package queue is the rows of a waiting room: the fence row that says how far the line has been let in, and the
// session table that says who is inside. The rules live in the waiting room; documents and states are bytes here.
package queue

import (
	"time"

	"plateia/core/id"
)

// Key names a line: an event has one for each epoch.
type Key struct {
	Event id.ID
	Epoch int64
}

// Row is a room's fence row. Whoever moves the frontier replaces it from the version that they read.
type Row struct {
	Key
	Version  int64     // of Document
	Document []byte    // signed
	State    []byte    // the leader's
	Setting  []byte    // the operators'
	OnSaleAt time.Time // entries before it are in the lottery
	Closed   bool      // the event is over: nobody steps this room any more
	MovedAt  time.Time
}

// Turn is where a ticket stands in the line: what a frontier is compared with.
type Turn struct {
	Late   bool
	Tier   int
	Second int64 // Unix, of the entry
	Rank   uint64
}

// Signals are what has happened to a room since the step before. Each arrival and departure is told once.
type Signals struct {
	Now        time.Time // the database's clock
	Inside     int64     // admitted and not left
	AtDoor     int64     // told "one moment", and seen lately
	Departures int64
	Arrivals   []Turn // of accounts that came for the first time, by their own turn
	Second     int64  // that came for the first time, by the second-chance lane
	Admitted   int64  // let in for the first time
	Unsold     int64  // seats that somebody may still buy, now or later, at the last count
}

// Step replaces a room's row, and what goes with it in the same transaction.
type Step struct {
	Row
	Keep    bool    // keep the document for the public record
	Moment  []byte  // of the history; nil: none
	Action  *Action // of an operator; nil: none. Seq and At are filled in
	Restart bool    // a new epoch begins: everybody inside is out, and the event's epoch follows
}

// Visit is an account's row in the session table of an event. Zero times mean "not yet".
type Visit struct {
	Account    id.ID
	Epoch      int64
	Pseudonym  string // of the account, for this event only
	KeyThumb   string // of the device that came last
	Session    id.ID  // zero: not let in yet
	Turn       Turn
	Second     bool  // came by the second-chance lane
	Version    int64 // of the document that let it through first
	KnockedAt  time.Time
	AdmittedAt time.Time
	RenewedAt  time.Time // last access token
	SoldBefore int64     // seats the account had bought when it came in
	LeftAt     time.Time
	Told       bool // counted as an arrival
}

// Inside reports whether the visitor was let in and has not left.
func (v Visit) Inside() bool { return !v.AdmittedAt.IsZero() && v.LeftAt.IsZero() }

// Hall is what claims are decided on. Inside is exact: whoever else lets somebody in waits.
type Hall struct {
	Now    time.Time
	Inside int64
}

// Departures are the bounds after which somebody inside counts as gone.
type Departures struct {
	Idle time.Duration // without a sign of life and without a live hold
	Life time.Duration // of an access token: renewed longer ago, without a live hold
}

// Sign is a sign of life of somebody inside.
type Sign struct{ Event, Account id.ID }
