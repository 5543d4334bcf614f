package inventory

import (
	"context"
	"strings"
	"testing"

	"plateia/core/fault"
	"plateia/core/id"
	"plateia/core/seatmap"
)

// tellsMost notes the most seats that a batch asked for at first.
type tellsMost struct {
	*memStore
	most int
}

func (s *tellsMost) Commit(ctx context.Context, ev id.ID, n Needs, decide func(*Snapshot) *Changes) error {
	s.most = max(s.most, len(n.Seats))
	return s.memStore.Commit(ctx, ev, n, decide)
}

func everySeat(n int) []seatmap.Ordinal {
	seats := make([]seatmap.Ordinal, n)
	for i := range seats {
		seats[i] = seatmap.Ordinal(n - 1 - i)
	}
	return seats
}

func TestAStandIsBlockedInPieces(t *testing.T) {
	const stand = 2*pieceSeats + 500
	m := &tellsMost{memStore: newMemStore(stand)}
	inv := New(m, oneEvent{m.memStore, testChart(t, stand)}, nil, Options{})
	t.Cleanup(func() { _ = inv.Stop(context.Background()) })
	do := func(command Command) Outcome {
		out, _ := inv.Do(t.Context(), m.event.ID, command)
		return out
	}
	block := Block{Seats: everySeat(stand), By: operator}
	wrong := Block{Seats: append(everySeat(stand), stand), By: operator}
	wantCode(t, do(wrong), fault.NotFound)
	wantCode(t, do(Unblock{Seats: everySeat(maxOrganizerSeats + 1)}), fault.Invalid)
	wantCode(t, do(Block{}), fault.Invalid)
	if m.commit != 0 {
		t.Errorf("%d transactions for lists that cannot be right", m.commit)
	}

	held := ok(t, do(placeOf(id.New(), 2*pieceSeats+7))).Hold
	refused := do(block)
	wantCode(t, refused, fault.SeatTaken)
	if n := len(refused.Seats); n != 2*pieceSeats || detail(refused, "changed") != n {
		t.Errorf("%d seats were changed before the piece that was refused, told %v", n, detail(refused, "changed"))
	}
	if seats := detail(refused, "seats").([]string); len(seats) != 1 {
		t.Errorf("in the way: %v", seats)
	}
	ok(t, do(Release{Account: held.Account, Hold: held.ID}))
	if out := ok(t, do(block)); len(out.Seats) != 500 {
		t.Errorf("repeating it changed %d seats, 500 were left", len(out.Seats))
	}
	if out := ok(t, do(block)); len(out.Seats) != 0 {
		t.Errorf("repeating it again changed %d seats", len(out.Seats))
	}
	if m.most > pieceSeats {
		t.Errorf("a batch loaded %d seats", m.most)
	}
}

func TestABatchIsFullWhenItsSeatsAre(t *testing.T) {
	q := &queue{}
	for i := range 100 {
		q.waiting = append(q.waiting, &call{command: Block{Seats: seatRange(i*pieceSeats, pieceSeats)}})
	}
	f := newFlight(0)
	q.fill(f, 512)
	if len(f.seats) != batchSeats || len(f.calls) != 4 || len(q.waiting) != 96 {
		t.Errorf("%d commands with %d seats, %d wait", len(f.calls), len(f.seats), len(q.waiting))
	}
}

func seatRange(from, n int) []seatmap.Ordinal {
	seats := make([]seatmap.Ordinal, n)
	for i := range seats {
		seats[i] = seatmap.Ordinal(from + i)
	}
	return seats
}

func TestPiecesKeepWhatElseWasAsked(t *testing.T) {
	for _, command := range []Command{Block{By: operator}, Unblock{By: operator}, Allocate{Channel: 3, By: operator}} {
		_, with := organized(command)
		part := with(everySeat(1))
		if seats, _ := organized(part); len(seats) != 1 || name(part) != name(command) {
			t.Errorf("%+v became %+v", command, part)
		}
		if a, is := part.(Allocate); is && (a.Channel != 3 || !strings.Contains(a.Actor, operator.Actor)) {
			t.Errorf("%+v", a)
		}
	}
}
