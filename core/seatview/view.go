package seatview

import (
	"time"

	"plateia/core/fault"
	"plateia/core/id"
)

// View is the picture from one section, in every version of a chart: sections keep their labels.
type View struct {
	Chart   id.ID
	Section string  // its label
	Picture Picture // lists leave its body out
	SetAt   time.Time
}

// Order is a change that an operator asks for. Who and Why are required.
type Order struct {
	Chart   id.ID
	Section string
	Picture *Picture // nil takes the section's picture away
	Who     string   // at most 100 bytes
	Why     string   // at most 500 bytes
}

// Check is fault.Invalid for an order that nobody has signed.
func (o Order) Check() error {
	if o.Who == "" || o.Why == "" || len(o.Who) > 100 || len(o.Why) > 500 {
		return fault.New(fault.Invalid, "a change says who makes it (at most 100 bytes), and why (at most 500)")
	}
	return nil
}

// Action is one line of the audit: an order that was carried out.
type Action struct {
	Seq     int64 // orders a chart's actions, from 1
	At      time.Time
	Section string
	Who     string
	Why     string
	Before  string // the picture's digest; "" when there was none
	After   string // "" when it was taken away
}
