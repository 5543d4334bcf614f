package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"os/signal"
	"strings"
	"syscall"
	"time"

	"plateia/db"
	"plateia/edge/rehearse"
)

// runDrill rehearses the loss of a region.
func runDrill(ctx context.Context, e env, args []string) error {
	if len(args) == 0 {
		return errUsage{"plateia drill: say which: regions, failover"}
	}
	switch args[0] {
	case "regions":
		return runDrillRegions(ctx, e, args[1:])
	case "failover":
		return runDrillFailover(ctx, e, args[1:])
	}
	return errUsage{fmt.Sprintf("plateia drill: no drill %q; there are regions and failover", args[0])}
}

// runDrillRegions runs two regions until it is told to stop.
func runDrillRegions(ctx context.Context, e env, args []string) error {
	flags := newFlags(e, "drill regions")
	where := drillDatabase(flags)
	if err := flags.parse(args); err != nil {
		return err
	}
	return where.withPair(ctx, e, func(p *pair) error {
		fmt.Fprintf(e.stdout, "ready %s\n", strings.Join(p.file.URLs, " "))
		<-ctx.Done()
		return nil
	})
}

// drillFlags say where a drill's regions keep their things.
type drillFlags struct{ data, url *string }

func drillDatabase(flags toolFlags) drillFlags {
	return drillFlags{
		data: flags.String("data", ".plateia-drill", "data `folder` of the two regions"),
		url:  flags.String("database", "", "CockroachDB or PostgreSQL `URL` of a database for the drill (default: a private one in the folder)"),
	}
}

// withPair runs two regions while do runs.
func (f drillFlags) withPair(ctx context.Context, e env, do func(*pair) error) (err error) {
	log := slog.New(slog.NewTextHandler(e.stderr, &slog.HandlerOptions{Level: slog.LevelWarn}))
	if err := os.MkdirAll(*f.data, 0o755); err != nil { //nolint:gosec // the private server runs as another user
		return err
	}
	chosen, err := db.Choose(ctx, *f.data, *f.url, log)
	if err != nil {
		return err
	}
	defer func() {
		stopping, cancel := context.WithTimeout(context.WithoutCancel(ctx), 30*time.Second)
		defer cancel()
		err = errors.Join(err, chosen.Stop(stopping))
	}()
	p, err := openPair(ctx, *f.data, chosen.URL, log)
	if err != nil {
		return err
	}
	defer p.close()
	return do(p)
}

// runDrillFailover loses a region in the middle of a sale.
func runDrillFailover(ctx context.Context, e env, args []string) error {
	flags := newFlags(e, "drill failover")
	opts := rehearse.FailoverOptions{Prover: proveKey, Line: readLine, Screen: nil}
	where := drillDatabase(flags)
	begin := flags.Bool("start", false, "start two regions for the time of the drill, instead of using those of `plateia drill regions`")
	flags.StringVar(&opts.Lose, "region", pairRegions[0], "`name` of the region to lose")
	flags.IntVar(&opts.Fans, "fans", 200, "how `many` fans come")
	flags.DurationVar(&opts.Arrival, "arrival", 20*time.Second, "they arrive evenly over this `time`")
	flags.DurationVar(&opts.After, "after", 0, "`when` the region is lost (default: a third of --arrival)")
	flags.IntVar(&opts.Viewers, "viewers", 60, "live `maps` open at the same time")
	urls := flags.String("url", "", "public `addresses` of the edges, for an installation of yours: then with --status, --event and --dev-secret")
	statuses := flags.String("status", "", "/upstreams `addresses` of the same edges, at their --metrics-addr")
	flags.StringVar(&opts.Event, "event", "", "event `id`")
	flags.StringVar(&opts.DevSecret, "dev-secret", e.getenv("PLATEIA_DEV_SECRET"), "`secret` of the sign-in route")
	signalled := flags.String("kill", "", "`process` ids to kill; with --url and without it, you end the region yourself when the drill says so")
	freeze := flags.Bool("freeze", false, "stop the processes instead of killing them: a region that is cut off, whose connections stay open and say nothing")
	asJSON := flags.Bool("json", false, "report as JSON")
	if err := flags.parse(args); err != nil {
		return err
	}
	if !*asJSON {
		opts.Progress = e.stderr
	}
	d := drill{e: e, opts: opts, asJSON: *asJSON, signal: syscall.SIGKILL}
	if *freeze {
		d.signal = syscall.SIGSTOP
	}
	switch {
	case *urls != "":
		pids, err := numbers(*signalled)
		if err != nil {
			return errUsage{"drill failover: --kill: " + err.Error()}
		}
		d.opts.URLs, d.opts.Statuses, d.database = list(*urls), list(*statuses), *where.url
		d.opts.Kill = d.kill(pids)
		return d.run(ctx)
	case *begin:
		return where.withPair(ctx, e, func(p *pair) error { return d.against(ctx, p.file, p.database) })
	}
	file, err := readPair(*where.data)
	if err != nil {
		return err
	}
	return d.against(ctx, file, *where.url, *where.data)
}

