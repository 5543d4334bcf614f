package db_test

import (
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/anishathalye/porcupine"

	"plateia/core/fault"
	"plateia/core/id"
	"plateia/core/inventory"
	"plateia/core/seatmap"
)

// shopper is an account with several tabs open: they know of each other's holds and trip over each other.
type shopper struct {
	account id.ID
	mu      sync.Mutex
	last    inventory.Hold
	started inventory.Outcome // the last payment
}

const shopperLimit = 4

// next is a command that makes sense, or did a moment ago.
func (s *shopper) next(seats int) inventory.Command {
	s.mu.Lock()
	defer s.mu.Unlock()
	hold, o, a := s.last.ID, s.started.Order, s.started.Attempt
	switch n := rand.N(20); {
	case n < 3 && !hold.IsZero():
		return inventory.Release{Account: s.account, Hold: hold}
	case n < 6 && !hold.IsZero():
		return inventory.Extend{Account: s.account, Hold: hold}
	case n < 9 && !hold.IsZero():
		pay := inventory.StartPayment{Account: s.account, Hold: hold, Order: id.New(), Attempt: id.New(), Provider: "sandbox"}
		if o.Hold == hold {
			pay.Order, pay.Again = o.ID, true
		}
		return pay
	case n < 12 && !a.ID.IsZero():
		return inventory.EndAttempt{Order: o.ID, Attempt: a.ID, Status: "DECLINED", FreeSeats: n == 9}
	case n == 12 && !a.ID.IsZero():
		return inventory.Sell{Order: o.ID, Attempt: a.ID, Captured: a.Amount}
	case n == 13 && !hold.IsZero():
		return inventory.Expire{Hold: hold}
	}
	first := rand.N(1 + rand.N(seats-1)) // the first seats are the best
	command := place(s.account, seatmap.Ordinal(first))
	if rand.N(3) > 0 {
		command.Seats = append(command.Seats, seatmap.Ordinal(first+1))
	}
	return command
}

func (s *shopper) learn(a act) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if a.code() == fault.HoldGone {
		s.last = inventory.Hold{}
	}
	if a.err != nil {
		return
	}
	switch a.command.(type) {
	case inventory.PlaceHold:
		s.last = a.out.Hold
	case inventory.StartPayment:
		s.started = a.out
	}
}

// shop lets eight tabs of four accounts press buttons at two engines, and returns what they saw.
func shop(booths [2]*booth, seats, presses int, pause time.Duration) []act {
	shoppers := make([]*shopper, 4)
	for i := range shoppers {
		shoppers[i] = &shopper{account: id.New()}
	}
	seen := make([][]act, 2*len(shoppers))
	var all sync.WaitGroup
	for tab := range seen {
		s, b := shoppers[tab/2], booths[(tab+tab/2)%2]
		all.Go(func() {
			for range presses {
				a := b.perform(tab, s.next(seats))
				s.learn(a)
				seen[tab] = append(seen[tab], a)
				time.Sleep(rand.N(2*pause + 1))
			}
		})
	}
	all.Wait()
	var acts []act
	for _, of := range seen {
		acts = append(acts, of...)
	}
	return acts
}

// fastClock makes an hour of the database's clock pass in 36 seconds, for the engines alone.
func fastClock(since string) func(string) string {
	return func(sql string) string {
		start := "timestamptz '" + since + "'"
		return strings.ReplaceAll(sql, "now()", "("+start+" + (now() - "+start+") * 100)")
	}
}

