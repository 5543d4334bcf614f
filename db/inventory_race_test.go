package db_test

import (
	"math"
	"math/rand/v2"
	"slices"
	"sync"
	"testing"
	"time"

	"github.com/anishathalye/porcupine"

	"plateia/core/fault"
	"plateia/core/id"
	"plateia/core/inventory"
	"plateia/core/seatmap"
)

// twoBooths is two processes, as far as the database can tell, selling the same event.
func twoBooths(t *testing.T, rows, seats int, change ...func(*inventory.Options)) [2]*booth {
	t.Helper()
	one := openBooth(t, rows, seats, change...)
	return [2]*booth{one, anotherBooth(t, one.d, one.cat, one.event, change...)}
}

func TestTwoHundredBuyersForTheLastFourSeats(t *testing.T) {
	booths := twoBooths(t, 1, 4)
	var (
		all sync.WaitGroup
		mu  sync.Mutex
		won = map[seatmap.Ordinal]int{}
	)
	for i := range 200 {
		all.Go(func() {
			seat := seatmap.Ordinal(i % 4)
			_, err := booths[i%2].do(place(id.New(), seat))
			mu.Lock()
			defer mu.Unlock()
			switch code := fault.CodeOf(err); {
			case err == nil:
				won[seat]++
			case code != fault.SeatTaken:
				t.Errorf("buyer %d: %v", i, err)
			case !slices.Equal(fault.From(err).Details["seats"].([]string), []string{"A-1-" + string(rune('1'+seat))}):
				t.Errorf("buyer %d was told of %v", i, fault.From(err).Details)
			}
		})
	}
	all.Wait()
	for seat := range seatmap.Ordinal(4) {
		if won[seat] != 1 {
			t.Errorf("seat %d was won by %d buyers", seat, won[seat])
		}
	}
	if n := booths[0].count("select count(*) from hold where state = 1"); n != 4 {
		t.Errorf("%d live holds", n)
	}
}

func TestOppositeOrdersNeverDeadlock(t *testing.T) {
	booths := twoBooths(t, 1, 8)
	var all sync.WaitGroup
	for i := range 16 {
		all.Go(func() {
			fan := id.New()
			for range 25 {
				seats := []seatmap.Ordinal{0, 1, 2, 3}
				rand.Shuffle(len(seats), func(a, b int) { seats[a], seats[b] = seats[b], seats[a] })
				out, err := booths[i%2].do(place(fan, seats...))
				if err == nil {
					_, err = booths[i%2].do(inventory.Release{Account: fan, Hold: out.Hold.ID})
				}
				if err != nil && fault.CodeOf(err) != fault.SeatTaken {
					t.Errorf("%v", err)
				}
			}
		})
	}
	all.Wait()
}

// seatStep is what one command did, or saw, at one seat.
type seatStep struct {
	seat seatmap.Ordinal
	kind string // take, free, move, taken
	hold id.ID
	old  id.ID // move: the account's hold before
}

// seatModel says which histories of one seat can be: at every instant at most one hold has it.
var seatModel = porcupine.Model{
	Partition: func(history []porcupine.Operation) [][]porcupine.Operation {
		bySeat := map[seatmap.Ordinal][]porcupine.Operation{}
		for _, op := range history {
			seat := op.Input.(seatStep).seat
			bySeat[seat] = append(bySeat[seat], op)
		}
		var parts [][]porcupine.Operation
		for _, part := range bySeat {
			parts = append(parts, part)
		}
		return parts
	},
	Init: func() any { return id.ID{} },
	Step: func(state, input, _ any) (bool, any) {
		owner, step := state.(id.ID), input.(seatStep)
		switch step.kind {
		case "take":
			return owner.IsZero(), step.hold
		case "free":
			return owner == step.hold, id.ID{}
		case "move":
			return owner == step.old, step.hold
		default:
			return !owner.IsZero(), owner
		}
	},
	Equal: func(a, b any) bool { return a == b },
}

// recorder is one client's history, decomposed by seat.
type recorder struct {
	client int
	begun  time.Time
	ops    []porcupine.Operation
	slack  time.Duration // by how much a refusal may be older than its call
	old    inventory.Hold
}

func (r *recorder) add(called, answered time.Time, step seatStep) {
	r.ops = append(r.ops, porcupine.Operation{
		ClientId: r.client, Input: step, Output: nil,
		Call: called.Sub(r.begun).Nanoseconds(), Return: answered.Sub(r.begun).Nanoseconds(),
	})
}

