package main

import (
	"context"
	"encoding/json"
	"fmt"
	"log/slog"
	"time"

	"plateia/db/holdbench"
)

// runBench measures. Absolute figures move with the machine; the ratio of one run holds.
func runBench(ctx context.Context, e env, args []string) error {
	if len(args) > 0 && args[0] == "events" {
		return runBenchEvents(ctx, e, args[1:])
	}
	if len(args) == 0 || args[0] != "holds" {
		return errUsage{"usage: plateia bench holds [--mode engine|naive] [--clients N] [--seconds S] [--json]\n       plateia bench events [--events N] [--warm N] [--seats N] [--json]"}
	}
	flags := newFlags(e, "bench holds")
	opts := holdbench.Options{Logger: slog.New(slog.NewTextHandler(e.stderr, &slog.HandlerOptions{Level: slog.LevelWarn}))}
	flags.StringVar(&opts.Mode, "mode", "", "`engine` or naive; without it both, and their ratio")
	flags.IntVar(&opts.Clients, "clients", 0, "callers at the same time (default 1000 for the engine; 8, 16 and 32 for naive)")
	flags.StringVar(&opts.URL, "database", "", "`URL` of an empty database to use instead of a private PostgreSQL")
	seconds := flags.Float64("seconds", 5, "`how long` each measurement takes")
	asJSON := flags.Bool("json", false, "report as JSON")
	if err := flags.parse(args[1:]); err != nil {
		return err
	}
	switch {
	case opts.Mode != "" && opts.Mode != holdbench.Engine && opts.Mode != holdbench.Naive:
		return errUsage{fmt.Sprintf("--mode: %q is neither engine nor naive", opts.Mode)}
	case opts.Clients < 0 || opts.Clients > 100_000:
		return errUsage{"--clients: 1 to 100,000"}
	case *seconds < 0.1 || *seconds > 600:
		return errUsage{"--seconds: 0.1 to 600"}
	}
	opts.Duration = time.Duration(*seconds * float64(time.Second))
	report, err := holdbench.Run(ctx, opts, nil)
	if err != nil {
		return err
	}
	switch {
	case *asJSON && len(report.Results) == 1:
		err = json.NewEncoder(e.stdout).Encode(report.Results[0])
	case *asJSON:
		err = json.NewEncoder(e.stdout).Encode(report)
	default:
		err = report.Print(e.stdout)
	}
	for _, r := range report.Results {
		if err == nil && r.DoubleSold > 0 {
			err = errFailed
		}
	}
	return err
}
