package inventory

import (
	"context"
	"slices"

	"plateia/core/fault"
	"plateia/core/id"
	"plateia/core/seatmap"
)

// maxOrganizerSeats is the longest list of a Block, Unblock or Allocate: a stand of a stadium.
const maxOrganizerSeats = 20_000

// pieceSeats is how many seats an organizer's command changes in one transaction. A whole stand in one would meet
// every hold of a rush: it would be decided again and again, keep fans waiting each time, and outlast the time that a write may take.
const pieceSeats = 1000

// organized is the list of an organizer's command and how to give it another; nil for other commands.
func organized(command Command) (seats []seatmap.Ordinal, with func([]seatmap.Ordinal) Command) {
	switch c := command.(type) {
	case Block:
		return c.Seats, func(part []seatmap.Ordinal) Command { c.Seats = part; return c }
	case Unblock:
		return c.Seats, func(part []seatmap.Ordinal) Command { c.Seats = part; return c }
	case Allocate:
		return c.Seats, func(part []seatmap.Ordinal) Command { c.Seats = part; return c }
	}
	return nil, nil
}

func organizerLimit(seats int) *fault.Error {
	if seats == 0 || seats > maxOrganizerSeats {
		return fault.New(fault.Invalid, "1 to %d seats at a time", maxOrganizerSeats).With("limit", maxOrganizerSeats)
	}
	return nil
}

// inPieces runs a long list piece by piece, in the order of the seats, until one is refused. What came before it stays
// changed, and is named: Outcome.Seats beside the error, whose Details["changed"] counts it. Repeating the command goes on.
func (inv *Inventory) inPieces(ctx context.Context, eventID id.ID, seats []seatmap.Ordinal, with func([]seatmap.Ordinal) Command) (all Outcome, err error) {
	e, err := inv.engine(ctx, eventID)
	if err != nil {
		lost := notReached(ctx, err)
		return refuse(lost), lost
	}
	seats = slices.Compact(slices.Sorted(slices.Values(seats)))
	for _, o := range []seatmap.Ordinal{seats[0], seats[len(seats)-1]} {
		if o < 0 || int(o) >= e.chart.Seats() { // no piece is changed for a list that cannot be right
			err := fault.New(fault.NotFound, "there is no such seat").With("ordinal", int(o))
			return refuse(err), err
		}
	}
	for part := range slices.Chunk(seats, pieceSeats) {
		out := inv.run(ctx, eventID, with(part))
		all.Seats = append(all.Seats, out.Seats...)
		if out.Err != nil {
			all.Err = fault.From(out.Err).With("changed", len(all.Seats))
			return all, all.Err
		}
	}
	return all, nil
}
