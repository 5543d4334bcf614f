package holdbench

import (
	"context"
	"errors"
	"slices"
	"time"

	"plateia/db"
)

// What is compared is measured in turns, a slice of each after the other until all have had their time: the
// processor's speed changes from one second to the next on a machine that is shared, and so it changes for all of them.
const (
	turns = 5
	// sluggish turns come before those and are not counted: on a server of a minute's age the log grows into files and
	// memory that nobody has touched, and holds are slower by a third.
	sluggish = 1
	// settling is the part of a slice whose answers are not counted: when it begins nobody waits yet, and when it ends
	// all callers do. What is answered between is what goes on for as long as people come. A tenth of a second is three
	// or four answers to each of a thousand callers.
	settling = 0.1
)

// onSales is how many events a round sells at least. The engine begins each slice with another one, prepared: it is an
// on-sale that is measured, and nowhere do a thousand fans leave one event for the next in the same instant.
func (r round) onSales() int {
	if r.mode == Engine {
		return sluggish + turns
	}
	return 1
}

// station is a round that is ready to be measured, a slice at a time.
type station struct {
	round
	supply *supply
	holder holder
	sum    tally
	rates  []float64 // holds per second, by slice
	server time.Duration
}

// alternate measures rounds in turns, each for opts.Duration in all, and adds their results to the report.
func alternate(ctx context.Context, d *db.DB, rounds []round, opts Options, report *Report) (err error) {
	var stations []*station
	defer func() {
		for _, s := range stations {
			err = errors.Join(err, s.holder.close(ctx))
		}
	}()
	for _, r := range rounds {
		s, err := openStation(ctx, d, r, opts)
		if err != nil {
			return err
		}
		stations = append(stations, s)
	}
	for turn := range sluggish + turns {
		for _, s := range stations {
			s.turn(ctx, opts, turn >= sluggish)
		}
	}
	for _, s := range stations {
		result := s.sum.result(s.round)
		result.ServerMicros, result.Slices, result.Retries = each(s.server, s.sum.answers()), s.rates, s.holder.retries()
		if result.DoubleSold, err = over(ctx, d, s.supply.events); err != nil {
			return err
		}
		report.add(result)
	}
	return nil
}

func openStation(ctx context.Context, d *db.DB, r round, opts Options) (*station, error) {
	s, err := stock(ctx, d, min(opts.AtMost, supplyFor(r, opts.Duration+opts.Duration*sluggish/turns)), r.onSales())
	if err != nil {
		return nil, err
	}
	h, err := newHolder(ctx, d, s, r, opts)
	if err != nil {
		return nil, err
	}
	if err := warm(ctx, h, s); err != nil {
		return nil, errors.Join(err, h.close(ctx))
	}
	return &station{round: r, supply: s, holder: h, sum: newTally()}, nil
}

func (s *station) turn(ctx context.Context, opts Options, counted bool) {
	length := opts.Duration / turns
	if s.onSales() > 1 {
		s.supply.another()
	}
	settle := time.Duration(settling * float64(length))
	if !counted {
		drive(ctx, s.holder, s.supply, s.round, length, settle)
		return
	}
	opts.Measuring(true)
	before := opts.meter.read()
	t := drive(ctx, s.holder, s.supply, s.round, length, settle)
	s.server += opts.meter.read().server - before.server
	opts.Measuring(false)
	s.rates = append(s.rates, t.rate())
	s.sum.follow(t)
}

// follow adds what was seen afterwards.
func (t *tally) follow(next tally) {
	elapsed := t.elapsed + next.elapsed
	t.merge(next)
	t.elapsed = elapsed
}

// median of a list that has any; 0 of none.
func median(list []float64) float64 {
	if len(list) == 0 {
		return 0
	}
	sorted := slices.Sorted(slices.Values(list))
	return (sorted[(len(sorted)-1)/2] + sorted[len(sorted)/2]) / 2
}

// medianRatio is the median, over the turns, of what the better of a's rounds did to what the best of b's did in the same turn.
func (r *Report) medianRatio(a, b string) float64 {
	x, y := r.sliced(a), r.sliced(b)
	ratios := make([]float64, 0, turns)
	for i := range min(len(x), len(y)) {
		if y[i] > 0 {
			ratios = append(ratios, x[i]/y[i])
		}
	}
	return ratio(median(ratios), 1)
}

// sliced is the slices of the mode's best round.
func (r *Report) sliced(mode string) (best []float64) {
	most := 0.0
	for _, x := range r.Results {
		if x.Mode == mode && len(x.Slices) > 0 && x.HoldsPerSecond > most {
			best, most = x.Slices, x.HoldsPerSecond
		}
	}
	return best
}
