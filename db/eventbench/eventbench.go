// Package eventbench measures what very many listed events cost: how quickly a
// search answers, and how much memory a process needs for the listed and for the
// warm ones. It fills a private database that it starts and removes.
package eventbench

import (
	"cmp"
	"context"
	"fmt"
	"io"
	"log/slog"
	"text/tabwriter"
	"time"

	"plateia/core/inventory"
	"plateia/db"
	"plateia/db/scratch"
)

// Options of Run.
type Options struct {
	Events int          // listed events; 0: 500,000
	Warm   int          // events with seats, all of which are made warm; 0: 1,000
	Seats  int          // seats of each of those; 0: 2,000
	Rounds int          // how often each search is asked; 0: 40
	URL    string       // an empty database to use instead of a private PostgreSQL
	Logger *slog.Logger // nil: discard
}

// Report is what was measured. Memory is resident, of this process, after collecting garbage.
type Report struct {
	Events         int      `json:"events"`
	Warm           int      `json:"warm"`
	SeatsPerWarm   int      `json:"seatsPerWarm"`
	FillSeconds    float64  `json:"fillSeconds"`
	DatabaseMB     float64  `json:"databaseMB"`
	IndexMB        float64  `json:"indexMB"` // of the event table
	Searches       []Search `json:"searches"`
	P99Ms          float64  `json:"p99Ms"`          // of all typical searches together
	EmptyMB        float64  `json:"emptyMB"`        // before anything was asked
	ListedMB       float64  `json:"listedMB"`       // after the searches
	WarmMB         float64  `json:"warmMB"`         // after warming
	BytesPerListed float64  `json:"bytesPerListed"` // (listed - empty) / events
	BytesPerWarm   float64  `json:"bytesPerWarm"`   // (warm - listed) / warm
	WarmMsEach     float64  `json:"warmMsEach"`     // to make one event warm, seats read from the database
}

// Search is the latency of one kind of search, from asking to the events.
type Search struct {
	Kind  string  `json:"kind"`
	Text  string  `json:"text"` // an example
	Odd   bool    `json:"odd"`  // not typical, and not in the report's P99Ms
	Found int     `json:"found"`
	P50Ms float64 `json:"p50Ms"`
	P99Ms float64 `json:"p99Ms"`
}

// Run fills a database and measures.
func Run(ctx context.Context, opts Options) (report Report, err error) {
	opts.Events, opts.Warm = cmp.Or(opts.Events, 500_000), cmp.Or(opts.Warm, 1000)
	opts.Seats, opts.Rounds = cmp.Or(opts.Seats, 2000), cmp.Or(opts.Rounds, 40)
	if opts.Warm > opts.Events {
		return report, fmt.Errorf("eventbench: %d of %d events cannot be warm", opts.Warm, opts.Events)
	}
	session := map[string]string{"statement_timeout": "10min"} // of filling
	house, err := scratch.Open(ctx, scratch.Options{
		URL: opts.URL, DB: db.Options{MaxConns: 8, Application: "plateia-bench", Logger: opts.Logger, Session: session},
	})
	if err != nil {
		return report, err
	}
	defer house.Close()
	d := house.DB
	report = Report{Events: opts.Events, Warm: opts.Warm, SeatsPerWarm: opts.Seats}
	began := time.Now()
	warm, err := fill(ctx, d, opts)
	if err != nil {
		return report, err
	}
	report.FillSeconds = time.Since(began).Seconds()
	if err := sizes(ctx, d, &report); err != nil {
		return report, err
	}
	catalog := db.NewCatalog(d)
	report.EmptyMB = residentMB()
	if err := searches(ctx, catalog, opts, &report); err != nil {
		return report, err
	}
	report.ListedMB = residentMB()
	report.BytesPerListed = max(0, report.ListedMB-report.EmptyMB) * 1e6 / float64(opts.Events)
	store, err := db.OpenInventory(ctx, d, 4)
	if err != nil {
		return report, err
	}
	defer store.Close()
	inv := inventory.New(store, catalog, nil, inventory.Options{WarmEvents: opts.Warm + 1})
	began = time.Now()
	for _, event := range warm {
		if _, err := inv.Availability(ctx, event); err != nil {
			return report, err
		}
	}
	report.WarmMsEach = float64(time.Since(began).Milliseconds()) / float64(len(warm))
	report.WarmMB = residentMB()
	report.BytesPerWarm = max(0, report.WarmMB-report.ListedMB) * 1e6 / float64(len(warm))
	return report, inv.Stop(ctx)
}

// Print writes the report as people read it.
func (r Report) Print(w io.Writer) error {
	fmt.Fprintf(w, "%d events filled in %.0f s; the database has %.0f MB, of which %.0f MB are indexes of events\n\n",
		r.Events, r.FillSeconds, r.DatabaseMB, r.IndexMB)
	t := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
	fmt.Fprintln(t, "search\texample\tfound\tp50 ms\tp99 ms")
	for _, s := range r.Searches {
		fmt.Fprintf(t, "%s\t%s\t%d\t%.1f\t%.1f\n", s.Kind, s.Text, s.Found, s.P50Ms, s.P99Ms)
	}
	if err := t.Flush(); err != nil {
		return err
	}
	_, err := fmt.Fprintf(w, "all typical searches (without the year's): p99 %.1f ms\n\nresident memory: %.0f MB before, %.0f MB after searching (%.0f bytes a listed event), %.0f MB with %d warm events of %d seats (%.0f kB each, %.1f ms to warm one)\n",
		r.P99Ms, r.EmptyMB, r.ListedMB, r.BytesPerListed, r.WarmMB, r.Warm, r.SeatsPerWarm, r.BytesPerWarm/1000, r.WarmMsEach)
	return err
}
