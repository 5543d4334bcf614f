package audit

import (
	"crypto/sha256"
	"errors"
	"fmt"
	"math"
	"slices"
	"time"

	"plateia/waitingroom/draw"
)

// epoch checks one epoch, as far as it came.
func (a *auditor) epoch(e *epoch) {
	c := e.commitment
	when := "before the sale"
	if !c.At.Before(c.OnSaleAt) {
		when = "the sale had begun, so there is no lottery"
	}
	a.report.add(e.number, "commitment", a.rule(e), "%s: secret, configuration and round %d", when, c.Rule.Round)
	if e.reset != nil {
		a.report.add(e.number, "reset", nil, "it was started over: %q", e.reset.Reason)
	}
	if e.cut == nil {
		a.report.skip(e.number, "log root", "the log was not cut off")
		return
	}
	a.log(e)
	if e.reveal == nil {
		a.report.skip(e.number, "seed", "the draw was not made")
		return
	}
	a.draw(e)
	a.ranks(e)
	a.frontiers(e)
	a.admissions(e)
}

func (a *auditor) rule(e *epoch) error {
	c := e.commitment
	switch {
	case c.Chain != a.Chain.Hash:
		return fmt.Errorf("the beacon is %s, which this program does not believe", c.Chain)
	case !c.At.Before(c.OnSaleAt) && e.cut != nil && e.cut.Lottery > 0:
		return errors.New("the commitment was made after the sale began, and lots were drawn all the same")
	}
	return a.Chain.Check(c.Rule, c.OnSaleAt)
}

// log recomputes the log's root from its entries, and checks the entries.
func (a *auditor) log(e *epoch) {
	root, count := draw.LogRoot(e.cut.Shards)
	var err error
	if root != e.cut.Root || count != e.cut.Count || len(e.cut.Shards) != draw.Shards {
		err = errors.New("root and count do not follow from the shards")
	}
	if e.cut.At.Before(e.commitment.OnSaleAt) {
		err = errors.Join(err, errors.New("the log was cut off before the sale began"))
	}
	if e.cut.Lottery > count {
		err = errors.Join(err, errors.New("it counts more entries in the lottery than in the log"))
	}
	a.report.add(e.number, "cut-off", err, "%d entries in %d shards, %d in the lottery", count, len(e.cut.Shards), e.cut.Lottery)
	if e.data == nil || e.data.Entries == nil {
		a.report.skip(e.number, "log root", "the record carries no entries")
		a.report.skip(e.number, "entries", "the record carries no entries")
		return
	}
	if len(e.cut.Shards) != draw.Shards {
		return
	}
	var log draw.Log
	var wrong problems
	seen, newest := make(map[string]bool, len(e.data.Entries)), [draw.Shards]int64{}
	e.tiers, e.counted = nil, true
	for _, entry := range e.data.Entries {
		shard := draw.ShardOf(entry.Pseudonym)
		late := log[shard].Count() >= e.cut.Shards[shard].Count
		wrong.add(entry, checkEntry(entry, e.commitment.OnSaleAt, late, seen[entry.Pseudonym], newest[shard]))
		seen[entry.Pseudonym], newest[shard] = true, max(newest[shard], entry.EnteredAt)
		if late {
			continue
		}
		log.Add(entry)
		if entry.Class == draw.Lottery && entry.Tier >= 0 && entry.Tier < draw.MaxTiers {
			e.tiers = append(e.tiers, make([]int64, max(0, entry.Tier+1-len(e.tiers)))...)
			e.tiers[entry.Tier]++
		}
	}
	a.report.add(e.number, "log root", compareRoots(log.Roots(), e.cut.Shards), "recomputed from %d entries: %s", e.cut.Count, root)
	a.report.add(e.number, "entries", errors.Join(wrong.err(), e.lottery()), "%d, one for each account, classes as their times say, in order", len(e.data.Entries))
}

// lottery compares the counted entries with what was signed at the cut-off.
func (e *epoch) lottery() error {
	drawn := uint64(0)
	for _, n := range e.tiers {
		drawn += uint64(n)
	}
	if drawn != e.cut.Lottery {
		return fmt.Errorf("%d are in the lottery; signed at the cut-off were %d", drawn, e.cut.Lottery)
	}
	return nil
}

// skew is how far the clocks of the log's keepers may differ.
const skew = 5 * time.Second

func checkEntry(entry draw.Entry, onSale time.Time, afterCut, twice bool, newest int64) error {
	switch class := draw.ClassAt(time.UnixMilli(entry.EnteredAt), onSale); {
	case entry.Check() != nil:
		return entry.Check()
	case twice:
		return errors.New("the account has two entries")
	case entry.Class != class:
		return fmt.Errorf("it is in the %s class and was made in the time of the %s class", entry.Class, class)
	case afterCut && entry.Class != draw.Late:
		return errors.New("it is dated before the cut-off and was not in the log then")
	case entry.EnteredAt < newest-skew.Milliseconds():
		return errors.New("it is dated before entries that stand before it")
	}
	return nil
}

