package beacon

import (
	"slices"
	"testing"
	"time"
)

func TestTheRoundComesTenSecondsAfterWhatItDecides(t *testing.T) {
	c := Quicknet()
	cutOff := time.Date(2026, 12, 1, 12, 0, 0, 0, time.UTC)
	rule := c.NewRule(cutOff)
	if err := c.Check(rule, cutOff); err != nil {
		t.Fatal(err)
	}
	if due := c.TimeOf(rule.Round); due.Before(cutOff.Add(Margin)) || due.After(cutOff.Add(Margin+c.Period)) {
		t.Errorf("the round is due at %v", due)
	}
	if got := c.Rounds(rule, cutOff.Add(time.Second))[0]; got > rule.Round+1 {
		t.Errorf("the root is out in time, round %d counts", got)
	}
	late := cutOff.Add(time.Minute)
	first := c.Rounds(rule, late)[0]
	if due := c.TimeOf(first); due.Before(late.Add(Margin)) || due.After(late.Add(Margin+c.Period)) {
		t.Errorf("the root is late and the round is due at %v", due)
	}
}

func TestARoundThatIsLateIsGivenUpForOneThatNobodyChooses(t *testing.T) {
	c := Quicknet()
	rounds := c.Rounds(Rule{Round: 1000, WaitSeconds: 30, Tries: 3}, c.TimeOf(900))
	if !slices.Equal(rounds, []uint64{1000, 1010, 1020}) {
		t.Errorf("%v", rounds)
	}
}

func TestRulesThatAreRefused(t *testing.T) {
	c := Quicknet()
	cutOff := c.TimeOf(1000)
	for name, rule := range map[string]Rule{
		"a round that is known":   {Round: 999, WaitSeconds: 30, Tries: 3},
		"a round that comes soon": {Round: 1003, WaitSeconds: 30, Tries: 3},
		"a round of tomorrow":     {Round: 30000, WaitSeconds: 30, Tries: 3},
		"no patience":             {Round: 1010, WaitSeconds: 1, Tries: 3},
		"endless patience":        {Round: 1010, WaitSeconds: 1 << 40, Tries: 3},
		"no try":                  {Round: 1010, WaitSeconds: 30},
		"as many as one likes":    {Round: 1010, WaitSeconds: 30, Tries: 1000},
	} {
		if c.Check(rule, cutOff) == nil {
			t.Errorf("%s: accepted", name)
		}
	}
}
