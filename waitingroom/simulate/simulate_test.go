package simulate

import (
	"bytes"
	"context"
	"encoding/xml"
	"errors"
	"io"
	"testing"
	"time"

	"plateia/waitingroom/draw"
)

// short is a run that takes half a second without the race detector.
func short() Options { return Options{Fans: 150_000, Minutes: 30, Target: 1500, Seed: 2} }

// roomy is a sale in a room so large that chance alone does not empty a twentieth of it: with 1,500 inside, when nine
// tickets of ten belong to nobody, some seeds end at 94.7 %.
func roomy() Options { return Options{Fans: 300_000, Minutes: 30, Target: 3000, Seed: 1} }

// P9 and P10: the shop is full and never overrun, whatever fans, caches and machines do.
func TestTheShopIsFullAndNeverOverrun(t *testing.T) {
	o := roomy()
	crowd := o.gather()
	for _, scenario := range Scenarios() {
		t.Run(scenario.Name, func(t *testing.T) {
			t.Parallel()
			o := o
			o.Scenario = scenario
			r, _, err := o.run(t.Context(), crowd, time.Now())
			if err != nil {
				t.Fatal(err)
			}
			if r.OccupancyMaxPct > 102.05 {
				t.Errorf("%v %% of the target were inside", r.OccupancyMaxPct)
			}
			if r.OccupancyMinFullPct < 95 {
				t.Errorf("once full, only %v %% were inside", r.OccupancyMinFullPct)
			}
			if r.FullAfterSeconds < 0 || r.FullAfterSeconds > 240 {
				t.Errorf("full after %d s", r.FullAfterSeconds)
			}
			if r.RecoverySeconds > recovery {
				t.Errorf("full again after %d s", r.RecoverySeconds)
			}
			if r.PositionErrorMax > 4 || r.PositionErrorMax == 0 {
				t.Errorf("a place was wrong by %v standard errors", r.PositionErrorMax)
			}
			if r.OriginRequestsPerSecond > 1 {
				t.Errorf("%v requests a second at the origin", r.OriginRequestsPerSecond)
			}
			if r.RankUniformity < 1e-4 {
				t.Errorf("lots of the admitted are uneven, p = %v", r.RankUniformity)
			}
			if r.Admitted < 6000 || r.SignaturesSampled == 0 {
				t.Errorf("that is no sale: %+v", r)
			}
		})
	}
}

// P11: what the origin does for the document does not depend on how many wait.
func TestTheOriginDoesNotSeeTheCrowd(t *testing.T) {
	var first Result
	for _, fans := range []int{1000, 10_000, 100_000, 400_000} { // the first have a line for a minute only
		r, _, err := Run(t.Context(), Options{Fans: fans, Minutes: 4, Target: 500, Seed: 2, Scenario: Scenarios()[0]})
		if err != nil {
			t.Fatal(err)
		}
		if first.Fans == 0 {
			first = r
		}
		if r.OriginRequestsPerSecond != first.OriginRequestsPerSecond || r.OriginRequestsPerSecond > 1 {
			t.Errorf("%d fans: %v requests a second at the origin", fans, r.OriginRequestsPerSecond)
		}
		if fans > first.Fans && r.PollsPerSecondMax < 2*first.PollsPerSecondMax {
			t.Errorf("%d fans poll no more than %d: %v", fans, first.Fans, r.PollsPerSecondMax)
		}
	}
}

// P12: the lot decides, and nothing else. P5: nobody who came late is before the lottery's end.
func TestTheLotDecides(t *testing.T) {
	o := short()
	o.Scenario = Scenarios()[0]
	r, s, err := Run(t.Context(), o)
	if err != nil {
		t.Fatal(err)
	}
	if r.RankUniformity < 1e-3 {
		t.Errorf("ranks of the admitted are uneven, p = %v", r.RankUniformity)
	}
	if r.Called >= r.Lottery && r.Late > 0 {
		t.Fatal("the line is too short for this test")
	}
	for i := 1; i < len(s.Served); i++ {
		if s.Served[i] < s.Served[i-1] {
			t.Fatalf("the frontier moved back at second %d", i)
		}
	}
}

func TestASmallSaleServesEverybodyAlsoThoseWhoCameLate(t *testing.T) {
	r, _, err := Run(t.Context(), Options{Fans: 6000, Minutes: 60, Target: 1000, Seed: 3, Scenario: Scenarios()[0]})
	if err != nil {
		t.Fatal(err)
	}
	if r.Called < 5900 || r.SecondChance == 0 || r.Admitted < 5000 {
		t.Errorf("%+v", r)
	}
}

func TestTheSameSeedIsTheSameSale(t *testing.T) {
	o := Options{Fans: 20_000, Minutes: 5, Target: 300, Seed: 7, Scenario: Scenarios()[0]}
	a, _, err1 := Run(t.Context(), o)
	b, _, err2 := Run(t.Context(), o)
	a.WallSeconds, b.WallSeconds = 0, 0
	if err := errors.Join(err1, err2); err != nil || a != b {
		t.Errorf("%v\n%+v\n%+v", err, a, b)
	}
	o.Seed++
	if c, _, _ := Run(t.Context(), o); c.LogRoot == a.LogRoot {
		t.Error("another seed is the same sale")
	}
}

func TestTheCrowdIsServedInTheOrderOfItsLots(t *testing.T) {
	o := Options{Fans: 3000, Minutes: 5, Seed: 4}
	c := o.gather()
	ranker := draw.NewRanker(c.seed, event, 1)
	place := map[draw.Rank]bool{}
	for i := range o.Fans {
		fan := splitmix(uint64(i) + o.Seed<<40)
		if second := comes(fan, 300); second < 0 {
			place[ranker.Rank(entry(fan, second, 0).Pseudonym)] = true
		}
	}
	for i, r := range c.lottery {
		if !place[r] || i > 0 && r <= c.lottery[i-1] {
			t.Fatalf("lot %d is %v", i, r)
		}
	}
	if len(place) != len(c.lottery) || len(c.lottery)+len(c.late) != o.Fans {
		t.Errorf("%d in the lottery, %d late", len(c.lottery), len(c.late))
	}
}

func TestThePictureIsXML(t *testing.T) {
	r, s, err := Run(t.Context(), Options{Fans: 2000, Minutes: 3, Target: 100, Scenario: Scenarios()[0]})
	if err != nil {
		t.Fatal(err)
	}
	var b bytes.Buffer
	if err := Picture(&b, r, s); err != nil {
		t.Fatal(err)
	}
	in := xml.NewDecoder(&b)
	for {
		if _, err := in.Token(); errors.Is(err, io.EOF) {
			break
		} else if err != nil {
			t.Fatal(err)
		}
	}
}

func TestRunsThatAreRefused(t *testing.T) {
	for name, o := range map[string]Options{
		"nobody": {Minutes: 1, Target: 1}, "too many": {Fans: 1 << 40, Minutes: 1, Target: 1}, "no time": {Fans: 1, Target: 1},
		"a week": {Fans: 1, Minutes: 10080, Target: 1}, "no shop": {Fans: 1, Minutes: 1},
	} {
		if _, _, err := Run(t.Context(), o); err == nil {
			t.Errorf("%s: runs", name)
		}
	}
	if _, err := Find("party"); err == nil {
		t.Error("any name is a scenario")
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, _, err := Run(ctx, Options{Fans: 10, Minutes: 1, Target: 1, Scenario: Scenarios()[0]}); !errors.Is(err, context.Canceled) {
		t.Errorf("cancelled, and %v", err)
	}
}
