// Package holdbench measures holds per second on a private database that it
// starts and removes: the engine against one transaction per hold, both with two
// seats, both durable (fsync on), both checked for double sales at the end.
//
// Both sell the same kind of seats at the same isolation level. The naive way has
// no limits, no replacement, no idempotency and no expiry; the engine has them all on.
package holdbench

import (
	"cmp"
	"context"
	"fmt"
	"io"
	"log/slog"
	"math"
	"os"
	"text/tabwriter"
	"time"

	"plateia/db"
	"plateia/db/privatepg"
)

// Modes of a run.
const (
	Engine = "engine"
	Naive  = "naive"
)

// Options of Run.
type Options struct {
	Mode     string        // Engine, Naive, or "": naive at 8, 16 and 32 clients, engine at 1,000
	Clients  int           // 0: 1,000 for the engine, 16 for naive
	Duration time.Duration // of each measurement; 0: 5 s
	URL      string        // a database to use instead of a private PostgreSQL; its schema is migrated
	Logger   *slog.Logger  // nil: discard

	Settings map[string]string // of the private server, on top of the product's

	Measuring func(begins bool) // told when a measurement begins and has ended, for profiles; nil: nobody

	meter meter
}

// Result is one measurement. Latencies are from asking to the answer.
type Result struct {
	Mode           string  `json:"mode"`
	Clients        int     `json:"clients"`
	HoldsPerSecond float64 `json:"holdsPerSecond"`
	P50Ms          float64 `json:"p50Ms"`
	P99Ms          float64 `json:"p99Ms"`
	Retries        int64   `json:"retries"`    // transactions begun again
	DoubleSold     int     `json:"doubleSold"` // seats in two live holds, found in the database afterwards
	Holds          int64   `json:"holds"`
	Errors         int64   `json:"errors"`
	Seconds        float64 `json:"seconds"`
	ClientMicros   float64 `json:"clientMicros"`           // CPU time per hold of this process: callers and engine
	ServerMicros   float64 `json:"serverMicros,omitempty"` // CPU time per hold of the private server
}

// Report is every measurement of a run. Ratio is engine over the best naive, 0 when only one was run.
type Report struct {
	Results []Result `json:"results"`
	Ratio   float64  `json:"ratio,omitempty"`
}

// Run measures. Each measurement is handed to progress (may be nil) when it is done.
func Run(ctx context.Context, opts Options, progress func(Result)) (Report, error) {
	d, stop, err := open(ctx, &opts)
	if err != nil {
		return Report{}, err
	}
	defer stop()
	var report Report
	for _, round := range rounds(opts) {
		result, err := measure(ctx, d, round, opts)
		if err != nil {
			return report, err
		}
		report.Results = append(report.Results, result)
		if progress != nil {
			progress(result)
		}
	}
	report.Ratio = ratio(report.Results)
	return report, nil
}

type round struct {
	mode    string
	clients int
}

func rounds(opts Options) []round {
	switch {
	case opts.Mode == Engine && opts.Clients == 0:
		return []round{{Engine, 1000}}
	case opts.Mode == Naive && opts.Clients == 0:
		return []round{{Naive, 16}}
	case opts.Mode != "":
		return []round{{opts.Mode, opts.Clients}}
	}
	return []round{{Naive, 8}, {Naive, 16}, {Naive, 32}, {Engine, cmp.Or(opts.Clients, 1000)}}
}

func ratio(results []Result) float64 {
	best := map[string]float64{}
	for _, r := range results {
		best[r.Mode] = math.Max(best[r.Mode], r.HoldsPerSecond)
	}
	if best[Naive] == 0 {
		return 0
	}
	return math.Round(100*best[Engine]/best[Naive]) / 100
}

// open connects to the database given or to a private one. privatepg says when there are no binaries.
func open(ctx context.Context, opts *Options) (*db.DB, func(), error) {
	if opts.URL != "" {
		return migrated(ctx, opts, opts.URL, func() {})
	}
	dir, err := os.MkdirTemp("", "plateia-bench-")
	if err != nil {
		return nil, nil, err
	}
	if err := os.Chmod(dir, 0o755); err != nil { //nolint:gosec // the server runs as another user
		return nil, nil, err
	}
	pg, err := privatepg.Start(ctx, privatepg.Options{Dir: dir, Logger: opts.Logger, Settings: opts.Settings})
	if err != nil {
		os.RemoveAll(dir)
		return nil, nil, fmt.Errorf("holdbench: %w", err)
	}
	opts.meter.server = pg.PID()
	return migrated(ctx, opts, pg.URL(privatepg.Database), func() {
		ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), 30*time.Second)
		defer cancel()
		_ = pg.Stop(ctx)
		os.RemoveAll(dir)
	})
}

func migrated(ctx context.Context, opts *Options, url string, stop func()) (*db.DB, func(), error) {
	d, err := db.Open(ctx, url, db.Options{MaxConns: 64, Application: "plateia-bench", Logger: opts.Logger})
	if err != nil {
		stop()
		return nil, nil, err
	}
	end := func() { d.Close(); stop() }
	if _, err := d.Up(ctx); err != nil {
		end()
		return nil, nil, err
	}
	return d, end, nil
}

// Print writes the report as people read it.
func (r Report) Print(w io.Writer) error {
	t := tabwriter.NewWriter(w, 0, 0, 2, ' ', tabwriter.AlignRight)
	fmt.Fprintln(t, "mode\tclients\tholds/s\tp50 ms\tp99 ms\tretries\tdouble sold\tclient µs\tserver µs\t")
	for _, x := range r.Results {
		fmt.Fprintf(t, "%s\t%d\t%.0f\t%.1f\t%.1f\t%d\t%d\t%.1f\t%.1f\t\n", x.Mode, x.Clients, x.HoldsPerSecond, x.P50Ms, x.P99Ms, x.Retries, x.DoubleSold, x.ClientMicros, x.ServerMicros)
	}
	if err := t.Flush(); err != nil {
		return err
	}
	if r.Ratio > 0 {
		fmt.Fprintf(w, "engine / best naive = %.1f\n", r.Ratio)
	}
	return nil
}
