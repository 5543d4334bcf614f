package holdbench

import (
	"fmt"
	"io"
	"math"
	"text/tabwriter"
)

// Result is one measurement. Latencies are from asking to the answer, in milliseconds.
type Result struct {
	Mode           string    `json:"mode"`
	Contention     string    `json:"contention"`
	Clients        int       `json:"clients"`
	Engines        int       `json:"engines,omitempty"`     // processes, each with an engine
	Connections    int       `json:"connections,omitempty"` // to Redis or to the API
	Offered        float64   `json:"offeredPerSecond,omitempty"`
	HoldsPerSecond float64   `json:"holdsPerSecond"`
	P50Ms          float64   `json:"p50Ms"`
	P99Ms          float64   `json:"p99Ms"`
	ClientMicros   float64   `json:"clientMicros"`           // CPU time per answer of the callers and what runs in their processes
	ServerMicros   float64   `json:"serverMicros,omitempty"` // CPU time per answer of the private server
	Retries        int64     `json:"retries"`                // transactions begun again; not known over HTTP
	DoubleSold     int       `json:"doubleSold"`             // seats in two live holds, found in the database afterwards
	Holds          int64     `json:"holds"`
	Errors         int64     `json:"errors"` // neither held nor refused as taken
	FirstError     string    `json:"firstError,omitempty"`
	Seconds        float64   `json:"seconds"`
	Slices         []float64 `json:"slices,omitempty"`      // holds per second in each turn of what was compared
	Persistence    string    `json:"persistence,omitempty"` // what Redis says it does with its data
	Race           *Race     `json:"race,omitempty"`        // with Contention Hot
}

// Race is what became of many buyers of few seats.
type Race struct {
	Seats      int     `json:"seats"`
	BuyersEach int     `json:"buyersPerSeat"`
	SeatsSold  int     `json:"seatsSold"` // seats with an owner in the database afterwards
	Refused    int64   `json:"refused"`   // told that the seat is taken
	LoserP50Ms float64 `json:"loserP50Ms"`
	LoserP99Ms float64 `json:"loserP99Ms"`
}

// Report is every measurement of a run. A run with only one repeats its members
// at the top of the JSON object. The ratios compare the best of each in this
// run and are 0 (left out) when one of the two was not measured.
type Report struct {
	*Result
	Results     []Result `json:"results"`
	Ratio       float64  `json:"ratio,omitempty"` // engine / naive
	EngineRedis float64  `json:"engineOverRedis,omitempty"`
	HTTPNaive   float64  `json:"httpOverNaive,omitempty"`

	MedianRatio     float64 `json:"ratioMedian,omitempty"` // the median of the turns' ratios
	MedianHTTPNaive float64 `json:"httpOverNaiveMedian,omitempty"`
}

func (r *Report) add(result Result) { r.Results = append(r.Results, result) }

// best is the most holds per second that a mode has reached without contention: in turns with the others, if it took any.
func (r *Report) best(mode string) (best float64) {
	inTurns := r.sliced(mode) != nil
	for _, x := range r.Results {
		if x.Contention == Spread && x.Mode == mode && (len(x.Slices) > 0 || !inTurns) {
			best = math.Max(best, x.HoldsPerSecond)
		}
	}
	return best
}

// finish adds what follows from all the measurements together.
func (r *Report) finish() {
	r.Ratio = ratio(r.best(Engine), r.best(Naive))
	r.EngineRedis = ratio(r.best(Engine), r.best(Redis))
	r.HTTPNaive = ratio(r.best(HTTP), r.best(Naive))
	r.MedianRatio, r.MedianHTTPNaive = r.medianRatio(Engine, Naive), r.medianRatio(HTTP, Naive)
	if len(r.Results) == 1 {
		r.Result = &r.Results[0]
	}
}

func ratio(a, b float64) float64 {
	if b == 0 {
		return 0
	}
	return math.Round(100*a/b) / 100
}

// Wrong says what a run found that must not be; nil when there is nothing.
func (r Report) Wrong() error {
	for _, x := range r.Results {
		switch {
		case x.DoubleSold > 0:
			return fmt.Errorf("%s: %d seats are sold twice or lost", x.Mode, x.DoubleSold)
		case x.Race != nil && x.Race.SeatsSold != x.Race.Seats:
			return fmt.Errorf("%s: %d of %d contested seats are sold", x.Mode, x.Race.SeatsSold, x.Race.Seats)
		case x.Holds == 0:
			return fmt.Errorf("%s: not one hold succeeded", x.Mode)
		}
	}
	return nil
}

// Print writes the report as people read it.
func (r Report) Print(w io.Writer) error {
	t := tabwriter.NewWriter(w, 0, 0, 2, ' ', tabwriter.AlignRight)
	fmt.Fprintln(t, "mode\tclients\toffered/s\tholds/s\tp50 ms\tp99 ms\tretries\terrors\tdouble sold\tclient µs\tserver µs\t")
	for _, x := range r.Results {
		fmt.Fprintf(t, "%s\t%d\t%s\t%.0f\t%.1f\t%.1f\t%d\t%d\t%d\t%.1f\t%.1f\t\n", x.title(), x.Clients, x.offered(),
			x.HoldsPerSecond, x.P50Ms, x.P99Ms, x.Retries, x.Errors, x.DoubleSold, x.ClientMicros, x.ServerMicros)
	}
	if err := t.Flush(); err != nil {
		return err
	}
	for _, x := range r.Results {
		x.printRest(w)
	}
	for _, q := range []struct {
		name          string
		value, median float64
	}{{"engine / best naive", r.Ratio, r.MedianRatio}, {"engine / best redis", r.EngineRedis, 0}, {"http / best naive", r.HTTPNaive, r.MedianHTTPNaive}} {
		if q.value == 0 {
			continue
		}
		fmt.Fprintf(w, "%s = %.2f", q.name, q.value)
		if q.median > 0 {
			fmt.Fprintf(w, ", median of the turns %.2f", q.median)
		}
		fmt.Fprintln(w)
	}
	return nil
}

func (x Result) summary() string {
	return fmt.Sprintf("  %.0f holds/s, p50 %.1f ms, p99 %.1f ms", x.HoldsPerSecond, x.P50Ms, x.P99Ms)
}

func (x Result) title() string {
	name := x.Mode
	if x.Engines > 1 {
		name = fmt.Sprintf("%s ×%d", name, x.Engines)
	}
	if x.Contention == Hot {
		name += " hot"
	}
	return name
}

func (x Result) offered() string {
	if x.Offered == 0 {
		return "all"
	}
	return fmt.Sprintf("%.0f", x.Offered)
}

// printRest is what has no column.
func (x Result) printRest(w io.Writer) {
	if len(x.Slices) > 0 {
		fmt.Fprintf(w, "%s, %d clients, holds/s by turn: %.0f, median %.0f\n", x.title(), x.Clients, x.Slices, median(x.Slices))
	}
	if x.FirstError != "" {
		fmt.Fprintf(w, "%s: %d errors, the first: %.300s\n", x.title(), x.Errors, x.FirstError)
	}
	if x.Persistence != "" {
		fmt.Fprintf(w, "%s: %d connections, %s\n", x.Mode, x.Connections, x.Persistence)
	}
	if x.Race != nil {
		fmt.Fprintf(w, "%s: %d buyers for each of %d seats: %d seats sold, %d refused, losers p50 %.1f ms, p99 %.1f ms\n", x.title(),
			x.Race.BuyersEach, x.Race.Seats, x.Race.SeatsSold, x.Race.Refused, x.Race.LoserP50Ms, x.Race.LoserP99Ms)
	}
}