func compareRoots(got, want []draw.ShardRoot) error {
	for i := range got {
		if got[i] != want[i] {
			return fmt.Errorf("shard %d has %d entries with root %s; signed at the cut-off were %d with %s", i, got[i].Count, got[i].Root, want[i].Count, want[i].Root)
		}
	}
	return nil
}

// problems keeps the first few and counts the rest.
type problems struct {
	first []error
	count int
}

func (p *problems) add(entry draw.Entry, err error) {
	if err == nil {
		return
	}
	if p.count++; len(p.first) < 3 {
		p.first = append(p.first, fmt.Errorf("entry of %s: %w", entry.Pseudonym, err))
	}
}

func (p *problems) err() error {
	if p.count > len(p.first) {
		return errors.Join(append(p.first, fmt.Errorf("and %d more", p.count-len(p.first)))...)
	}
	return errors.Join(p.first...)
}

// draw checks secret, beacon and seed.
func (a *auditor) draw(e *epoch) {
	c, r := e.commitment, e.reveal
	var err error
	if draw.HashSecret(r.Secret) != c.Secret {
		err = errors.New("the secret is not the one that was committed to")
	}
	a.report.add(e.number, "secret", err, "its hash was published before the sale")
	if a.rule(e) == nil { // else there is no round to expect, and that was reported
		a.beacon(e)
	}
	seed, err := draw.Seed(r.Secret, r.Beacon, sha256.Sum256(c.Configuration), e.cut.Root)
	if err == nil && seed != r.Seed {
		err = fmt.Errorf("recomputed is %s, published %s", seed, r.Seed)
	}
	a.report.add(e.number, "seed", err, "recomputed: %s", seed)
}

func (a *auditor) beacon(e *epoch) {
	c, r := e.commitment, e.reveal
	rounds := a.Chain.Rounds(c.Rule, e.cut.At)
	if r.Beacon == nil && e.cut.Lottery == 0 {
		a.report.skip(e.number, "beacon", "nobody was in the lottery: nothing was drawn")
		return
	}
	if r.Beacon == nil {
		a.report.skip(e.number, "beacon", "no round came in time: this draw is not publicly verifiable")
		if !slices.Equal(r.Skipped, rounds) || r.At.Before(a.Chain.GivenUpAt(c.Rule, rounds[len(rounds)-1])) {
			a.report.add(e.number, "beacon round", errors.New("the draw did not wait for the rounds that its rule names"), "")
		}
		return
	}
	var err error
	if at := len(r.Skipped); at >= len(rounds) || rounds[at] != r.Beacon.Round || !slices.Equal(r.Skipped, rounds[:at]) {
		err = fmt.Errorf("round %d after skipping %v; the rule names %v in this order", r.Beacon.Round, r.Skipped, rounds)
	} else if at > 0 && r.At.Before(a.Chain.GivenUpAt(c.Rule, rounds[at-1])) {
		err = errors.New("a round was skipped before its time was over")
	}
	a.report.add(e.number, "beacon round", err, "%d, the one that the published rule names, %d skipped as late", r.Beacon.Round, len(r.Skipped))
	a.report.add(e.number, "beacon signature", a.Chain.Verify(*r.Beacon), "by the chain's key")
}

// ranks recomputes every rank, and tests that they are spread evenly.
func (a *auditor) ranks(e *epoch) {
	if e.data == nil || len(e.data.Entries) == 0 {
		a.report.skip(e.number, "ranks", "the record carries no entries")
		return
	}
	const bins = 64
	var counts [bins]int
	ranker := draw.NewRanker(e.reveal.Seed, a.Event, e.number)
	e.ranks = make(map[string]ranked, len(e.data.Entries))
	for _, entry := range e.data.Entries {
		r := ranker.Rank(entry.Pseudonym)
		e.ranks[entry.Pseudonym] = ranked{entry, r}
		counts[min(int(r.Fraction()*bins), bins-1)]++
	}
	var err error
	if p := uniformity(counts[:]); len(e.ranks) >= bins*5 && p < 1e-6 {
		err = fmt.Errorf("they are not spread evenly (p = %.1g)", p)
	}
	a.report.add(e.number, "ranks", err, "%d recomputed", len(e.ranks))
	if own, ok := e.ranks[a.Account]; ok {
		a.report.Rank, a.report.Place = own.rank.String(), 1
		for _, other := range e.ranks {
			if other.entry.Class == own.entry.Class && other.entry.Tier == own.entry.Tier && other.rank < own.rank {
				a.report.Place++
			}
		}
	}
}

// uniformity is the probability of counts as uneven as these or more, by the chi-square
// test in the approximation of Wilson and Hilferty.
func uniformity(counts []int) float64 {
	total, chi := 0, 0.0
	for _, n := range counts {
		total += n
	}
	mean := float64(total) / float64(len(counts))
	for _, n := range counts {
		chi += (float64(n) - mean) * (float64(n) - mean) / mean
	}
	k := float64(len(counts) - 1)
	z := (math.Cbrt(chi/k) - (1 - 2/(9*k))) / math.Sqrt(2/(9*k))
	return math.Erfc(z/math.Sqrt2) / 2
}
