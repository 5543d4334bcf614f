package main

import (
	"context"
	"log/slog"

	"plateia/db/eventbench"
)

// runBenchEvents measures what very many listed events cost.
func runBenchEvents(ctx context.Context, e env, args []string) error {
	flags := newFlags(e, "bench events")
	opts := eventbench.Options{Logger: slog.New(slog.NewTextHandler(e.stderr, &slog.HandlerOptions{Level: slog.LevelWarn}))}
	flags.IntVar(&opts.Events, "events", 500_000, "`listed` events")
	flags.IntVar(&opts.Warm, "warm", 1000, "`how many` of them have seats and are made warm")
	flags.IntVar(&opts.Seats, "seats", 2000, "`seats` of each warm event")
	flags.IntVar(&opts.Rounds, "rounds", 40, "`how often` each search is asked")
	flags.StringVar(&opts.URL, "database", "", "`URL` of an empty database to use instead of a private PostgreSQL")
	asJSON := flags.Bool("json", false, "report as JSON")
	if err := flags.parse(args); err != nil {
		return err
	}
	switch {
	case opts.Events < 100 || opts.Events > 10_000_000:
		return errUsage{"--events: 100 to 10,000,000"}
	case opts.Warm < 1 || opts.Warm > opts.Events || opts.Warm > 100_000:
		return errUsage{"--warm: 1 to 100,000, and not more than --events"}
	case opts.Seats < 1 || opts.Seats > 100_000:
		return errUsage{"--seats: 1 to 100,000"}
	case opts.Rounds < 1 || opts.Rounds > 10_000:
		return errUsage{"--rounds: 1 to 10,000"}
	}
	report, err := eventbench.Run(ctx, opts)
	if err != nil {
		return err
	}
	return printReport(e, *asJSON, report)
}