// The whole life of seats, on a real database, by two engines: holds that replace each other, releases, time that
// runs out and is noticed by the next buyer only, payments, declines, sales, late money.
func TestHistoriesAreLinearizable(t *testing.T) {
	const seats = 20
	for name, slack := range map[string]time.Duration{"always ask": 0, "refuse fast": inventory.FastRefusalAge} {
		t.Run(name, func(t *testing.T) {
			booths := twoBooths(t, 1, seats, func(o *inventory.Options) { o.NoFastRefusal = slack == 0 })
			rules, presses, pause := `"maxPerAccount": 4, "holdSeconds": 1`, 160, 8*time.Millisecond
			clock := func(at time.Time) time.Time { return at.Add(time.Second) }
			if slack == 0 { // news from memory have deadlines by the true clock
				now := time.Now().UTC()
				for _, b := range booths {
					b.store.Rewrite(fastClock(now.Format(time.RFC3339Nano)))
				}
				clock = func(at time.Time) time.Time { return now.Add(100*at.Sub(now) + time.Minute) }
				rules, presses, pause = `"maxPerAccount": 4, "holdSeconds": 10, "holdMaxSeconds": 7200`, 150, time.Millisecond
			}
			booths[0].exec(`update event set rules = rules || '{` + rules + `}'::jsonb`)
			begun := time.Now().Add(-time.Second)
			acts := shop(booths, seats, presses, pause)
			for rounds := 1; rounds < 10 && len(missing(acts)) > 0; rounds++ { // chance left something out
				acts = append(acts, shop(booths, seats, presses/4, pause)...)
			}
			if missed := missing(acts); len(missed) > 0 {
				t.Errorf("the history has no %v", missed)
			}
			history, refusals := seatHistory(booths[0].chart(), acts, begun, slack)
			if slack == 0 {
				history = append(history, refusals...)
			} else {
				wantTruth(t, history, refusals)
				history = append(history, spaced(refusals, 100*time.Millisecond)...)
			}
			linearizable(t, seatModel, "of seats", history)
			linearizable(t, accountModel(shopperLimit), "of accounts", accountHistory(acts, begun, clock))
		})
	}
}

// missing is what a history should be about and is not.
func missing(acts []act) (names []string) {
	kinds := map[stepKind]int{}
	codes := map[fault.Code]int{}
	for _, a := range acts {
		if codes[a.code()]++; a.changed() {
			kinds[a.seatStep(0).kind]++
		}
	}
	for _, kind := range []stepKind{stepTake, stepFree, stepKeep, stepPay, stepSell, stepDie} {
		if kinds[kind] == 0 {
			names = append(names, "step "+string(kind))
		}
	}
	for _, code := range []fault.Code{fault.SeatTaken, fault.LimitExceeded, fault.PaymentInProgress, fault.HoldGone} {
		if codes[code] == 0 {
			names = append(names, "refusal "+string(code))
		}
	}
	return names
}

// spaced leaves of the refusals of a seat only some: their windows are long, and a search for an order of
// thousands that overlap would not end. wantTruth looks at every one.
func spaced(refusals []porcupine.Operation, every time.Duration) (some []porcupine.Operation) {
	last := map[seatmap.Ordinal]int64{}
	for _, op := range refusals {
		seat := op.Input.(seatStep).seat
		if before, seen := last[seat]; seen && op.Call-before < every.Nanoseconds() && op.Call > before {
			continue
		}
		last[seat] = op.Call
		some = append(some, op)
	}
	return some
}

// possession is that a hold had a seat at most from, at most to.
type possession struct {
	account  id.ID
	from, to int64 // for ever: the seat was sold
}

const forEver = math.MaxInt64

// wantTruth checks refusals that may come from memory: each must be of a seat that somebody else can have had, or
// anybody can have bought, at some moment of its window.
func wantTruth(t *testing.T, history, refusals []porcupine.Operation) {
	t.Helper()
	had := map[seatmap.Ordinal][]possession{}
	for _, seat := range seatModel.Partition(history) {
		for _, op := range seat {
			if step := op.Input.(seatStep); step.kind == stepTake || step.kind == stepLate {
				had[step.seat] = append(had[step.seat], possession{step.account, op.Call, endOf(seat, op)})
			}
		}
	}
	for _, op := range refusals {
		step := op.Input.(seatStep)
		if !slices.ContainsFunc(had[step.seat], func(p possession) bool {
			return (p.account != step.account || p.to == forEver) && p.from <= op.Return && op.Call <= p.to
		}) {
			t.Fatalf("seat %d was refused in %d..%d, when nobody else can have had it", step.seat, op.Call, op.Return)
		}
	}
	t.Logf("%d refusals, perhaps from memory", len(refusals))
}

// endOf is when a possession that began with op was over at the latest.
func endOf(seat []porcupine.Operation, op porcupine.Operation) int64 {
	end, took := int64(forEver), op.Input.(seatStep)
	for _, other := range seat {
		step := other.Input.(seatStep)
		switch step.kind {
		case stepFree, stepDie:
			if step.hold == took.hold {
				end = min(end, other.Return)
			}
		case stepLeave:
			if step.account == took.account && other.Call >= op.Return {
				end = min(end, other.Return)
			}
		case stepTake:
			if other.Call >= op.Return {
				end = min(end, other.Return)
			}
		case stepSell, stepLate:
			if step.hold == took.hold {
				return forEver
			}
		}
	}
	return end
}
