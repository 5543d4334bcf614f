package main

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"log/slog"
	"os"
	"os/exec"
	"runtime/pprof"
	"slices"
	"strings"
	"time"

	"plateia/db/holdbench"
	"plateia/realtime/fanoutbench"
)

const benchUsage = `usage: plateia bench holds [--mode engine|naive|http] [--contention spread|hot] [--clients N] [--engines N]
                           [--seconds S] [--redis ADDR|auto] [--database URL] [--json]
       plateia bench events [--events N] [--warm N] [--seats N] [--json]
       plateia bench fanout [--viewers N] [--events E] [--rate R] [--seconds S] [--gateways K] [--overview SHARE]
                            [--centrifugo URL] [--json]
       plateia bench queue [--mints N] [--gates N] [--clients N] [--seconds S] [--json]`

// runBench measures. Absolute figures move with the machine; the ratios of one run hold.
func runBench(ctx context.Context, e env, args []string) error {
	switch {
	case len(args) > 0 && args[0] == "holds":
		return runBenchHolds(ctx, e, args[1:])
	case len(args) > 0 && args[0] == "events":
		return runBenchEvents(ctx, e, args[1:])
	case len(args) > 0 && args[0] == "fanout":
		return runBenchFanout(ctx, e, args[1:])
	case len(args) > 0 && args[0] == "queue":
		return runBenchQueue(ctx, e, args[1:])
	case len(args) == 1 && args[0] == fanoutbench.RoleGateway: // a process of bench fanout, and so is the next
		e.collectForGateway()
		return fanoutbench.ServeGateway(ctx, os.Stdin, os.Stdout, warnings(e.stderr))
	case len(args) == 1 && args[0] == fanoutbench.RoleViewers:
		return fanoutbench.ServeViewers(ctx, os.Stdin, os.Stdout)
	case len(args) == 1 && args[0] == "worker": // a process of bench holds --engines N
		return holdbench.Work(ctx, os.Stdin, os.Stdout, warnings(e.stderr))
	}
	return errUsage{benchUsage}
}

func runBenchHolds(ctx context.Context, e env, args []string) error {
	flags := newFlags(e, "bench holds")
	var strangers bool
	opts := holdbench.Options{Logger: warnings(e.stderr), Site: benchSite(e, &strangers), Worker: benchWorker}
	flags.StringVar(&opts.Mode, "mode", "", "`engine`, naive or http (the API's own listener); without it all of them, and their ratios")
	flags.StringVar(&opts.Contention, "contention", holdbench.Spread, "`spread`: everybody wants other seats; hot: 200 buyers for each of 500 seats")
	flags.IntVar(&opts.Clients, "clients", 0, "callers at the same time (default 1000 for the engine, 16 for naive, 500 over HTTP)")
	flags.IntVar(&opts.Engines, "engines", 1, "engine processes that share the callers, 1 to 8")
	flags.StringVar(&opts.URL, "database", "", "`URL` of an empty database to use instead of a private PostgreSQL")
	flags.StringVar(&opts.Redis, "redis", "", "`ADDR` (host:port or socket) of a Redis to compare with, or auto for a private one")
	flags.BoolVar(&strangers, "strangers", false, "over HTTP, fans whom another process has let in: this one has not seen their tokens")
	seconds := flags.Float64("seconds", 5, "`how long` each measurement takes")
	profile := flags.String("cpuprofile", "", "`FILE` for a CPU profile of the first measurement (go tool pprof)")
	asJSON := flags.Bool("json", false, "report as JSON")
	if err := flags.parse(args); err != nil {
		return err
	}
	if err := checkBench(opts, *seconds); err != nil {
		return err
	}
	if *profile != "" {
		file, err := os.Create(*profile)
		if err != nil {
			return errUsage{"--cpuprofile: " + err.Error()}
		}
		defer file.Close()
		opts.Measuring = profileFirst(file)
	}
	opts.Duration = time.Duration(*seconds * float64(time.Second))
	report, err := holdbench.Run(ctx, opts, func(line string) { fmt.Fprintln(e.stderr, line) })
	if err != nil {
		return err
	}
	err = printReport(e, *asJSON, report)
	if wrong := report.Wrong(); err == nil && wrong != nil {
		fmt.Fprintln(e.stderr, "plateia bench:", wrong)
		err = errFailed
	}
	return err
}

// printReport prints a benchmark's report, for programs or for people.
func printReport(e env, asJSON bool, report interface{ Print(io.Writer) error }) error {
	if asJSON {
		return json.NewEncoder(e.stdout).Encode(report)
	}
	return report.Print(e.stdout)
}

// checkBench refuses what cannot be measured, before a server is started for it.
func checkBench(o holdbench.Options, seconds float64) error {
	modes := []string{"", holdbench.Engine, holdbench.Naive, holdbench.HTTP}
	most := map[string]int{"": 20_000, holdbench.Engine: 20_000, holdbench.Naive: 100, holdbench.HTTP: 4000}
	for _, check := range []struct {
		wrong bool
		text  string
	}{
		{!slices.Contains(modes, o.Mode), fmt.Sprintf("--mode: %q is none of engine, naive, http", o.Mode)},
		{o.Contention != holdbench.Spread && o.Contention != holdbench.Hot, fmt.Sprintf("--contention: %q is neither spread nor hot", o.Contention)},
		{o.Contention == holdbench.Hot && o.Mode != holdbench.Engine && o.Mode != holdbench.HTTP, "--contention hot: needs --mode engine or http"},
		{o.Clients < 0 || o.Clients > most[o.Mode], fmt.Sprintf("--clients: 1 to %d", most[o.Mode])},
		{o.Engines < 1 || o.Engines > 8, "--engines: 1 to 8"},
		{o.Engines > 1 && o.Mode != holdbench.Engine, "--engines: more than one needs --mode engine"},
		{!(seconds >= 0.1 && seconds <= 60), "--seconds: 0.1 to 60"},
		{o.Redis != "" && o.Contention == holdbench.Hot, "--redis: only with --contention spread"},
		{o.Redis != "" && !holdbench.ValidRedis(o.Redis), fmt.Sprintf("--redis: %q is neither host:port, nor the path of a socket, nor auto", o.Redis)},
		{o.URL != "" && !strings.HasPrefix(o.URL, "postgres://") && !strings.HasPrefix(o.URL, "postgresql://"), "--database: not a postgres:// or postgresql:// address"},
	} {
		if check.wrong {
			return errUsage{strings.TrimSpace(check.text)}
		}
	}
	return nil
}

// profileFirst writes a CPU profile of this process during the first measurement.
func profileFirst(w io.Writer) func(begins bool) {
	measurements := 0
	return func(begins bool) {
		switch {
		case !begins && measurements == 1:
			pprof.StopCPUProfile()
		case begins:
			measurements++
			if measurements == 1 {
				_ = pprof.StartCPUProfile(w) // fails only when another one runs
			}
		}
	}
}

func warnings(w io.Writer) *slog.Logger {
	return slog.New(slog.NewTextHandler(w, &slog.HandlerOptions{Level: slog.LevelWarn}))
}

// benchWorker is this program again, as one of several engines.
func benchWorker(ctx context.Context) *exec.Cmd {
	return benchProcess(ctx, "worker")
}
