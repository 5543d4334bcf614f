package holdbench

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"sync/atomic"
	"time"

	"plateia/core/fault"
	"plateia/core/id"
	"plateia/core/seatmap"
	"plateia/db"
)

// presser asks for any number of seats, each time for another account.
type presser interface {
	holder
	press(ctx context.Context, event id.ID, seats []seatmap.Ordinal) error
}

// race lets many buyers want each of a few seats: one gets it, the others must be told soon.
func race(ctx context.Context, d *db.DB, r round, opts Options) (Result, error) {
	s, err := stock(ctx, d, min(opts.AtMost, pairsPerEvent), 1)
	if err != nil {
		return Result{}, err
	}
	s.fans = []int{opts.HotSeats*opts.HotBuyers + 1}
	seats := hotChoice(2*len(s.pairs), opts.HotSeats)
	result, err := raceFor(ctx, d, s, r, opts, seats)
	if err != nil {
		return Result{}, err
	}
	result.Race.Seats, result.Race.BuyersEach = len(seats), opts.HotBuyers
	if result.Race.SeatsSold, err = owned(ctx, d, s.events[0], seats); err != nil {
		return result, err
	}
	result.DoubleSold, err = over(ctx, d, s.events)
	return result, err
}

func raceFor(ctx context.Context, d *db.DB, s *supply, r round, opts Options, seats []seatmap.Ordinal) (Result, error) {
	if r.engines > 1 {
		return raceOverProcesses(ctx, d, s, r, opts, seats)
	}
	h, err := newHolder(ctx, d, s, r, opts)
	if err != nil {
		return Result{}, err
	}
	p, ok := h.(presser)
	if !ok {
		return Result{}, errors.Join(fmt.Errorf("holdbench: no race for %s", r.mode), h.close(ctx))
	}
	if err := h.hold(ctx, s.events[0], coldSeats); err != nil {
		return Result{}, errors.Join(err, h.close(ctx))
	}
	result := opts.watch(r, func() tally {
		return runRace(ctx, p, s.events[0], r.clients, contestants(seats, opts.HotBuyers, r.clients))
	})
	result.Retries = h.retries()
	return result, h.close(ctx)
}

// coldSeats are never hot: the hold that warms everything up takes them.
var coldSeats = [2]seatmap.Ordinal{0, 1}

// hotChoice is single seats anywhere in the event but there.
func hotChoice(of, seats int) []seatmap.Ordinal {
	out := make([]seatmap.Ordinal, min(of-len(coldSeats), seats))
	for i, n := range rand.Perm(of - len(coldSeats))[:len(out)] {
		out[i] = seatmap.Ordinal(n + len(coldSeats))
	}
	return out
}

// contestants lists the seat that each buyer in turn wants. All buyers of one seat come within one
// moment: as many seats are contested at a time as the callers can crowd, in random order.
func contestants(seats []seatmap.Ordinal, buyers, callers int) []seatmap.Ordinal {
	atOnce := max(1, callers/buyers)
	out := make([]seatmap.Ordinal, 0, len(seats)*buyers)
	for len(seats) > 0 {
		n := min(atOnce, len(seats))
		from := len(out)
		for range buyers {
			out = append(out, seats[:n]...)
		}
		wave := out[from:]
		rand.Shuffle(len(wave), func(i, j int) { wave[i], wave[j] = wave[j], wave[i] })
		seats = seats[n:]
	}
	return out
}

func runRace(ctx context.Context, p presser, event id.ID, callers int, wanted []seatmap.Ordinal) tally {
	var next atomic.Int64
	return together(callers, func(mine *seen) {
		for ctx.Err() == nil {
			n := int(next.Add(1) - 1)
			if n >= len(wanted) {
				return
			}
			asked := time.Now()
			err := p.press(ctx, event, wanted[n:n+1])
			switch {
			case err == nil:
				mine.note(&mine.held, asked)
			case fault.CodeOf(err) == fault.SeatTaken:
				mine.note(&mine.lost, asked)
			default:
				mine.fail(err)
			}
		}
	})
}

// owned counts the seats that have exactly one live hold, by their own rows and by the holds'.
func owned(ctx context.Context, d *db.DB, event id.ID, seats []seatmap.Ordinal) (int, error) {
	ordinals := make([]int64, len(seats))
	for i, s := range seats {
		ordinals[i] = int64(s)
	}
	var n int
	err := d.Pool().QueryRow(ctx, `select count(*) from seat s
		where s.event_id = $1 and s.ordinal = any($2::int8[]) and s.status = 1
			and exists (select 1 from hold h where h.hold_id = s.owner and h.state = 1)`, [16]byte(event), ordinals).Scan(&n)
	if err != nil {
		return 0, fmt.Errorf("holdbench: count the seats sold: %w", err)
	}
	return n, nil
}
