package main

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"strconv"
	"strings"
	"syscall"
	"time"

	"plateia/waitingroom/linebench"
)

// runBenchQueue measures what a fan in line costs.
func runBenchQueue(ctx context.Context, e env, args []string) error {
	flags := newFlags(e, "bench queue")
	opts := linebench.Options{OpenEdge: benchEdge(e)}
	flags.IntVar(&opts.Mints, "mints", 20_000, "`fans` who enter")
	flags.IntVar(&opts.Gates, "gates", 20_000, "`tickets` at the gate, twice")
	flags.IntVar(&opts.Clients, "clients", 64, "`connections` that ask for the document")
	seconds := flags.Float64("seconds", 5, "`how long` they ask")
	asJSON := flags.Bool("json", false, "report as JSON")
	if err := flags.parse(args); err != nil {
		return err
	}
	opts.Polling = time.Duration(*seconds * float64(time.Second))
	if err := opts.Check(); err != nil || opts.Mints == 0 || opts.Gates == 0 || opts.Clients == 0 || opts.Polling == 0 {
		return errUsage{fmt.Sprintf("bench queue: --mints, --gates, --clients, --seconds: %v", errors.Join(err, errBenchNothing))}
	}
	opts.Progress = func(line string) { fmt.Fprintln(e.stderr, line) }
	report, err := linebench.Run(ctx, opts)
	if err != nil {
		return err
	}
	err = printReport(e, *asJSON, report)
	if err == nil && !report.OK() {
		err = errFailed
	}
	return err
}

var errBenchNothing = errors.New("none of them is zero")

// benchEdge starts this program again, as an edge alone, so that its CPU time is its own.
func benchEdge(e env) func(context.Context, string) (linebench.Edge, error) {
	return func(ctx context.Context, origin string) (linebench.Edge, error) {
		self, err := os.Executable()
		if err != nil {
			return linebench.Edge{}, err
		}
		dir, err := os.MkdirTemp("", "plateia-bench-queue-")
		if err != nil {
			return linebench.Edge{}, err
		}
		process := exec.CommandContext(ctx, self, "serve", "--roles", "edge", "--addr", "127.0.0.1:0", "--data", dir, "--api-url", origin, "--gateway-url", origin, "--log", "warn") //nolint:gosec // itself
		process.Stderr = e.stderr
		process.Cancel = func() error { return process.Process.Signal(syscall.SIGTERM) }
		process.WaitDelay = 10 * time.Second
		out, err := process.StdoutPipe()
		if err == nil {
			err = process.Start()
		}
		if err != nil {
			return linebench.Edge{}, errors.Join(err, os.RemoveAll(dir))
		}
		edge := linebench.Edge{
			CPU: func() time.Duration { return processCPU(process.Process.Pid) },
			Stop: func() error {
				err := process.Process.Signal(syscall.SIGTERM)
				return errors.Join(err, process.Wait(), os.RemoveAll(dir))
			},
		}
		said, err := bufio.NewReader(out).ReadString('\n')
		address, ready := strings.CutPrefix(strings.TrimSpace(said), "ready http://")
		if err != nil || !ready {
			return linebench.Edge{}, errors.Join(fmt.Errorf("the edge says %q: %w", said, err), edge.Stop())
		}
		edge.Addr = address
		return edge, nil
	}
}

// clockTick is Linux's USER_HZ, the same on every architecture that Go runs on.
const clockTick = 10 * time.Millisecond

// processCPU is the time that a process has used so far, user and system; 0 where there is no /proc.
func processCPU(pid int) time.Duration {
	stat, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
	if err != nil {
		return 0
	}
	fields := strings.Fields(string(stat[strings.LastIndexByte(string(stat), ')')+1:]))
	const utime, stime = 11, 12
	if len(fields) <= stime {
		return 0
	}
	user, _ := strconv.ParseInt(fields[utime], 10, 64)
	system, _ := strconv.ParseInt(fields[stime], 10, 64)
	return time.Duration(user+system) * clockTick
}