func (r *recorder) placed(called, answered time.Time, h inventory.Hold) {
	had := map[seatmap.Ordinal]bool{}
	for _, s := range r.old.Seats {
		had[s.Ordinal] = true
	}
	for _, s := range h.Seats {
		kind := "take"
		if had[s.Ordinal] {
			kind = "move"
		}
		r.add(called, answered, seatStep{s.Ordinal, kind, h.ID, r.old.ID})
		delete(had, s.Ordinal)
	}
	for seat := range had {
		r.add(called, answered, seatStep{seat, "free", r.old.ID, id.ID{}})
	}
	r.old = h
}

func (r *recorder) run(t *testing.T, b *booth, chart *seatmap.Chart, until time.Time) {
	fan := id.New()
	for time.Now().Before(until) {
		called := time.Now()
		if r.old.ID != (id.ID{}) && rand.N(3) == 0 {
			if _, err := b.do(inventory.Release{Account: fan, Hold: r.old.ID}); err != nil {
				t.Errorf("release: %v", err)
				return
			}
			for _, s := range r.old.Seats {
				r.add(called, time.Now(), seatStep{s.Ordinal, "free", r.old.ID, id.ID{}})
			}
			r.old = inventory.Hold{}
			continue
		}
		first := seatmap.Ordinal(rand.N(5))
		out, err := b.do(place(fan, first, first+1))
		switch fault.CodeOf(err) {
		case "":
			r.placed(called, time.Now(), out.Hold)
		case fault.SeatTaken:
			for _, label := range fault.From(err).Details["seats"].([]string) {
				seat, _ := chart.Find(label)
				r.add(called.Add(-r.slack), time.Now(), seatStep{seat: seat, kind: "taken"})
			}
		default:
			t.Errorf("place: %v", err)
			return
		}
	}
}

func TestHistoriesAreLinearizablePerSeat(t *testing.T) {
	for name, slack := range map[string]time.Duration{"always ask": 0, "refuse fast": inventory.FastRefusalAge} {
		t.Run(name, func(t *testing.T) {
			booths := twoBooths(t, 1, 6, func(o *inventory.Options) { o.NoFastRefusal = slack == 0 })
			chart, err := booths[0].cat.Chart(t.Context(), booths[0].event.ChartID, 1)
			if err != nil {
				t.Fatal(err)
			}
			begun := time.Now()
			until := begun.Add(1500 * time.Millisecond)
			recorders := make([]recorder, 6)
			var all sync.WaitGroup
			for i := range recorders {
				recorders[i] = recorder{client: i, begun: begun.Add(-time.Second), slack: slack}
				all.Go(func() { recorders[i].run(t, booths[i%2], chart, until) })
			}
			all.Wait()
			var history, fromMemory []porcupine.Operation
			for _, r := range recorders {
				for _, op := range r.ops {
					if slack > 0 && op.Input.(seatStep).kind == "taken" {
						fromMemory = append(fromMemory, op)
					} else {
						history = append(history, op)
					}
				}
			}
			if slack > 0 && len(fromMemory) == 0 {
				t.Error("nothing was refused from memory")
			}
			wantTruth(t, history, fromMemory)
			result := porcupine.CheckOperationsTimeout(seatModel, history, time.Minute)
			t.Logf("%d steps: %v", len(history), result)
			if result != porcupine.Ok {
				t.Fatalf("%d steps: %v", len(history), result)
			}
		})
	}
}

// wantTruth checks refusals that were made from memory: each must be of a seat that somebody can have owned at
// some moment of its window. They only read and their windows are long, tens of thousands overlap, so a search
// for an order of all steps together would not end.
func wantTruth(t *testing.T, history, refusals []porcupine.Operation) {
	t.Helper()
	type possession struct {
		seat seatmap.Ordinal
		hold id.ID
	}
	from, to := map[possession]int64{}, map[possession]int64{}
	for _, op := range history {
		step := op.Input.(seatStep)
		switch step.kind {
		case "take":
			from[possession{step.seat, step.hold}] = op.Call
		case "move":
			from[possession{step.seat, step.hold}] = op.Call
			to[possession{step.seat, step.old}] = op.Return
		case "free":
			to[possession{step.seat, step.hold}] = op.Return
		}
	}
	owned := map[seatmap.Ordinal][][2]int64{}
	for p, begin := range from {
		end, ended := to[p]
		if !ended {
			end = math.MaxInt64
		}
		owned[p.seat] = append(owned[p.seat], [2]int64{begin, end})
	}
	for _, op := range refusals {
		step := op.Input.(seatStep)
		if !slices.ContainsFunc(owned[step.seat], func(span [2]int64) bool { return span[0] <= op.Return && op.Call <= span[1] }) {
			t.Fatalf("seat %d was refused in %d..%d, when nobody can have owned it", step.seat, op.Call, op.Return)
		}
	}
	t.Logf("%d refusals from memory", len(refusals))
}
