// Package ticket is what gets a fan through the gate.
package ticket

import (
	"time"

	"plateia/core/id"
	"plateia/core/seatmap"
)

// State of a ticket: at most one ticket of a seat is Valid.
type State string

const (
	Valid State = "VALID"
	Void  State = "VOID"
)

// Ticket is one admission for one seat.
type Ticket struct {
	ID       id.ID
	Order    id.ID
	Event    id.ID
	Account  id.ID
	Ordinal  seatmap.Ordinal
	State    State
	IssuedAt time.Time
}
