package beacon

import (
	"errors"
	"time"
)

// Margin is the least time between the publication of what a round decides about and the
// round itself: rounds are signed a little early at the nodes, and clocks differ.
const Margin = 10 * time.Second

// Rule says which round counts. It is published before anybody enters, so that a beacon
// that is late leaves the operator nothing to choose.
type Rule struct {
	Round       uint64 `json:"round"`       // the round that counts if nothing is late
	WaitSeconds int64  `json:"waitSeconds"` // how long after a round was due it is given up
	Tries       int    `json:"tries"`       // rounds that are waited for in all; then the draw has none
}

// Bounds of a rule: an on-sale cannot wait longer, and a rule that waits less gives rounds up
// that were only slow.
const (
	minWait  = 5 * time.Second
	maxWait  = 10 * time.Minute
	maxTries = 10
)

// NewRule is the rule for a draw with its cut-off at an instant: three rounds, half a minute each.
func (c Chain) NewRule(cutOff time.Time) Rule {
	return Rule{Round: c.FirstAt(cutOff.Add(Margin)), WaitSeconds: 30, Tries: 3}
}

// Check refuses a rule whose round could be known before the cut-off, or that is out of bounds.
func (c Chain) Check(r Rule, cutOff time.Time) error {
	wait := time.Duration(r.WaitSeconds) * time.Second
	switch {
	case r.WaitSeconds > int64(maxWait/time.Second) || wait < minWait || r.Tries < 1 || r.Tries > maxTries:
		return errors.New("beacon: the waits are out of bounds")
	case r.Round < c.FirstAt(cutOff.Add(Margin)) || r.Round > c.FirstAt(cutOff.Add(time.Hour)):
		return errors.New("beacon: the round is not between ten seconds and an hour after the cut-off")
	}
	return nil
}

// Rounds are the rounds that may count, in order, when what they decide about was published at
// an instant. The second counts only if the first did not come in time, and so on.
func (c Chain) Rounds(r Rule, published time.Time) []uint64 {
	next := max(r.Round, c.FirstAt(published.Add(Margin)))
	rounds := make([]uint64, 0, min(r.Tries, maxTries))
	for range min(r.Tries, maxTries) {
		rounds = append(rounds, next)
		next = c.FirstAt(c.TimeOf(next).Add(time.Duration(r.WaitSeconds) * time.Second))
	}
	return rounds
}

// GivenUpAt is the instant until which a round is waited for.
func (c Chain) GivenUpAt(r Rule, round uint64) time.Time {
	return c.TimeOf(round).Add(time.Duration(r.WaitSeconds) * time.Second)
}
