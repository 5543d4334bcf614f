package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"strings"
	"time"

	"plateia/realtime/fanoutbench"
)

// runBenchFanout measures what it costs that everybody sees a change.
func runBenchFanout(ctx context.Context, e env, args []string) (err error) {
	flags := newFlags(e, "bench fanout")
	opts := fanoutbench.Options{Logger: warnings(e.stderr), Process: benchProcess}
	flags.IntVar(&opts.Viewers, "viewers", 5000, "`connections`, at most 19,000 for each gateway")
	flags.IntVar(&opts.Events, "events", 1, "`events` they look at, in equal shares")
	flags.IntVar(&opts.Rate, "rate", 100, "changed `seats` per second, all events together")
	flags.IntVar(&opts.Gateways, "gateways", 1, "gateway `processes` that share the viewers")
	flags.IntVar(&opts.Rounds, "rounds", 15, "single `changes` that are timed until the last viewer has them")
	flags.Float64Var(&opts.Overview, "overview", 0, "`share` of the viewers who look from afar and get summaries, 0 to 1")
	flags.StringVar(&opts.Centrifugo, "centrifugo", "", "`URL` of a Centrifugo 6 that runs with realtime/fanoutbench/centrifugo.json, to compare with")
	flags.StringVar(&opts.Profile, "cpuprofile", "", "`FILE` for a CPU profile of the first gateway (go tool pprof)")
	seconds := flags.Float64("seconds", 20, "`how long` seats change at the rate")
	asJSON := flags.Bool("json", false, "report as JSON")
	if err := flags.parse(args); err != nil {
		return err
	}
	if err := checkFanout(opts, *seconds); err != nil {
		return err
	}
	opts.Duration = time.Duration(*seconds * float64(time.Second))
	if opts.Dir, err = os.MkdirTemp("", "plateia-bench-fanout-"); err != nil {
		return err
	}
	defer func() { err = errors.Join(err, os.RemoveAll(opts.Dir)) }()
	report, err := fanoutbench.Run(ctx, opts, func(line string) { fmt.Fprintln(e.stderr, line) })
	if err != nil {
		return err
	}
	return printReport(e, *asJSON, report)
}

// checkFanout refuses what cannot be measured, before a process is started for it.
func checkFanout(o fanoutbench.Options, seconds float64) error {
	for _, check := range []struct {
		wrong bool
		text  string
	}{
		{o.Viewers < 1 || o.Viewers > 500_000, "--viewers: 1 to 500,000"},
		{o.Events < 1 || o.Events > 1000, "--events: 1 to 1,000"},
		{o.Rate < 0 || o.Rate > 100_000, "--rate: 0 to 100,000"},
		{o.Gateways < 1 || o.Gateways > 64, "--gateways: 1 to 64"},
		{o.Viewers > o.Gateways*fanoutbench.PerProcess, "--viewers: at most 19,000 for each gateway (see --gateways): a process may open 20,000 files"},
		{o.Rounds < 1 || o.Rounds > 1000, "--rounds: 1 to 1,000"},
		{!(o.Overview >= 0 && o.Overview <= 1), "--overview: 0 to 1"},
		{!(seconds >= 0 && seconds <= 3600), "--seconds: 0 to 3,600"},
		{o.Centrifugo != "" && !strings.HasPrefix(o.Centrifugo, "http://"), "--centrifugo: not an http:// address"},
		{o.Centrifugo != "" && o.Overview > 0, "--centrifugo: it has no summaries; leave out --overview"},
	} {
		if check.wrong {
			return errUsage{check.text}
		}
	}
	return nil
}

// benchProcess is this program again, as one part of a bench.
func benchProcess(ctx context.Context, role string) *exec.Cmd {
	self, err := os.Executable()
	if err != nil {
		self = os.Args[0]
	}
	return exec.CommandContext(ctx, self, "bench", role) //nolint:gosec // itself
}
