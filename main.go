// Command plateia sells tickets: one binary, several roles.
//
// main is a doorman: it picks the command, runs it and picks the exit code.
// This is the only package that knows every other; it wires and does nothing else.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"os/signal"
	"runtime/debug"
	"slices"
	"strings"
	"syscall"
)

// errFailed ends a command that has already said what is wrong (exit 1).
var errFailed = errors.New("failed")

// errUsage ends a command that was called wrongly (exit 2).
type errUsage struct{ text string }

func (e errUsage) Error() string { return e.text }

// env is what a command may use of the outside world.
type env struct {
	stdout, stderr io.Writer
	getenv         func(string) string
}

type command struct {
	name, about string
	run         func(ctx context.Context, e env, args []string) error
}

func commands() []command {
	return []command{
		{"dev", "everything in one process: database, stream, API, live map, demo events on sale", runDev},
		{"serve", "some or all roles against a database and a NATS server you run", runServe},
		{"nats", "a NATS server from a configuration file, by itself", runNATS},
		{"sandbox", "the payment provider of development and rehearsals, by itself", runSandbox},
		{"migrate", "up | status: the database schema", runMigrate},
		{"chart", "import FILE: a venue plan becomes an event on sale; view: pictures of what one sees from its sections", runChart},
		{"seats", "block | unblock | allocate: take seats off the sale, put them back, give them to a channel", runSeats},
		{"partner", "list | add | change | remove | actions: who may show the map on pages of their own", runPartner},
		{"verify", "check an event's invariants in the database; exit 1 names what is wrong", runVerify},
		{"audit", "draw: recompute a draw of lots from its public record; exit 1 names what does not fit", runAudit},
		{"rehearse", "act as a crowd of fans against a running Plateia, through its line to their tickets", runRehearse},
		{"drill", "regions | failover: run two regions here; lose one in the middle of a sale and count what is lost", runDrill},
		{"plan", "the sizing table of an on-sale: what it will ask of an installation", runPlan},
		{"simulate", "queue: the waiting room in virtual time, with as many fans as you like", runSimulate},
		{"bench", "holds: engine, HTTP, one transaction per hold and Redis in one run; events: search and memory; fanout: the live map at many viewers; queue: what a fan in line costs", runBench},
		{"leftovers", "databases whose data folder is gone: list them, and remove those you name", runLeftovers},
		{"version", "what this binary was built from", runVersion},
	}
}

// gcPercent lets the heap grow to five times what lives between collections: the
// live heap is small and the work is short-lived garbage. bench holds, one pair of
// runs on two cores: 16,900 holds/s with 400, 15,100 with the default of 100. GOGC in the environment overrides it.
const gcPercent = 400

// gatewayGCPercent is for a process that is a gateway alone: what lives is large there, its viewers, and hardly
// anything is thrown away, so early collections cost little and save what connecting leaves behind. bench fanout with
// 15,000 viewers: 16.7 kB each with 400, 10.5 with 25.
const gatewayGCPercent = 25

func (e env) collectForGateway() {
	if e.getenv("GOGC") == "" {
		debug.SetGCPercent(gatewayGCPercent)
	}
}

func main() {
	if os.Getenv("GOGC") == "" {
		debug.SetGCPercent(gcPercent)
	}
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	go func() { // the first signal stops gracefully, a second one at once
		<-ctx.Done()
		stop()
	}()
	err := run(ctx, env{os.Stdout, os.Stderr, os.Getenv}, os.Args[1:])
	var usage errUsage
	switch {
	case err == nil, errors.Is(err, flag.ErrHelp):
	case errors.As(err, &usage):
		fmt.Fprintln(os.Stderr, usage.text)
		os.Exit(2)
	case errors.Is(err, errFailed):
		os.Exit(1)
	default:
		fmt.Fprintln(os.Stderr, "plateia:", err)
		os.Exit(1)
	}
}

// run is the whole program as a function, so that tests can call it.
func run(ctx context.Context, e env, args []string) error {
	if len(args) == 0 || slices.Contains([]string{"help", "-h", "--help"}, args[0]) {
		usage(e.stdout)
		return nil
	}
	for _, c := range commands() {
		if c.name == args[0] {
			return c.run(ctx, e, args[1:])
		}
	}
	return errUsage{fmt.Sprintf("plateia: no command %q; `plateia help` lists them", args[0])}
}

func usage(w io.Writer) {
	var b strings.Builder
	b.WriteString("Plateia sells every seat once.\n\nplateia COMMAND [flags]    (plateia COMMAND --help lists a command's flags)\n\n")
	for _, c := range commands() {
		fmt.Fprintf(&b, "  %-10s %s\n", c.name, c.about)
	}
	_, _ = io.WriteString(w, b.String())
}

func runVersion(_ context.Context, e env, _ []string) error {
	info, ok := debug.ReadBuildInfo()
	if !ok {
		return errors.New("built without module information")
	}
	version, revision := info.Main.Version, ""
	for _, s := range info.Settings {
		if s.Key == "vcs.revision" {
			revision = " " + s.Value
		}
	}
	fmt.Fprintf(e.stdout, "plateia %s%s %s\n", version, revision, info.GoVersion)
	return nil
}
