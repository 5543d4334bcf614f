package frontier

import (
	"testing"
	"time"

	"pgregory.net/rapid"

	"plateia/core/id"
	"plateia/waitingroom/draw"
)

func TestTheGateOpensBehindTheFrontierForOneWindow(t *testing.T) {
	d := next(t, drawn(1000), time.Second, move(500))
	v := d.Gate(lottery(0.4), at(d))
	if v.State != MayClaim || !v.Deadline.Equal(at(d).Add(10*time.Minute)) || v.Lap != 0 {
		t.Fatalf("%+v", v)
	}
	if got := d.Gate(lottery(0.6), at(d)).State; got != Waiting {
		t.Errorf("in front of the frontier: %s", got)
	}
	if got := d.Gate(lottery(0.4), at(d).Add(10*time.Minute-time.Millisecond)).State; got != MayClaim {
		t.Errorf("at the window's end: %s", got)
	}
	if got := d.Gate(lottery(0.4), at(d).Add(10*time.Minute)).State; got != Missed {
		t.Errorf("after the window: %s", got)
	}
	if got := d.Gate(lottery(0.4), at(d).Add(-time.Hour)).Left; got != 10*time.Minute {
		t.Errorf("a gate with a slow clock leaves %v", got)
	}
}

func TestTicketsThatOpenNothing(t *testing.T) {
	open := next(t, drawn(1000), time.Second, move(500))
	ended, soldOut, early := next(t, open, time.Second, phase(Ended)), next(t, open, time.Second, phase(SoldOut)), drawn(1000)
	early.Seed, early.Phase = nil, Drawing
	old, new, foreign, tier := lottery(0.1), lottery(0.1), lottery(0.1), lottery(0.1)
	old.Epoch, new.Epoch, foreign.Event, tier.Tier = 0, 2, id.ID{9}, 7
	for name, c := range map[string]struct {
		d    *Document
		t    Ticket
		want State
	}{
		"an epoch that was reset": {open, old, Restarted},
		"an epoch to come":        {open, new, Unknown},
		"another event":           {open, foreign, Foreign},
		"a tier that is not":      {open, tier, Waiting},
		"before the draw":         {early, lottery(0.1), Waiting},
		"sold out":                {soldOut, lottery(0.1), Closed},
		"over":                    {ended, lottery(0.1), Closed},
		"nobody came late yet":    {open, late(3, 0.1), Waiting},
	} {
		if got := c.d.Gate(c.t, at(c.d)).State; got != c.want {
			t.Errorf("%s: %s, want %s", name, got, c.want)
		}
	}
}

func TestAPauseStopsTheClaimClock(t *testing.T) {
	d := next(t, drawn(1000), time.Second, move(500))
	d = next(t, d, 5*time.Minute, phase(Paused))
	d = next(t, d, 20*time.Minute, nil)
	if v := d.Gate(lottery(0.4), at(d).Add(time.Hour)); v.State != Stopped || v.Left < 5*time.Minute {
		t.Errorf("in the pause: %+v", v)
	}
	d = next(t, d, time.Minute, phase(Open))
	v := d.Gate(lottery(0.4), at(d))
	if v.State != MayClaim || v.Left < 5*time.Minute || v.Left > 5*time.Minute+11*time.Second {
		t.Errorf("after the pause: %+v", v)
	}
	if got := d.Gate(lottery(0.4), at(d).Add(6*time.Minute)).State; got != Missed {
		t.Errorf("when the rest of the window is over: %s", got)
	}
}

func TestAMissedTurnComesAgainInTheSecondChanceLane(t *testing.T) {
	d := next(t, drawn(1000), time.Second, move(500))
	for range 61 {
		d = next(t, d, 10*time.Second, nil)
	}
	fan := lottery(0.2)
	if v := d.Gate(fan, at(d)); v.State != Missed {
		t.Fatalf("%+v", v)
	}
	d = next(t, d, time.Second, func(d *Document) { d.Frontiers = d.Frontiers.Sweep(0.1) })
	if v := d.Gate(fan, at(d)); v.State != Missed {
		t.Errorf("the lane is not there yet: %+v", v)
	}
	d = next(t, d, time.Second, func(d *Document) { d.Frontiers = d.Frontiers.Sweep(0.5) })
	if v := d.Gate(fan, at(d)); v.State != MayClaim || v.Lap != 1 || v.Left != 10*time.Minute {
		t.Errorf("the lane has come by: %+v", v)
	}
	if v := d.Gate(lottery(0.9), at(d)); v.State != Waiting {
		t.Errorf("the lane let somebody in whose turn was not yet: %+v", v)
	}
	for range 70 {
		d = next(t, d, 10*time.Second, nil)
	}
	if v := d.Gate(fan, at(d)); v.State != Missed {
		t.Errorf("missed twice: %+v", v)
	}
	d = next(t, d, time.Second, func(d *Document) { d.Frontiers = d.Frontiers.Sweep(1).Sweep(0.6) })
	if v := d.Gate(fan, at(d)); v.State != MayClaim || v.Lap != 2 {
		t.Errorf("the second lap: %+v, %+v", v, d.Frontiers.Second)
	}
}

