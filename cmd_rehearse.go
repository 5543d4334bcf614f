package main

import (
	"context"
	"crypto/ecdsa"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"time"

	"plateia/core/id"
	"plateia/db"
	"plateia/edge/payments/sandbox"
	"plateia/edge/rehearse"
	"plateia/realtime/client"
	"plateia/realtime/wire"
	"plateia/waitingroom/token"
)

// runRehearse lets a crowd loose on a running Plateia.
func runRehearse(ctx context.Context, e env, args []string) error {
	flags := newFlags(e, "rehearse")
	opts := rehearse.Options{Prover: proveKey, Line: readLine}
	flags.StringVar(&opts.URL, "url", "http://127.0.0.1:8080", "public `address`")
	flags.StringVar(&opts.Event, "event", "", "event `id`")
	flags.IntVar(&opts.Fans, "fans", 0, "how `many` (default 100; with --sell-out as many as it takes)")
	flags.BoolVar(&opts.SellOut, "sell-out", false, "fans keep coming until nobody can have a seat any more")
	flags.IntVar(&opts.Hot, "hot", 50, "`percent` of the fans who press for the same few seats at once")
	flags.DurationVar(&opts.Arrival, "arrival", 0, "they arrive evenly over this `time` (default 4 ms a fan, with --lottery until shortly before the on-sale instant; not with --sell-out)")
	flags.DurationVar(&opts.Patience, "patience", 0, "a fan gives up after this `time` (default 10m)")
	flags.BoolVar(&opts.Lottery, "lottery", false, "fans enter before the on-sale instant, which must be to come")
	flags.DurationVar(&opts.LineFor, "line-for", 0, "fans whom nobody has let in by then go home, a `time` from the beginning, with --lottery from the on-sale instant (default: their patience)")
	flags.IntVar(&opts.Parallel, "parallel", 0, "`fans` at work at the same time (default 2000, with --sell-out 100)")
	flags.IntVar(&opts.Connected, "connections", 4000, "`connections` for requests at most, which the fans share")
	flags.IntVar(&opts.Viewers, "viewers", -1, "live `maps` open at the same time; other fans ask for the availability (default 2000, with --sell-out 100)")
	flags.StringVar(&opts.DevSecret, "dev-secret", e.getenv("PLATEIA_DEV_SECRET"), "`secret` of the sign-in route outside plateia dev")
	flags.Var((*chaosRate)(&opts.Chaos), "chaos", "switch the sandbox providers' faults on, each at this `rate` (0.05 when none is said), and print the money by state")
	providers := flags.String("providers", e.getenv("PLATEIA_PROVIDERS"), "with --chaos, JSON `file` of payment providers (default: those of the data folder)")
	verify := flags.Bool("verify", false, "afterwards check the event's invariants in the database, as plateia verify does")
	where := flags.database()
	asJSON := flags.Bool("json", false, "report as JSON")
	if err := flags.parse(args); err != nil {
		return err
	}
	event, err := parseEvent(opts.Event)
	if err != nil {
		return err
	}
	if opts.Fans == 0 && !opts.SellOut {
		opts.Fans = 100
	}
	opts.Viewer = watchMap(opts.URL, event)
	if opts.Chaos > 0 {
		banks, err := chaosBanks(opts.URL, *where.data, *providers)
		if err != nil {
			return errUsage{err.Error()}
		}
		for _, b := range banks {
			defer b.Close()
			opts.Banks = append(opts.Banks, b)
		}
	}
	if !*asJSON {
		opts.Progress = e.stderr
	}
	var r rehearsal
	if r.Report, err = rehearse.Run(ctx, opts); err != nil {
		return err
	}
	if *verify {
		r.Verified, err = verifyWith(ctx, where, event)
	}
	return errors.Join(err, printVerified(e, *asJSON, r, r.Verified))
}

// rehearsal is what the fans met and, when asked for, what the database holds.
type rehearsal struct {
	rehearse.Report
	Verified *db.Report `json:"verified,omitempty"`
}

func verifyWith(ctx context.Context, where databaseFlags, event id.ID) (*db.Report, error) {
	var report db.Report
	err := where.use(ctx, func(d *db.DB, stopped bool) (err error) {
		report, err = d.Verify(ctx, event, db.VerifyOptions{Stopped: stopped})
		return err
	})
	return &report, err
}

// outcome is a report that says itself whether all went well.
type outcome interface {
	Print(w io.Writer)
	OK() bool
}

// printVerified prints a report with what the database says, if it was asked; it ends with errFailed when something is wrong.
func printVerified(e env, asJSON bool, r outcome, verified *db.Report) (err error) {
	if asJSON {
		err = json.NewEncoder(e.stdout).Encode(r)
	} else {
		r.Print(e.stdout)
		if verified != nil {
			printVerdict(e.stdout, *verified)
		}
	}
	if !r.OK() || verified != nil && len(verified.Violations) > 0 {
		err = errors.Join(err, errFailed)
	}
	return err
}

// chaosRate is a flag that may stand alone.
type chaosRate float64

// IsBoolFlag lets --chaos stand without a value.
func (r *chaosRate) IsBoolFlag() bool { return true }

// String is the rate as a flag.
func (r *chaosRate) String() string { return strconv.FormatFloat(float64(*r), 'g', -1, 64) }

// Set reads a rate; alone it is five percent.
func (r *chaosRate) Set(text string) error {
	if text == "true" {
		*r = 0.05
		return nil
	}
	rate, err := strconv.ParseFloat(text, 64)
	if err != nil || rate < 0 || rate > 1 {
		return errors.New("a rate is a number between 0 and 1")
	}
	*r = chaosRate(rate)
	return nil
}

// chaosBanks are the sandboxes behind a running Plateia: those of a file, or of plateia dev, behind its own address.
func chaosBanks(address, data, file string) ([]*sandbox.Provider, error) {
	var out []*sandbox.Provider
	if file != "" {
		all, err := readProviders(file)
		for _, p := range all {
			out = append(out, p.adapter(bankPatience))
		}
		return out, err
	}
	for _, name := range devSandboxes() {
		if _, err := os.Stat(filepath.Join(data, name+"-secrets.json")); err != nil {
			return nil, fmt.Errorf("chaos: the folder %s has no keys of the sandbox providers: --data says where plateia dev runs: %w", data, err)
		}
		secrets, err := sandbox.LoadSecrets(data, name)
		if err != nil {
			return nil, err
		}
		out = append(out, sandbox.NewProvider(sandbox.ProviderOptions{
			Name: name, BaseURL: strings.TrimSuffix(address, "/"), Base: "/" + name, Secrets: secrets, Timeout: bankPatience,
		}))
	}
	return out, nil
}

const bankPatience = 30 * time.Second

// watchMap is a fan's live map without the pixels.
func watchMap(base string, event id.ID) rehearse.Viewer {
	return func(ctx context.Context, accessToken string, onDelta func(time.Time)) error {
		opts := client.Options{Event: event, Token: accessToken, View: wire.View{Mode: wire.Whole}}
		return client.Watch(ctx, base, opts, &client.Map{}, func(f wire.Frame, _ time.Time) {
			if d, ok := f.(wire.Delta); ok && len(d.Changes) > 0 {
				onDelta(d.At)
			}
		})
	}
}

// proveKey proves a fan's key for one request.
func proveKey(key *ecdsa.PrivateKey, method, url string) (string, error) {
	return token.Prove(key, method, url, time.Now())
}
