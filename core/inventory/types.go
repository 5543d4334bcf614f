// Package inventory sells every seat once.
//
// All changes of an event go through commands. Decide, a pure function, turns
// a snapshot and a batch of commands into outcomes and changes; the Engine
// batches, loads, decides, stores in one transaction and publishes after commit.
package inventory

import (
	"time"

	"plateia/core/event"
	"plateia/core/id"
	"plateia/core/order"
	"plateia/core/seatmap"
)

// Status of a seat; the numbers are also the two bits on the wire.
type Status uint8

const (
	Available Status = 0
	Held      Status = 1
	Sold      Status = 2
	Blocked   Status = 3
)

// Seat is a seat row: the truth about one seat of one event.
type Seat struct {
	Ordinal  seatmap.Ordinal
	Status   Status
	Owner    id.ID // the hold while Held, the order while Sold
	Category int
	Channel  int   // 0: the public; else one of the event's rules
	Version  int64 // grows by one at each change
	Place    Place
}

// Shown is the status that maps, lists and picks for the public see: a free seat of
// a channel is not for them.
func (s *Seat) Shown() Status {
	if s.Status == Available && s.Channel != 0 {
		return Blocked
	}
	return s.Status
}

// Place is where the store found a row: a hint, which it gives and checks itself. At most 48 bits; zero: none.
type Place uint64

// HoldState is where a hold is in its life.
type HoldState uint8

const (
	HoldActive    HoldState = 1
	HoldPaying    HoldState = 2
	HoldConverted HoldState = 3 // its seats are sold
	HoldReleased  HoldState = 4
	HoldExpired   HoldState = 5
)

// Live reports whether a hold in this state keeps its seats.
func (s HoldState) Live() bool { return s == HoldActive || s == HoldPaying }

// HeldSeat is a seat with the price frozen when it was held, in minor units.
type HeldSeat struct {
	Ordinal seatmap.Ordinal
	Price   int64
}

// Hold is a hold row. ExpiresAt alone says how long its seats are kept.
type Hold struct {
	ID            id.ID
	Event         id.ID
	Account       id.ID
	Seats         []HeldSeat // by ordinal
	State         HoldState
	ExpiresAt     time.Time // slides
	HardExpiresAt time.Time // never moves
	EndedAt       time.Time // zero while live
	Version       int64
	Key           string   // Idempotency-Key of the request that made it
	BodyHash      [32]byte // of that request
	CreatedAt     time.Time
	Again         bool // not the account's first for the event: found by an index that the first does without
}

// Lines is what the hold's seats cost, with the event's fees and taxes: what its order will say.
func (h Hold) Lines(rules *event.Rules) []order.Line { return linesOf(rules, h.Seats) }

func linesOf(rules *event.Rules, seats []HeldSeat) []order.Line {
	lines := make([]order.Line, len(seats), len(seats)+4) // a fee and a tax, and room
	for i, s := range seats {
		lines[i] = order.Seat(s.Ordinal, s.Price)
	}
	return order.Price(rules, lines)
}

// Buyer is a buyer row: what one account holds and has bought of one event.
type Buyer struct {
	Account id.ID
	Hold    id.ID // the live hold, zero for none
	Held    int   // seats in it
	Sold    int   // seats bought
	Session id.ID // the live admission session
	First   id.ID // the first hold the account ever had for this event, zero for none
	Place   Place
	Version int64
}

// Change is one seat's new state, as shown, published after commit.
type Change struct {
	Ordinal seatmap.Ordinal
	Status  Status
	Version int64
}

// Delta is what one committed batch changed, by ordinal. It is the payload of
// the outbox row and of one message on the stream.
type Delta struct {
	ID      id.ID // of the outbox row; Nats-Msg-Id
	Event   id.ID
	At      time.Time // the database's clock in the transaction
	Changes []Change
}