func TestTiersAreServedOneAfterTheOtherAndLateFansLast(t *testing.T) {
	d := drawn(100, 300)
	d.Line.Late = Arrivals{}.With(onSale.Unix(), 0).With(onSale.Unix()+10, 100)
	verified, other := lottery(0.5), lottery(0.5)
	other.Tier = 1
	d = next(t, d, time.Second, move(60))
	if d.Gate(verified, at(d)).State != MayClaim || d.Gate(other, at(d)).State != Waiting {
		t.Errorf("60 tickets: %+v", d.Frontiers)
	}
	d = next(t, d, time.Second, move(200))
	if d.Frontiers.Lottery[0] != draw.LastRank || d.Gate(other, at(d)).State != MayClaim || d.Gate(late(0, 0), at(d)).State != Waiting {
		t.Errorf("260 tickets: %+v", d.Frontiers)
	}
	d = next(t, d, time.Second, move(190)) // 450: half of those who came late
	for second, want := range map[int64]State{0: MayClaim, 4: MayClaim, 5: Waiting, 9: Waiting} {
		if got := d.Gate(late(second, 0.5), at(d)).State; got != want {
			t.Errorf("450 tickets, entered at second %d: %s", second, got)
		}
	}
	f, moved := d.Line.Advance(d.Frontiers, 1000)
	if moved < 49.9 || moved > 50.1 || f.Late.Second != onSale.Unix()+10 {
		t.Errorf("at the end of the line: moved %v to %+v", moved, f.Late)
	}
}

// P2: in whatever life of a line, whoever may claim is behind the frontier of their own lane, also those whom the
// second-chance lane lets in.
func TestNobodyMayClaimAheadOfTheFrontier(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		d := drawn(500, 2000)
		d.ClaimWindow = 120
		now := at(d)
		for range rapid.IntRange(1, 40).Draw(t, "documents") {
			now = now.Add(time.Duration(rapid.IntRange(0, 60).Draw(t, "seconds")) * time.Second)
			d = randomStep(t, d, now)
			for range 20 {
				u := rapid.Float64Range(0, 1).Draw(t, "lot")
				ticket := lottery(u)
				if rapid.Bool().Draw(t, "late") {
					ticket = late(rapid.Int64Range(0, 3000).Draw(t, "second"), u)
				}
				ticket.Tier = rapid.IntRange(-1, 2).Draw(t, "tier")
				asked := now.Add(time.Duration(rapid.IntRange(-5, 600).Draw(t, "later")) * time.Second)
				if v := d.Gate(ticket, asked); (v.State == MayClaim || v.State == Stopped || v.State == Missed) != d.Frontiers.Reaches(ticket) {
					t.Fatalf("%+v for %+v at %+v", v, ticket, d.Frontiers)
				}
			}
		}
	})
}

// Case 20: a frontier that moves faster takes nothing from those whose turn has come.
func TestAFasterFrontierShortensNoWindow(t *testing.T) {
	slow := next(t, drawn(100_000), time.Second, move(500))
	fast := slow
	for range 30 {
		slow, fast = next(t, slow, 10*time.Second, move(10)), next(t, fast, 10*time.Second, move(3000))
	}
	fan := lottery(0.004)
	was, is := slow.Gate(fan, at(slow)), fast.Gate(fan, at(fast))
	if was.State != MayClaim || is.State != MayClaim || is.Left < was.Left || is.Left < 5*time.Minute {
		t.Errorf("%+v behind a slow frontier, %+v behind a fast one", was, is)
	}
}
