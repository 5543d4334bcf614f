package db_test

import (
	"math/rand/v2"
	"slices"
	"sync"
	"testing"

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

// Case 1: two hundred devices ask for the last four seats at once.
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

// Case 4: holds of the same seats named in any order arrive together, more than two thousand times.
func TestOppositeOrdersNeverDeadlock(t *testing.T) {
	booths := twoBooths(t, 1, 8)
	var all sync.WaitGroup
	for i := range 16 {
		all.Go(func() {
			fan := id.New()
			for range 130 {
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