func readPair(data string) (file pairFile, err error) {
	raw, err := os.ReadFile(pairPath(data))
	if err != nil {
		return file, errUsage{fmt.Sprintf("drill failover: no regions run in %s: begin with `plateia drill regions --data %s`, or say --start", data, data)}
	}
	return file, json.Unmarshal(raw, &file)
}

// drill is one to be run.
type drill struct {
	e              env
	opts           rehearse.FailoverOptions
	database, data string // to verify in; both empty: not verified
	asJSON         bool
	signal         syscall.Signal // that ends the region's processes
}

// against runs it against two regions of this machine.
func (d drill) against(ctx context.Context, file pairFile, database string, data ...string) error {
	d.opts.URLs, d.opts.Statuses, d.opts.Event, d.opts.DevSecret = file.URLs, file.Statuses, file.Event, file.DevSecret
	pids := file.PIDs[d.opts.Lose]
	if len(pids) == 0 {
		return errUsage{fmt.Sprintf("drill failover: region %q does not run here", d.opts.Lose)}
	}
	d.opts.Kill, d.database = d.kill(pids), database
	if database == "" {
		d.data = data[0]
	}
	return d.run(ctx)
}

// kill ends processes, or freezes them, without a warning; without any it only says that it is time.
func (d drill) kill(pids []int) func() error {
	if len(pids) == 0 {
		fmt.Fprintf(d.e.stderr, "end region %s when fans buy: the drill notices\n", d.opts.Lose)
		return nil
	}
	return func() (err error) {
		for _, pid := range pids {
			err = errors.Join(err, syscall.Kill(pid, d.signal))
		}
		return err
	}
}

// drillResult is what fans met and what the database holds.
type drillResult struct {
	rehearse.FailoverReport
	Verified *db.Report `json:"verified,omitempty"`
}

func (d drill) run(ctx context.Context) error {
	event, err := parseEvent(d.opts.Event)
	if err != nil {
		return err
	}
	ctx, stop := signal.NotifyContext(ctx, os.Interrupt)
	defer stop()
	d.opts.Screen = func(base, token string, told func(bool)) rehearse.Screen {
		return newDrillScreen(base, event, token, told)
	}
	var r drillResult
	if r.FailoverReport, err = rehearse.Failover(ctx, d.opts); err != nil {
		return err
	}
	if d.database+d.data != "" {
		if r.Verified, err = verifyWith(ctx, databaseFlags{e: d.e, data: &d.data, url: &d.database}, event); err != nil {
			return err
		}
	}
	return printVerified(d.e, d.asJSON, r, r.Verified)
}

// numbers reads process ids separated by commas.
func numbers(text string) (out []int, err error) {
	for _, part := range list(text) {
		var n int
		if _, err := fmt.Sscanf(part, "%d", &n); err != nil || n <= 1 {
			return nil, fmt.Errorf("%q is no process id", part)
		}
		out = append(out, n)
	}
	return out, nil
}
